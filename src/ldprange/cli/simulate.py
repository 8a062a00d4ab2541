"""``ldprange simulate``."""

from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from ldprange.cli.command import command
from ldprange.cli.options import (
    column_option,
    json_option,
    missing_option,
    plan_argument,
    seed_option,
    size_of,
    values_argument,
)
from ldprange.cli.output import answers, console, facts, print_json, progress, tell_left_out
from ldprange.cli.steering import tell_of_declining
from ldprange.cli.summary import plan_facts
from ldprange.files import read_plan, read_values
from ldprange.files.sources import naming
from ldprange.plan import Plan
from ldprange.rehearsal.rehearsing import rehearse_counts
from ldprange.sampling import RESPONDENTS, Population
from ldprange.support.columns import Missing
from ldprange.support.left_out import WITHOUT_A_VALUE, LeftOut


@command("ldprange simulate ages.plan.json people.csv --column age")
@plan_argument
@values_argument
@column_option
@missing_option
@click.option("--repetitions", type=click.IntRange(min=1), default=20, help="How many surveys to draw.")
@click.option(
    "--population",
    type=click.Choice([RESPONDENTS]),
    help="Ask just the people in VALUES, so that only privacy makes answers vary.",
)
@click.option("--denoise", is_flag=True, help="Measure denoised answers, as query --denoise gives them.")
@seed_option
@json_option
def simulate(
    plan_file: str,
    values_file: str,
    column: str | None,
    missing: Missing,
    repetitions: int,
    population: Population,
    denoise: bool,
    seed: int | None,
    as_json: bool,
) -> None:
    """Compare predicted and measured error on your own data.

    Draws whole surveys of as many people as VALUES has, each a random sample of them (with replacement), and
    asks each some 2,000 ranges and as many prefixes, chosen evenly from all there are; of categories, for
    each one's share. Of several attributes these are products: a range, or a prefix, of each. Nothing is
    written.

    With --population respondents every survey asks just the people in VALUES.
    """
    plan = read_plan(plan_file)
    left_out = LeftOut(WITHOUT_A_VALUE)
    counts = _count(plan, values_file, column, left_out.add if missing == "skip" else None)
    tell_left_out(left_out)
    tell_of_declining(plan.domain)
    with progress("drawing", "surveys", repetitions) as bar:

        def drawn(_: int) -> None:
            bar.advance(1)
            bar.add(1)

        found = rehearse_counts(
            plan,
            counts,
            repetitions=repetitions,
            denoise=denoise,
            population=population,
            seed=seed,
            progress=drawn,
        )
    if as_json:
        print_json({**found.to_dict(), **({"left_out": left_out.rows} if missing == "skip" else {})})
        return
    screen = console()
    surveys = f"{repetitions:,}, seed {found.seed}"
    screen.print(facts([("people", f"{found.users:,}"), ("surveys", surveys), *plan_facts(plan)]))
    screen.print(answers(found.headings, found.rows))
    screen.print(found.about, highlight=False)


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
