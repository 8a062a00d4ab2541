"""What several commands share: arguments, options, and the files behind them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import get_args

import click
from click.core import ParameterSource

from ldprange.aggregate import Aggregate
from ldprange.errors import FileError, QueryError
from ldprange.files.sniffing import Kind, beginning, expect, kind_of
from ldprange.files.sources import opened
from ldprange.planner.choose import Answers
from ldprange.planner.optimise import Workload
from ldprange.sampling import Population, read_people, read_population
from ldprange.support.checking import is_number, shown
from ldprange.support.columns import Missing

_KEPT = (Kind.PLAN, Kind.AGGREGATE, Kind.LABELLED_PLAN, Kind.LABELLED_AGGREGATE)  # never replaced

plan_argument = click.argument("plan_file", metavar="PLAN")
values_argument = click.argument("values_file", metavar="VALUES")
column_option = click.option(
    "--column", metavar="NAME", help="The column of the table; not needed if there is only one."
)
missing_option = click.option(
    "--missing",
    type=click.Choice(get_args(Missing)),
    default="refuse",
    help="Whether a row without a value (an empty cell, null, NaN) is an error or is skipped.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), help="Repeat an earlier run; random if left out."
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object and nothing else on standard output."
)
output_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="The file to write; it appears complete, or not at all.",
)


def share(typed: str | float) -> float:
    """Read a share, as a number or in percent: the type of an option."""
    text = str(typed)
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise click.BadParameter(f"must be a share such as 0.01 or 1%, got {shown(text)}") from None


def _above_zero(context: click.Context, option: click.Parameter, epsilon: float | None) -> float | None:
    # whatever comes next, a plan or a search for one, may then count on it
    if epsilon is not None and not (is_number(epsilon) and epsilon > 0):
        raise click.BadParameter(f"ε must be a finite number above 0, got {epsilon:g}", context, option)
    return epsilon


epsilon_option = partial(
    click.option,
    "--epsilon",
    type=float,
    callback=_above_zero,
    help="How much each person reveals at most, in total; 1 is usual.",
)


def _people(context: click.Context, option: click.Parameter, typed: str | None) -> int | None:
    if typed is None:
        return None
    people = read_people(typed)
    if people is None:
        raise click.BadParameter(
            f"it must be a whole number from 1 to 10^15, such as 1,000,000 or 1e6, got {shown(typed)}",
            context,
            option,
        )
    return people


users_option = partial(
    click.option, "--users", metavar="NUMBER", callback=_people, help="How many people you expect."
)
answers_option = click.option(
    "--answers",
    type=click.Choice(get_args(Answers)),
    default="unbiased",
    help="Which answers the plan is best for; denoised asks more about coarse scales and needs --users.",
)


def check_answers(answers: Answers, users: int | None) -> None:
    """Raise a UsageError unless a plan for such ``answers`` can be made without knowing more."""
    if answers == "denoised" and users is None:
        raise click.UsageError("--answers denoised needs --users: the plan depends on how many people answer")


workload_option = click.option(
    "--workload",
    type=click.Choice(get_args(Workload)),
    default="both",
    help="What should be most accurate: ranges, prefixes (and quantiles), or both.",
)


def _population(context: click.Context, option: click.Parameter, typed: str | None) -> Population:
    try:
        return None if typed is None else read_population(typed)
    except QueryError as error:
        raise click.BadParameter(str(error), context, option) from None


population_option = click.option(
    "--population",
    metavar="WHOM",
    callback=_population,
    help="Whom intervals are about: 'respondents' (only those who answered), or the number of people from "
    "whom they are a random sample.  [default: an endless population]",
)


def workload_given() -> bool:
    """Say whether the workload was typed, and is not just the default."""
    return click.get_current_context().get_parameter_source("workload") is ParameterSource.COMMANDLINE


def read_aggregate(path: str) -> Aggregate:
    """Read an aggregate file; a file of another kind is called by its name."""
    if Path(path).is_file():
        advice = dict.fromkeys(Kind, "give one that aggregate or merge has written")
        with opened(path) as file:
            expect(Kind.AGGREGATE, file, "an aggregate", advice)
    return Aggregate.load(path)


def check_output(path: str, inputs: Sequence[str] = (), *, writes: Kind | None = None) -> None:
    """Find out before the work whether its result can be written, and what it would replace.

    It must replace neither what it comes from nor a plan or an aggregate, unless it ``writes`` one itself.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no directory {target.parent}")
    for name in inputs:
        if target.exists() and Path(name).exists() and target.samefile(name):
            raise FileError(f"the output must not replace an input, got {path} for both; choose another name")
    if target.is_file():
        with opened(path) as file:
            held = kind_of(beginning(file))
        if held in _KEPT and held is not writes:
            raise FileError(f"{path} holds {held.value}; choose another name, or remove that file first")


def check_distinct(paths: Sequence[Path]) -> None:
    """Make sure that nothing is counted twice."""
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise FileError(f"every input must be given once, got {path} twice; it would be counted twice")
        seen.add(path.resolve())


def size_of(paths: Sequence[Path]) -> int | None:
    """Return how many bytes there are to read, if that is known."""
    return sum(path.stat().st_size for path in paths) if all(path.is_file() for path in paths) else None
