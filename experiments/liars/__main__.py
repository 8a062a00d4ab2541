"""``python -m experiments.liars``: what people who lie together do to answers, and how often it shows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from matplotlib.figure import Figure

from experiments.liars.surveys import ATTACKS, Survey, attacks_on, plan_of, survey, target
from ldprange.support.whole_files import whole_file

SHARES = (0.0, 0.005, 0.01, 0.05, 0.1)
_STYLES = ("-", "--", ":", "-.", "-")  # of lines that lie on each other


class Row(NamedTuple):
    """An attack by a share of liars, over many surveys: means, standard errors, and how many are found."""

    attack: str
    share: float
    unbiased: float
    unbiased_error: float
    denoised: float
    denoised_error: float
    median: float
    found: float

    @classmethod
    def of(cls, attack: str, share: float, surveys: Sequence[Survey]) -> Row:
        """Return the row of these surveys."""
        each = np.array(surveys, np.float64)
        mean, error = each.mean(axis=0).tolist(), (each.std(axis=0, ddof=1) / np.sqrt(len(each))).tolist()
        return cls(attack, share, mean[0], error[0], mean[1], error[1], mean[2], mean[3])

    def __str__(self) -> str:
        unbiased = f"{self.unbiased:+.3f} ± {self.unbiased_error:.3f}"
        denoised = f"{self.denoised:+.3f} ± {self.denoised_error:.3f}"
        last = f"{self.median:+.1f} | {self.found:.0%}"
        return f"| {self.attack} | {self.share:.1%} | {unbiased} | {denoised} | {last} |"


@click.command()
@click.option("--bins", type=click.IntRange(16), default=1024, show_default=True)
@click.option("--users", type=click.IntRange(1000), default=100_000, show_default=True)
@click.option("--epsilon", type=float, default=1.0, show_default=True)
@click.option(
    "--share",
    "shares",
    type=click.FloatRange(0, 1),
    multiple=True,
    default=SHARES,
    show_default=True,
    help="Of liars; may be given again.",
)
@click.option("--repetitions", type=click.IntRange(2), default=20, show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
@click.option(
    "--plan",
    "kind",
    type=click.Choice(["default", "haar", "tree", "olh"]),
    default="default",
    show_default=True,
)
@click.option(
    "--population",
    type=click.Choice(["smooth", "two peaks", "spikes"]),
    default="smooth",
    show_default=True,
)
@click.option("--figure", metavar="FILE", help="Draw it, too.")
def main(
    bins: int,
    users: int,
    epsilon: float,
    shares: tuple[float, ...],
    repetitions: int,
    workers: int,
    kind: str,
    population: str,
    figure: str | None,
) -> None:
    """Print how far liars move answers, and in how many surveys they are found, for each attack."""
    plan = plan_of(kind, bins, users, epsilon)
    bound = plan.influence(0.01, between=(target(bins)[0], target(bins)[1] - 1))
    click.echo(f"{bins:,} bins, {users:,} people, ε = {epsilon:g}, {plan.layout.describe()}; {population}")
    click.echo(
        f"this range, at most, by 1%: {bound.fair_coins:.3f}; any: {plan.influence(0.01).fair_coins:.3f}"
    )
    click.echo("| attack | liars | range | denoised | median, bins | found |\n|---|---|---|---|---|---|")
    rows = []
    with ProcessPoolExecutor(workers) as pool:
        for attack in attacks_on(plan):
            for share in shares:
                one = partial(survey, plan, population, users, attack, share)
                rows.append(Row.of(attack, share, list(pool.map(one, range(repetitions)))))
                click.echo(rows[-1])
    if figure:
        draw(rows, bound.people, Path(figure))


def draw(rows: Sequence[Row], people: float, path: Path) -> None:
    """Draw how often attacks are found, and how far a range is moved; a liar counts for ``people``."""
    canvas = Figure(figsize=(9.5, 3.6), layout="constrained")
    found, moved = canvas.subplots(1, 2)
    for (attack, style), marker in zip(zip(ATTACKS, _STYLES, strict=True), "osv^D", strict=True):
        each = [row for row in rows if row.attack == attack and row.share]
        shares = [row.share for row in each]
        found.plot(shares, [row.found for row in each], style, marker=marker, alpha=0.8, label=attack)
    found.set(
        xscale="log", ylim=(-0.05, 1.05), xlabel="share of liars", ylabel="surveys in which they are found"
    )
    found.legend(fontsize=8, loc=(0.03, 0.45))
    pushed = [row for row in rows if row.attack == "a range" and row.share]
    claimed = [row for row in rows if row.attack == "honest coins, chosen value" and row.share]
    shares = [row.share for row in pushed]
    moved.plot(shares, [people * share for share in shares], "k--", label="at most, as the plan says")
    moved.plot(shares, [row.unbiased for row in pushed], "o", label="made-up reports")
    moved.plot(shares, [row.denoised for row in pushed], "s", label="made-up reports, denoised answer")
    moved.plot(shares, [row.unbiased for row in claimed], "v", label="a lie about the value")
    moved.set(xscale="log", yscale="log", xlabel="share of liars", ylabel="how far a range is moved")
    moved.legend(fontsize=8)
    for axes in (found, moved):
        axes.set_xticks(shares, [f"{share:.1%}" for share in shares], minor=False)
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    with whole_file(path) as file:
        canvas.savefig(file, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
