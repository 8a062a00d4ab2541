"""``python -m experiments.many.growth``: how the error grows with bins and attributes, as figure and table.

All of it is calculated, nothing is drawn: root mean squared error over all products of ranges, times √users,
in a population spread evenly. The paper's plan for d attributes is the product of Haar transforms with HRR,
every combination of levels asked alike: its variance grows with log^{2d} of the bins of an attribute.
"""

from __future__ import annotations

from pathlib import Path

import click
import matplotlib as mpl
import numpy as np

import ldprange as ldp

ATTRIBUTES = (1, 2, 3)
EPSILON = 1.1
_MAX_BITS = {1: 16, 2: 10, 3: 5}
_COLOURS = {1: "#0b6e6e", 2: "#b3541e", 3: "#5b4b9a"}


def rmse(attributes: int, bits: int) -> tuple[float, float]:
    """Return the paper's error and that of the best plan, about the people asked, both for one user."""
    domain = ldp.Domain.integers(0, 2**bits - 1)
    if attributes > 1:
        domain = ldp.Domain.product(**{f"a{place}": domain for place in range(attributes)})
    paper = ldp.Plan(domain, EPSILON, ldp.Haar(), ldp.HRR())
    best = ldp.choose_plan(domain, epsilon=EPSILON, expected_users=1.0, workload="ranges")
    of_paper, of_best = (each.predict(1.0, population="respondents").range_rmse for each in (paper, best))
    return of_paper, of_best


@click.command()
@click.option("--figure", type=click.Path(path_type=Path), help="Write an SVG.")
def main(figure: Path | None) -> None:
    """Print the errors, and draw them."""
    mpl.use("svg")
    from matplotlib import pyplot as plt

    plt.rcParams["svg.hashsalt"] = "ldprange"
    canvas, axes = plt.subplots(figsize=(7, 4.2), constrained_layout=True)
    click.echo("| attributes | bins of each | paper | ours | ours/paper |\n|---|---|---|---|---|")
    for d in ATTRIBUTES:
        bits = np.arange(1 if d > 1 else 2, _MAX_BITS[d] + 1)
        errors = np.array([rmse(d, int(bit)) for bit in bits])
        for bit, (paper, best) in zip(bits, errors, strict=True):
            click.echo(f"| {d} | {2**bit} | {paper:.2f} | {best:.2f} | {best / paper:.2f} |")
        # the law that the paper states, through the paper's own last point
        law = errors[-1, 0] * (bits / bits[-1]) ** d
        axes.plot(bits, law, ":", color=_COLOURS[d], lw=1)
        axes.plot(
            bits, errors[:, 0], "o--", color=_COLOURS[d], ms=3, label=f"paper, {d} attribute{'s' * (d > 1)}"
        )
        axes.plot(bits, errors[:, 1], "o-", color=_COLOURS[d], ms=3, label=f"ours, {d}")
    axes.set(
        xlabel="bins of each attribute, as a power of 2", ylabel="error of a range × √people", yscale="log"
    )
    axes.set_title(
        f"ε = {EPSILON}; dotted: log(bins)$^d$, so that the variance has log$^{{2d}}$", fontsize=10
    )
    axes.legend(fontsize=8, ncols=3)
    axes.grid(alpha=0.3)
    if figure:
        canvas.savefig(figure, metadata={"Date": None})


if __name__ == "__main__":
    main()
