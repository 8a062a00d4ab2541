"""``ldprange query``."""

import shlex
from collections.abc import Callable
from typing import Any

import click

from ldprange.cli.chart import draw_cdf
from ldprange.cli.command import command
from ldprange.cli.options import json_option, population_option, read_aggregate, share
from ldprange.cli.output import console, facts, note, print_json
from ldprange.cli.query_output import notes_on, print_answers, print_csv
from ldprange.cli.questions import Questions, bounds, overview_of, parsed, share_within
from ldprange.cli.summary import plan_facts
from ldprange.errors import QueryError
from ldprange.estimation import Estimate, JointEstimate, estimate
from ldprange.sampling import Population, described
from ldprange.support.checking import listed


def _asked(words: str, what: str, *names: str, **more: Any) -> Callable[[Any], Any]:
    """Return the option of these ``names`` that takes ``words``, and may be given many times."""
    number = len(words.split())
    return click.option(*names, nargs=number, multiple=True, metavar=words, help=what, **more)


@command(
    "ldprange query week.agg --range 18 64 --prefix 30 --quantile 0.5 --mean",
    "ldprange query week.agg --histogram --denoise",
    "ldprange query week.agg --quantile 0.25 --quantile 0.75 --confidence 0.99 --json",
    "ldprange query homes.agg --attribute rent --given region north north --quantile 0.5",
    "ldprange query homes.agg --within rent 500 800 --within rooms 3 4",
    'ldprange query homes.agg --everyone --within rent "no answer" "no answer" --within rooms 3 4',
    "ldprange query week.agg --histogram --csv",
)
@click.argument("aggregate_file", metavar="AGGREGATE")
@_asked(
    "LOW HIGH", "The share from LOW to HIGH, itself included (real numbers: without it).", "--range", "ranges"
)
@_asked("BOUND", "The share up to BOUND, itself included (real numbers: without it).", "--prefix", "prefixes")
@_asked("Q", "The value up to which a share Q lies.", "--quantile", "quantiles", type=share)
@_asked("NAME", "Of several attributes, the one that is asked about.", "--attribute", "attributes")
@_asked("NAME LOW HIGH", "The share in all of these ranges at once (a label: twice).", "--within")
@_asked("NAME LOW HIGH", "Ask --attribute only of the people in this range (a label: twice).", "--given")
@click.option("--mean", is_flag=True, help="The mean of people's numbers.")
@click.option("--histogram", is_flag=True, help="The share of every bin.")
@click.option("--cdf", is_flag=True, help="The share up to every bin.")
@click.option(
    "--band",
    type=click.Choice(["pointwise", "simultaneous"]),
    help="Of --cdf: each interval holds on its own, or all hold at once.  [default: pointwise]",
)
@click.option("--confidence", type=share, default=0.95, help="How often intervals contain the truth.")
@click.option(
    "--denoise", is_flag=True, help="Less error for a little bias: a distribution, with no share below 0."
)
@click.option(
    "--everyone",
    is_flag=True,
    help="Ask of all people, also those who gave no answer: “no answer” is then a value.",
)
@click.option(
    "--raw", is_flag=True, help="The paper's raw tree, without consistency between levels, for comparison."
)
@population_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print one row for each answer, for a spreadsheet.")
def query(
    aggregate_file: str,
    ranges: tuple[tuple[str, str], ...],
    prefixes: tuple[str, ...],
    quantiles: tuple[float, ...],
    attributes: tuple[str, ...],
    within: tuple[tuple[str, str, str], ...],
    given: tuple[tuple[str, str, str], ...],
    mean: bool,
    histogram: bool,
    cdf: bool,
    band: str | None,
    confidence: float,
    denoise: bool,
    everyone: bool,
    raw: bool,
    population: Population,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Answer questions from an aggregate, each with its interval.

    --range, --prefix and --quantile may be given many times, in the domain's own units. Without any
    question you get an overview. Where people have several attributes, --attribute says which is meant,
    --given asks only among those who lie in ranges of others, and --within asks about some attributes at
    once; the overview is of all of them. Where people may give no answer, all is of those who gave one,
    unless you ask of --everyone. Shares are unbiased, so a small one may come out below 0, unless
    you --denoise.
    """
    if denoise and raw:
        raise click.UsageError("use either --denoise or --raw, not both")
    if as_json and as_csv:
        raise click.UsageError("use either --json or --csv, not both")
    if band is not None and not cdf:
        raise click.UsageError(f"--band goes with --cdf only, got {band}")
    if len(attributes) > 1:
        raise click.UsageError(f"--attribute must be given once, got {listed(attributes)}; use --within")
    attribute = attributes[0] if attributes else None
    if attribute is not None and within:
        raise click.UsageError(
            "--attribute asks about one, and --within about some at once: use one of them; to ask about one "
            "among the people in ranges of others, use --attribute with --given"
        )
    if given and attribute is None:
        raise click.UsageError(
            "--given goes with --attribute, and not with --within; say which is asked about"
        )
    aggregate = read_aggregate(aggregate_file)
    if not aggregate.reports:
        raise QueryError(f"{aggregate_file} must contain at least one report, and it contains none")
    asked = Questions(ranges, prefixes, quantiles, mean, histogram, cdf, band or "pointwise")
    names = [name for name in aggregate.plan.domain.attributes if name]
    _check_attributes(names, attribute, asked, bool(within), raw)
    overview = not (asked.any or within)
    if everyone and overview:
        raise click.UsageError("--everyone goes with a question: --range, --prefix, --histogram or --within")
    if raw and not aggregate.plan.layout.has_nodes:
        note("--raw changes nothing here: only trees have a raw estimate beside the consistent one")
    answered = estimate(aggregate, consistent=not raw, denoise=denoise, population=population)
    if everyone and answered.everyone is answered:
        note("--everyone changes nothing here: nobody may leave out an answer")
    found = answered.everyone if everyone else answered
    condition = _named(found.everyone, given, "--given")
    joint = share_within(found, _named(found, within, "--within"), confidence) if within else None
    about: list[str] = [attribute] if attribute else names if overview else []
    estimates = (
        {name: found.marginal(name, given=condition) for name in about} if names else {"": found.marginal()}
    )
    told = [
        {
            **({"attribute": name} if name else {}),
            **({"given": bounds(condition)} if condition else {}),
            **(overview_of(each) if overview else asked).answers(each, confidence),
        }
        for name, each in estimates.items()
    ]
    if as_csv:
        print_csv(joint, told, confidence)
    elif as_json:
        print_json(
            {
                "plan": aggregate.plan.fingerprint,
                "reports": aggregate.reports,
                "confidence": confidence,
                "denoised": denoise,
                "everyone": everyone,
                "population": "endless" if population is None else population,
                **({"within": joint} if joint else {}),
                **({"attributes": told} if len(told) > 1 else told[0] if told else {}),
            }
        )
    else:
        if overview:
            console().print(facts([("reports", f"{aggregate.reports:,}"), *plan_facts(aggregate.plan)]))
        print_answers(joint, told, confidence)
        if overview:
            _print_pictures(estimates, confidence)
        speaks = f"Intervals speak of {described(population)}; none makes up for who chose to answer."
        console().print(*notes_on(joint, told), speaks, sep="\n", markup=False, highlight=False)


def _check_attributes(
    names: list[str], attribute: str | None, asked: Questions, within: bool, raw: bool
) -> None:
    """Raise UsageError unless what is asked fits a plan with attributes of these ``names``."""
    if not names and attribute is not None:
        raise click.UsageError(f"--attribute is for plans of several, and this has one; got {attribute}")
    if not names and within:
        raise click.UsageError("--within goes with several attributes, and this plan has one; use --range")
    if names and raw:
        raise click.UsageError("--raw is for plans of one attribute; leave it out")
    if names and attribute is None and asked.any:
        raise click.UsageError(
            f"the plan has several attributes: choose one with --attribute ({', '.join(names)}), "
            "or ask about some at once with --within"
        )


def _named(
    found: JointEstimate, typed: tuple[tuple[str, str, str], ...], option: str
) -> dict[str, tuple[Any, Any]]:
    """Return the ranges by attribute that were ``typed`` after ``option``."""
    ranges: dict[str, tuple[Any, Any]] = {}
    for name, low, high in typed:
        if name in ranges:
            raise click.UsageError(f"{option} must be given once for each attribute, got {name} twice")
        each = found.domain.attribute(name)
        low, high = parsed(each, found.everyone.domain.attribute(name), (low, high))
        ranges[name] = (low, high)
    return ranges


def _print_pictures(estimates: dict[str, Estimate], confidence: float) -> None:
    """Draw the cdf of the one attribute there is; of several, say how to see one."""
    if len(estimates) > 1:
        # not broken into lines, nor with a full stop: so it can be pasted
        click.echo(
            f"For a picture of one, add its name, such as --attribute {shlex.quote(next(iter(estimates)))}"
        )
        return
    screen = console()
    for each in estimates.values():
        if not each.domain.unordered:
            ascii_only = screen.options.ascii_only
            screen.print(draw_cdf(each, width=screen.width, confidence=confidence, ascii_only=ascii_only))
