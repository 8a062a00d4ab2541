"""The collector's memory under load that goes on: ``python benchmarks/collector_load.py --seconds 600``.

Senders in this process hand in batches, each as soon as the one before is acknowledged, or at a given rate;
asked to wait, they wait and send the same again, as a client should. Meanwhile it looks at the memory of
``ldprange serve``, a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import NamedTuple

import ldprange as ldp
from collector import PLAN, measured
from ldprange import wire

_LOOK = 0.5  # seconds between looks at the memory


class Load(NamedTuple):
    """What became of a load: batches, how many reports are counted, and the memory at each look, in MiB."""

    acknowledged: int
    put_off: int
    """Replies that asked to send a batch again later: more came than could be counted."""
    refused: int
    counted: int
    memory: list[float]


def loaded(seconds: float, *, reports: int = 1, senders: int = 8, rate: float = 0.0) -> Load:
    """Return what became of a load on a new collector with a store of its own.

    Parameters
    ----------
    seconds
        For which it goes on.
    reports
        In each batch.
    senders
        At the same time.
    rate
        Of batches a second, by all senders together; 0 for as many as can be.
    """
    body = wire.pack(ldp.encode_many(PLAN, [(7 * person) % 120 for person in range(reports)], seed=1))
    with tempfile.TemporaryDirectory() as name:
        server, port = _started(Path(name))
        counts = [[0, 0, 0] for _ in range(senders)]
        end = time.monotonic() + seconds
        threads = [
            threading.Thread(target=_send, args=(port, body, end, senders / rate if rate else 0.0, count))
            for count in counts
        ]
        memory = []
        try:
            for thread in threads:
                thread.start()
            while time.monotonic() < end:
                memory.append(_memory(server.pid))
                time.sleep(_LOOK)
            for thread in threads:
                thread.join()
            counted = _counted(port)
        finally:
            server.terminate()
            server.communicate()
    acknowledged, put_off, refused = map(sum, zip(*counts, strict=True))
    return Load(acknowledged, put_off, refused, counted, memory)


def _started(folder: Path) -> tuple[subprocess.Popen[str], int]:
    (folder / "plan.json").write_text(PLAN.to_json())
    survey = ["--question", "How old?", "--name", "ages", "--plan", str(folder / "plan.json")]
    taken = ["--batches", "--public"]
    limits = ["--requests-per-second", "0", "--reports-per-hour", "0", "--bytes-per-hour", "0"]
    place = ["--data", str(folder / "data"), "--port", "0"]
    server = subprocess.Popen(
        [sys.executable, "-m", "ldprange", "serve", *place, *survey, *taken, *limits],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
    )
    if server.stdout is None:
        raise SystemExit("the collector says nothing")
    for line in server.stdout:
        if "/s/ages" in line:
            port = int(line.split("/s/ages")[0].rsplit(":", 1)[1])
            while not _listens(port):  # it prints its address a moment before
                time.sleep(0.05)
            return server, port
    raise SystemExit("the collector did not start")


def _listens(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def _send(port: int, body: bytes, end: float, pause: float, count: list[int]) -> None:
    """Send until the end, and count batches that were acknowledged, replies to wait, and other ends."""
    head = {"Content-Type": "application/octet-stream"}
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    due = time.monotonic()
    while time.monotonic() < end:
        batch = f"/api/surveys/ages/batches/{secrets.token_hex(16)}"
        try:
            while True:
                connection.request("PUT", batch, body, head)
                reply = connection.getresponse()
                reply.read()
                if reply.status != 503:
                    break
                count[1] += 1
                time.sleep(float(reply.headers["Retry-After"]))
            count[0 if reply.status == 201 else 2] += 1
        except (OSError, HTTPException):
            count[2] += 1
            connection.close()
        due += pause
        time.sleep(max(0.0, due - time.monotonic()) if pause else 0.0)
    connection.close()


def _counted(port: int) -> int:
    """Return how many reports the survey has."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/api/surveys/ages/overview")
    reports = json.loads(connection.getresponse().read())["reports"]
    connection.close()
    return int(reports)


def _memory(process: int) -> float:
    """Return a process's memory in MiB."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def loaded_by_wrk(seconds: int, reports: int) -> Load:
    """Return what became of the load of wrk, which is faster than senders in Python, as ``loaded`` does."""
    with tempfile.TemporaryDirectory() as name:
        server, port = _started(Path(name))
        memory: list[float] = []
        try:
            with ThreadPoolExecutor(1) as sender:
                sending = sender.submit(measured, port, reports, seconds, Path(name))
                while not sending.done():
                    memory.append(_memory(server.pid))
                    time.sleep(_LOOK)
            rate, _ = sending.result()  # an error unless all were acknowledged
            counted = _counted(port)
        finally:
            server.terminate()
            server.communicate()
    return Load(round(rate * seconds), 0, 0, counted, memory)


def main() -> None:
    """Load a collector, and print its rate and its memory."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--reports", type=int, default=1, help="in each batch")
    parser.add_argument("--senders", type=int, default=8)
    parser.add_argument("--rate", type=float, default=0, help="batches a second; 0 for as many as can be")
    parser.add_argument("--wrk", action="store_true", help="let wrk send, as benchmarks/collector.py does")
    asked = parser.parse_args()
    if asked.wrk:
        found = loaded_by_wrk(int(asked.seconds), asked.reports)
    else:
        found = loaded(asked.seconds, reports=asked.reports, senders=asked.senders, rate=asked.rate)
    tenth = max(1, len(found.memory) // 10)
    print(f"{found.acknowledged:,} batches acknowledged, {found.acknowledged / asked.seconds:,.0f} a second")
    print(f"{found.put_off:,} asked to come again later, {found.refused:,} refused")
    print(f"{found.counted:,} reports counted")
    print(f"memory in MiB: {found.memory[tenth]:.0f} after a tenth, {max(found.memory):.0f} at most")


if __name__ == "__main__":
    main()
