"""The comparison in words and Markdown tables: for the screen, and for the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from experiments.comparison.bars import Bar, bars
from experiments.comparison.lower_bound import least_prefixes, least_ranges, unit
from experiments.comparison.methods import (
    ADAPTIVE,
    DENOISED_HAAR,
    DENOISED_WINDOWS,
    FLAT,
    PAPERS,
    WAVES,
    WINDOWS,
)
from experiments.comparison.ratios import Estimated, Ratio, ratios
from experiments.comparison.runs import ERRORS
from experiments.tables import Entry, Table, distinct, markdown, number, select

_ORDER = (WINDOWS, DENOISED_WINDOWS, *PAPERS, DENOISED_HAAR, FLAT, ADAPTIVE, *WAVES)
_OTHERS = (DENOISED_HAAR, ADAPTIVE, *WAVES)


def ratios_by_method(errors: Table, measure: str = ERRORS[0]) -> str:
    """Return each method's ratios by domain and ε: median over all populations, least and greatest."""
    texts, found = [], ratios(errors, measure)
    epsilons = distinct(errors, "epsilon")
    for bins in distinct(errors, "bins"):
        rows = []
        for method in _ORDER:
            here = [each for each in found if each.method == method and each.row["bins"] == bins]
            cells = [
                [each.measured.size for each in here if each.row["epsilon"] == epsilon]
                for epsilon in epsilons
            ]
            if here:
                repetitions = min(number(each.row, "repetitions") for each in here)
                rows.append([method, f"{repetitions:.0f}", *map(_spread, cells)])
        headings = [f"D = {bins}, {measure}", "repetitions", *map(epsilon_text, epsilons)]
        texts.append(markdown(headings, rows))
    return "\n\n".join(texts)


def _spread(sizes: Sequence[float]) -> str:
    if not sizes:
        return "–"
    return f"{_short(median(sizes))} ({_short(min(sizes))} – {_short(max(sizes))})"


def ratios_by_data(errors: Table, measure: str) -> str:
    """Return, for every cell, ours without and with denoising, and the best of the others beside them."""
    texts, found = [], _by_cell(ratios(errors, measure))
    epsilons = distinct(errors, "epsilon")
    for bins in distinct(errors, "bins"):
        rows = []
        for data in distinct(select(errors, bins=bins), "data"):
            cells = [found.get((bins, epsilon, data), {}) for epsilon in epsilons]
            rows.append([str(data), *map(_ours_and_best, cells)])
        headings = [f"D = {bins}", *map(epsilon_text, epsilons)]
        texts.append(markdown(headings, rows))
    return "\n\n".join(texts)


def _ours_and_best(cell: dict[str, Ratio]) -> str:
    if WINDOWS not in cell:
        return "–"
    others = [cell[method] for method in _OTHERS if method in cell]
    best = min(others, key=lambda each: each.measured.size)
    return (
        f"{_short(cell[WINDOWS].measured.size)} · **{_short(cell[DENOISED_WINDOWS].measured.size)}** · "
        f"{_short(best.measured.size)} {_initials(best.method)}"
    )


def _initials(method: str) -> str:
    return {DENOISED_HAAR: "H", ADAPTIVE: "A", WAVES[0]: "E", WAVES[1]: "S"}[method]


def losses(errors: Table) -> str:
    """Count the cells in which others are more exact than our denoised estimate, and say by how much."""
    rows = []
    for method in (*_OTHERS, *PAPERS, FLAT):
        for measure in ERRORS:
            lost, asked = _lost(errors, measure, method)
            if lost:
                worst = max(lost, key=lambda pair: pair[0])
                rows.append([method, measure, f"{len(lost)} of {asked}", f"{worst[0]:.1f}", worst[1]])
    return markdown(["method", "over all", "more accurate than ours", "at most, times", "where"], rows)


def _lost(errors: Table, measure: str, method: str) -> tuple[list[tuple[float, str]], int]:
    lost, asked = [], 0
    for (bins, epsilon, data), cell in _by_cell(ratios(errors, measure)).items():
        if method in cell and DENOISED_WINDOWS in cell:
            asked += 1
            times = cell[DENOISED_WINDOWS].measured.size / cell[method].measured.size
            if times > 1:
                lost.append((times, f"{bins} bins, {epsilon_text(epsilon)}, {data}"))
    return lost, asked


def _by_cell(found: list[Ratio]) -> dict[tuple[Entry, Entry, Entry], dict[str, Ratio]]:
    cells: dict[tuple[Entry, Entry, Entry], dict[str, Ratio]] = defaultdict(dict)
    for each in found:
        cells[each.cell][each.method] = each
    return cells


def bounds_reached(bounds: Table) -> str:
    """Return how far our plan, and the paper's best, are from the least possible."""
    rows = []
    for bins in distinct(bounds, "bins"):
        for epsilon in distinct(select(bounds, bins=bins), "epsilon"):
            row = [str(bins), f"{epsilon:.3g}"]
            for measure in ERRORS:
                here = select(bounds, bins=bins, epsilon=epsilon, measure=measure)
                (ours,) = select(here, method=WINDOWS)
                least, paper = (
                    number(ours, "least"),
                    min(number(each, "whole") for each in here if each["method"] in PAPERS),
                )
                row += [
                    f"{least:.2f}",
                    f"{number(ours, 'private') / least:.3f}",
                    f"{number(ours, 'whole') / least:.3f}",
                    f"{paper / least:.2f}",
                ]
            rows.append(row)
    each = ["least, V/N", "ours, privacy alone", "ours", "paper's best"]
    return markdown(["D", "ε", *(f"{measure}: {name}" for measure in ERRORS for name in each)], rows)


def coverage_held(coverage: Table) -> str:
    """Return coverage in per cent: of the unbiased estimate's intervals, and of the denoised one's."""
    kinds = distinct(coverage, "kind")
    rows = []
    for bins in distinct(coverage, "bins"):
        for data in distinct(coverage, "data"):
            here = select(coverage, bins=bins, data=data)
            if here:
                cells = [
                    f"{100 * number(row, 'plain'):.1f} · **{100 * number(row, 'denoised'):.1f}**"
                    for row in here
                ]
                rows.append([f"{bins}, {data}", f"{number(here[0], 'repetitions'):.0f}", *cells])
    return markdown(["D, data", "runs", *map(str, kinds)], rows)


def bars_held(tables: dict[str, Table]) -> str:
    """Return every bar with its worst cell."""
    rows = [
        [
            bar.name,
            f"{'≥' if bar.at_least else '≤'} {bar.limit:g}",
            f"{bar.worst.found:.3f}" + (f" ± {bar.worst.deviation:.3f}" if bar.worst.deviation else ""),
            bar.worst.name,
            _verdict(bar),
        ]
        for bar in bars(tables)
    ]
    return markdown(["what", "bar", "worst", "where", "holds?"], rows)


def _verdict(bar: Bar) -> str:
    if not bar.broken:
        return f"yes, in all {len(bar.places)} cells"
    beyond = f"beyond it in {len(bar.broken)} of {len(bar.places)} cells"
    return f"**no**: {beyond}, {len(bar.surely_broken) or 'none'} surely"


def epsilon_text(epsilon: Entry) -> str:
    """Return ε as it is told."""
    return f"ε = {epsilon:.3g}"


def _short(size: float) -> str:
    return f"{size:.2f}" if size < 10 else f"{size:.0f}"


def standard_errors(errors: Table) -> str:
    """Return how many repetitions there are, and how sure that makes the ratios of ours."""
    rows = []
    for bins in distinct(errors, "bins"):
        for method in (WINDOWS, DENOISED_WINDOWS):
            here = [
                each
                for measure in ERRORS
                for each in ratios(errors, measure)
                if each.method == method and each.row["bins"] == bins
            ]
            paper = [number(row, "repetitions") for row in select(errors, bins=bins, method=PAPERS[1])]
            rows.append(
                [
                    f"{bins}, {method}",
                    f"{min(number(each.row, 'repetitions') for each in here):.0f}",
                    f"{min(paper):.0f}",
                    _sureness([each.measured for each in here]),
                    _sureness([each.exact for each in here if each.exact is not None]),
                ]
            )
    headings = [
        "D, method",
        "repetitions",
        "of the paper's",
        "standard error, measured",
        "by exact variances",
    ]
    return markdown(headings, rows)


def _sureness(found: Sequence[Estimated]) -> str:
    if not found:
        return "–"
    relative = [100 * (each.deviation or 0.0) / each.size for each in found]
    return f"{median(relative):.1f}% (at most {max(relative):.1f}%)" if any(relative) else "none"


def over_bound(errors: Table, users: int) -> str:
    """Return measured errors over the least that an unbiased estimate can have on an even population."""
    rows = []
    for bins in distinct(errors, "bins"):
        for epsilon in distinct(errors, "epsilon"):
            here, row = select(errors, bins=bins, epsilon=epsilon), [str(bins), f"{epsilon:.3g}"]
            for measure, least in zip(ERRORS, (least_ranges, least_prefixes), strict=True):
                size = float(epsilon or 0)
                bound = least(int(bins or 0), size) * unit(size, users)
                for method in (WINDOWS, DENOISED_WINDOWS):
                    row.append(
                        _spread([number(each, measure) / bound for each in select(here, method=method)])
                    )
            rows.append(row)
    kinds = [f"{measure}, {kind}" for measure in ERRORS for kind in ("unbiased", "denoised")]
    return markdown(["D", "ε", *kinds], rows)
