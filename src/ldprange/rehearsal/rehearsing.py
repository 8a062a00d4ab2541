"""Whole surveys, drawn again and again from people whose values are known."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldprange.errors import ArgumentError, DomainError
from ldprange.estimation import estimate
from ldprange.plan import Plan
from ldprange.planner.typical_error import typical_question
from ldprange.rehearsal.scoring import Score, questions_for
from ldprange.sampling import Population, described
from ldprange.simulation import simulate_quickly
from ldprange.support.checking import Values, check_type, shown
from ldprange.support.columns import Missing
from ldprange.support.html_tables import html_table
from ldprange.workloads import boxes_of, corners_of


@dataclass(frozen=True)
class Rehearsal:
    """What became of surveys drawn from known people: errors predicted and measured, and coverage."""

    plan: Plan
    users: int
    population: Population
    repetitions: int
    seed: int
    denoised: bool
    ranges: Score
    prefixes: Score
    headings: ClassVar = ("root mean squared error of", "predicted", "measured", "95% intervals hold")

    @property
    def rows(self) -> list[tuple[str, str, str, str]]:
        """The table for people, in the order of ``headings``: of ranges and prefixes, or of categories."""
        scores = [("ranges", self.ranges), ("prefixes", self.prefixes)]
        if typical_question(self.plan.domain) == "category":
            scores = [("categories", self.prefixes)]
        return [
            (
                f"{score.asked:,} {name}",
                f"{score.predicted_rmse:.3%}",
                f"{score.measured_rmse:.3%}" + ("" if score.margin is None else f" ± {score.margin:.3%}"),
                "–" if score.coverage is None else f"{score.coverage:.1%}",
            )
            for name, score in scores
        ]

    @property
    def about(self) -> str:
        """Whom errors and intervals speak of, and how far chance may have moved what was measured."""
        told = [f"Errors and intervals speak of {described(self.population)}."]
        if self.ranges.margin is not None:
            told.append(
                f"± is a 95% margin: chance moves what {self.repetitions:,} surveys measure that much."
            )
        if self.denoised:
            told.append("Measured are denoised answers; the prediction is for unbiased ones.")
        return "\n".join(told)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it in plain JSON types."""
        about = {
            "plan": self.plan.fingerprint,
            "users": self.users,
            "population": self.population or "endless",
            "denoised": self.denoised,
        }
        scores = {"ranges": asdict(self.ranges), "prefixes": asdict(self.prefixes)}
        return {**about, "repetitions": self.repetitions, "seed": self.seed, **scores}

    def __str__(self) -> str:
        table = [self.headings, *self.rows]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in table]
        return "\n".join([*lines, self.about])

    def _repr_html_(self) -> str:
        return html_table(self.headings, self.rows, self.about)


def rehearse(
    plan: Plan,
    values: Values,
    *,
    repetitions: int = 20,
    denoise: bool = False,
    population: Population = None,
    missing: Missing = "refuse",
    seed: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Rehearsal:
    """Return how accurate answers under ``plan`` are on known people's ``values``: predicted and measured.

    Parameters
    ----------
    plan
        The plan.
    values
        People's values: a list, an array or a column; of several attributes a frame, or a column for each.
    repetitions
        How many surveys to draw.
    denoise
        Measure denoised answers, as :func:`estimate` gives them.
    population
        Left out, each survey asks as many people, drawn from these at random with replacement;
        ``"respondents"`` asks just these, so that only privacy makes answers vary.
    missing
        Whether a missing value is an error (``"refuse"``), or left out with a warning (``"skip"``).
    seed
        Repeats an earlier rehearsal; a fresh one if left out.
    progress
        Called after each survey with the number of those done.

    >>> import ldprange as ldp
    >>> plan = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Flat(), ldp.GRR())
    >>> print(rehearse(plan, [2, 3, 3, 7] * 500, seed=1, population="respondents").rows[0][:2])
    ('2,048 ranges', '6.383%')
    """
    check_type(plan, Plan, "the first argument")
    counts = plan.domain.count(values, missing=missing)
    return rehearse_counts(
        plan,
        counts,
        repetitions=repetitions,
        denoise=denoise,
        population=population,
        seed=seed,
        progress=progress,
    )


def rehearse_counts(
    plan: Plan,
    counts: NDArray[np.int64],
    *,
    repetitions: int,
    denoise: bool,
    population: Population,
    seed: int | None,
    progress: Callable[[int], None] | None,
) -> Rehearsal:
    """Return what :func:`rehearse` does, from ``counts`` of people per bin."""
    if isinstance(repetitions, bool) or not isinstance(repetitions, int) or repetitions < 1:
        raise ArgumentError(f"repetitions must be a whole number of at least 1, got {shown(repetitions)}")
    if not counts.sum():
        raise DomainError("a rehearsal needs people, and got none; give at least one value")
    seed = secrets.randbits(63) if seed is None else seed
    users = int(counts.sum())
    prediction = plan.predict(users, counts=counts, population=population)
    every = set(range(counts.ndim))
    held = {chosen: counts.sum(axis=tuple(every - set(chosen))) for chosen in plan.layout.tables}
    ranges, prefixes = (questions_for(plan, held, boxes) for boxes in (boxes_of, corners_of))
    for number in range(repetitions):
        each = int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
        people = counts if population else _sample(counts, each)
        drawn = simulate_quickly(plan, people, seed=each)
        estimated = estimate(drawn, denoise=denoise, population=population)
        ranges.ask(estimated)
        prefixes.ask(estimated)
        if progress:
            progress(number + 1)
    scores = ranges.score(prediction.range_rmse), prefixes.score(prediction.prefix_rmse)
    return Rehearsal(plan, users, population, repetitions, seed, denoise, *scores)


def _sample(counts: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Return the counts of as many people, drawn at random from these, with replacement."""
    users, rng = counts.sum(), np.random.default_rng([seed, 1])
    return rng.multinomial(users, counts.reshape(-1) / users).reshape(counts.shape)
