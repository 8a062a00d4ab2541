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

from collections.abc import Sequence

import numpy as np

from ldprange.errors import LdprangeError, MismatchError, WireError
from ldprange.plan import FINGERPRINT_BYTES, Plan
from ldprange.reports import Batch, Report
from ldprange.support.checking import check_type, shown

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
            raise WireError(f"a report must be as a client made it, got {shown(reports)}") from None
    parts = [bytes([VERSION]), bytes.fromhex(reports.plan.fingerprint)]
    for level, (column, mechanism) in enumerate(zip(reports.columns, reports.plan.mechanisms, strict=True)):
        if len(column):
            parts += [bytes([level]), _varint(len(column)), mechanism.pack(column).tobytes()]
    return b"".join(parts)


def unpack(plan: Plan, data: bytes) -> Batch:
    """Read bytes back; an error if they are not a whole batch of this plan."""
    check_type(plan, Plan, "the first argument")
    check_type(data, bytes, "a packed batch")
    columns = list(plan.empty_columns)
    for level, count, start in _sections(plan, data):
        mechanism = plan.mechanisms[level]
        rows = np.frombuffer(data, np.uint8, count * mechanism.width, start)
        columns[level] = mechanism.unpack(rows.reshape(count, mechanism.width))
    return Batch(plan, columns)


def count(plan: Plan, data: bytes) -> int:
    """Return how many reports of ``plan`` packed ``data`` says that it has, without reading any.

    >>> from ldprange import Domain, Haar, HRR, encode_many
    >>> plan = Plan(Domain.integers(0, 119), 1.1, Haar(), HRR())
    >>> count(plan, pack(encode_many(plan, [42, 17], seed=1)))
    2
    """
    return sum(number for _, number, _ in _sections(plan, data))


def unpack_many(plan: Plan, payloads: Sequence[bytes]) -> tuple[Batch, list[int | LdprangeError]]:
    """Read many small batches at once, at little more than the cost of one.

    Returns all reports of those that are whole batches of this plan, and for each payload how many reports
    it has, or why it is refused.
    """
    parts: list[list[bytes]] = [[] for _ in plan.levels]
    found: list[int | LdprangeError] = []
    for data in payloads:
        try:
            sections = _sections(plan, data)
        except LdprangeError as error:
            found.append(error)
            continue
        for level, count, start in sections:
            parts[level].append(data[start : start + count * plan.mechanisms[level].width])
        found.append(sum(count for _, count, _ in sections))
    try:
        columns = [
            mechanism.unpack(np.frombuffer(b"".join(rows), np.uint8).reshape(-1, mechanism.width))
            for mechanism, rows in zip(plan.mechanisms, parts, strict=True)
        ]
    except LdprangeError:  # a report is wrong: in which payloads?
        found = [_refusal(plan, data) or count for data, count in zip(payloads, found, strict=True)]
        good = [data for data, what in zip(payloads, found, strict=True) if isinstance(what, int)]
        return unpack_many(plan, good)[0], found
    return Batch(plan, columns), found


def _refusal(plan: Plan, data: bytes) -> LdprangeError | None:
    try:
        unpack(plan, data)
    except LdprangeError as error:
        return error
    return None


def _sections(plan: Plan, data: bytes) -> list[tuple[int, int, int]]:
    """Return each level's number, its number of reports, and where they start."""
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
    sections = []
    mechanisms, size = plan.mechanisms, len(data)
    at, last, levels = _HEADER, -1, len(mechanisms)
    while at < size:
        level = data[at]
        if not last < level < levels:
            raise WireError(f"a batch's levels must increase and stay below {levels}, got {level}")
        at += 1
        if at < size and 0 < data[at] < 0x80:  # as nearly always
            count, at = data[at], at + 1
        else:
            count, at = _read_varint(data, at)
        width = mechanisms[level].width
        sections.append((level, count, at))
        if at + count * width > size:
            raise WireError(
                f"level {level} must have {count} reports of {width} bytes, "
                f"but only {len(data) - at} bytes are left; the batch was cut short"
            )
        at, last = at + count * width, level
    return sections


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
