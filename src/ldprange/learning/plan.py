"""What people with a public label are asked about private numbers: the public agreement, as frozen data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.agreement import Agreement, read_json
from ldprange.domain import Domain
from ldprange.domain.contract import in_message
from ldprange.errors import DomainError, PlanError
from ldprange.plan import Plan
from ldprange.support.checking import Values, check_choice, is_number, listed, normalise, shown
from ldprange.support.columns import as_array, as_numbers, check_inside

VERSION = 1
_MAX_LEVELS = 1024  # of all attributes: each takes a while to make, and a few bytes can ask for many

Asked = Literal["one", "all"]
Label = str | int | float


@dataclass(frozen=True)
class LabelledPlan(Agreement):
    """Which private numbers people are asked about, and which public classes they may belong to.

    Parameters
    ----------
    attributes
        The names of the numbers.
    plans
        The plan of each.
    classes
        The labels that a person may have. A person's label is public: it travels beside the reports.
    asked
        ``"one"``: each person reports on one attribute, drawn evenly, and spends that plan's ε. ``"all"``:
        each person reports on every attribute, and spends the sum.

    >>> from ldprange import Domain, Flat, GRR
    >>> plan = Plan(Domain.integers(0, 9), 1.0, Flat(), GRR())
    >>> LabelledPlan(("hours", "trips"), (plan, plan), ("stays", "leaves"), "all").epsilon
    2.0
    >>> LabelledPlan(("hours", "trips"), (plan, plan), ("stays", "leaves"), "one").epsilon
    1.0
    """

    attributes: Sequence[str]
    plans: Sequence[Plan]
    classes: Sequence[Label]
    asked: Asked

    def __post_init__(self) -> None:
        several = {name: _several(getattr(self, name), name) for name in ("attributes", "plans", "classes")}
        normalise(self, **several)
        if not all(isinstance(name, str) for name in self.attributes) or _repeated(self.attributes):
            raise PlanError(
                f"attributes must be names that differ from one another, got {shown(self.attributes)}"
            )
        if len(self.plans) != len(self.attributes) or not all(isinstance(plan, Plan) for plan in self.plans):
            raise PlanError(
                f"there must be a Plan for each of the {len(self.attributes)} attributes, "
                f"got {shown(self.plans)}"
            )
        _check_levels(sum(len(plan.levels) for plan in self.plans))
        for name, plan in zip(self.attributes, self.plans, strict=True):
            check_numerical(name, plan.domain)
        if not _are_labels(self.classes):
            raise PlanError(
                "classes must be strings, or finite numbers, that differ from one another, "
                f"got {shown(self.classes)}"
            )
        check_choice(self.asked, get_args(Asked), "how many attributes a person is asked", PlanError)

    @property
    def epsilon(self) -> float:
        """The total privacy loss of a person: all that the reports reveal about all of the numbers."""
        each = [plan.epsilon for plan in self.plans]
        return max(each) if self.asked == "one" else math.fsum(each)

    def predict(self, users: float) -> float:
        """Predict the error of a class of ``users`` people, without asking them.

        It is the root mean squared error of the share of a range, over all ranges of all attributes, were
        people spread evenly: of what privacy adds, and of what drawing these people adds, who stand for
        others like them.

        >>> from ldprange import Domain, Flat, GRR
        >>> plan = Plan(Domain.integers(0, 9), 1.0, Flat(), GRR())
        >>> round(LabelledPlan(("hours",), (plan,), (0, 1), "one").predict(10_000), 4)
        0.0289
        """
        if not is_number(users) or users <= 0:
            raise PlanError(f"users must be a finite number above 0, got {shown(users)}")
        told = users / len(self.plans) if self.asked == "one" else users
        variances = [plan.predict(told).range_variance for plan in self.plans]
        return math.sqrt(math.fsum(variances) / len(variances))

    def place(self, attribute: str) -> int:
        """Return where an attribute stands."""
        if attribute not in self.attributes:
            raise PlanError(f"an attribute must be one of {listed(self.attributes)}, got {shown(attribute)}")
        return self.attributes.index(attribute)

    def class_indices(self, labels: ArrayLike) -> NDArray[np.int64]:
        """Return where each label stands among the classes; an unknown one is an error."""
        array = as_array(labels)
        if array.ndim != 1:
            raise DomainError(f"labels must be one column, a label a person, got shape {array.shape}")
        if array.size == 0:
            return np.zeros(0, np.int64)
        try:
            present, inverse = np.unique(array, return_inverse=True)
            return np.array([self._places[label] for label in present.tolist()])[inverse]
        except (KeyError, TypeError):  # unknown, or of kinds that have no order and so are not all classes
            unknown = next((each for each in array.tolist() if each not in self.classes), array.tolist()[0])
            raise DomainError(
                f"labels must be among the classes {listed(map(repr, self.classes))}, "
                f"got {shown(unknown)}; leave such people out, or make a plan with more classes"
            ) from None

    @cached_property
    def _places(self) -> dict[Label, int]:
        return {label: place for place, label in enumerate(self.classes)}

    def differences(self, other: LabelledPlan) -> list[str]:
        """Say what differs between two plans."""
        found = [
            f"{name}: {getattr(self, name)} against {getattr(other, name)}"
            for name in ("attributes", "classes", "asked")
            if getattr(self, name) != getattr(other, name)
        ]
        for name, ours, theirs in zip(self.attributes, self.plans, other.plans, strict=False):
            found += [f"{name}: {difference}" for difference in ours.differences(theirs)]
        return found

    def _description(self) -> dict[str, Any]:
        return {
            "ldprange_labelled_plan": VERSION,
            "attributes": [
                {"name": name, "plan": plan.to_dict()}
                for name, plan in zip(self.attributes, self.plans, strict=True)
            ],
            "classes": list(self.classes),
            "asked": self.asked,
        }

    @classmethod
    def from_json(cls, text: str) -> LabelledPlan:
        description = read_json(text, "a labelled plan")
        if isinstance(description, Mapping) and "ldprange_plan" in description:
            raise PlanError(
                "this must be a labelled plan, but it is a plan of one survey; read it with Plan.load"
            )
        wanted = {"ldprange_labelled_plan", "attributes", "classes", "asked"}
        if not isinstance(description, Mapping) or set(description) != wanted:
            raise PlanError(f"a labelled plan must be a JSON object with the keys {sorted(wanted)}")
        if description["ldprange_labelled_plan"] != VERSION:
            raise PlanError(
                f"this version reads labelled plans of format {VERSION}, got "
                f"{shown(description['ldprange_labelled_plan'])}; upgrade ldprange"
            )
        try:
            attributes = [(each["name"], each["plan"]) for each in description["attributes"]]
        except (KeyError, TypeError):
            raise PlanError("a labelled plan's attributes must be a list of names and plans") from None
        plans: list[Plan] = []
        levels = 0
        for _, plan in attributes:
            plans.append(Plan.from_dict(plan))
            levels += len(plans[-1].levels)
            _check_levels(levels)  # before the next is made
        return LabelledPlan(
            [name for name, _ in attributes], plans, description["classes"], description["asked"]
        )


def check_numerical(name: str, domain: object) -> None:
    """Raise an error unless a domain is of numbers."""
    if not isinstance(domain, Domain) or domain.scale is None:
        raise PlanError(
            f"the domain of {shown(name)} must be of numbers (Domain.integers, .real or .logarithmic), "
            f"got {in_message(domain)}"
        )


def check_numbers(domain: Domain, values: Values) -> None:
    """Raise an error unless ``values`` are numbers of a labelled plan's ``domain``: no end of it is open."""
    check_inside(as_numbers(values), *ends(domain), "numbers")


def ends(domain: Domain) -> tuple[float, float]:
    """Return the least and the greatest number of a domain of numbers."""
    return domain.lower(0), domain.upper(domain.bins - 1)


def _check_levels(levels: int) -> None:
    if levels > _MAX_LEVELS:
        raise PlanError(
            f"the plans of all attributes may have at most {_MAX_LEVELS} levels together, "
            f"got {levels} or more; ask about fewer attributes, or by fewer levels"
        )


def _several(given: object, what: str) -> tuple[Any, ...]:
    if isinstance(given, np.ndarray) and given.ndim == 1:
        given = given.tolist()
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise PlanError(f"{what} must be a list of at least one, got {shown(given)}")
    # a plan is written as JSON, which knows plain types only
    return tuple(each.item() if isinstance(each, np.generic) else each for each in given)


def _repeated(each: Sequence[object]) -> bool:
    return len(set(each)) < len(each)


def _are_labels(classes: Sequence[object]) -> bool:
    if all(isinstance(label, str) for label in classes):
        return not _repeated(classes)
    return all(is_number(label) or isinstance(label, bool) for label in classes) and not _repeated(classes)
