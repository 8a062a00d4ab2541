"""Rehearsals: what many people would report, with seeded coins. Real reports never come from here."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.errors import DomainError, about
from ldprange.learning.aggregate import LabelledAggregate
from ldprange.learning.plan import LabelledPlan, check_numbers
from ldprange.randomness import generator, seed_sequence
from ldprange.simulation import simulate
from ldprange.support.checking import Values, check_type, listed
from ldprange.support.columns import as_array, check_columns, column_names


def simulate_labelled(
    plan: LabelledPlan, values: Values, labels: ArrayLike, *, seed: int
) -> LabelledAggregate:
    """Draw the aggregate that people's reports would come to, by the clients' law.

    Parameters
    ----------
    plan
        The labelled plan.
    values
        A row for each person, a column for each attribute in the plan's order; or a frame, or a mapping, that
        has a column for each attribute by its name.
    labels
        Each person's class.
    seed
        Of the coins.

    >>> from ldprange import Domain, Flat, GRR, Plan
    >>> hours = Plan(Domain.integers(0, 23), 1.0, Flat(), GRR())
    >>> plan = LabelledPlan(("at work", "asleep"), (hours, hours), ("a", "b"), "one")
    >>> simulate_labelled(plan, [[7, 8], [0, 9], [8, 8]], ["b", "a", "b"], seed=1).people.tolist()
    [1, 2]
    """
    check_type(plan, LabelledPlan, "the first argument")
    people, classes = _columns(plan, values), plan.class_indices(labels)
    if any(column.shape != classes.shape for column in people):
        raise DomainError(
            f"values must be as many as labels, {classes.size}, of each of {listed(plan.attributes)}, "
            f"got columns of shapes {listed(column.shape for column in people)}"
        )
    drawn, coins = seed_sequence(seed).spawn(2)
    chosen = generator(drawn).integers(len(plan.plans), size=classes.size) if plan.asked == "one" else None
    seeds = coins.generate_state(len(plan.classes) * len(plan.plans), np.uint64)
    seeds = seeds.reshape(len(plan.plans), len(plan.classes))
    columns = [
        [
            simulate(each, counts, seed=int(stream))
            for counts, stream in zip(_counts(plan, attribute, people, classes, chosen), streams, strict=True)
        ]
        for attribute, (each, streams) in enumerate(zip(plan.plans, seeds, strict=True))
    ]
    return LabelledAggregate(plan, list(zip(*columns, strict=True)))


def _columns(plan: LabelledPlan, values: Values) -> list[NDArray[Any]]:
    """Return people's numbers, a column for each attribute in the plan's order."""
    names = list(values) if isinstance(values, Mapping) else column_names(values)
    if names is not None:
        check_columns(names, plan.attributes, kind="mapping" if isinstance(values, Mapping) else "frame")
        return [as_array(values[name]) for name in plan.attributes]  # type: ignore[call-overload, index]
    rows = as_array(values)
    if rows.ndim != 2 or rows.shape[1] != len(plan.attributes):
        raise DomainError(
            f"values must be a row for each person and a column for each of {listed(plan.attributes)}, "
            f"or columns by name, as in {{{plan.attributes[0]!r}: …}}, got shape {rows.shape}"
        )
    return list(rows.T)


def _counts(
    plan: LabelledPlan,
    attribute: int,
    people: Sequence[NDArray[Any]],
    classes: NDArray[np.int64],
    chosen: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    """Count, for each class, the people in every bin who are asked for an ``attribute``."""
    domain = plan.plans[attribute].domain
    with about(plan.attributes[attribute]):
        check_numbers(domain, people[attribute])
    cells = classes * domain.bins + domain.index(people[attribute])
    if chosen is not None:
        cells = cells[chosen == attribute]
    return np.bincount(cells, minlength=len(plan.classes) * domain.bins).reshape(-1, domain.bins)
