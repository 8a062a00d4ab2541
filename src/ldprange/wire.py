"""The wire: reports as bytes. A report on its own is a batch of one.

Version 1, all integers little-endian::

    1 byte      version, 1
    8 bytes     the plan's fingerprint
    then, for every level on which anyone reported, in increasing order:
    1 byte      level
    1–9 bytes   number of reports n ≥ 1, LEB128
    n × width   the reports, each the fewest whole bytes that hold any report of the level

Each batch has exactly one encoding. Anything else is refused whole.
"""

from __future__ import annotations

import numpy as np

from ldprange.checking import check_type
from ldprange.errors import MismatchError, WireError
from ldprange.plan import FINGERPRINT_BYTES, Plan
from ldprange.reports import Batch, Report

VERSION = 1
_HEADER = 1 + FINGERPRINT_BYTES


def pack(reports: Report | Batch) -> bytes:
    """Return a report or a batch as bytes.

    >>> from ldprange import Client, Domain, Haar, HRR
    >>> plan = Plan(Domain.integers(0, 119), 1.1, Haar(), HRR())
    >>> len(pack(Client(plan).encode(42)))
    12
    """
    check_type(reports, Report | Batch, "what is packed")
    if isinstance(reports, Report):
        try:
            head = bytes([VERSION]) + bytes.fromhex(reports.fingerprint)
            return head + bytes([reports.level, 1]) + reports.payload
        except (ValueError, TypeError):
            raise WireError(f"a report must be as a client made it, got {reports}") from None
    parts = [bytes([VERSION]), bytes.fromhex(reports.plan.fingerprint)]
    for level, (column, mechanism) in enumerate(zip(reports.columns, reports.plan.mechanisms, strict=True)):
        if len(column):
            parts += [bytes([level]), _varint(len(column)), mechanism.pack(column).tobytes()]
    return b"".join(parts)


def unpack(plan: Plan, data: bytes) -> Batch:
    """Read bytes back; an error if they are not a whole batch of this plan."""
    check_type(plan, Plan, "the first argument")
    check_type(data, bytes, "a packed batch")
    if len(data) < _HEADER:
        raise WireError(f"a batch must have at least {_HEADER} bytes, got {len(data)}; it was cut short")
    if data[0] != VERSION:
        raise WireError(f"a batch must be of version {VERSION}, got {data[0]}; upgrade ldprange")
    fingerprint = data[1:_HEADER].hex()
    if fingerprint != plan.fingerprint:
        raise MismatchError(
            f"a batch must carry the fingerprint of its plan, {plan.fingerprint}, got {fingerprint}; "
            "it was made under another plan"
        )
    columns = list(plan.empty_columns)
    at, last = _HEADER, -1
    while at < len(data):
        level = data[at]
        if not last < level < len(plan.levels):
            raise WireError(f"a batch's levels must increase and stay below {len(plan.levels)}, got {level}")
        count, at = _read_varint(data, at + 1)
        mechanism = plan.mechanisms[level]
        stop = at + count * mechanism.width
        if stop > len(data):
            raise WireError(
                f"level {level} must have {count} reports of {mechanism.width} bytes, "
                f"but only {len(data) - at} bytes are left; the batch was cut short"
            )
        rows = np.frombuffer(data, np.uint8, stop - at, at).reshape(count, mechanism.width)
        columns[level] = mechanism.unpack(rows)
        at, last = stop, level
    return Batch(plan, columns)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 63, 7):
        if at >= len(data):
            raise WireError("a batch must not end inside a number; it was cut short")
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            if number == 0 or (byte == 0 and shift):
                raise WireError("the number of reports must be at least 1, in its shortest form")
            return number, at
    raise WireError("the number of reports must fit in 63 bits")
