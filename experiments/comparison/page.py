"""``python -m experiments.comparison.page``: publish the comparison.

Tables, figures and the page come from the runs that ``python -m experiments.comparison`` left.
"""

from __future__ import annotations

from pathlib import Path

import click

from experiments.commands import publish, usage_errors
from experiments.comparison.figures import draw
from experiments.comparison.runs import ERRORS, EXACT, FORM, Run
from experiments.comparison.sizes import FULL
from experiments.comparison.tables import all_tables
from experiments.comparison.text import (
    bars_held,
    bounds_reached,
    coverage_held,
    losses,
    over_bound,
    ratios_by_data,
    ratios_by_method,
    standard_errors,
)
from experiments.ledger import Ledger
from experiments.tables import Table, as_written, read_table
from ldprange.errors import FileError

HOME = Path(__file__).parent.parent.parent / "docs" / "comparison"
"""The published tables and figures; the page stands beside it."""
TABLES = ("errors", "bounds", "coverage", "example")


@click.command()
@click.option(
    "--results",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("results/comparison"),
    show_default=True,
    help="Folder of the results, at full size.",
)
def main(results: Path) -> None:
    """Publish results: tables and figures in docs/comparison, and the page docs/comparison.md."""
    with usage_errors():
        ledger = Ledger(results, click.echo, FORM)
        _check(ledger)
        tables = {name: as_written(table) for name, table in all_tables(ledger, FULL).items()}
        text, drawn = page(tables), draw(tables)
        publish(HOME, tables, drawn, "svg", text)


def _check(ledger: Ledger[Run]) -> None:
    """Refuse results in which a cell has no run; fewer repetitions than planned are told on the page."""
    runs = [run for run in FULL.runs() if run.how != EXACT]
    empty = {run.cell for run in runs} - {run.cell for run in runs if run in ledger}
    if empty:
        raise FileError(
            f"the results must hold all cells at full size, and {len(empty)} are missing; nothing was "
            "published: run python -m experiments.comparison, without --quick or --bins"
        )
    missing = len(ledger.missing(runs))
    if missing:
        click.echo(f"note: {missing} of {len(runs)} runs are missing; the page says how many there are")


def published() -> dict[str, Table]:
    """Return the published tables."""
    return {name: read_table(HOME / f"{name}.csv") for name in TABLES}


def page(tables: dict[str, Table]) -> str:
    """Return the page's text."""
    text = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
    parts = {
        "bars": bars_held(tables),
        **{f"{measure}_by_method": ratios_by_method(tables["errors"], measure) for measure in ERRORS},
        **{f"{measure}_by_data": ratios_by_data(tables["errors"], measure) for measure in ERRORS},
        "standard_errors": standard_errors(tables["errors"]),
        "losses": losses(tables["errors"]),
        "bounds": bounds_reached(tables["bounds"]),
        "over_bound": over_bound(tables["errors"], FULL.users),
        "coverage": coverage_held(tables["coverage"]),
        "results": HOME.name,
    }
    for name, part in parts.items():
        text = text.replace(f"{{{{{name}}}}}", part)
    return text


if __name__ == "__main__":
    main()
