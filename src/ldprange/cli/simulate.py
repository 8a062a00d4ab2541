"""``ldprange simulate``."""

from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from ldprange.cli.command import command
from ldprange.cli.options import (
    column_option,
    fresh_seed,
    json_option,
    missing_option,
    plan_argument,
    seed_option,
    seeds,
    size_of,
    values_argument,
)
from ldprange.cli.output import LeftOut, answers, console, facts, print_json, progress
from ldprange.cli.scoring import prefixes_for, ranges_for
from ldprange.cli.summary import percent, plan_facts
from ldprange.estimation import estimate
from ldprange.files import read_plan, read_values
from ldprange.files.sources import naming
from ldprange.plan import Plan
from ldprange.sampling import RESPONDENTS, Population, described
from ldprange.simulation import simulate as draw
from ldprange.support.columns import Missing


@command("ldprange simulate ages.plan.json people.csv --column age")
@plan_argument
@values_argument
@column_option
@missing_option
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many surveys to draw.",
)
@click.option(
    "--population",
    type=click.Choice([RESPONDENTS]),
    help="Ask just the people in VALUES, so that only privacy makes answers vary.",
)
@seed_option
@json_option
def simulate(
    plan_file: str,
    values_file: str,
    column: str | None,
    missing: Missing,
    repetitions: int,
    population: Population,
    seed: int | None,
    as_json: bool,
) -> None:
    """Compare predicted and measured error on your own data.

    Draws whole surveys of as many people as VALUES has, each a random sample of them (with replacement), and
    asks each some 2,000 ranges and as many prefixes, chosen evenly from all there are. Of several attributes
    these are products: a range, or a prefix, of each. Nothing is written.

    With --population respondents every survey asks just the people in VALUES.
    """
    plan = read_plan(plan_file)
    seed = fresh_seed() if seed is None else seed
    left_out = LeftOut()
    counts = _count(plan, values_file, column, left_out.add if missing == "skip" else None)
    left_out.tell()
    users = int(counts.sum())
    prediction = plan.predict(users, counts=counts, population=population)
    ranges, prefixes = ranges_for(plan, counts), prefixes_for(plan, counts)
    with progress("drawing", "surveys", repetitions) as bar:
        for _, each in zip(range(repetitions), seeds(seed), strict=False):
            people = counts if population else _sample(counts, each)
            estimated = estimate(draw(plan, people, seed=each), population=population)
            ranges.ask(estimated)
            prefixes.ask(estimated)
            bar.advance(1)
            bar.add(1)
    measured = {
        "ranges": ranges.result(prediction.range_rmse),
        "prefixes": prefixes.result(prediction.prefix_rmse),
    }
    if as_json:
        about = {"plan": plan.fingerprint, "users": users, "population": population or "endless"}
        about |= {"repetitions": repetitions, "seed": seed}
        about |= {"left_out": left_out.rows} if missing == "skip" else {}
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
    screen.print(f"Errors and intervals speak of {described(population)}.", highlight=False)


def _sample(counts: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Return the counts of as many people, drawn at random from these, with replacement."""
    users, rng = counts.sum(), np.random.default_rng([seed, 1])
    return rng.multinomial(users, counts.reshape(-1) / users).reshape(counts.shape)


def _count(
    plan: Plan, values_file: str, column: str | None, skipped: Callable[[int], None] | None
) -> NDArray[np.int64]:
    """Count people per bin, chunk by chunk."""
    counts = np.zeros((), np.int64)
    with progress("reading", "people", size_of([Path(values_file)])) as bar:
        values = read_values(values_file, column, plan.domain, skipped=skipped, progress=bar.advance)
        for chunk in values:
            with naming(values_file):
                more = plan.domain.count(chunk)
            counts = counts + more
            bar.add(int(more.sum()))
    return counts
