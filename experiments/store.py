"""The results of the paper's evaluation: the lines of its ledger, and the errors they come to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.ledger import Form, Ledger
from experiments.methods import parts
from experiments.runs import (
    DRAWN,
    ENCODED,
    EXACT,
    LENGTHS,
    MEASURES,
    QUANTILES,
    SQUARES,
    VALUES,
    Cell,
    Run,
    perform,
)

_KEY = ("bins", "centre", "users", "epsilon", "method", "how", "repetition")
_HEADER = [*_KEY, *MEASURES]


@dataclass(frozen=True, slots=True)
class Error:
    """The error of a cell: root mean square, or mean where it is absolute; its spread from run to run."""

    size: float
    deviation: float | None
    repetitions: int


class Store(Ledger[Run]):
    """The results in a folder; runs that share a population are done one after the other."""

    def __init__(self, folder: Path, note: Callable[[str], None]) -> None:
        super().__init__(folder, note, Form(_HEADER, _fields, _parse, perform, order=lambda run: run))

    def error(self, runs: Iterable[Run], measure: str) -> Error:
        """Return the error that was measured in these runs."""
        measured = np.array([self._done[run][measure] for run in runs if run.how != EXACT])
        each = np.sqrt(measured) if measure in SQUARES else measured
        size = math.sqrt(measured.mean()) if measure in SQUARES else float(measured.mean())
        return Error(size, float(each.std(ddof=1)) if each.size > 1 else None, each.size)

    def exact(self, cell: Cell, measure: str) -> float | None:
        """Return the predicted error of a cell, where there is a prediction."""
        measures = self._done[Run(cell, EXACT, 0)]
        if measure not in measures:
            return None
        return math.sqrt(measures[measure]) if measure in SQUARES else measures[measure]


def _fields(run: Run, measures: Mapping[str, float]) -> list[str]:
    cell = run.cell
    key = [cell.bins, cell.centre, cell.users, cell.epsilon, cell.method, run.how, run.repetition]
    return [*map(str, key), *(f"{measures[name]:.6g}" if name in measures else "" for name in MEASURES)]


def _parse(fields: list[str]) -> tuple[Run, dict[str, float]]:
    if len(fields) != len(_HEADER):
        raise ValueError(f"it must have {len(_HEADER)} fields, and has {len(fields)}")
    bins, centre, users, epsilon, method, how, repetition = fields[: len(_KEY)]
    if how not in (ENCODED, DRAWN, EXACT):
        raise ValueError(f"runs are encoded, drawn or exact, not {how!r}")
    parts(method)
    run = Run(Cell(int(bins), float(centre), int(users), float(epsilon), method), how, int(repetition))
    numbers = {name: float(field) for name, field in zip(MEASURES, fields[len(_KEY) :], strict=True) if field}
    if not all(math.isfinite(number) and number >= 0 for number in numbers.values()):
        raise ValueError("its errors must be finite numbers of at least 0")
    needed = {"ranges", "prefixes", *LENGTHS, *QUANTILES, *(VALUES if how != EXACT else ())}
    if not needed <= numbers.keys():
        raise ValueError(f"it must have {min(needed - numbers.keys())}")
    if _fields(run, numbers)[: len(_KEY)] != fields[: len(_KEY)]:
        raise ValueError("its first columns must be as they were written")
    return run, numbers
