"""Results that outlive an interruption: one line a run, written when the run is done.

The file only grows. A line that was cut short (the machine stopped in the middle of writing) is
dropped and its run done again; anything else that is not a result is an error, and the file is
left as it is.
"""

from __future__ import annotations

import csv
import fcntl
import math
import os
import signal
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path

import numpy as np

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
from ldprange.errors import FileError
from ldprange.writing import whole_file

_KEY = ("bins", "centre", "users", "epsilon", "method", "how", "repetition")
_HEADER = [*_KEY, *MEASURES]
FILE = "runs.csv"


@dataclass(frozen=True, slots=True)
class Error:
    """The error of a cell: root mean square, or mean where it is absolute; its spread from run to run."""

    size: float
    deviation: float | None
    repetitions: int


class Store:
    """The results in a folder, and the means to add those that are missing.

    Parameters
    ----------
    folder
        Where ``runs.csv`` is, or will be.
    note
        Called with what the user should know.
    """

    def __init__(self, folder: Path, note: Callable[[str], None]) -> None:
        self.path = folder / FILE
        self._done: dict[Run, dict[str, float]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until the process ends
        except BlockingIOError:
            raise FileError(
                f"another command is at work in {folder}; wait until it is done, or name another --results"
            ) from None
        except OSError as error:
            raise FileError(
                f"{folder} must be a folder for results: {error.strerror}; name another"
            ) from None
        if self.path.exists():
            self._read(note)

    def __len__(self) -> int:
        return len(self._done)

    def _read(self, note: Callable[[str], None]) -> None:
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"{self.path} cannot be read as results ({error}); move it away") from None
        lines = text.splitlines(keepends=True)
        cut = bool(lines) and not lines[-1].endswith("\n")
        whole = lines[:-1] if cut else lines
        if whole and next(csv.reader(whole[:1]), []) != _HEADER:
            raise FileError(
                f"{self.path} must begin with the columns of results, and begins with {whole[0][:60]!r}; "
                "it comes from another version or is another file: move it away, or name another folder"
            )
        for number, fields in enumerate(csv.reader(whole[1:]), start=2):
            try:
                run, measures = _parse(fields)
            except ValueError as error:
                raise FileError(
                    f"{self.path}, line {number} is not a result ({error}); nothing was changed: "
                    "delete that line, and its run will be done again"
                ) from None
            self._done.setdefault(run, measures)
        if cut:
            with whole_file(self.path) as file:
                file.write("".join(whole).encode())
            note(
                f"{self.path} ended in the middle of a line; what stood there will be done again, "
                f"{len(self._done)} runs are kept"
            )

    def missing(self, runs: Iterable[Run]) -> list[Run]:
        """Return which of these are still to be done, once each, in an order that shares populations."""
        return sorted(set(runs) - set(self._done))

    def complete(self, runs: Iterable[Run], workers: int, progress: Callable[[Run], None]) -> None:
        """Do whatever is missing, in as many processes, keeping each result as soon as it is there."""
        missing = self.missing(runs)
        if not missing:
            return
        pool = ProcessPoolExecutor(workers, get_context("spawn"), _end_with_parent)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if not file.tell():
                writer.writerow(_HEADER)
            waiting = {pool.submit(perform, run): run for run in missing}
            try:
                for future in as_completed(waiting):
                    fields = _fields(waiting[future], future.result())
                    writer.writerow(fields)
                    file.flush()
                    run, measures = _parse(
                        fields
                    )  # as it will be read again: nothing depends on when it was done
                    self._done[run] = measures
                    progress(run)
                os.fsync(file.fileno())
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

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


def _end_with_parent() -> None:
    """End this worker when the command that started it does, however that ends; leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
