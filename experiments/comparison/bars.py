"""The bars that our methods are held to, and the cell in which each is furthest from holding."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.comparison.methods import DENOISED_WINDOWS, WINDOWS
from experiments.comparison.ratios import ratios
from experiments.comparison.runs import ERRORS
from experiments.tables import Entry, Table, number, select

SMALL = (1 << 8, 1 << 10)
_LARGE = (1 << 16,)
BOUNDED = 2.0
"""The ε up to which our plan is held against the least variance possible; beyond, that bound is loose."""
_SURE = 3.0  # standard errors by which a cell must be beyond a bar to be surely so


@dataclass(frozen=True, slots=True)
class Place:
    """One cell: what was found there, with its standard error, and what it is called."""

    found: float
    deviation: float
    name: str


@dataclass(frozen=True, slots=True)
class Bar:
    """What must hold in every cell: at most the limit, or at least."""

    name: str
    limit: float
    places: list[Place]
    at_least: bool = False

    def _beyond(self, place: Place) -> float:
        return (self.limit - place.found) if self.at_least else (place.found - self.limit)

    @property
    def worst(self) -> Place:
        """The cell that is furthest from holding, or nearest to not."""
        return max(self.places, key=self._beyond)

    @property
    def broken(self) -> list[Place]:
        """The cells in which it does not hold, worst first."""
        return sorted((each for each in self.places if self._beyond(each) > 0), key=self._beyond)[::-1]

    @property
    def surely_broken(self) -> list[Place]:
        """Those among them that are beyond it by more than chance would have."""
        return [place for place in self.broken if self._beyond(place) > _SURE * place.deviation]


def bars(tables: dict[str, Table]) -> list[Bar]:
    """Return every bar of which there are cells."""
    errors, bounds = tables["errors"], select(tables["bounds"], method=WINDOWS)
    found = [
        *(_bounded(bounds, *each) for each in (("ranges", 1.1), ("prefixes", 1.15))),
        *(
            bar
            for method, limit, domains in (
                (WINDOWS, 0.75, (*SMALL, *_LARGE)),
                (DENOISED_WINDOWS, 0.45, SMALL),
                (DENOISED_WINDOWS, 0.25, _LARGE),
            )
            for measure in ERRORS
            for bar in _ratios(errors, method, measure, limit, domains)
        ),
        *(_denoising(errors, measure) for measure in ERRORS),
        _coverage(tables["coverage"]),
    ]
    return [bar for bar in found if bar.places]


def _bounded(bounds: Table, measure: str, limit: float) -> Bar:
    places = [
        Place(
            number(row, "whole") / number(row, "least"),
            0.0,
            f"{row['bins']} bins, {_epsilon(row['epsilon'])}",
        )
        for row in select(bounds, measure=measure)
        if row["bins"] in SMALL and number(row, "epsilon") <= BOUNDED
    ]
    name = f"unbiased, {measure}: exact variance over the least possible, ε ≤ {BOUNDED:g}"
    return Bar(name, limit, places)


def _ratios(errors: Table, method: str, measure: str, limit: float, domains: tuple[int, ...]) -> list[Bar]:
    """Return a bar on the ratios as they were measured, and one on those that are known better."""
    here = [each for each in ratios(errors, measure) if each.method == method and each.row["bins"] in domains]
    measured = [
        Place(each.measured.size, each.measured.deviation or 0.0, f"{_cell(*each.cell)}, to {each.best}")
        for each in here
    ]
    exact = [
        Place(each.exact.size, each.exact.deviation or 0.0, _cell(*each.cell))
        for each in here
        if each.exact is not None
    ]
    kind = "unbiased" if method == WINDOWS else "denoised"
    where = ", ".join(map(str, domains))
    return [
        Bar(f"{kind}, {measure}: measured, to the paper's best, {where} bins", limit, measured),
        Bar(f"{kind}, {measure}: the same by exact variances", limit, exact),
    ]


def _denoising(errors: Table, measure: str) -> Bar:
    places = [
        Place(
            number(row, f"{measure}_to_plain"),
            number(row, f"{measure}_to_plain_error") if row[f"{measure}_to_plain_error"] is not None else 0.0,
            _cell(row["bins"], row["epsilon"], row["data"]),
        )
        for row in select(errors, method=DENOISED_WINDOWS)
    ]
    return Bar(f"denoised, {measure}: to unbiased", 1.05, places)


def _coverage(table: Table) -> Bar:
    places = [
        Place(
            number(row, "denoised"),
            number(row, "denoised_error"),
            f"{row['bins']} bins, {row['data']}, {row['kind']}",
        )
        for row in table
    ]
    return Bar("denoised: coverage of intervals at 95%", 0.93, places, at_least=True)


def _cell(bins: Entry, epsilon: Entry, data: Entry) -> str:
    return f"{bins} bins, {_epsilon(epsilon)}, {data}"


def _epsilon(epsilon: Entry) -> str:
    return f"ε = {epsilon:.3g}"
