"""Ratios to the paper's best method in a cell: same people, same ε, same run of the command."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby

from experiments.comparison.methods import DENOISED, PAPERS
from experiments.tables import Entry, Row, Table, number


@dataclass(frozen=True, slots=True)
class Estimated:
    """A number with its standard error, where several runs tell it."""

    size: float
    deviation: float | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """A mean squared error, as a ratio to that of the paper's best method.

    ``measured`` has the least mean that was measured below it: the least of five noisy means is a little too
    small, so the ratio is, if anything, too large. ``exact`` has the least that is predicted, and above it
    what is predicted too where that can be, for a denoised estimate times its ratio to the unbiased one in
    the same runs.
    """

    row: Row
    best: str
    measured: Estimated
    exact: Estimated | None

    @property
    def cell(self) -> tuple[Entry, Entry, Entry]:
        """Domain, ε and population."""
        return self.row["bins"], self.row["epsilon"], self.row["data"]

    @property
    def method(self) -> str:
        """Whose error it is."""
        return str(self.row["method"])


def ratios(errors: Table, measure: str) -> list[Ratio]:
    """Return the ratio of every method in every cell."""

    def cell(row: Row) -> tuple[str, ...]:
        return tuple(str(row[name]) for name in ("bins", "epsilon", "data"))

    return [
        ratio
        for _, rows in groupby(sorted(errors, key=cell), key=cell)
        for ratio in _in_cell(list(rows), measure)
    ]


def _in_cell(rows: Table, measure: str) -> list[Ratio]:
    papers = [row for row in rows if row["method"] in PAPERS]
    best = min(papers, key=lambda row: number(row, measure))
    exact = {
        str(row["method"]): number(row, f"{measure}_exact")
        for row in rows
        if row[f"{measure}_exact"] is not None
    }
    return [
        Ratio(row, str(best["method"]), _measured(row, best, measure), _exact(row, exact, measure))
        for row in rows
    ]


def _measured(row: Row, best: Row, measure: str) -> Estimated:
    size = number(row, measure) / number(best, measure)
    if row[f"{measure}_error"] is None or best[f"{measure}_error"] is None:
        return Estimated(size, None)
    parts = (number(each, f"{measure}_error") / number(each, measure) for each in (row, best))
    return Estimated(size, math.hypot(*parts) * size)


def _exact(row: Row, exact: dict[str, float], measure: str) -> Estimated | None:
    papers = [exact[method] for method in PAPERS if method in exact]
    if not papers:
        return None
    method, least = str(row["method"]), min(papers)
    if method in exact:
        return Estimated(exact[method] / least, 0.0)
    if method in DENOISED:
        unit, above = exact[DENOISED[method]] / least, f"{measure}_to_plain"
    else:
        unit, above = 1 / least, measure
    spread = row[f"{above}_error"]
    return Estimated(
        unit * number(row, above), None if spread is None else unit * number(row, f"{above}_error")
    )
