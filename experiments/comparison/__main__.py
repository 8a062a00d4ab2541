"""``python -m experiments.comparison``: compare our methods with others, and print what it comes to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from experiments import figures
from experiments.commands import complete, resumable
from experiments.comparison.figures import draw
from experiments.comparison.runs import FORM
from experiments.comparison.sizes import FULL, QUICK, Size
from experiments.comparison.tables import all_tables
from experiments.comparison.text import bars_held, ratios_by_method
from experiments.ledger import Ledger
from experiments.tables import write_table
from ldprange.cli.output import note


@click.command()
@click.option("--quick", is_flag=True, help="Small domains, few users: all of it in under a minute.")
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    help="Folder for results.  [default: results/comparison or results/quick/comparison]",
)
@click.option(
    "--bins",
    multiple=True,
    type=click.Choice([str(bins) for bins in dict.fromkeys((*QUICK.domains, *FULL.domains))]),
    help="Only this domain; may be given again.",
)
@click.option("--workers", type=click.IntRange(min=1), default=2, show_default=True, help="Processes.")
def main(quick: bool, results: Path | None, bins: tuple[str, ...], workers: int) -> None:
    """Compare our methods with the paper's and with later ones, on the same people at the same ε.

    Results are kept run by run in RESULTS/runs.csv, so a command that was stopped goes on from there when it
    is given again. Tables (CSV) and figures (SVG and PNG) are left in the same folder.
    """
    whole = QUICK if quick else FULL
    size = whole.only(tuple(map(int, bins))) if bins else whole
    if not size.domains:
        raise click.UsageError(
            f"--bins must be among {', '.join(map(str, whole.domains))} here, got {', '.join(bins)}"
        )
    folder = results or Path("results/quick/comparison" if quick else "results/comparison")
    with resumable():
        _run(size, folder, workers)


def _run(size: Size, folder: Path, workers: int) -> None:
    ledger = Ledger(folder, note, replace(FORM, order=size.turn))
    complete(ledger, size.runs(), workers)
    tables = all_tables(ledger, size)
    for name, table in tables.items():
        write_table(folder / f"{name}.csv", table)
    for name, figure in draw(tables).items():
        figures.save(figure, folder, name)
    click.echo(ratios_by_method(tables["errors"]))
    click.echo()
    click.echo(bars_held(tables))


if __name__ == "__main__":
    main()
