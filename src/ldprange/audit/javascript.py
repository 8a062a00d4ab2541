"""The JavaScript client as it is shipped, in Node and in a browser, and how to have it do things.

Its files are served, or copied, from where the collector's pages have them; nothing of them is changed.
"""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import tempfile
import threading
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import ldprange
from ldprange.errors import LdprangeError

_PACKAGE = Path(ldprange.__file__).parent
_CLIENT, _PROGRAMS = _PACKAGE / "service" / "static", _PACKAGE / "audit" / "programs"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_OPTIONS = (
    "--headless",
    "--no-sandbox",  # it shows pages of this package only
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
)
_OLDEST_NODE = 20
_PATIENCE = 300.0  # seconds for one task
_TYPES = {".js": "text/javascript", ".html": "text/html"}


class Runtime(AbstractContextManager["Runtime", None]):
    """Something that runs the JavaScript client: a context, within which it does tasks."""

    name: str

    @abstractmethod
    def do(self, task: str, given: Any, *, worker: bool = False) -> Any:
        """Return what a ``task`` of ``making.js`` makes of what is ``given``, in a ``worker`` if wanted."""


class Node(Runtime):
    """Node, found on the path; each task is a process of its own."""

    name = "JavaScript client in Node"

    def __init__(self, program: str, client: Path = _CLIENT) -> None:
        self._program, self._client = program, client

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="ldprange-audit-")
        folder = Path(self._folder.name)
        for file in (*self._client.glob("*.js"), *_PROGRAMS.glob("*.js")):
            shutil.copy(file, folder / file.name)
        (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def do(self, task: str, given: Any, *, worker: bool = False) -> Any:
        done = subprocess.run(  # noqa: S603 (our own program)
            [self._program, str(Path(self._folder.name) / "in_node.js")],
            input=json.dumps({"task": task, "given": given, "worker": worker}),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=_PATIENCE,
        )
        if done.returncode != 0:
            raise LdprangeError(f"the JavaScript client must run in Node, and did not: {done.stderr[-500:]}")
        return json.loads(done.stdout)


class Browser(Runtime):
    """Chromium, found on the path: a page of this machine, on a free port, that asks for tasks."""

    name = "JavaScript client in a browser"

    def __init__(self, program: str) -> None:
        self._program = program
        self._tasks: queue.Queue[Any] = queue.Queue()
        self._found: queue.Queue[Any] = queue.Queue()

    def __enter__(self) -> Self:
        self._profile = tempfile.TemporaryDirectory(prefix="ldprange-audit-", ignore_cleanup_errors=True)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._tasks, self._found))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{self._server.server_address[1]}/page.html"
        self._process = subprocess.Popen(  # noqa: S603 (a browser, on a page of our own)
            [self._program, *_OPTIONS, f"--user-data-dir={self._profile.name}", address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self._process.kill()
        self._process.wait()
        self._server.shutdown()
        self._server.server_close()
        self._profile.cleanup()

    def do(self, task: str, given: Any, *, worker: bool = False) -> Any:
        self._tasks.put({"task": task, "given": given, "worker": worker})
        try:
            found = self._found.get(timeout=_PATIENCE)
        except queue.Empty:
            raise LdprangeError(
                f"the browser must answer within {_PATIENCE:.0f} seconds, and did not; ask for fewer runs"
            ) from None
        if "error" in found:
            raise LdprangeError(f"the JavaScript client must run in a browser, and did not: {found['error']}")
        return found["found"]


def _handler(tasks: queue.Queue[Any], found: queue.Queue[Any]) -> type[BaseHTTPRequestHandler]:
    """Return what serves the client's files, gives out ``tasks`` and takes what was ``found``."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.lstrip("/")
            if name == "next":
                return self._answer(json.dumps(tasks.get()).encode(), "application/json")
            files = [folder / name for folder in (_PROGRAMS, _CLIENT)]
            file = next((each for each in files if "/" not in name and each.is_file()), None)
            if file is None or file.suffix not in _TYPES:
                return self.send_error(404)
            return self._answer(file.read_bytes(), _TYPES[file.suffix])

        def do_POST(self) -> None:
            found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._answer(b"", "text/plain")

        def _answer(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 (its name there)
            pass

    return Handler


def find_node() -> Node | str:
    """Return Node, or why it cannot be had."""
    program = shutil.which("node")
    if program is None:
        return "Node was not found"
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603 (found on the path)
    try:
        major = int(told.removeprefix("v").split(".")[0])
    except ValueError:
        return f"Node does not tell its version, but {told[:40]!r}"
    return Node(program) if major >= _OLDEST_NODE else f"Node is {told}, and must be {_OLDEST_NODE} or later"


def find_browser() -> Browser | str:
    """Return a browser, or why none can be had."""
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    return Browser(program) if program else "no Chromium was found"


@contextmanager
def started(runtime: Runtime | str) -> Iterator[Runtime | str]:
    """Start a runtime, if there is one, and end it when the block ends."""
    if isinstance(runtime, str):
        yield runtime
        return
    with runtime as running:
        yield running
