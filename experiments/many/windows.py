"""``python -m experiments.many.windows``: what shifted windows would bring over two attributes.

Calculated, not drawn: the mean variance over all rectangles of least squares from the best choice of levels,
in units of a cell's noise over the number of people. A level asks in which cell of w × v bins a person lies.
In a product of trees cells lie still. Windows lie at a random shift on each attribute, on a ring: what leaves
it at one end comes in at the other, so that all places are alike and in Fourier's basis all is diagonal.
"""

from __future__ import annotations

import click
import numpy as np

from ldprange.least_squares.axis import Axis
from ldprange.support.arrays import Floats

_STEPS = 3000  # until the design moves no more


def tree(bins: int, branching: int) -> tuple[Floats, Floats]:
    """Return what every level tells of every detail of a tree, and a mean range's energy in it."""
    depth = round(np.log(bins) / np.log(branching))
    axis = Axis([branching] * depth)
    told = np.tril(np.broadcast_to(np.array(axis.sizes, np.float64)[:, None], (depth + 1, depth + 1)))
    return told, axis.mean_energies(alone=True)[0]


def windows(bins: int, branching: int) -> tuple[Floats, Floats]:
    """Return what windows of every width tell of every frequency, and a mean range's energy in it."""
    place = np.arange(bins)
    apart = np.minimum(place, bins - place)
    widths = [bins // cells for cells in Axis([branching] * round(np.log(bins) / np.log(branching))).cells]
    overlaps = [np.ones(bins) if width == bins else np.maximum(0.0, 1 - apart / width) for width in widths]
    lengths = np.arange(1, bins + 1)
    number = bins + 1 - lengths  # of ranges of a length
    spectra = np.abs(np.fft.fft(place < lengths[:, None], axis=1)) ** 2
    return np.fft.fft(overlaps, axis=1).real, number @ spectra / number.sum() / bins


def least_variance(told: Floats, energy: Floats, attributes: int) -> float:
    """Return the mean variance over all products of ranges, with the best share of people on every level."""
    each, asked = told, energy
    for _ in range(attributes - 1):
        each = np.multiply.outer(each, told).swapaxes(1, 2).reshape(len(each) * len(told), -1)
        asked = np.multiply.outer(asked, energy).reshape(-1)
    each, asked = each[1:, 1:], asked[1:]  # the whole is known, and needs no level
    people = np.full(len(each), 1 / len(each))
    for _ in range(_STEPS):
        known = people @ each
        people *= np.sqrt(each @ (asked / known**2))
        people /= people.sum()
    return float((asked / (people @ each)).sum())


@click.command()
@click.option("--most", default=64, show_default=True, help="Bins of an attribute, up to which to go.")
def main(most: int) -> None:
    """Print a table."""
    click.echo("| attributes | bins of each | tree 2 | tree 4 | windows | error, windows / best tree |")
    click.echo("|---|---|---|---|---|---|")
    for attributes in (1, 2):
        for bins in (each for each in (16, 64, 256) if each <= most):
            trees = [least_variance(*tree(bins, branching), attributes) for branching in (2, 4)]
            shifted = least_variance(*windows(bins, 2), attributes)
            numbers = " | ".join(f"{variance:.2f}" for variance in (*trees, shifted))
            click.echo(f"| {attributes} | {bins} | {numbers} | {np.sqrt(shifted / min(trees)):.3f} |")


if __name__ == "__main__":
    main()
