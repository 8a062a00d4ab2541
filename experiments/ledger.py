"""Results that outlive an interruption: one line a run, written when the run is done.

The file only grows. A line that was cut short (the machine stopped in the middle of writing) is
dropped and its run done again; anything else that is not a result is an error, and the file is
left as it is.
"""

from __future__ import annotations

import csv
import fcntl
import os
import signal
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Generic, TypeVar

from ldprange.errors import FileError
from ldprange.support.whole_files import whole_file

FILE = "runs.csv"
R = TypeVar("R", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Form(Generic[R]):
    """What the lines of a ledger are.

    Parameters
    ----------
    header
        The columns.
    write
        Turns a run and its measures into fields.
    read
        Turns fields back, and raises ``ValueError`` where they are no result.
    perform
        Does a run; it is called in another process, so it must be a function of a module.
    order
        The key by which runs that are to do are sorted.
    """

    header: list[str]
    write: Callable[[R, Mapping[str, float]], list[str]]
    read: Callable[[list[str]], tuple[R, dict[str, float]]]
    perform: Callable[[R], dict[str, float]]
    order: Callable[[R], Any]


class Ledger(Generic[R]):
    """The results in a folder, and the means to add those that are missing.

    Parameters
    ----------
    folder
        Where ``runs.csv`` is, or will be.
    note
        Called with what the user should know.
    form
        What its lines are.
    """

    def __init__(self, folder: Path, note: Callable[[str], None], form: Form[R]) -> None:
        self._form = form
        self.path = folder / FILE
        self._done: dict[R, dict[str, float]] = {}
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

    def __contains__(self, run: R) -> bool:
        return run in self._done

    def __getitem__(self, run: R) -> dict[str, float]:
        return self._done[run]

    def _read(self, note: Callable[[str], None]) -> None:
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"{self.path} cannot be read as results ({error}); move it away") from None
        lines = text.splitlines(keepends=True)
        cut = bool(lines) and not lines[-1].endswith("\n")
        whole = lines[:-1] if cut else lines
        if whole and next(csv.reader(whole[:1]), []) != self._form.header:
            raise FileError(
                f"{self.path} must begin with the columns of results, and begins with {whole[0][:60]!r}; "
                "it comes from another version or is another file: move it away, or name another folder"
            )
        for number, fields in enumerate(csv.reader(whole[1:]), start=2):
            try:
                run, measures = self._form.read(fields)
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

    def missing(self, runs: Iterable[R]) -> list[R]:
        """Return which of these are still to be done, once each, in an order that shares populations."""
        return sorted(set(runs) - set(self._done), key=self._form.order)

    def complete(self, runs: Iterable[R], workers: int, progress: Callable[[R], None]) -> None:
        """Do whatever is missing, in as many processes, keeping each result as soon as it is there."""
        missing = self.missing(runs)
        if not missing:
            return
        pool = ProcessPoolExecutor(workers, get_context("spawn"), _end_with_parent)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if not file.tell():
                writer.writerow(self._form.header)
            with _without_interruption():  # a worker that is just starting would not know what to do with it
                waiting = {pool.submit(self._form.perform, run): run for run in missing}
            try:
                for future in as_completed(waiting):
                    fields = self._form.write(waiting[future], future.result())
                    writer.writerow(fields)
                    file.flush()
                    # as it will be read again: nothing depends on when it was done
                    run, measures = self._form.read(fields)
                    self._done[run] = measures
                    progress(run)
                os.fsync(file.fileno())
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _without_interruption() -> Iterator[None]:
    """Let Ctrl-C wait until the block ends; processes that are started in it never hear it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _end_with_parent() -> None:
    """End this worker when the command that started it does, however that ends; leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
