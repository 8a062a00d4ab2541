"""What the commands that run evaluations share: going on where one stopped, and publishing what came out."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import click
from matplotlib.figure import Figure

from experiments.figures import save
from experiments.ledger import Ledger
from experiments.tables import Table, write_table
from ldprange.cli.output import note, progress
from ldprange.errors import LdprangeError
from ldprange.support.whole_files import whole_file


class _Cell(Protocol):
    @property
    def users(self) -> int: ...


class _Run(Protocol):
    @property
    def cell(self) -> _Cell: ...

    def __hash__(self) -> int: ...


R = TypeVar("R", bound=_Run)


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn what the user can put right into a message."""
    try:
        yield
    except (LdprangeError, OSError) as error:
        raise click.UsageError(str(error)) from None


@contextmanager
def resumable() -> Iterator[None]:
    """Say how long the work took; if it is stopped, say that the same command goes on from there."""
    started = time.monotonic()
    try:
        with usage_errors():
            yield
    except BrokenProcessPool:
        raise click.ClickException(
            "a worker was ended from outside, perhaps for want of memory; what was done is kept: "
            "give the command again, with --workers 1 if memory is short"
        ) from None
    except KeyboardInterrupt:
        note("stopped; what was done is kept, and the same command goes on from there")
        os._exit(130)  # workers end with this process; nothing waits for the runs that they were at
    note(f"done in {time.monotonic() - started:.0f} s")


def complete(ledger: Ledger[R], wanted: Iterable[R], workers: int) -> None:
    """Do the runs that are missing, and show how far it is."""
    runs = set(wanted)
    missing = ledger.missing(runs)
    if len(missing) < len(runs):
        note(f"{len(runs) - len(missing)} runs are there already, {len(missing)} are to do")
    with progress("runs", "users", len(missing)) as bar:

        def advance(run: R) -> None:
            bar.advance(1)
            bar.add(run.cell.users)

        ledger.complete(missing, workers, advance)


def publish(
    home: Path, tables: Mapping[str, Table], drawn: Mapping[str, Figure], kind: str, text: str
) -> None:
    """Write tables and figures into a folder, and the page beside it."""
    home.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        write_table(home / f"{name}.csv", table)
    for name, figure in drawn.items():
        save(figure, home, name, kinds=(kind,))
    with whole_file(home.with_suffix(".md")) as file:
        file.write(text.encode())
    click.echo(home.with_suffix(".md"))
