"""``python -m experiments.many.cells``: how fine pairs of many attributes should be, by measuring.

Root mean squared errors, in percentage points, of unbiased ranges over two of five attributes: of the plan
that is chosen, and of the one with cells of 8 × 8, over kinds of populations from even ones to people in a
few places.
"""

from __future__ import annotations

from collections.abc import Iterator

import click
import numpy as np

import ldprange as ldp
from ldprange.rehearsal.kinds import kinds_of_people
from ldprange.rehearsal.scoring import questions_for
from ldprange.simulation import simulate_drawn
from ldprange.workloads import boxes_of

BINS, PEOPLE = 64, 1 << 18
DOMAIN = ldp.Domain.product(**{name: ldp.Domain.integers(0, BINS - 1) for name in "abcde"})
USERS = (10**5, 10**6, 10**7, 10**8)


def errors(plan: ldp.Plan, users: int) -> Iterator[float]:
    """Yield the mean squared error over ranges of the first two attributes, for each kind of population."""
    for seed, people in enumerate(kinds_of_people(DOMAIN, PEOPLE)):
        counts = np.bincount(BINS * people[0] + people[1], minlength=BINS**2).reshape(BINS, BINS)
        questions = questions_for(plan, {(0, 1): counts}, boxes_of)
        questions.ask(ldp.estimate(simulate_drawn(plan, people, users, seed=seed)), intervals=False)
        yield questions.mean_square


@click.command()
@click.option("--epsilon", type=float, default=1.0, show_default=True)
def main(epsilon: float) -> None:
    """Print a table of errors, one survey of each kind of population."""
    coarse = ldp.optimise_plan(DOMAIN, epsilon=epsilon, decomposition=ldp.Grids.pairs(DOMAIN))
    click.echo("| people | plan | each kind of population | all |\n|---:|---|---|---:|")
    for users in USERS:
        chosen = ldp.compare_plans(DOMAIN, epsilon=epsilon, expected_users=users).best
        for name, plan in ((chosen.name, chosen.plan), ("8 × 8 cells", coarse)):
            squares = np.array(list(errors(plan, users)))
            each = ", ".join(f"{100 * error:.2f}" for error in np.sqrt(squares))
            click.echo(f"| {users:,} | {name} | {each} | {100 * np.sqrt(squares.mean()):.2f} |")


if __name__ == "__main__":
    main()
