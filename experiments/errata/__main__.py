"""``python -m experiments.errata``: check every erratum, or those whose numbers are given."""

from __future__ import annotations

import click

from experiments.errata import ERRATA


@click.command()
@click.argument("numbers", nargs=-1, type=click.IntRange(1, len(ERRATA)))
def main(numbers: tuple[int, ...]) -> None:
    """Say what is wrong or loose in the paper, and do the calculation that shows it."""
    for each in ERRATA:
        if not numbers or each.number in numbers:
            click.echo(f"{each.number}. {each.place}\n   printed: {each.printed}\n   correct: {each.correct}")
            click.echo(f"   computed: {each.check()}\n")


if __name__ == "__main__":
    main()
