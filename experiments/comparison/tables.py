"""What the runs come to: errors, distances to the least possible, coverage, and one run to look at."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from experiments.comparison import methods
from experiments.comparison.coverage import KINDS
from experiments.comparison.lower_bound import least_prefixes, least_ranges, unit
from experiments.comparison.methods import PAPERS, WINDOWS, plan
from experiments.comparison.runs import COVERED, DENOISED, DENOISED_ERRORS, ERRORS, EXACT, PLAIN, Cell, Run
from experiments.comparison.sizes import Size
from experiments.data import flights, people
from experiments.ledger import Ledger
from experiments.methods import HAAR
from experiments.tables import Row, Table
from ldprange import estimate, simulate
from ldprange.sampling import RESPONDENTS
from ldprange.support.arrays import Floats

EXAMPLE = Cell(256, "delays", 1 << 20, 0.2, WINDOWS)
_NAMES = {method: name for name, method in methods.DENOISED.items()}


def errors(ledger: Ledger[Run], runs: Iterable[Run]) -> Table:
    """Return, for every cell, the mean over runs of the mean squared errors, with its standard error.

    Where there is one, the exact prediction stands beside it. A denoised method also has its ratio to the
    same method without, in the same runs: that is known better than either.
    """
    cells: dict[Cell, list[Run]] = defaultdict(list)
    for run in runs:
        if run in ledger:
            cells[run.cell].append(run)
    return [row for cell, asked in cells.items() for row in _rows(ledger, cell, asked)]


def _rows(ledger: Ledger[Run], cell: Cell, runs: list[Run]) -> Table:
    exact = next((ledger[run] for run in runs if run.how == EXACT), {})
    measured = [ledger[run] for run in runs if run.how != EXACT]
    if not measured:
        return []
    rows = [_row(cell, cell.method, measured, ERRORS, exact)]
    both = [measures for measures in measured if DENOISED_ERRORS[0] in measures]
    if both:
        rows.append(_row(cell, _NAMES[cell.method], both, DENOISED_ERRORS, {}))
    return rows


def _row(
    cell: Cell, method: str, runs: list[dict[str, float]], columns: tuple[str, ...], exact: dict[str, float]
) -> Row:
    row: Row = {
        "bins": cell.bins,
        "epsilon": cell.epsilon,
        "data": cell.data,
        "method": method,
        "repetitions": len(runs),
    }
    for name, column in zip(ERRORS, columns, strict=True):
        found = np.array([measures[column] for measures in runs])
        plain = np.array([measures[name] for measures in runs])
        ratio = found.mean() / plain.mean()
        row[name] = float(found.mean())
        row[f"{name}_error"] = _standard_error(found)
        row[f"{name}_exact"] = exact.get(name)
        paired = _standard_error((found - ratio * plain) / plain.mean())
        row[f"{name}_to_plain"] = float(ratio) if column != name else None
        row[f"{name}_to_plain_error"] = paired if column != name else None
    return row


def _standard_error(values: Floats) -> float | None:
    return float(values.std(ddof=1)) / math.sqrt(values.size) if values.size > 1 else None


def bounds(size: Size) -> Table:
    """Return the exact variance over an even population, in V/N, beside the least that is possible.

    ``private`` is the error about the people asked; ``whole`` has what drawing them at random adds, as the
    bound has.
    """
    return [
        {
            "bins": bins,
            "epsilon": epsilon,
            "method": method,
            "measure": measure,
            "least": least(bins, epsilon),
            "private": private / unit(epsilon, 1),
            "whole": whole / unit(epsilon, 1),
        }
        for bins, epsilon in size.bounded()
        for method in (WINDOWS, *PAPERS)
        for asked in (plan(method, bins, epsilon),)
        for about_them, about_all in ((asked.predict(1, population=RESPONDENTS), asked.predict(1)),)
        for measure, least, private, whole in (
            (ERRORS[0], least_ranges, about_them.range_variance, about_all.range_variance),
            (ERRORS[1], least_prefixes, about_them.prefix_variance, about_all.prefix_variance),
        )
    ]


def coverage(ledger: Ledger[Run], runs: Iterable[Run]) -> Table:
    """Return how often intervals held the truth, by domain, population and kind of question, over all ε."""
    groups: dict[tuple[int, str], list[Run]] = defaultdict(list)
    for run in runs:
        if run.how == COVERED and run in ledger:
            groups[run.cell.bins, run.cell.data].append(run)
    table: Table = []
    for (bins, data), asked in groups.items():
        for kind in KINDS:
            row: Row = {"bins": bins, "data": data, "kind": kind, "repetitions": len(asked)}
            for how in (PLAIN, DENOISED):
                held = np.array([ledger[run][f"covered_{how}_{kind}"] for run in asked])
                row[how] = float(held.mean())
                row[f"{how}_error"] = _standard_error(held)
            table.append(row)
    return table


def example() -> Table:
    """Return the cdf of flights' delays at a small ε, as one run finds it; its seed is 1."""
    counts = people(EXAMPLE.data, EXAMPLE.bins, EXAMPLE.users)
    aggregate = simulate(plan(WINDOWS, EXAMPLE.bins, EXAMPLE.epsilon), counts, seed=1)
    haar = simulate(plan(HAAR, EXAMPLE.bins, EXAMPLE.epsilon), counts, seed=1)
    delays = flights("dep_delay")
    ends = np.linspace(delays.min(), delays.max(), EXAMPLE.bins + 1)[1:]
    columns = {
        "minutes": ends,
        "truth": np.cumsum(counts) / EXAMPLE.users,
        "unbiased": estimate(aggregate).cdf(confidence=None).value,
        "denoised": estimate(aggregate, denoise=True).cdf(confidence=None).value,
        "haar": estimate(haar).cdf(confidence=None).value,
    }
    return [dict(zip(columns, map(float, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def all_tables(ledger: Ledger[Run], size: Size) -> dict[str, Table]:
    """Return every table by its name."""
    runs = size.runs()
    return {
        "errors": errors(ledger, runs),
        "bounds": bounds(size),
        "coverage": coverage(ledger, runs),
        "example": example(),
    }
