"""Every parser that reads what a stranger may have made, as a function of any bytes.

A target returns if the bytes are good, and raises an error of ours if not. Whatever else it raises is a
fault; so is what takes long, or much memory.
"""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import io
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ldprange as ldp
from ldprange import wire
from ldprange.errors import LdprangeError
from ldprange.files import checkpoint, csv_reports, packed_reports, parquet_reports, tables
from ldprange.files.thrift import read_structure
from ldprange.plan import Plan
from ldprange.service.access import ROLES, digest
from ldprange.service.app import make_app
from ldprange.service.collector import Collector
from ldprange.service.settings import Settings
from ldprange.service.store import Store
from ldprange.support.whole_files import text_of

AGES = ldp.Domain.integers(0, 119)
PLANS = (
    ldp.Plan(AGES, 1.1, ldp.Haar(), ldp.HRR()),
    ldp.Plan(AGES, 1.1, ldp.Tree(branching=4), ldp.OUE()),
    ldp.Plan(AGES, 1.1, ldp.Flat(), ldp.OLH()),
    ldp.Plan(AGES, 0.5, ldp.Flat(), ldp.SubsetSelection()),
    ldp.Plan(ldp.Domain.ordered(["XS", "S", "M", "L"]), 2.0, ldp.Flat(), ldp.GRR()),
    ldp.Plan(ldp.Domain.integers(0, 63), 2.0, ldp.Windows(), ldp.HadamardHashing(bits=2)),
)
DOMAINS = (
    AGES,
    ldp.Domain.dates("2026-01-01", "2026-01-31"),
    ldp.Domain.ordered(["XS", "S", "M", "L"]),
    ldp.Domain.product(age=AGES, size=ldp.Domain.ordered(["S", "M"])),
)
_LARGEST_BODY = 1 << 14

Target = Callable[[bytes], object]


def plan(data: bytes) -> None:
    """Read a plan's JSON text; one that is good says the same when it is written and read again."""
    made = Plan.from_json(text_of(data))
    assert Plan.from_json(made.to_json()).fingerprint == made.fingerprint


def labelled_plan(data: bytes) -> None:
    """Read the JSON text of a plan with a public class."""
    ldp.LabelledPlan.from_json(text_of(data))


def reports(data: bytes) -> None:
    """Read a batch of the plan that the first byte chooses; a good one has no other encoding."""
    chosen = PLANS[data[0] % len(PLANS)] if data else PLANS[0]
    packed = data[1:2] + bytes.fromhex(chosen.fingerprint) + data[2:]
    _, (found,) = wire.unpack_many(chosen, [packed])
    batch = wire.unpack(chosen, packed)  # an error if that was one
    assert found == len(batch) == wire.count(chosen, packed)
    column, refused = wire.unpack_column(chosen, np.frombuffer(packed, np.uint8), np.array([0, len(packed)]))
    assert wire.pack(column) == wire.pack(batch)
    assert not refused.size
    assert wire.pack(batch, version=packed[0]) == packed
    assert ldp.Aggregate.of(chosen, batch).checked().reports == len(batch)


def aggregate(data: bytes) -> None:
    """Read an aggregate whose digest is right."""
    found = ldp.Aggregate.from_bytes(_sealed(data))
    assert ldp.Aggregate.from_bytes(found.to_bytes()) == found


def labelled_aggregate(data: bytes) -> None:
    """Read an aggregate by class whose digest is right."""
    ldp.LabelledAggregate.load(_written(_sealed(data)))


def thrift(data: bytes) -> None:
    """Read a structure."""
    with suppress(IndexError, ValueError, RecursionError):  # what it says that it raises
        read_structure(data)


def parquet_table_of_reports(data: bytes) -> None:
    """Read reports from a Parquet file."""
    for chosen in PLANS[:2]:
        with suppress(LdprangeError):
            _count(chosen, parquet_reports.read(io.BytesIO(data), chosen))


def parquet_table_of_values(data: bytes) -> None:
    """Read values from a Parquet file."""
    for domain in DOMAINS:
        with suppress(LdprangeError):
            _use(tables.parquet_values(io.BytesIO(data), None, domain))


def csv_table_of_reports(data: bytes) -> None:
    """Read reports from a CSV file."""
    chosen = PLANS[1]
    _count(chosen, csv_reports.read(io.BytesIO(data), chosen))


def csv_table_of_values(data: bytes) -> None:
    """Read values from a CSV file, and from a column without a header."""
    for domain in DOMAINS:
        with suppress(LdprangeError):
            _use(tables.delimited_values(io.BytesIO(data), ",", None, domain))
    for domain in DOMAINS[:3]:
        with suppress(LdprangeError):
            _use([tables.plain_values(io.BytesIO(data), domain)])


def packed_file(data: bytes) -> None:
    """Read a file of packed batches."""
    with _written(data).open("rb") as file:
        _count(PLANS[0], packed_reports.read(file, PLANS[0]))


def checkpoint_file(data: bytes) -> None:
    """Read how far counting had come, with a digest that is right."""
    start = 12 + int.from_bytes(data[8:12], "little")  # of the aggregate, which has the digest
    part = checkpoint.Part("a", 0, 1, 2, 3)
    checkpoint.load(_written(data[:start] + _sealed(data[start:])), PLANS[0], {part})


def ledger(data: bytes) -> None:
    """Open a ledger, and ask for all that is in it."""
    path = _written(data)
    made = ldp.Ledger(path, budget=None)
    made.pending()
    made.remaining()
    made.spent("somebody")
    ldp.Client(PLANS[0], ledger=made, survey="https://example.org/s/ages").encode(42)


def http(data: bytes) -> None:
    """Send a body, or a question, in the way that the first byte chooses; the reply is never a failure."""
    ways: list[tuple[str, str]] = [
        ("PUT", "/api/surveys/ages/batches/" + 32 * "a"),
        ("POST", "/api/surveys"),
        ("PATCH", "/api/surveys/ages"),
        *(
            ("GET", f"/api/surveys/ages/{what}")
            for what in ("range", "prefix", "quantiles", "cdf", "histogram")
        ),
    ]
    method, path = ways[data[0] % len(ways)] if data else ways[0]
    is_question = method == "GET"
    status = _service().ask(method, path, data[1:] if is_question else b"", b"" if is_question else data[1:])
    assert status < 500, status


TARGETS: dict[str, Target] = {
    target.__name__: target
    for target in (
        plan,
        labelled_plan,
        reports,
        aggregate,
        labelled_aggregate,
        thrift,
        parquet_table_of_reports,
        parquet_table_of_values,
        csv_table_of_reports,
        csv_table_of_values,
        packed_file,
        checkpoint_file,
        ledger,
        http,
    )
}


def refused(target: Target, data: bytes) -> str:
    """Return why a target refuses some bytes, or nothing if it does not; any other error is a fault."""
    try:
        target(data)
    except LdprangeError as error:
        return str(error)
    return ""


def _sealed(data: bytes) -> bytes:
    return data + hashlib.sha256(data).digest()


def _count(chosen: Plan, batches: Any) -> None:
    for batch in batches:
        ldp.Aggregate.of(chosen, batch)


def _use(columns: Any) -> None:
    for column in columns:
        for _ in column:
            pass


@cache
def _folder() -> Path:
    """Return a folder of this process's own, in memory where there is such a place."""
    memory = Path("/dev/shm")  # noqa: S108 (the folder in it has a name of its own)
    folder = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _written(data: bytes) -> Path:
    for left in _folder().glob("fuzzed*"):  # a database may have left a journal beside it
        left.unlink()
    path = _folder() / f"fuzzed.{os.getpid()}"
    path.write_bytes(data)
    return path


class _Service:
    """A collector's application, without a network: requests are calls."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        store = Store(_folder() / "store", create=True)
        store.lock()
        store.keep_digests({role: digest(role) for role in ROLES})
        limits = Settings(
            requests_per_second=0,
            reports_per_hour=0,
            bytes_per_hour=0,
            largest_body=_LARGEST_BODY,
            least_free_bytes=0,
        )
        collector = Collector(store, limits)
        collector.load()
        self._app = make_app(collector)
        self._collector = collector
        collector.start(self._loop)
        said = {"name": "ages", "question": "?", "plan": PLANS[0].to_dict(), "batches": True}
        collector.create(said)

    def stop(self) -> None:
        """Stop the collector."""
        self._collector.stop()
        self._loop.close()

    def ask(self, method: str, path: str, query: bytes, body: bytes) -> int:
        """Return the status of the reply."""
        return self._loop.run_until_complete(self._ask(method, path, query, body))

    async def _ask(self, method: str, path: str, query: bytes, body: bytes) -> int:
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query,
            "headers": [
                (b"host", b"127.0.0.1"),
                (b"authorization", b"Bearer administrator"),
                (b"content-type", b"application/octet-stream"),
            ],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2),
            "scheme": "http",
            "http_version": "1.1",
        }
        found: list[int] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                found.append(message["status"])

        await self._app(scope, receive, send)
        return found[0]


@cache
def _service() -> _Service:
    return _Service()


def stop() -> None:
    """Stop the collector, if there is one: a process would wait for it when it ends."""
    if _service.cache_info().currsize:
        _service().stop()
        _service.cache_clear()
