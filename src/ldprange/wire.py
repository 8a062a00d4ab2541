"""The wire: reports as bytes. A report on its own is a batch of one.

All integers are little-endian::

    1 byte      version, 1 or 2
    8 bytes     the plan's fingerprint
    then, for every level on which anyone reported, in increasing order:
    1 byte      level
    1–9 bytes   number of reports n ≥ 1, LEB128
    the n reports of the level

In version 1 a report takes as many whole bytes as the largest of its level needs. In version 2 it takes
the fewest bits, as its mechanism says; reports lie end to end, lowest bit first, and the spare bits of a
level's last byte are 0.

In either version each batch has exactly one encoding. Anything else is refused whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ldprange.agreement import FINGERPRINT_BYTES
from ldprange.errors import ArgumentError, LdprangeError, MismatchError, WireError
from ldprange.oracles.bit_rows import bytes_of, end_to_end, rows_of
from ldprange.oracles.contract import Column, Mechanism
from ldprange.plan import Plan
from ldprange.reports import Batch, Report, joined
from ldprange.support.checking import check_type, shown

WHOLE_BYTES, FEWEST_BITS = 1, 2
"""The versions."""

VERSIONS = (WHOLE_BYTES, FEWEST_BITS)
_LIKELY_VERSIONS = range(WHOLE_BYTES, 16)  # another first byte is of something else
_HEADER = 1 + FINGERPRINT_BYTES


def pack(reports: Report | Batch, *, version: int | None = None) -> bytes:
    """Return a report or a batch as bytes of a wire ``version``.

    A batch is packed in the fewest bits, version 2, unless version 1 is asked for. A report on its own, which
    does not know its plan, is always of version 1; as a batch, ``unpack(plan, pack(report))``, it can be
    packed in either.

    >>> from ldprange import Client, Domain, Haar, HRR
    >>> plan = Plan(Domain.integers(0, 119), 1.1, Haar(), HRR())
    >>> len(pack(Client(plan).encode(42)))
    12
    """
    check_type(reports, Report | Batch, "what is packed")
    if version not in (None, *VERSIONS) or isinstance(version, bool):
        raise ArgumentError(f"a wire version must be 1 or 2, got {shown(version)}")
    if isinstance(reports, Report):
        if version == FEWEST_BITS:
            raise ArgumentError(
                "a report on its own must be packed as version 1, got version=2; "
                "pack wire.unpack(plan, wire.pack(report)), a batch of one"
            )
        try:
            head = bytes([WHOLE_BYTES]) + bytes.fromhex(reports.fingerprint)
            return head + bytes([reports.level, 1]) + reports.payload
        except (ValueError, TypeError):
            raise WireError(f"a report must be as a client made it, got {shown(reports)}") from None
    form = version or FEWEST_BITS
    parts = [bytes([form]), bytes.fromhex(reports.plan.fingerprint)]
    for level, (column, mechanism) in enumerate(zip(reports.columns, reports.plan.mechanisms, strict=True)):
        if len(column):
            parts += [bytes([level]), _varint(len(column)), _packed(mechanism, column, form)]
    return b"".join(parts)


def _packed(mechanism: Mechanism, column: Column, version: int) -> bytes:
    if version == WHOLE_BYTES:
        return mechanism.pack(column).tobytes()
    return end_to_end(mechanism.compact(column), mechanism.bits)


def unpack(plan: Plan, data: bytes) -> Batch:
    """Read bytes of any version back; an error if they are not a whole batch of this plan."""
    check_type(plan, Plan, "the first argument")
    check_type(data, bytes, "a packed batch")
    columns = list(plan.empty_columns)
    version, sections = _sections(plan, data)
    for section in sections:
        mechanism = plan.mechanisms[section.level]
        columns[section.level] = _column(mechanism, version, _rows(mechanism, version, section, data))
    return Batch(plan, columns)


def unpack_one(plan: Plan, data: bytes) -> Report:
    """Return the one report of ``plan`` that ``data`` is, packed as version 1; anything else is an error.

    >>> from ldprange import Client, Domain, Haar, HRR
    >>> plan = Plan(Domain.integers(0, 119), 1.1, Haar(), HRR())
    >>> report = Client(plan).encode(42)
    >>> unpack_one(plan, pack(report)) == report
    True
    """
    if len(unpack(plan, data)) != 1 or data[0] != WHOLE_BYTES:
        raise WireError("one report must be packed as version 1, and this is something else")
    return Report(plan.fingerprint, level_of(data), data[_HEADER + 2 :])


def level_of(report: bytes) -> int:
    """Return the level that one packed ``report`` is about."""
    return report[_HEADER]


def _rows(mechanism: Mechanism, version: int, section: _Section, data: bytes) -> NDArray[np.uint8]:
    """Return a section's reports, one row of whole bytes each."""
    reports = data[section.start : section.stop]
    bits = 8 * mechanism.width if version == WHOLE_BYTES else mechanism.bits
    return rows_of(reports, section.reports, bits)


def _column(mechanism: Mechanism, version: int, rows: NDArray[np.uint8]) -> Column:
    return mechanism.unpack(rows) if version == WHOLE_BYTES else mechanism.expand(rows)


def count(plan: Plan, data: bytes) -> int:
    """Return how many reports of ``plan`` packed ``data`` says that it has, without reading any.

    >>> from ldprange import Domain, Haar, HRR, encode_many
    >>> plan = Plan(Domain.integers(0, 119), 1.1, Haar(), HRR())
    >>> count(plan, pack(encode_many(plan, [42, 17], seed=1)))
    2
    """
    return sum(section.reports for section in _sections(plan, data)[1])


def unpack_many(plan: Plan, payloads: Sequence[bytes]) -> tuple[Batch, list[int | LdprangeError]]:
    """Read many small batches of ``plan`` at once; each of the ``payloads`` takes some 10 µs.

    Returns all reports of those that are whole batches of this plan, and for each payload how many reports
    it has, or why it is refused. Where most are one report each and nobody needs to know why one is refused,
    :func:`unpack_column` is many times as fast.
    """
    parts: dict[int, list[list[bytes]]] = {version: [[] for _ in plan.levels] for version in VERSIONS}
    found: list[int | LdprangeError] = []
    for data in payloads:
        try:
            check_type(data, bytes, "a packed batch")
            version, sections = _sections(plan, data)
            rows = [_row_bytes(plan.mechanisms[each.level], version, each, data) for each in sections]
        except LdprangeError as error:
            found.append(error)
            continue
        for section, some in zip(sections, rows, strict=True):
            parts[version][section.level].append(some)
        found.append(sum(section.reports for section in sections))
    try:
        columns = [
            [
                _joined(mechanism, version, rows)
                for mechanism, rows in zip(plan.mechanisms, parts[version], strict=True)
            ]
            for version in VERSIONS
        ]
    except LdprangeError:  # a report is wrong: in which payloads?
        found = [_refusal(plan, data) or count for data, count in zip(payloads, found, strict=True)]
        good = [data for data, what in zip(payloads, found, strict=True) if isinstance(what, int)]
        return unpack_many(plan, good)[0], found
    return joined([Batch(plan, each) for each in columns]), found


def unpack_column(
    plan: Plan, data: NDArray[np.uint8], ends: NDArray[np.int64]
) -> tuple[Batch, NDArray[np.intp]]:
    """Return all reports of ``plan`` in payloads whose bytes lie end to end in ``data``, millions a second.

    Payload i is ``data[ends[i]:ends[i + 1]]``: one report, or a batch of them. The second part of the result
    is the numbers i, in increasing order, of those that are neither, and of which nothing is read;
    :func:`unpack` says why.
    """
    alone, version, level = _reports_alone(plan, data, ends)
    key = version.astype(np.uint16) << 8 | level
    order = np.argsort(key, kind="stable")
    key, alone = key[order], alone[order]
    refused: list[NDArray[np.intp]] = []

    def column(form: int, at: int) -> Column:
        mechanism = plan.mechanisms[at]
        width = _row_width(mechanism, form)
        some = alone[slice(*np.searchsorted(key, [form << 8 | at, (form << 8 | at) + 1]))]
        starts = ends[:-1][some] + _HEADER + 2
        rows = sliding_window_view(data, width)[starts] if some.size else np.zeros((0, width), np.uint8)
        found, wrong = _readable(mechanism, form, rows)
        refused.append(some[wrong])
        return found

    singles = [
        Batch(plan, [column(form, at) for at in range(len(plan.levels))])
        for form in VERSIONS
        if np.any(version == form)
    ]
    others = np.delete(np.arange(len(ends) - 1), alone)
    ours = _with_our_header(plan, data, ends[:-1][others], np.diff(ends)[others])
    refused.append(others[~ours])
    others = others[ours]
    batch, found = unpack_many(plan, [data[ends[row] : ends[row + 1]].tobytes() for row in others])
    refused.append(others[[isinstance(what, LdprangeError) for what in found]])
    return joined([*singles, batch]), np.sort(np.concatenate(refused))


def _readable(mechanism: Mechanism, version: int, rows: NDArray[np.uint8]) -> tuple[Column, NDArray[np.intp]]:
    """Return the reports in those of the ``rows`` that are some, and which of them are none.

    Where any is none, each half is tried by itself: a few among a million are soon found.
    """
    try:
        return _column(mechanism, version, rows), np.zeros(0, np.intp)
    except LdprangeError:
        half = len(rows) // 2
        if not half:
            return _column(mechanism, version, rows[:0]), np.zeros(1, np.intp)
    first, wrong_first = _readable(mechanism, version, rows[:half])
    second, wrong_second = _readable(mechanism, version, rows[half:])
    return np.concatenate([first, second]), np.concatenate([wrong_first, half + wrong_second])


def _reports_alone(
    plan: Plan, data: NDArray[np.uint8], ends: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return which payloads look like one report of ``plan`` each, with their versions and levels."""
    sizes = np.full((256, 256), -1)  # of a report on its own, by version and level
    for at, mechanism in enumerate(plan.mechanisms):
        for form in VERSIONS:
            sizes[form, at] = _HEADER + 2 + _row_width(mechanism, form)
    found = np.diff(ends)
    rows = np.flatnonzero(found > _HEADER + 2)
    starts = ends[:-1][rows]
    version, level = data[starts], data[starts + _HEADER]
    right = (sizes[version, level] == found[rows]) & (data[starts + _HEADER + 1] == 1)
    right &= _with_our_header(plan, data, starts, found[rows])
    return rows[right], version[right], level[right]


def _with_our_header(
    plan: Plan, data: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Say which payloads, by ``starts`` and ``sizes`` in ``data``, begin as batches of ``plan`` do."""
    whole = sizes >= _HEADER
    starts = starts[whole]
    # eight bytes from any place on, as one number
    words = np.ndarray((max(0, data.size - 7),), "<u8", data, strides=(1,))
    ours = int.from_bytes(bytes.fromhex(plan.fingerprint), "little")
    right = whole.copy()
    right[whole] = np.isin(data[starts], VERSIONS) & (words[starts + 1] == ours)
    return right


def _row_bytes(mechanism: Mechanism, version: int, section: _Section, data: bytes) -> bytes:
    """Return a section's reports, each in whole bytes, as the reports of many payloads are put together."""
    if version == WHOLE_BYTES or section.reports == 1:  # as nearly always
        return data[section.start : section.stop]
    return _rows(mechanism, version, section, data).tobytes()


def _joined(mechanism: Mechanism, version: int, rows: Sequence[bytes]) -> Column:
    width = _row_width(mechanism, version)
    return _column(mechanism, version, np.frombuffer(b"".join(rows), np.uint8).reshape(-1, width))


def _row_width(mechanism: Mechanism, version: int) -> int:
    """Return how many whole bytes a report takes by itself in a wire ``version``."""
    return mechanism.width if version == WHOLE_BYTES else bytes_of(mechanism.bits)


def _refusal(plan: Plan, data: bytes) -> LdprangeError | None:
    try:
        unpack(plan, data)
    except LdprangeError as error:
        return error
    return None


class _Section(NamedTuple):
    """A level's number, its number of reports, and where they begin and end."""

    level: int
    reports: int
    start: int
    stop: int


def _sections(plan: Plan, data: bytes) -> tuple[int, list[_Section]]:
    """Return a batch's version, and its levels."""
    if len(data) < _HEADER:
        raise WireError(f"a batch must have at least {_HEADER} bytes, got {len(data)}; it was cut short")
    version = data[0]
    if version not in VERSIONS:
        if version in _LIKELY_VERSIONS:
            raise WireError(f"a batch must be of version 1 or 2, got {version}; upgrade ldprange")
        raise WireError(
            f"a batch must begin with its version, 1 or 2, got the byte {version}; this is not a report of "
            "ldprange's, unless a much later release made it"
        )
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
        bits = 8 * mechanisms[level].width if version == WHOLE_BYTES else mechanisms[level].bits
        stop = at + bytes_of(count * bits)
        if stop > size:
            raise WireError(
                f"level {level} must have {count} reports of {bits} bits, "
                f"but only {len(data) - at} bytes are left; the batch was cut short"
            )
        sections.append(_Section(level, count, at, stop))
        at, last = stop, level
    return version, sections


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
