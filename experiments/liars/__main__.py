"""``python -m experiments.liars``: what people who lie together do to answers, and how often it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from matplotlib.figure import Figure

import ldprange as ldp
from experiments.liars.lies import item_weights, joined, range_weights
from ldprange.support.arrays import Counts, Floats
from ldprange.support.whole_files import whole_file

SHARES = (0.0, 0.005, 0.01, 0.05, 0.1)
ITEMS = 10  # that are pushed together
_STYLES = ("-", "--", ":", "-.", "-")  # of lines that lie on each other
Attack = Callable[[ldp.Plan, ldp.Aggregate, int, np.random.Generator], ldp.Aggregate]


def target(bins: int) -> tuple[int, int]:
    """Return the range that is pushed: a tenth of the domain, in the tail of the population."""
    return 6 * bins // 10, 7 * bins // 10


def _push_items(plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator) -> ldp.Aggregate:
    items = rng.choice(plan.domain.bins, ITEMS, replace=False)
    return joined(plan, honest, item_weights(plan, items.tolist()), liars, rng)


def _push_range(plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator) -> ldp.Aggregate:
    return joined(plan, honest, range_weights(plan, *target(plan.domain.bins)), liars, rng)


def _push_quantile(
    plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator
) -> ldp.Aggregate:
    """Push the median down: everybody into the lowest eighth."""
    return joined(plan, honest, range_weights(plan, 0, plan.domain.bins // 8), liars, rng)


def _push_on_one_level(
    plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator
) -> ldp.Aggregate:
    weights = range_weights(plan, *target(plan.domain.bins))
    each = zip(plan.mechanisms, weights, plan.probabilities, strict=True)
    gains = [float(mechanism.pull(weight).fair_coins) / chance for mechanism, weight, chance in each]
    return joined(plan, honest, weights, liars, rng, level=int(np.argmax(gains)))


def _claim_a_value(
    plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator
) -> ldp.Aggregate:
    """Claim a value in the range and have it randomised as everybody else."""
    people = np.zeros(plan.domain.bins, np.int64)
    people[sum(target(plan.domain.bins)) // 2] = liars
    return honest + ldp.simulate(plan, people, seed=int(rng.integers(1 << 32)))


ATTACKS: dict[str, Attack] = {
    "random items": _push_items,
    "a range": _push_range,
    "a quantile": _push_quantile,
    "a range, level chosen": _push_on_one_level,
    "honest coins, chosen value": _claim_a_value,
}


class Survey(NamedTuple):
    """How far answers were moved in one survey: of the range, unbiased and denoised; of the median, in bins.

    And whether it was found.
    """

    unbiased: float
    denoised: float
    median: float
    found: bool


def people(kind: str, bins: int, users: int, rng: np.random.Generator) -> Counts:
    """Return people per bin of a population of one of these kinds."""
    values = {
        "smooth": rng.beta(2, 5, users),
        "two peaks": _two_peaks(users, rng),
        "spikes": _spikes(users, rng),
    }[kind]
    return np.bincount(np.minimum((bins * values).astype(np.int64), bins - 1), minlength=bins)


def _two_peaks(users: int, rng: np.random.Generator) -> Floats:
    low = rng.random(users) < 0.6
    return np.clip(np.where(low, rng.normal(0.25, 0.05, users), rng.normal(0.8, 0.08, users)), 0, 0.9999)


def _spikes(users: int, rng: np.random.Generator) -> Floats:
    return rng.choice([0.0, 0.1, 0.25, 0.5, 0.75], users, p=[0.3, 0.3, 0.2, 0.15, 0.05])


def survey(plan: ldp.Plan, kind: str, users: int, attack: str, share: float, seed: int) -> Survey:
    """Hold one survey with a ``share`` of liars among its ``users``."""
    rng = np.random.default_rng([seed, *attack.encode()])
    liars, bins = round(share * users), plan.domain.bins
    honest = ldp.simulate(plan, people(kind, bins, users - liars, rng), seed=seed)
    told = ATTACKS[attack](plan, honest, liars, rng)
    low, high = target(bins)
    before, after = ((ldp.estimate(each), ldp.estimate(each, denoise=True)) for each in (honest, told))
    unbiased, denoised = (
        float(b.range(low, high - 1, confidence=None)) - float(a.range(low, high - 1, confidence=None))
        for a, b in zip(before, after, strict=True)
    )
    medians = [float(each[0].median(confidence=None).value) for each in (before, after)]
    return Survey(unbiased, denoised, medians[1] - medians[0], ldp.check(told).suspicious)


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
@click.option("--repetitions", type=click.IntRange(2), default=20, show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
@click.option(
    "--plan", "kind", type=click.Choice(["default", "haar", "tree"]), default="default", show_default=True
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
        for attack in ATTACKS:
            for share in SHARES:
                one = partial(survey, plan, population, users, attack, share)
                rows.append(Row.of(attack, share, list(pool.map(one, range(repetitions)))))
                click.echo(rows[-1])
    if figure:
        draw(rows, bound.people, Path(figure))


def plan_of(kind: str, bins: int, users: int, epsilon: float) -> ldp.Plan:
    """Return the plan of a kind: the one that is chosen, the paper's HaarHRR, or its TreeOUE."""
    domain = ldp.Domain.integers(0, bins - 1)
    match kind:
        case "haar":
            return ldp.Plan(domain, epsilon, ldp.Haar(), ldp.HRR())
        case "tree":
            return ldp.Plan(domain, epsilon, ldp.Tree(branching=4), ldp.OUE())
        case _:
            return ldp.choose_plan(domain, epsilon=epsilon, expected_users=users)


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
