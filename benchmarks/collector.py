"""How many reports a second the collector takes, durably: ``python benchmarks/collector.py``.

wrk (Debian: apt-get install wrk) sends batches over loopback to ``ldprange serve`` and, in the same run, the
same requests to an empty handler on the same server. Rates are medians over rounds; machines are noisy, so
look at the ratios.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import ldprange as ldp
from ldprange import wire

PLAN = ldp.Plan(ldp.Domain.integers(0, 119), 1.1, ldp.Haar(), ldp.HRR())
CONNECTIONS = 64
EMPTY = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

async def empty(request):
    return Response()

path = "/api/surveys/{name}/batches/{batch}"
app = Starlette(routes=[Route(path, empty, methods=["PUT"]), Route("/health", empty)])
uvicorn.run(app, port=int(sys.argv[1]), access_log=False, log_level="warning")
"""
# a fresh id for every request, the same bytes
SCRIPT = """
local body = ("%s"):gsub("..", function(c) return string.char(tonumber(c, 16)) end)
local n = 0
function request()
  n = n + 1
  local path = "/api/surveys/ages/batches/%s" .. string.format("%%016x", n)
  return wrk.format("PUT", path, {["Content-Type"] = "application/octet-stream"}, body)
end
"""


@contextmanager
def running(command: Sequence[str], port: int) -> Iterator[None]:
    """Run a server, and wait until it answers."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    try:
        while process.poll() is None:
            try:
                connection = HTTPConnection("127.0.0.1", port, timeout=1)
                connection.request("GET", "/health")
                if connection.getresponse().status == 200:
                    break
            except (OSError, HTTPException):
                time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


def measured(port: int, reports: int, seconds: int, folder: Path) -> tuple[float, float]:
    """Return requests a second, all of which succeeded, and the 99th percentile of latency in ms."""
    body = wire.pack(ldp.encode_many(PLAN, [(7 * person) % 120 for person in range(reports)], seed=1))
    script = folder / "batch.lua"
    script.write_text(SCRIPT % (body.hex(), secrets.token_hex(8)))
    said = subprocess.run(
        [
            "wrk",
            "-t1",
            f"-c{CONNECTIONS}",
            f"-d{seconds}s",
            "--latency",
            "-s",
            script,
            f"http://127.0.0.1:{port}",
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rate, tail = re.search(r"Requests/sec:\s*([\d.]+)", said), re.search(r"99%\s*([\d.]+)(us|ms|s)", said)
    if rate is None or tail is None or "Non-2xx" in said or "Socket errors" in said:
        raise SystemExit(f"wrk did not get what it asked for:\n{said}")
    return float(rate[1]), float(tail[1]) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[tail[2]]


def free_port() -> int:
    """Return a port that nobody has."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def main() -> None:
    """Measure in rounds, and print rates and ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=int, default=5, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--database", help="a PostgreSQL database's URL, instead of SQLite")
    asked = parser.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("this needs wrk; install it (Debian: apt-get install wrk)")
    kinds = {"empty handler": 1, "1 report": 1, "100 reports": 100}
    found: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as name:
        folder, ports = Path(name), (free_port(), free_port())
        (folder / "plan.json").write_text(PLAN.to_json())
        place = ["--database", asked.database] if asked.database else ["--data", str(folder / "data")]
        survey = ["--question", "How old?", "--name", "ages", "--plan", str(folder / "plan.json")]
        serve = [
            "-m",
            "ldprange",
            "serve",
            *place,
            *survey,
            "--port",
            str(ports[1]),
            "--requests-per-second",
            "0",
            # limits that nobody reaches, so that they are looked at
            *("--batches", "--reports-per-hour", str(10**15), "--bytes-per-hour", str(10**15)),
        ]
        with running(["-c", EMPTY, str(ports[0])], ports[0]), running(serve, ports[1]):
            for _ in range(asked.rounds):
                for kind, reports in kinds.items():
                    port = ports[kind != "empty handler"]
                    found[kind].append(measured(port, reports, asked.seconds, folder))
    print(f"{'':16}{'requests/s':>12}{'reports/s':>12}{'of empty':>10}{'p99 ms':>9}")
    base = statistics.median(rate for rate, _ in found["empty handler"])
    for kind, runs in found.items():
        rate, tail = (statistics.median(column) for column in zip(*runs, strict=True))
        counted = f"{rate * kinds[kind]:,.0f}" if kind != "empty handler" else ""
        print(f"{kind:16}{rate:12,.0f}{counted:>12}{rate / base:10.2f}{tail:9.1f}")


if __name__ == "__main__":
    main()
