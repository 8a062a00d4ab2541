"""``python -m experiments.learning``: measure, and write the table and the figure of docs/models.md."""

from __future__ import annotations

from pathlib import Path

import click

from experiments.commands import usage_errors
from experiments.figures import save
from experiments.learning.curve import draw, measure, summary
from experiments.tables import read_table, write_table

HOME = Path(__file__).parents[2] / "docs" / "models"


@click.command()
@click.option("--draw-only", is_flag=True, help="Draw and print again what was measured before.")
@click.option("--repetitions", type=click.IntRange(2, 1000), default=5, show_default=True)
def main(draw_only: bool, repetitions: int) -> None:
    """Measure how well models from reports predict, over people and ε (some minutes)."""
    with usage_errors():
        HOME.mkdir(parents=True, exist_ok=True)
        if not draw_only:
            rows = []
            for row in measure(repetitions=repetitions):
                rows.append(row)
                click.echo(
                    f"{row['task']}, {row['users']:,} people, ε = {row['epsilon']}: {row['private']:.4f}"
                )
            write_table(HOME / "accuracy.csv", rows)
        table = read_table(HOME / "accuracy.csv")
        save(draw(table), HOME, "curve", kinds=("svg",))
        click.echo(summary(table))


if __name__ == "__main__":
    main()
