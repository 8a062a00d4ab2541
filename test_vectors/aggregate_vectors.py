"""Files of aggregates: of version 1, which the package no longer writes, and of version 2, good and bad."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import ldprange as ldp

_MAX_BYTES = 4096  # of a file that is published


def sealed(version: int, header: dict[str, Any], counts: bytes) -> bytes:
    """Return a file of a ``version`` with this ``header`` and these ``counts``, whatever they say."""
    text = json.dumps(header).encode()
    body = b"LDPRAGG" + bytes([version]) + len(text).to_bytes(4, "little") + text + counts
    return body + hashlib.sha256(body).digest()


def header_of(total: ldp.Aggregate) -> dict[str, Any]:
    """Return the header that an aggregate's file has, in both versions."""
    counters = [len(counts) for counts in total.counts]
    return {"plan": total.plan.to_json(), "users": total.users, "counters": counters}


def file_of_version_1(total: ldp.Aggregate) -> bytes:
    """Return the file of an aggregate in version 1: 8 bytes a count."""
    return sealed(1, header_of(total), b"".join(counts.astype("<i8").tobytes() for counts in total.counts))


def aggregates(totals: dict[str, ldp.Aggregate]) -> dict[str, list[dict[str, str]]]:
    """Return the files of ``totals`` in version 2, by their names, where they are short; and bad files."""
    files = {name: total.to_bytes() for name, total in totals.items()}
    good = [{"name": name, "file": data.hex()} for name, data in files.items() if len(data) <= _MAX_BYTES]
    return {"good": good, "bad": list(bad_files())}


def bad_files() -> Iterator[dict[str, str]]:
    """Yield files that must be refused, of 10 counters; all but the damaged ones have the right digest."""
    plan = ldp.Plan(ldp.Domain.integers(0, 9), 1.1, ldp.Flat(), ldp.GRR())
    total = ldp.Aggregate.of(plan, ldp.encode_many(plan, [7], seed=1))
    header, whole = header_of(total), total.to_bytes()

    def bad(reason: str, data: bytes) -> dict[str, str]:
        return {"reason": reason, "file": data.hex()}

    def counted(reason: str, *counts: int) -> dict[str, str]:
        return bad(reason, sealed(2, header, bytes(counts)))

    yield bad("nothing at all", b"")
    yield bad("cut short", whole[:-1])
    yield bad("a byte more", whole + b"\0")
    yield bad("damaged", whole[:-33] + bytes([whole[-33] ^ 1]) + whole[-32:])
    yield bad("version 3", sealed(3, header, b"\0\1" + bytes(10)))
    yield bad("counters of another plan", sealed(2, {**header, "counters": [11]}, b"\0\1" + bytes(11)))
    yield bad("users below 0", sealed(2, {**header, "users": [-1]}, b"\0\1" + bytes(10)))
    yield counted("no counts")
    yield counted("too few counts", 0, 1, *[0] * 8, 1)
    yield counted("a byte left over", 0, 1, *[0] * 9, 1, 0)
    yield counted("a count of 3 bytes", 0, 3, *[0] * 29, 1)
    yield counted("a gap of 4 bytes", 4, 1, 1, 0, 0, 0, 0, 0, 1)
    yield counted("a count beyond the last", 1, 1, 1, 0, 10, 1)
    yield counted("more counts than there are bytes", 1, 1, 0xFF, 0xFF, 0, 1)
    yield counted("counts that are more than the reports", 1, 1, 2, 0, 0, 0, 1, 1)
    yield counted("counts that are fewer than the reports", 1, 1, 0, 0)
    yield counted("a count beyond 63 bits", 1, 8, 1, 0, 0, *[0xFF] * 8)
