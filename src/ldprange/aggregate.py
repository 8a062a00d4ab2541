"""The aggregate: integer counts per level. Adding two is exact, in any order, on any machine.

File format, integers little-endian::

    8 bytes     b"LDPRAGG" and the version, 2
    4 bytes     length of the header
    header      JSON: {"plan": …, "users": [per level], "counters": [per level]}
    counts      level after level, in few bytes: see support/packed_counts.py
    32 bytes    SHA-256 of everything before

Version 1, which is read but no longer written, had 8 bytes for each count.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, cast, get_args

import numpy as np

from ldprange import wire
from ldprange.errors import ArgumentError, FileError, MismatchError, PlanError, WireError
from ldprange.oracles.contract import Column, Mechanism
from ldprange.plan import Plan
from ldprange.reports import Batch, Report, gathered
from ldprange.support.arrays import Counts
from ldprange.support.checking import check_choice, check_type, counted, shown
from ldprange.support.html_tables import html_facts
from ldprange.support.left_out import NO_REPORT, Damaged, LeftOut, Skipped
from ldprange.support.optional import optional_packages
from ldprange.support.packed_counts import packed_counts, unpacked_counts
from ldprange.support.parallel import in_threads
from ldprange.support.whole_files import read_whole, unsealed, whole_file

VERSION = 2
_VERSIONS = (1, VERSION)  # that are read
_KIND = b"LDPRAGG"
_MANY_REPORTS = 1 << 16  # from so many on, levels are counted in threads
_HELD_PAYLOADS, _HELD_BYTES = 1 << 16, 32 << 20  # packed reports that are read together
_ARROW = ("__arrow_c_stream__", "__arrow_c_array__")  # by which frames and columns offer what they hold
_MAX_USERS = 1 << 62  # counts are 64-bit integers, and must not run over


def _tallies(batch: Batch) -> list[Counts]:
    """Return the tallies of all levels, of many reports side by side."""

    def tally(pair: tuple[Mechanism, Column]) -> Counts:
        mechanism, column = pair
        # zeros that nobody touches take no memory, and few reports leave most levels without any
        return mechanism.tally(column) if len(column) else np.zeros(mechanism.counters, np.int64)

    pairs = zip(batch.plan.mechanisms, batch.columns, strict=True)
    return list((map if len(batch) < _MANY_REPORTS else in_threads)(tally, pairs))


def checked_users(users: Sequence[int]) -> tuple[int, ...]:
    """Return how many ``users`` reported on each level; an error unless there are 0 to 2**62 in all."""
    each = tuple(int(count) for count in users)
    if min(each) < 0 or sum(each) > _MAX_USERS:
        raise ArgumentError(f"an aggregate must hold 0 to 2**62 reports, got {shown(sum(each))}")
    return each


class Aggregate:
    """Counts of reports: a commutative monoid with ``empty`` and ``+``.

    Parameters
    ----------
    plan
        The plan under which the reports were made.
    users
        How many reported on each level.
    counts
        The tally of each level's mechanism.

    >>> from ldprange import Domain, Haar, HRR, encode_many
    >>> plan = Plan(Domain.integers(0, 119), 1.1, Haar(), HRR())
    >>> monday = Aggregate.of(plan, encode_many(plan, [42, 17], seed=1))
    >>> tuesday = Aggregate.of(plan, encode_many(plan, [35], seed=2))
    >>> sum([monday, tuesday], start=Aggregate.empty(plan))
    Aggregate of 3 reports under plan 21f725d4aa3e83d6
    """

    __slots__ = ("counts", "plan", "users")

    def __init__(self, plan: Plan, users: Sequence[int], counts: Sequence[Counts]) -> None:
        self.plan = plan
        self.users = checked_users(users)
        self.counts = tuple(counts)

    @staticmethod
    def empty(plan: Plan) -> Aggregate:
        """Return the aggregate of nobody."""
        check_type(plan, Plan, "an aggregate's plan")
        zeros = [np.zeros(mechanism.counters, np.int64) for mechanism in plan.mechanisms]
        return Aggregate(plan, [0] * len(zeros), zeros)

    @staticmethod
    def of(
        plan: Plan,
        reports: Batch | Report | bytes | Iterable[Batch | Report | bytes] | Any,
        *,
        column: str | None = None,
        damaged: Damaged = "refuse",
    ) -> Aggregate:
        """Count reports: a batch, a report, packed bytes, any number of these, or a column of a frame.

        If any of them is not a report of this plan, nothing is counted, unless you say otherwise.

        Parameters
        ----------
        plan
            The plan under which the reports were made.
        reports
            The reports. A frame is one of pandas, polars, arrow, Spark or whatever else has
            ``__arrow_c_stream__``, with a packed report in every row: bytes, or text in hexadecimal digits or
            base64.
        column
            The frame's column; may be left out if there is only one.
        damaged
            Whether rows, or packed bytes, that are no reports of this plan are an error (``"refuse"``), or
            are left out with a warning that says how many they were (``"skip"``). Empty rows are such too.
        """
        check_type(plan, Plan, "an aggregate's plan")
        check_choice(damaged, get_args(Damaged), "damaged", ArgumentError)
        left_out = LeftOut(NO_REPORT)
        total = Aggregate._counted(plan, reports, column, left_out.add if damaged == "skip" else None)
        if left_out.rows:
            warnings.warn(str(left_out), stacklevel=2)
        return total

    @staticmethod
    def _counted(plan: Plan, reports: Any, column: str | None, skipped: Skipped | None) -> Aggregate:
        alone = not isinstance(reports, Iterable) or isinstance(reports, bytes | bytearray | memoryview | str)
        many: Iterable[object] = [reports] if alone else cast(Iterable[object], reports)
        if column is not None or any(hasattr(reports, name) for name in _ARROW):
            with optional_packages():  # loaded when it is used: it takes as long as all else together
                from ldprange.packed_columns import batches_of
                from ldprange.support.frames import arrow_arrays

            many = batches_of(plan, arrow_arrays(reports, column), skipped=skipped)
        total: Aggregate | None = None
        for batch in gathered(_batches(plan, many, skipped)):
            part = Aggregate(plan, [len(column) for column in batch.columns], _tallies(batch))
            if total is None:
                total = part
            else:
                total.absorb(part)
        return Aggregate.empty(plan) if total is None else total

    @property
    def reports(self) -> int:
        """How many people reported."""
        return sum(self.users)

    def __add__(self, other: Aggregate) -> Aggregate:
        if not isinstance(other, Aggregate):
            return NotImplemented
        total = Aggregate(self.plan, self.users, [counts.copy() for counts in self.counts])
        total.absorb(other)
        return total

    def __radd__(self, other: object) -> Aggregate:
        """Let ``sum`` start from its 0."""
        return self if other == 0 else NotImplemented

    def absorb(self, other: Aggregate) -> None:
        """Add another of the same plan in place, sparing a copy; nobody else may hold this one's counts."""
        if self.plan.fingerprint != other.plan.fingerprint:
            raise _mismatch(self.plan, other.plan)
        users = checked_users([a + b for a, b in zip(self.users, other.users, strict=True)])
        for mine, theirs in zip(self.counts, other.counts, strict=True):
            mine += theirs
        # a sum beyond 64 bits wraps, and is undone so too
        if any(counts.min() < 0 for counts in self.counts):
            for mine, theirs in zip(self.counts, other.counts, strict=True):
                mine -= theirs
            raise ArgumentError(
                "counts must be at least 0 and stay below 2**63 when they are added, and some do not; "
                "one of the aggregates holds counts that no reports can leave"
            )
        self.users = users

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Aggregate):
            return NotImplemented
        return (
            self.plan.fingerprint == other.plan.fingerprint
            and self.users == other.users
            and all(np.array_equal(a, b) for a, b in zip(self.counts, other.counts, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]  # holds arrays, which may be large

    def __repr__(self) -> str:
        return f"Aggregate of {counted(self.reports, 'report', 'reports')} under plan {self.plan.fingerprint}"

    def _repr_html_(self) -> str:
        return html_facts(
            [("reports", f"{self.reports:,}"), ("domain", self.plan.domain.describe())], "Aggregate"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file: beside its final place first, then moved there, so never half of one."""
        with whole_file(path) as file:
            for part in self._parts():
                file.write(part)

    def to_bytes(self) -> bytes:
        """Return what :meth:`save` writes."""
        return b"".join(self._parts())

    def _parts(self) -> Iterator[bytes]:
        header = json.dumps(
            {
                "plan": self.plan.to_json(),
                "users": self.users,
                "counters": [len(counts) for counts in self.counts],
            }
        ).encode()
        begin = _KIND + bytes([VERSION]) + len(header).to_bytes(4, "little") + header
        digest = hashlib.sha256()
        for part in chain([begin], *map(packed_counts, self.counts)):
            digest.update(part)
            yield part
        yield digest.digest()

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Aggregate:
        """Read a file that :meth:`save` wrote; anything else, or half of one, is an error."""
        return Aggregate.from_bytes(read_whole(path), path)

    @staticmethod
    def from_bytes(data: bytes, path: str | os.PathLike[str] = "the aggregate") -> Aggregate:
        """Read what :meth:`to_bytes` gave; errors speak of ``path``."""
        body = unsealed(data, _KIND, _VERSIONS, "an aggregate", path)
        version, start = body[len(_KIND)], 12 + int.from_bytes(body[8:12], "little")
        try:
            header = json.loads(bytes(body[12:start]))
            text = header["plan"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FileError(f"{path} has a header that cannot be read; make it again") from None
        try:
            plan = Plan.from_json(text)
        except PlanError as error:
            raise FileError(f"{path} has a plan that cannot be read: {error}") from None
        counters = [mechanism.counters for mechanism in plan.mechanisms]
        users = header.get("users")
        if (
            not isinstance(users, list)
            or len(users) != len(counters)
            or not all(type(number) is int and number >= 0 for number in users)
        ):
            raise FileError(f"{path} must say how many people reported on each level, and it does not")
        try:
            if header.get("counters") != counters:
                raise ValueError(f"its header says {shown(header.get('counters'))}")
            counts = (_counts_of_version_1 if version == 1 else _counts)(body[start:], counters)
        except ValueError as error:
            raise FileError(
                f"{path} must hold {sum(counters)} counts for its plan, and it does not: {error}; "
                "make it again"
            ) from None
        try:
            return Aggregate(plan, users, counts).checked()
        except ArgumentError as error:
            raise FileError(f"{path} cannot be an aggregate: {error}; make it again") from None

    def checked(self) -> Aggregate:
        """Return this aggregate; an error unless its counts are some that as many reports can leave."""
        tallies = zip(self.plan.mechanisms, self.counts, self.users, strict=True)
        for level, (mechanism, counts, users) in enumerate(tallies):
            if not mechanism.possible(counts, users):
                raise ArgumentError(
                    f"level {level} must hold counts that {users:,} reports can leave, and it does not"
                )
        return self


def _counts(data: memoryview, counters: Sequence[int]) -> list[Counts]:
    """Return the counts of all levels, which have so many ``counters``; all of ``data`` must be counts."""
    counts = []
    for number in counters:
        found, data = unpacked_counts(data, number)
        counts.append(found)
    if data:
        raise ValueError(f"{len(data)} bytes are left over")
    return counts


def _counts_of_version_1(data: memoryview, counters: Sequence[int]) -> list[Counts]:
    """Return what :func:`_counts` does, from 8 bytes a count."""
    if len(data) != 8 * sum(counters):
        raise ValueError(f"it has {len(data)} bytes for them")
    return np.split(np.frombuffer(data, "<i8").astype(np.int64), np.cumsum(counters)[:-1])


def _batches(plan: Plan, many: Iterable[object], skipped: Skipped | None) -> Iterator[Batch]:
    """Yield what came as batches of this plan; packed bytes, which may be a report each, many at a time.

    Packed bytes that are none of this plan, and None, are an error unless ``skipped`` is there to be told.
    """
    held: list[bytes] = []
    size = 0
    for reports in many:
        if isinstance(reports, Report):
            held.append(wire.pack(reports))
        elif isinstance(reports, bytes | bytearray | memoryview):
            held.append(bytes(reports))
        elif isinstance(reports, Batch):
            if reports.plan.fingerprint != plan.fingerprint:
                raise _mismatch(plan, reports.plan)
            yield reports
            continue
        elif reports is None and skipped is not None:
            skipped(1)
            continue
        else:
            raise WireError(f"reports must be batches, reports or packed bytes, got {shown(reports)}")
        size += len(held[-1])
        if len(held) >= _HELD_PAYLOADS or size >= _HELD_BYTES:
            yield _unpacked(plan, held, skipped)
            held, size = [], 0
    if held:
        yield _unpacked(plan, held, skipped)


def _unpacked(plan: Plan, payloads: list[bytes], skipped: Skipped | None) -> Batch:
    if len(payloads) == 1 and skipped is None:
        return wire.unpack(plan, payloads[0])
    ends = np.cumsum([0, *map(len, payloads)])
    batch, refused = wire.unpack_column(plan, np.frombuffer(b"".join(payloads), np.uint8), ends)
    if refused.size and skipped is None:
        wire.unpack(plan, payloads[refused[0]])  # raises the error that says why
    if refused.size and skipped is not None:
        skipped(refused.size)
    return batch


def _mismatch(ours: Plan, theirs: Plan) -> MismatchError:
    what = "; ".join(ours.differences(theirs))
    return MismatchError(f"only reports of the same plan can be added, and these differ in {what}")
