"""``python -m experiments``: run the evaluation, or parts of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from experiments import figures
from experiments.catalogue import EXPERIMENTS
from experiments.commands import complete, resumable
from experiments.sizes import FULL, QUICK, Size
from experiments.store import Store
from experiments.tables import write_table
from ldprange.cli.output import note

_MIN_BINS, _MAX_BINS = 16, 1 << 24


def _powers_of_two(
    _context: click.Context, _option: click.Parameter, bins: tuple[int, ...]
) -> tuple[int, ...]:
    for each in bins:
        if not _MIN_BINS <= each <= _MAX_BINS or each & (each - 1):
            near = 1 << max(each, 1).bit_length() - 1
            raise click.BadParameter(
                f"domains must be powers of two from {_MIN_BINS} to {_MAX_BINS}, got {each}; "
                f"try {min(max(_MIN_BINS, near), _MAX_BINS)}"
            )
    return tuple(dict.fromkeys(bins))


@click.command(
    epilog="Experiments: " + "; ".join(f"{name} ({each.TITLE})" for name, each in EXPERIMENTS.items()) + "."
)
@click.argument("names", nargs=-1, metavar="[EXPERIMENT]...")
@click.option(
    "--quick", is_flag=True, help="Small domains, few users: every figure in under a minute in all."
)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    help="Folder for results.  [default: results or results/quick]",
)
@click.option(
    "--bins", multiple=True, type=int, callback=_powers_of_two, help="Only this domain; may be given again."
)
@click.option(
    "--users", type=click.IntRange(1000, 1 << 32), help="Another number of users than the paper's 2**26."
)
@click.option("--repetitions", type=click.IntRange(1, 10_000), help="Another number than the paper's 5.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Processes; each needs up to 3 GiB at full size.",
)
def main(
    names: tuple[str, ...],
    quick: bool,
    results: Path | None,
    bins: tuple[int, ...],
    users: int | None,
    repetitions: int | None,
    workers: int,
) -> None:
    """Run the paper's evaluation: all of it, or the experiments named.

    Results are kept run by run in RESULTS/runs.csv, so a command that was stopped goes on from there when it
    is given again. Each experiment leaves a table (CSV) and its figures (SVG and PNG) in the same folder.
    """
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown:
        raise click.UsageError(f"there is no experiment {unknown[0]!r}; there are {', '.join(EXPERIMENTS)}")
    size = QUICK if quick else FULL
    size = replace(
        size,
        domains=bins or size.domains,
        users=users or size.users,
        repetitions=repetitions or size.repetitions,
    )
    if results == Path():
        raise click.UsageError("--results must name a folder, got the folder that you are in")
    folder = results or Path("results/quick" if quick else "results")
    with resumable():
        _run(tuple(dict.fromkeys(names)) or tuple(EXPERIMENTS), size, folder, workers)


def _run(names: tuple[str, ...], size: Size, folder: Path, workers: int) -> None:
    store = Store(folder, note)
    complete(store, (run for name in names for run in EXPERIMENTS[name].runs(size)), workers)
    for name in names:
        table = EXPERIMENTS[name].tabulate(store, size)
        write_table(folder / f"{name}.csv", table)
        drawn = EXPERIMENTS[name].draw(table)
        for file, figure in drawn.items():
            figures.save(figure, folder, file)
        click.echo(
            f"{name}: {folder / name}.csv, {', '.join(f'{folder / file}.svg and .png' for file in drawn)}"
        )


if __name__ == "__main__":
    main()
