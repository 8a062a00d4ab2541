"""A collector in a real process that can be killed at any moment, or dies by itself between two statements.

Started as a program, this module is a nursery: it has imported everything, and forks a collector in a few
milliseconds whenever it is told to. A collector dies by SIGKILL, so that nothing of it is tidied up.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

_PATIENCE = 30.0  # seconds until a process that should have ended is called a failure


class Life(NamedTuple):
    """How a collector is to live: where its store and clock are, and how long."""

    place: str
    clock: str
    """A file; the time at which it was changed is the collector's time of day."""
    points: int
    """It dies at this point: before or after a statement, a commit or a call that writes; 0 for never."""
    batches_sorted_together: int
    reports_per_hour: int
    largest_body: int


class MortalCollector:
    """The nursery, and the one collector that lives."""

    def __init__(self, errors: Path) -> None:
        self._errors = errors
        with errors.open("wb") as log:
            self._nursery = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        self._pid = self.port = 0

    def start(self, life: Life) -> bool:
        """Start a collector, and return whether it lived until it could be asked."""
        said = self._tell({"start": life._asdict()})
        self._pid, self.port = said["pid"], said["port"]
        return bool(self.port) or not self._ended(signal.SIGKILL)

    def kill(self) -> None:
        """Kill the collector, if it has not died by itself."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            self._ended(signal.SIGKILL)

    def stop(self) -> bool:
        """Let the collector end in order; return False if it died meanwhile."""
        assert self._pid, "there is no collector to be ended"  # 0 would mean this process, and all around it
        os.kill(self._pid, signal.SIGTERM)
        return not self._ended(signal.SIGKILL, 0)

    def died(self) -> None:
        """See that the collector, which did not answer, is dead; an answer that is missing is a failure."""
        self._ended(signal.SIGKILL)

    def _ended(self, *expected: int) -> bool:
        """Wait for the end, which must be one of those expected; return whether it was by SIGKILL."""
        status = self._tell({"wait": self._pid})["status"]
        self._pid = 0
        how = os.waitstatus_to_exitcode(status) if status is not None else None
        assert how is not None, "the collector gives no answer, and lives"
        assert abs(how) in expected, f"the collector ended with {how}: {self._errors.read_text()}"
        return how != 0

    def _tell(self, what: object) -> Any:
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        self._nursery.stdin.write(json.dumps(what).encode() + b"\n")
        self._nursery.stdin.flush()
        return json.loads(self._nursery.stdout.readline())

    def close(self) -> None:
        """End the nursery and what lives in it."""
        self.kill()
        self._nursery.communicate()


def _nursery() -> None:
    """Do what is asked, line by line."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "start" in asked:
            print(json.dumps(_born(Life(**asked["start"]))), flush=True)
        else:
            print(json.dumps({"status": _waited(asked["wait"])}), flush=True)


def _born(life: Life) -> dict[str, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        try:
            _live(life, writing)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as port:
        return {"pid": pid, "port": int(port.read() or 0)}


def _waited(pid: int) -> int | None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return status
        time.sleep(0.002)
    return None


def _live(life: Life, port: int) -> None:
    """Be a collector, as the command runs it, and write its port into a pipe."""
    from ldprange.cli.leaving import leave_when_asked, told_to_leave
    from ldprange.service import live_aggregate
    from ldprange.service.access import ROLES, digest
    from ldprange.service.collector import Collector
    from ldprange.service.server import listen, make_server
    from ldprange.service.settings import Settings
    from ldprange.service.store import Store

    live_aggregate._TOGETHER = life.batches_sorted_together
    clock = Path(life.clock)
    time.time = lambda: clock.stat().st_mtime
    if life.points:
        _die_at(life.points)
    with Store(life.place, create=True) as store:
        store.lock()
        if not store.digests():
            store.keep_digests({role: digest(role) for role in ROLES})
        settings = Settings(
            requests_per_second=0,
            reports_per_hour=life.reports_per_hour,
            bytes_per_hour=0,
            largest_body=life.largest_body,
            least_free_bytes=0,
        )
        collector = Collector(store, settings)
        collector.load()
        with listen("127.0.0.1", 0) as listening:
            leave_when_asked()
            server = make_server(collector, ended=told_to_leave)
            listening.listen(100)  # whoever connects from now on is answered, or finds it dead
            os.write(port, str(listening.getsockname()[1]).encode())
            os.close(port)
            with suppress(KeyboardInterrupt):  # how it is told to end
                server.run(sockets=[listening])
        collector.stop()


def _die_at(point: int) -> None:
    """Let this process die at a point in what it does with the database, counted from now."""
    from sqlalchemy import Engine, event

    from ldprange.service.store import Store

    passed = 0

    def pass_point(*_: object, **__: object) -> None:
        nonlocal passed
        passed += 1
        if passed == point:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(Engine, name, pass_point)

    def with_points(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            done = call(*arguments)
            pass_point()  # durable, and nobody was told
            return done

        return called

    for name in ("keep", "sort", "change_survey"):
        setattr(Store, name, with_points(getattr(Store, name)))


def _import_all() -> None:
    """Import what a collector needs, and use some of it, before any is forked."""
    import tempfile

    import psycopg  # noqa: F401
    import uvicorn.lifespan.on
    import uvicorn.loops.uvloop
    import uvicorn.protocols.http.httptools_impl  # noqa: F401

    import ldprange.cli.leaving
    import ldprange.service.server  # noqa: F401
    from ldprange.service.live_aggregate import Live
    from ldprange.service.store import OPEN, Store, Survey
    from running_collector import PLAN

    with tempfile.TemporaryDirectory() as folder, Store(folder, create=True) as store:
        survey = store.add_survey(Survey(0, "ages", "How old?", "", False, OPEN, PLAN))
        assert survey is not None
        Live.load(store, survey)


if __name__ == "__main__":
    _import_all()
    _nursery()
