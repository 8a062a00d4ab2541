"""``ldprange simulate``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ldprange.answer import Answer
from ldprange.cli.command import Command
from ldprange.cli.options import (
    column_option,
    fresh_seed,
    json_option,
    plan_argument,
    seed_option,
    seeds,
    size_of,
    values_argument,
)
from ldprange.cli.screen import answers, console, facts, print_json, progress
from ldprange.cli.summary import percent, plan_facts
from ldprange.estimation import estimate
from ldprange.files import read_plan, read_values
from ldprange.files.opening import naming
from ldprange.plan import Plan
from ldprange.simulation import simulate as draw

_RANGES = 1000
_PREFIXES = 4096


@click.command(
    cls=Command,
    examples=[
        "ldprange simulate ages.plan.json people.csv --column age",
    ],
)
@plan_argument
@values_argument
@column_option
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many surveys to draw.",
)
@seed_option
@json_option
def simulate(
    plan_file: str, values_file: str, column: str | None, repetitions: int, seed: int | None, as_json: bool
) -> None:
    """Compare predicted and measured error on your own data.

    Draws whole surveys of the people in VALUES, and asks each a thousand random ranges and all prefixes
    (4096 of them on a large domain). Nothing is written.
    """
    plan = read_plan(plan_file)
    seed = fresh_seed() if seed is None else seed
    counts = _count(plan, values_file, column)
    users = int(counts.sum())
    prediction = plan.predict(users, counts=counts)
    ranges = _Asked.random_ranges(plan, np.random.default_rng(seed), counts)
    prefixes = _Asked.prefixes(plan, counts)
    with progress("drawing", "surveys", repetitions) as bar:
        for _, each in zip(range(repetitions), seeds(seed), strict=False):
            estimated = estimate(draw(plan, counts, seed=each))
            ranges.compare(estimated.ranges(ranges.lows, ranges.highs))
            prefixes.compare(estimated.prefixes(prefixes.highs))
            bar.advance(1)
            bar.add(1)
    measured = {
        "ranges": ranges.result(prediction.range_rmse),
        "prefixes": prefixes.result(prediction.prefix_rmse),
    }
    if as_json:
        about = {"plan": plan.fingerprint, "users": users, "repetitions": repetitions, "seed": seed}
        print_json({**about, **measured})
        return
    screen = console()
    screen.print(
        facts([("people", f"{users:,}"), ("surveys", f"{repetitions:,}, seed {seed}"), *plan_facts(plan)])
    )
    rows = [
        (
            f"{each['asked']:,} {name}",
            percent(each["predicted_rmse"], 3),
            percent(each["measured_rmse"], 3),
            "–" if each["coverage"] is None else percent(each["coverage"], 1),
        )
        for name, each in measured.items()
    ]
    headings = ["root mean squared error of", "predicted", "measured", "95% intervals hold"]
    screen.print(answers(headings, rows))


def _count(plan: Plan, values_file: str, column: str | None) -> NDArray[np.int64]:
    """Count people per bin, chunk by chunk."""
    counts = np.zeros(plan.domain.bins, np.int64)
    with progress("reading", "people", size_of([Path(values_file)])) as bar:
        for chunk in read_values(values_file, column, plan.domain, progress=bar.advance):
            with naming(values_file):
                counts += plan.domain.count(chunk)
            bar.add(chunk.size)
    return counts


@dataclass
class _Asked:
    """Questions with their true answers, and what became of them so far."""

    lows: list[Any]
    highs: list[Any]
    truth: NDArray[np.float64]
    squares: float = 0.0
    answers: int = 0
    held: int = 0
    intervals: int = 0

    @staticmethod
    def random_ranges(plan: Plan, rng: np.random.Generator, counts: NDArray[np.int64]) -> _Asked:
        """Ask ranges drawn evenly from all there are."""
        bins = plan.domain.bins
        # a range is two different boundaries out of bins + 1
        one = rng.integers(0, bins + 1, _RANGES)
        other = rng.integers(0, bins, _RANGES)
        other += other >= one
        return _Asked._of(plan, counts, np.minimum(one, other), np.maximum(one, other))

    @staticmethod
    def prefixes(plan: Plan, counts: NDArray[np.int64]) -> _Asked:
        """Ask all prefixes, or an even choice of them."""
        bins = plan.domain.bins
        stops = np.unique(np.linspace(1, bins, min(bins, _PREFIXES)).round().astype(np.int64))
        return _Asked._of(plan, counts, np.zeros_like(stops), stops)

    @staticmethod
    def _of(
        plan: Plan, counts: NDArray[np.int64], starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> _Asked:
        domain = plan.domain
        cdf = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
        lows = [domain.lower(int(start)) for start in starts]
        highs = [domain.upper(int(stop) - 1) for stop in stops]
        return _Asked(lows, highs, cdf[stops] - cdf[starts])

    def compare(self, found: Answer[NDArray[np.float64]]) -> None:
        """Count the error of one survey's answers, and how many intervals held the truth."""
        low, high = np.asarray(found.low), np.asarray(found.high)
        self.squares += float(((found.value - self.truth) ** 2).sum())
        self.answers += self.truth.size
        open_question = high > low  # the whole domain holds everybody: no interval, and nothing to cover
        holds = (low <= self.truth) & (self.truth <= high)
        self.held += int(np.count_nonzero(holds & open_question))
        self.intervals += int(np.count_nonzero(open_question))

    def result(self, predicted: float) -> dict[str, Any]:
        """Return error and coverage over all surveys."""
        return {
            "asked": self.truth.size,
            "predicted_rmse": predicted,
            "measured_rmse": (self.squares / self.answers) ** 0.5,
            "coverage": self.held / self.intervals if self.intervals else None,
        }
