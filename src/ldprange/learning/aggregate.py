"""Counts of reports by class and attribute. Like the aggregates they are made of, they add exactly."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ldprange.aggregate import Aggregate, checked_users
from ldprange.errors import ArgumentError, FileError, MismatchError, WireError
from ldprange.learning.plan import Label, LabelledPlan
from ldprange.reports import Batch, Report
from ldprange.support.checking import check_type, counted, listed, shown
from ldprange.support.whole_files import read_whole, unsealed, whole_file

VERSION = 1

_KIND = b"LDPRLAB"
_BEGIN = _KIND + bytes([VERSION])

Reports = Batch | Report | bytes | Iterable[Batch | Report | bytes]


class LabelledAggregate:
    """An aggregate for each class and attribute.

    Parameters
    ----------
    plan
        The labelled plan under which the reports were made.
    parts
        For each class, in the plan's order, the aggregates of the attributes, in the plan's order.

    >>> from ldprange import Domain, Flat, GRR, Plan
    >>> hours = Plan(Domain.integers(0, 23), 1.0, Flat(), GRR())
    >>> plan = LabelledPlan(("at work", "asleep"), (hours, hours), ("a", "b"), "all")
    >>> from ldprange.learning.client import LabelledClient
    >>> reports = LabelledClient(plan).encode({"at work": 7, "asleep": 8})
    >>> LabelledAggregate.of(plan, "b", reports)
    LabelledAggregate of 1 person in 2 classes on 2 attributes
    """

    __slots__ = ("parts", "plan")

    def __init__(self, plan: LabelledPlan, parts: Sequence[Sequence[Aggregate]]) -> None:
        check_type(plan, LabelledPlan, "a labelled aggregate's plan")
        self.plan = plan
        self.parts = tuple(tuple(row) for row in parts)
        expected = [each.fingerprint for each in plan.plans]
        for row in self.parts:
            for part in row:
                check_type(part, Aggregate, "a part of a labelled aggregate")
            if [part.plan.fingerprint for part in row] != expected:
                raise MismatchError(
                    f"each class must have an aggregate for each of {listed(plan.attributes)}, of plans "
                    f"with fingerprints {expected}, got {[part.plan.fingerprint for part in row]}"
                )
            told = {part.reports for part in row}
            if plan.asked == "all" and len(told) > 1:
                raise ArgumentError(
                    "where people are asked for all attributes, each must have as many reports, "
                    f"got {listed(sorted(told))}; count all of a person's reports, or none"
                )
        checked_users([part.reports for row in self.parts for part in row])
        if len(self.parts) != len(plan.classes):
            raise MismatchError(
                f"there must be aggregates for each of {len(plan.classes)} classes, got {len(self.parts)}"
            )

    @staticmethod
    def empty(plan: LabelledPlan) -> LabelledAggregate:
        """Return the aggregate of nobody."""
        check_type(plan, LabelledPlan, "a labelled aggregate's plan")
        return LabelledAggregate(plan, [[Aggregate.empty(each) for each in plan.plans] for _ in plan.classes])

    @staticmethod
    def of(plan: LabelledPlan, label: Label, reports: Mapping[str, Reports]) -> LabelledAggregate:
        """Count reports of one class: of one person as the client gave them, or of many, by attribute.

        If any of them is not a report of its attribute's plan, nothing is counted.
        """
        check_type(plan, LabelledPlan, "a labelled aggregate's plan")
        place = int(plan.class_indices([label])[0])
        if not isinstance(reports, Mapping):
            raise WireError(f"reports must come by attribute, as a client gives them, got {shown(reports)}")
        parts = [list(row) for row in LabelledAggregate.empty(plan).parts]
        for attribute, each in reports.items():
            at = plan.place(attribute)
            parts[place][at] = Aggregate.of(plan.plans[at], each)
        return LabelledAggregate(plan, parts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one file, with the plan in it: beside its final place first, so never half of one."""
        plan, parts = self.plan.to_json().encode(), [part.to_bytes() for row in self.parts for part in row]
        body = b"".join(len(each).to_bytes(8, "little") + each for each in (plan, *parts))
        with whole_file(path) as file:
            file.write(_BEGIN + body + hashlib.sha256(_BEGIN + body).digest())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> LabelledAggregate:
        """Read a file that :meth:`save` wrote; anything else, or half of one, is an error."""
        body = unsealed(read_whole(path), _KIND, [VERSION], "a labelled aggregate", path)
        try:
            text, *parts = _pieces(body[len(_BEGIN) :])
            plan = LabelledPlan.from_json(text.decode())
            counted = [Aggregate.from_bytes(each, path) for each in parts]
            number = len(plan.attributes)
            return LabelledAggregate(plan, [counted[at : at + number] for at in range(0, len(parts), number)])
        except ValueError as error:
            raise FileError(f"{path} holds what cannot be: {error}") from None

    @property
    def people(self) -> NDArray[np.int64]:
        """How many people of each class reported."""
        reports = np.array([[part.reports for part in row] for row in self.parts], np.int64)
        return reports.sum(axis=1) if self.plan.asked == "one" else reports[:, 0]

    def part(self, label: Label, attribute: str) -> Aggregate:
        """Return the aggregate of one class and attribute."""
        return self.parts[int(self.plan.class_indices([label])[0])][self.plan.place(attribute)]

    def __add__(self, other: LabelledAggregate) -> LabelledAggregate:
        if not isinstance(other, LabelledAggregate):
            return NotImplemented
        if self.plan != other.plan:
            raise MismatchError(
                "only reports of the same labelled plan can be added, and these differ in "
                + "; ".join(self.plan.differences(other.plan))
            )
        pairs = zip(self.parts, other.parts, strict=True)
        return LabelledAggregate(
            self.plan, [[a + b for a, b in zip(mine, theirs, strict=True)] for mine, theirs in pairs]
        )

    def __radd__(self, other: object) -> LabelledAggregate:
        """Let ``sum`` start from its 0."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelledAggregate):
            return NotImplemented
        return self.plan == other.plan and self.parts == other.parts

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"LabelledAggregate of {counted(self.people.sum(), 'person', 'people')} "
            f"in {counted(len(plan.classes), 'class', 'classes')} "
            f"on {counted(len(plan.attributes), 'attribute', 'attributes')}"
        )


def _pieces(body: memoryview) -> Iterator[bytes]:
    """Yield what :meth:`LabelledAggregate.save` put one behind the other."""
    while body:
        stop = 8 + int.from_bytes(body[:8], "little")
        yield bytes(body[8:stop])
        body = body[stop:]
