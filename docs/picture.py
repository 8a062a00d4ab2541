"""Draws the README's picture: ``python docs/picture.py``."""

from pathlib import Path

import ldprange as ldp
from ldprange.cli.demo_population import MAX_MINUTES, commutes


def draw() -> None:
    """Rehearse the survey and draw what it finds beside the truth."""
    people = commutes(200_000)
    plan = ldp.choose_plan(ldp.Domain.integers(0, MAX_MINUTES), epsilon=1.1, expected_users=200_000)
    counts = plan.domain.count(people)
    found = ldp.estimate(ldp.simulate(plan, counts, seed=1), population="respondents")  # the truth is theirs
    figure = found.plot(
        counts=counts,
        title="How long is your commute?\n200,000 people, one randomised report each, ε = 1.1",
        label="minutes",
    )
    figure.savefig(Path(__file__).with_name("distribution.png"), dpi=110)


if __name__ == "__main__":
    draw()
