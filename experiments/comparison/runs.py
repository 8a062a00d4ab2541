"""One run: a population is asked once by one method, and the errors of every estimate are measured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass

import numpy as np

from experiments.comparison import coverage
from experiments.comparison.methods import METHODS, PLANNED, plan, shares
from experiments.data import DATA, people
from experiments.ledger import Form
from experiments.queries import over_prefixes, over_ranges
from experiments.seeds import seed_of
from ldprange import estimate, simulate
from ldprange.estimation.consistent import consistent_shares
from ldprange.sampling import RESPONDENTS
from ldprange.support.arrays import Floats

PLAIN, DENOISED, COVERED, EXACT = "plain", "denoised", "covered", "exact"
HOWS = (PLAIN, DENOISED, COVERED, EXACT)
ERRORS = ("ranges", "prefixes")
DENOISED_ERRORS = tuple(f"denoised_{name}" for name in ERRORS)
COVERAGES = tuple(f"covered_{how}_{kind}" for how in (PLAIN, DENOISED) for kind in coverage.KINDS)
COLUMNS = (*ERRORS, *DENOISED_ERRORS, *COVERAGES)


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """What is asked of whom, and by which method."""

    bins: int
    data: str
    users: int
    epsilon: float
    method: str


@dataclass(frozen=True, slots=True, order=True)
class Run:
    """One repetition of a cell: measured as it is, denoised too, with its intervals too, or predicted."""

    cell: Cell
    how: str
    repetition: int


def perform(run: Run) -> dict[str, float]:
    """Return mean squared errors over all ranges and over all prefixes, and coverage where it is measured."""
    cell, seed = run.cell, seed_of(astuple(run))
    counts = people(cell.data, cell.bins, cell.users)
    cdf = np.cumsum(counts) / cell.users
    if cell.method not in PLANNED:
        return _errors(np.cumsum(shares(cell.method, counts, cell.epsilon, seed)) - cdf)
    asked = plan(cell.method, cell.bins, cell.epsilon)
    if run.how == EXACT:
        predicted = asked.predict(cell.users, counts, population=RESPONDENTS)
        return dict(zip(ERRORS, (predicted.range_variance, predicted.prefix_variance), strict=True))
    aggregate = simulate(asked, counts, seed=seed)
    if run.how == PLAIN:
        return _errors(estimate(aggregate).cdf(confidence=None).value - cdf)
    # it knows the unbiased shares too
    fitted, ends = consistent_shares(aggregate, denoise=True), np.arange(1, cell.bins + 1)
    denoised = _errors(fitted.share(np.zeros_like(ends), ends) - cdf)
    measured = _errors(fitted.centre(np.zeros_like(ends), ends) - cdf)
    measured |= zip(DENOISED_ERRORS, denoised.values(), strict=True)
    for how in (PLAIN, DENOISED) if run.how == COVERED else ():
        found = estimate(aggregate, denoise=how == DENOISED, population=RESPONDENTS)
        held = coverage.covered(found, counts, np.random.default_rng(seed))
        measured |= {f"covered_{how}_{kind}": share for kind, share in held.items()}
    return measured


def _errors(error: Floats) -> dict[str, float]:
    whole = np.concatenate([[0.0], error])
    return dict(zip(ERRORS, (over_ranges(whole), over_prefixes(whole)), strict=True))


_KEY = ("bins", "data", "users", "epsilon", "method", "how", "repetition")


def _write(run: Run, measures: Mapping[str, float]) -> list[str]:
    cell = run.cell
    key = [cell.bins, cell.data, cell.users, cell.epsilon, cell.method, run.how, run.repetition]
    return [*map(str, key), *(f"{measures[name]:.6g}" if name in measures else "" for name in COLUMNS)]


def _read(fields: list[str]) -> tuple[Run, dict[str, float]]:
    if len(fields) != len(_KEY) + len(COLUMNS):
        raise ValueError(f"it must have {len(_KEY) + len(COLUMNS)} fields, and has {len(fields)}")
    bins, data, users, epsilon, method, how, repetition = fields[: len(_KEY)]
    if data not in DATA or method not in METHODS or how not in HOWS:
        raise ValueError(f"there is no such run: {data}, {method}, {how}")
    run = Run(Cell(int(bins), data, int(users), float(epsilon), method), how, int(repetition))
    measures = {name: float(field) for name, field in zip(COLUMNS, fields[len(_KEY) :], strict=True) if field}
    if not all(math.isfinite(measure) and measure >= 0 for measure in measures.values()):
        raise ValueError("its measures must be finite numbers of at least 0")
    needed = {*ERRORS, *(DENOISED_ERRORS if how in (DENOISED, COVERED) else ())}
    needed |= set(COVERAGES if how == COVERED else ())
    if not needed <= measures.keys():
        raise ValueError(f"it must have {min(needed - measures.keys())}")
    return run, measures


FORM = Form([*_KEY, *COLUMNS], _write, _read, perform, order=lambda run: run)
"""What the lines of the comparison's ledger are."""
