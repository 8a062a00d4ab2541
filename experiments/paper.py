"""What the paper prints, number by number, from ``paper.csv``.

The paper is Cormode, Kulkarni and Srivastava, "Answering Range Queries Under Local Differential Privacy",
PVLDB 12(10), 2019. ``figure`` is the label of the figure in its section "Experimental Evaluation":

- ``tab:mse_range``: impact of ε on arbitrary range queries;
- ``tab:mse_prefix``: impact of ε on prefix queries;
- ``tab:haar_vs_hh``: the centralised case, after Qardaji, Yang and Li (PVLDB 6(14), 2013, Table 3).

The first two are headed "mean squared error" and scaled by 1000; they hold root mean squared errors. HH2,
HH4 and HH16 are trees with OUE and consistency. A number's ``mark`` is how it is set: bold for the least of
its row, underlined in the second figure where it is less than in the first.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

RANGES, PREFIXES, CENTRALISED = "tab:mse_range", "tab:mse_prefix", "tab:haar_vs_hh"


@dataclass(frozen=True, slots=True)
class Printed:
    """One number of one figure."""

    figure: str
    bins: int
    epsilon: float
    method: str
    value: float
    mark: str


def printed(figure: str) -> list[Printed]:
    """Return all numbers of a figure.

    >>> printed(RANGES)[0]
    Printed(figure='tab:mse_range', bins=256, epsilon=0.2, method='HH2', value=4.269, mark='')
    """
    with Path(__file__).with_name("paper.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Printed(
            figure, int(row["bins"]), float(row["epsilon"]), row["method"], float(row["value"]), row["mark"]
        )
        for row in rows
        if row["figure"] == figure
    ]
