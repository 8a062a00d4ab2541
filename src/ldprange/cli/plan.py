"""``ldprange plan``."""

from __future__ import annotations

import click

from ldprange.cli.command import Command
from ldprange.cli.options import check_output, json_option
from ldprange.cli.screen import console, facts, print_json
from ldprange.cli.summary import plan_facts, plan_object, prediction_facts, prediction_object
from ldprange.decompositions import Decomposition, Flat, Haar, Tree
from ldprange.domain import Domain
from ldprange.files import write_text
from ldprange.oracles import GRR, HRR, OLH, OUE, HadamardHashing, Oracle, SubsetSelection
from ldprange.plan import Plan

_BRANCHING = 4
_ORACLES = {"grr": GRR, "oue": OUE, "olh": OLH, "hrr": HRR, "subset": SubsetSelection}


@click.command(
    cls=Command,
    examples=[
        "ldprange plan --low 0 --high 119 --epsilon 1.1 --users 1000000 -o ages.plan.json",
        "ldprange plan --low 0.1 --high 60000 --bins 256 --logarithmic --epsilon 2 -o latency.plan.json",
        "ldprange plan --labels XS,S,M,L,XL --epsilon 1 --decomposition flat --oracle oue -o sizes.plan.json",
    ],
)
@click.option("--low", metavar="NUMBER", help="The least value there may be.")
@click.option("--high", metavar="NUMBER", help="The greatest value there may be.")
@click.option(
    "--bins", type=int, help="Cut real numbers into so many bins; without it, values are whole numbers."
)
@click.option(
    "--logarithmic", is_flag=True, help="Bins of equal ratio, for values such as durations or spending."
)
@click.option("--first", metavar="DATE", help="The first day there may be, such as 2026-01-01.")
@click.option("--last", metavar="DATE", help="The last day there may be.")
@click.option("--labels", metavar="A,B,C", help="Labels in their order, such as XS,S,M.")
@click.option("--epsilon", type=float, required=True, help="The privacy that each person spends in total.")
@click.option("--users", type=int, help="How many people you expect; predicts the error.")
@click.option(
    "--decomposition",
    type=click.Choice(["flat", "tree", "haar"]),
    default="haar",
    show_default=True,
    help="How the domain is split into levels.",
)
@click.option("--branching", type=int, help=f"Children to a node of a tree.  [default: {_BRANCHING}]")
@click.option(
    "--oracle",
    type=click.Choice([*_ORACLES, "hadamard"]),
    default="hrr",
    show_default=True,
    help="How a person's place on a level is randomised.",
)
@click.option("--bits", type=int, help="Bits of a Hadamard hash, 1 to 4; the best for ε if left out.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the plan here; without it, it goes to standard output."
)
@json_option
def plan(
    low: str | None,
    high: str | None,
    bins: int | None,
    logarithmic: bool,
    first: str | None,
    last: str | None,
    labels: str | None,
    epsilon: float,
    users: int | None,
    decomposition: str,
    branching: int | None,
    oracle: str,
    bits: int | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Make a plan: the public agreement between clients and collector.

    Say what values there may be in one of five ways: --low and --high for whole numbers; with --bins for
    real numbers; with --bins and --logarithmic for real numbers over several magnitudes; --first and --last
    for days; --labels for labels with an order.
    """
    if output:
        check_output(output)
    made = Plan(
        _domain(low, high, bins, logarithmic, first, last, labels),
        epsilon,
        _decomposition(decomposition, branching),
        _oracle(oracle, bits),
    )
    prediction = None if users is None else made.predict(users)
    if output:
        write_text(output, made.to_json() + "\n")
    if as_json:
        predicted = prediction and prediction_object(prediction)
        print_json({**plan_object(made), "prediction": predicted, "output": output})
        return
    if not output:
        click.echo(made.to_json())
    # without a file, standard output is the plan itself, ready to be redirected
    screen = console(stderr=not output)
    screen.print(facts(plan_facts(made) + (prediction_facts(prediction) if prediction else [])))
    if output:
        screen.print(f"plan written to {output}")


def _domain(
    low: str | None,
    high: str | None,
    bins: int | None,
    logarithmic: bool,
    first: str | None,
    last: str | None,
    labels: str | None,
) -> Domain:
    ways = {
        "--low and --high": {"--low": low, "--high": high},
        "--first and --last": {"--first": first, "--last": last},
        "--labels": {"--labels": labels},
    }
    said = [way for way, given in ways.items() if any(part is not None for part in given.values())]
    if len(said) != 1:
        raise click.UsageError(f"say what values there may be with one of: {'; '.join(ways)}")
    for option, part in ways[said[0]].items():
        if part is None:
            raise click.UsageError(f"{said[0]} go together, and {option} is missing; add it")
    numbers = said == ["--low and --high"]
    if (bins is not None or logarithmic) and not numbers:
        raise click.UsageError("--bins and --logarithmic go with --low and --high only")
    if first is not None and last is not None:
        return Domain.dates(first, last)
    if labels is not None:
        return Domain.ordered([label.strip() for label in labels.split(",")])
    least, greatest = _number("--low", low), _number("--high", high)
    if bins is None:
        if logarithmic or not (isinstance(least, int) and isinstance(greatest, int)):
            raise click.UsageError("real numbers need --bins: into how many bins are they to be cut?")
        return Domain.integers(least, greatest)
    return Domain.logarithmic(least, greatest, bins) if logarithmic else Domain.real(least, greatest, bins)


def _number(option: str, text: str | None) -> int | float:
    try:
        return int(text or "")
    except ValueError:
        try:
            return float(text or "")
        except ValueError:
            raise click.BadParameter(f"must be a number, got {text!r}", param_hint=option) from None


def _decomposition(kind: str, branching: int | None) -> Decomposition:
    if kind == "tree":
        return Tree(_BRANCHING if branching is None else branching)
    if branching is not None:
        raise click.UsageError(f"--branching goes with --decomposition tree only, got {kind}")
    return Flat() if kind == "flat" else Haar()


def _oracle(kind: str, bits: int | None) -> Oracle:
    if kind == "hadamard":
        return HadamardHashing(bits)
    if bits is not None:
        raise click.UsageError(f"--bits goes with --oracle hadamard only, got {kind}")
    return _ORACLES[kind]()
