"""Theory against practice: the paper's bounds, the exact variances and the measured errors in one figure.

All in units of V/N, V = 4e/(e − 1)², which is V_F of OUE. Three panels:

- *length*: a range of length r on one domain, worst case and mean;
- *mean*: the mean over ranges against the number of bins;
- *branching*: the mean over ranges against B, without and with consistency, beside the bounds
  that lead the paper to B ≈ 4.922 and B ≈ 9.18.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from experiments import figures, queries
from experiments.methods import HAAR, parts, plan_of, tree
from experiments.noise_alone import noise_alone
from experiments.population import CENTRE, cauchy
from experiments.runs import LENGTHS, RAW_LENGTHS, Run
from experiments.sizes import DEFAULT_EPSILON, Size
from experiments.store import Store
from experiments.tables import Row, Table, distinct, number, select
from ldprange.estimation.raw import raw_variances
from ldprange.sampling import RESPONDENTS
from ldprange.support.arrays import Floats

TITLE = "theory: bounds, exact variances, measured errors; the best B"
FLAT, RAW, CONSISTENT = "FlatOUE", tree("OUE", 4), tree("OUE", 8)
_LINES = {FLAT: False, RAW: False, CONSISTENT: True, HAAR: True}  # which of them are made consistent
_SHADES = {FLAT: "#6b7280", RAW: "#0f8a5f", CONSISTENT: "#1f5fa8", HAAR: "#c2410c"}
_BRANCHINGS = range(2, 33)


def length_bound(method: str, bins: int, length: int) -> float:
    """Return the paper's bound on the variance of a range of some length (Fact 1, equations 1, 2 and 3)."""
    decomposition, _, branching = parts(method)
    if decomposition == "Flat":
        return float(length)
    if decomposition == "Haar" or branching is None:
        return math.log2(bins) ** 2 / 2
    height, levels = math.log(bins, branching), math.log(length, branching)
    if _LINES[method]:
        return (branching + 1) * levels * height / 2
    return (2 * branching - 1) * height * (math.ceil(round(levels, 9)) + 1)


def mean_bound(method: str, bins: int) -> float:
    """Return the paper's bound on the mean over all ranges: for raw trees a theorem, else the longest's."""
    branching = parts(method)[2]
    if branching is None or _LINES[method]:
        return length_bound(method, bins, bins)
    return 2 * (branching - 1) * math.log(bins, branching) * math.log(3 * bins**2 / (1 + 2 * bins), branching)


def best_branching(*, consistent: bool) -> float:
    """Return the B that makes the paper's bound least: of (B − 1)/ln²B, or of (B + 1)/ln²B.

    >>> round(best_branching(consistent=False), 3), round(best_branching(consistent=True), 2)
    (4.922, 9.19)
    """
    branching = np.linspace(2, 20, 1_800_001)
    return float(branching[np.argmin((branching + (1 if consistent else -1)) / np.log(branching) ** 2)])


def runs(size: Size) -> list[Run]:
    """Return the runs whose errors stand beside the bounds."""
    return [run for bins in size.domains for method in _LINES for run in size.asked(size.cell(bins, method))]


def tabulate(store: Store, size: Size) -> Table:
    """Return the rows of all three panels."""
    middle = size.domains[min(1, len(size.domains) - 1)]
    table = [row for method in _LINES for row in _by_length(store, size, middle, method)]
    domains = [1 << power for power in range(4, max(size.domains).bit_length(), 2)]
    table += [_mean(store, size, bins, method) for method in (RAW, CONSISTENT, HAAR) for bins in domains]
    table += [row for bins in size.domains for row in _by_branching(bins)]
    return table


def _row(panel: str, method: str, bins: int, place: float, bound: float, exact: float, **rest: float) -> Row:
    blank = {"worst": None, "measured": None, "deviation": None}
    row: Row = {"panel": panel, "method": method, "consistent": 0, "bins": bins, "place": place}
    return row | {"bound": bound, "exact": exact} | blank | rest


def _by_length(store: Store, size: Size, bins: int, method: str) -> Table:
    consistent, cell, unit = _LINES[method], size.cell(bins, method), _unit(size.users)
    measures = dict(zip(queries.lengths(bins), LENGTHS if consistent else RAW_LENGTHS, strict=True))
    cdf = np.concatenate([[0.0], np.cumsum(cauchy(bins, CENTRE, size.users)) / size.users])
    rows = []
    for length in sorted({1 << power for power in range(bins.bit_length() - 1)} | set(measures)):
        starts = queries.sampled_starts(bins, length)
        variances = _variances(method, cdf, size.users, starts, starts + length) / unit
        row = _row(
            "length",
            method,
            bins,
            length,
            length_bound(method, bins, length),
            float(variances.mean()),
            worst=float(variances.max()),
            consistent=int(consistent),
        )
        if length in measures:
            error = store.error(size.asked(cell), measures[length])
            row["measured"] = error.size**2 / unit
            row["deviation"] = 2 * error.size * (error.deviation or 0.0) / unit
        rows.append(row)
    return rows


def _mean(store: Store, size: Size, bins: int, method: str) -> Row:
    consistent, measured = _LINES[method], {}
    exact = _consistent_mean(method, bins) if consistent else _raw_mean(method, bins)
    if consistent and bins in size.domains and queries.start_step(bins) == 1:  # where all ranges are asked
        error, unit = store.error(size.asked(size.cell(bins, method)), "ranges"), _unit(size.users)
        deviation = 2 * error.size * (error.deviation or 0.0)
        measured = {"measured": error.size**2 / unit, "deviation": deviation / unit}
    bound = mean_bound(method, bins)
    return _row("mean", method, bins, bins, bound, exact, consistent=int(consistent), **measured)


def _by_branching(bins: int) -> Table:
    rows = []
    for branching in _BRANCHINGS:
        if branching * branching > bins:
            continue
        method, height = tree("OUE", branching), math.log(bins, branching)
        consistent = _consistent_mean(method, bins)
        bounds = 2 * (branching - 1) * height**2, (branching + 1) * height**2 / 2
        rows.append(_row("branching", method, bins, branching, bounds[0], _raw_mean(method, bins)))
        rows.append(_row("branching", method, bins, branching, bounds[1], consistent, consistent=1))
    return rows


def _consistent_mean(method: str, bins: int) -> float:
    """Return the mean variance of all ranges of a consistent method: of its noise, in closed form."""
    return noise_alone(plan_of(method, bins, DEFAULT_EPSILON), 1).range_variance / _unit(1)


def _raw_mean(method: str, bins: int) -> float:
    """Return the mean variance of a raw tree's ranges in a population that is spread evenly."""
    low, high = queries.sampled_ranges(bins, step=1)
    cdf = np.linspace(0.0, 1.0, bins + 1)
    plan = plan_of(method, bins, DEFAULT_EPSILON)
    law = plan.law(np.array(plan.probabilities), RESPONDENTS)
    return float(raw_variances(plan.levels, law, cdf, low, high).mean() / _unit(1))


def _variances(
    method: str, cdf: Floats, users: int, low: NDArray[np.int64], high: NDArray[np.int64]
) -> Floats:
    plan = plan_of(method, cdf.size - 1, DEFAULT_EPSILON)
    law = plan.law(users * np.array(plan.probabilities), RESPONDENTS)
    if _LINES[method]:
        return plan.estimator(law.users, RESPONDENTS).variances(cdf)(low, high)
    return raw_variances(plan.levels, law, cdf, low, high)


def _unit(users: int) -> float:
    e = math.exp(DEFAULT_EPSILON)
    return 4 * e / (e - 1) ** 2 / users


def draw(table: Table) -> dict[str, Figure]:
    """Draw the three panels."""
    figure, ((lengths, means, branchings),) = figures.grid(1, 3, width=5.2, height=4.6)
    figure.suptitle(
        f"Variance of ranges in units of V/N, ε = {DEFAULT_EPSILON}: the paper's bounds (dotted), "
        "exact mean (solid) and worst case (dashed), measured (points)"
    )
    for panel, name in ((lengths, "length"), (means, "mean")):
        rows = select(table, panel=name)
        for method in map(str, distinct(rows, "method")):
            _draw_line(panel, select(rows, method=method), method)
        panel.set_xscale("log", base=2)
        figures.log_scale(panel)
        panel.legend(frameon=False, fontsize=8)
        panel.set_ylabel("variance × N/V")
    domain = int(number(select(table, panel="length")[0], "bins"))
    lengths.set_title(f"by length, $D$ = {figures.power(domain)}")
    lengths.set_xlabel("length of the range, r (bins)")
    means.set_title("mean over all ranges")
    means.set_xlabel("bins, D")
    _draw_branchings(branchings, select(table, panel="branching", bins=domain))
    branchings.set_title(f"mean over all ranges, by branching, $D$ = {figures.power(domain)}")
    return {"theory": figure}


def _draw_line(panel: Axes, line: Table, method: str) -> None:
    shade = _SHADES[method]
    name = method if method in (FLAT, HAAR) else f"{method}, {'consistent' if _LINES[method] else 'raw'}"
    places = figures.column(line, "place")
    bounded = [row for row in line if number(row, "bound") > 0]  # it is 0 at r = 1 for consistent trees
    panel.plot(figures.column(bounded, "place"), figures.column(bounded, "bound"), ":", color=shade)
    panel.plot(places, figures.column(line, "exact"), color=shade, label=name)
    if line[0]["worst"] is not None:
        panel.plot(places, figures.column(line, "worst"), "--", lw=0.8, color=shade)
    dots = [row for row in line if row["measured"] is not None]
    figures.points(panel, figures.column(dots, "place"), dots, method, shade=shade)


def _draw_branchings(panel: Axes, rows: Table) -> None:
    for consistent, shade, name in ((0, _SHADES[RAW], "raw"), (1, _SHADES[CONSISTENT], "consistent")):
        line = select(rows, consistent=consistent)
        places = figures.column(line, "place")
        panel.plot(places, figures.column(line, "bound"), ":", color=shade)
        panel.plot(places, figures.column(line, "exact"), "o-", ms=3, color=shade, label=f"TreeOUE, {name}")
        panel.axvline(best_branching(consistent=bool(consistent)), color=shade, lw=0.6, ls="-.")
    figures.log_scale(panel)
    panel.set_ylabel("variance × N/V")
    panel.set_xlabel("branching, B (dash-dotted: where the bound is least)")
    panel.legend(frameon=False, fontsize=8)
