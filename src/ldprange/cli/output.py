"""What people see: results on standard output; notes and progress on standard error."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from ldprange.domain.text import plain
from ldprange.support.left_out import LeftOut


def console(*, stderr: bool = False) -> Console:
    """Return a screen as wide as the terminal, without guesses at what might be coloured."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def note(text: str) -> None:
    """Tell the user something that is not a result."""
    click.echo(f"note: {text}", err=True)


def tell_left_out(left_out: LeftOut) -> None:
    """Say how many rows were ``left_out``, if any."""
    if left_out.rows:
        note(str(left_out))


def print_json(result: dict[str, Any]) -> None:
    """Print a result for machines."""
    click.echo(json.dumps(result, ensure_ascii=False, allow_nan=False, default=plain))


def tell(result: dict[str, Any], sentence: str, *, as_json: bool) -> None:
    """Print a ``result`` for machines, or the ``sentence`` that says it to people."""
    if as_json:
        print_json(result)
    else:
        click.echo(sentence)


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Return a list of names and what they are."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in rows:
        table.add_row(name, text)
    return table


def print_whole(rows: Iterable[tuple[str, str]]) -> None:
    """Print a list of names and what they are, such as links, that can be copied: no line is broken."""
    rows = list(rows)
    width = max(len(name) for name, _ in rows)
    click.echo("\n".join(f"{name:<{width}}  {text}" for name, text in rows))


def answers(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table of questions, on the left, and their answers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="right" if column else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


class Bar:
    """A progress bar: how far through the files, how many people so far, how many a second."""

    def __init__(self, progress: Progress, task: TaskID, unit: str) -> None:
        self._progress, self._task, self._unit, self._items = progress, task, unit, 0

    def advance(self, steps: int) -> None:
        """Move the bar on."""
        self._progress.advance(self._task, steps)

    def add(self, items: int) -> None:
        """Count what was done."""
        self._items += items
        elapsed = self._progress.tasks[self._task].elapsed or 0.0
        rate = f", {self._items / elapsed:,.0f} a second" if elapsed > 0 else ""
        self._progress.update(self._task, items=f"{self._items:,} {self._unit}{rate}")


@contextmanager
def progress(what: str, unit: str, total: int | None) -> Iterator[Bar]:
    """Show a bar on standard error while the block runs, if that is a terminal."""
    screen = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[items]}"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as shown:
        yield Bar(shown, shown.add_task(what, total=total, items=""), unit)
