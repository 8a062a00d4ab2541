"""``ldprange query``."""

from collections.abc import Callable, Iterator
from typing import Any

import click

from ldprange.answer import Answer
from ldprange.cli.chart import draw_cdf
from ldprange.cli.command import command
from ldprange.cli.options import json_option, population_option, read_aggregate
from ldprange.cli.output import answers, console, facts, note, print_json
from ldprange.cli.summary import percent, plan_facts
from ldprange.domain import Domain
from ldprange.domain.text import shown
from ldprange.errors import QueryError
from ldprange.estimation import Estimate, JointEstimate, estimate
from ldprange.sampling import Population, described
from ldprange.support.checking import listed

_QUARTILES = (0.25, 0.5, 0.75)


def _asked(words: str, what: str, *names: str, **more: Any) -> Callable[[Any], Any]:
    """Return the option of these ``names`` that takes ``words``, and may be given many times."""
    number = len(words.split())
    return click.option(*names, nargs=number, multiple=True, metavar=words, help=what, **more)


@command(
    "ldprange query week.agg --range 18 64 --prefix 30 --quantile 0.5",
    "ldprange query week.agg --histogram --denoise",
    "ldprange query week.agg --quantile 0.25 --quantile 0.75 --confidence 0.99 --json",
    "ldprange query homes.agg --attribute rent --given region north north --quantile 0.5",
    "ldprange query homes.agg --within rent 500 800 --within rooms 3 4",
)
@click.argument("aggregate_file", metavar="AGGREGATE")
@_asked(
    "LOW HIGH", "The share from LOW to HIGH, itself included (real numbers: without it).", "--range", "ranges"
)
@_asked("BOUND", "The share up to BOUND, itself included (real numbers: without it).", "--prefix", "prefixes")
@_asked("Q", "The value below which a share Q lies.", "--quantile", "quantiles", type=float)
@_asked("NAME", "Of several attributes, the one that is asked about.", "--attribute", "attributes")
@_asked("NAME LOW HIGH", "The share in all of these ranges at once (a label: twice).", "--within")
@_asked("NAME LOW HIGH", "Ask --attribute only of the people in this range (a label: twice).", "--given")
@click.option("--histogram", is_flag=True, help="The share of every bin.")
@click.option("--cdf", is_flag=True, help="The share up to every bin.")
@click.option(
    "--band",
    type=click.Choice(["pointwise", "simultaneous"]),
    help="Of --cdf: each interval holds on its own, or all hold at once.  [default: pointwise]",
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    help="How often an interval is to hold the truth.",
)
@click.option(
    "--denoise", is_flag=True, help="Less error for a little bias: a distribution, with no share below 0."
)
@click.option(
    "--raw", is_flag=True, help="The paper's raw tree, without consistency between levels, for comparison."
)
@population_option
@json_option
def query(
    aggregate_file: str,
    ranges: tuple[tuple[str, str], ...],
    prefixes: tuple[str, ...],
    quantiles: tuple[float, ...],
    attributes: tuple[str, ...],
    within: tuple[tuple[str, str, str], ...],
    given: tuple[tuple[str, str, str], ...],
    histogram: bool,
    cdf: bool,
    band: str | None,
    confidence: float,
    denoise: bool,
    raw: bool,
    population: Population,
    as_json: bool,
) -> None:
    """Answer questions from an aggregate, each with its interval.

    --range, --prefix and --quantile may be given many times, in the domain's own units. Without any
    question you get an overview. Where people have several attributes, --attribute says which is meant,
    --given asks only among those who lie in ranges of others, and --within asks about some attributes at
    once. Shares are unbiased, so a small one may come out below 0, unless you --denoise.
    """
    if denoise and raw:
        raise click.UsageError("--denoise and --raw exclude one another; leave one of them out")
    if band is not None and not cdf:
        raise click.UsageError(f"--band goes with --cdf only, got {band}")
    if len(attributes) > 1:
        raise click.UsageError(f"--attribute must be given once, got {listed(attributes)}; use --within")
    attribute = attributes[0] if attributes else None
    if given and (attribute is None or within):
        raise click.UsageError(
            "--given goes with --attribute, and not with --within; say which is asked about"
        )
    aggregate = read_aggregate(aggregate_file)
    if not aggregate.reports:
        raise QueryError(f"{aggregate_file} must hold at least one report to be asked, and it holds none")
    of_one = bool(ranges or prefixes or quantiles or histogram or cdf)
    overview = not (of_one or within)
    names = [name for name in aggregate.plan.domain.attributes if name]
    if not names and attribute is not None:
        raise click.UsageError(f"--attribute is for plans of several, and this has one; got {attribute}")
    if not names and within:
        raise click.UsageError("--within goes with several attributes, and this plan has one; use --range")
    if names:
        if raw:
            raise click.UsageError("--raw is for plans of one attribute; leave it out")
        if attribute is None and (of_one or overview):
            raise click.UsageError(
                f"the plan has several attributes: choose one with --attribute ({', '.join(names)}), "
                "or ask about some at once with --within"
            )
    if raw and not aggregate.plan.layout.has_nodes:
        note("--raw changes nothing here: only trees have a raw estimate beside the consistent one")
    found = estimate(aggregate, consistent=not raw, denoise=denoise, population=population)
    condition = _named(found.domain, given, "--given")
    joint = _within(found, _named(found.domain, within, "--within"), confidence) if within else None
    # with --within alone nothing is asked of one attribute
    estimated = found if names and attribute is None else found.marginal(attribute, given=condition)
    ordered = not estimated.domain.unordered
    wanted = _QUARTILES if overview and ordered else quantiles
    result: dict[str, Any] = {
        "plan": aggregate.plan.fingerprint,
        "attribute": attribute,
        "given": _bounds(condition) or None,
        "reports": aggregate.reports,
        "confidence": confidence,
        "denoised": denoise,
        "population": "endless" if population is None else population,
        "within": joint,
        "ranges": _ranges(estimated, ranges, confidence),
        "prefixes": _prefixes(estimated, prefixes, confidence),
        "quantiles": _quantiles(estimated, wanted, confidence),
        "histogram": _histogram(estimated, confidence) if histogram or (overview and not ordered) else None,
        "band": (band or "pointwise") if cdf else None,
        "cdf": _cdf(estimated, confidence, band or "pointwise") if cdf else None,
    }
    if as_json:
        print_json({key: answer for key, answer in result.items() if answer not in (None, [])})
        return
    screen = console()
    if overview:
        screen.print(facts([("reports", f"{aggregate.reports:,}"), *plan_facts(aggregate.plan)]))
    interval = f"{100 * confidence:g}% interval"
    if rows := list(_rows(result)):
        screen.print(answers(["question", "answer", interval], rows))
    of = f" of {_about(result)}" if attribute else ""
    if result["histogram"]:
        labels = [_label(row) for row in result["histogram"]]
        _print_bins(f"histogram{of}", labels, result["histogram"], interval)
    if result["cdf"]:
        labels = [f"up to {shown(row['to'])}" for row in result["cdf"]]
        at_once = ", all at once" if band == "simultaneous" else ""
        _print_bins(f"cdf{of}", labels, result["cdf"], interval + at_once)
    if overview and ordered:
        ascii_only = screen.options.ascii_only
        screen.print(draw_cdf(estimated, width=screen.width, confidence=confidence, ascii_only=ascii_only))
    speaks = f"Intervals speak of {described(population)}; none makes up for who chose to answer."
    screen.print(*_notes(result), speaks, sep="\n", markup=False, highlight=False)


def _notes(result: dict[str, Any]) -> Iterator[str]:
    """Yield what there is to know about single answers, each once."""
    shares = [result["within"] or {}, *result["ranges"], *result["prefixes"]]
    yield from dict.fromkeys(each["note"] for each in shares if each.get("note"))


def _within(found: JointEstimate, ranges: dict[str, tuple[Any, Any]], confidence: float) -> dict[str, Any]:
    return {"ranges": _bounds(ranges), **_one(found.range(ranges, confidence=confidence))}


def _named(
    domain: Domain, typed: tuple[tuple[str, str, str], ...], option: str
) -> dict[str, tuple[Any, Any]]:
    """Return the ranges of ``domain`` by attribute that were ``typed`` after ``option``."""
    ranges: dict[str, tuple[Any, Any]] = {}
    for name, low, high in typed:
        if name in ranges:
            raise click.UsageError(f"{option} must be given once for each attribute, got {name} twice")
        each = domain.attribute(name)
        ranges[name] = (each.parse(low), each.parse(high))
    return ranges


def _bounds(ranges: dict[str, tuple[Any, Any]]) -> dict[str, list[Any]]:
    return {name: list(ends) for name, ends in ranges.items()}


def _ranges(
    estimated: Estimate, typed: tuple[tuple[str, str], ...], confidence: float
) -> list[dict[str, Any]]:
    return [
        {"from": low, "to": high, **_one(estimated.range(low, high, confidence=confidence))}
        for low, high in (map(estimated.domain.parse, ends) for ends in typed)
    ]


def _prefixes(estimated: Estimate, typed: tuple[str, ...], confidence: float) -> list[dict[str, Any]]:
    bounds = map(estimated.domain.parse, typed)
    return [{"to": bound, **_one(estimated.prefix(bound, confidence=confidence))} for bound in bounds]


def _quantiles(estimated: Estimate, qs: tuple[float, ...], confidence: float) -> list[dict[str, Any]]:
    if not qs:
        return []
    found = estimated.quantiles(list(qs), confidence=confidence)
    return [{"q": q, **each} for q, each in zip(qs, _each(found), strict=True)]


def _histogram(estimated: Estimate, confidence: float) -> list[dict[str, Any]]:
    domain = estimated.domain
    return [
        {"from": domain.lower(index), "to": domain.upper(index), **each}
        for index, each in enumerate(_each(estimated.histogram(confidence=confidence)))
    ]


def _cdf(estimated: Estimate, confidence: float, band: str) -> list[dict[str, Any]]:
    upper = estimated.domain.upper
    found = estimated.cdf(confidence=confidence, band=band)
    return [{"to": upper(index), **each} for index, each in enumerate(_each(found))]


def _one(answer: Answer[float]) -> dict[str, Any]:
    """Return an answer in plain JSON types; with a note, if there is one."""
    ends = {"value": answer.value, "low": answer.low, "high": answer.high}
    return {**ends, "note": answer.note} if answer.note else ends


def _each(found: Answer[Any]) -> Iterator[dict[str, Any]]:
    """Yield an answer of arrays entry by entry, in plain JSON types."""
    told = found.to_dict()
    for each in zip(told["value"], told["low"], told["high"], strict=True):
        yield dict(zip(("value", "low", "high"), each, strict=True))


def _rows(result: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    of = f"{_about(result)}: " if result["attribute"] else ""
    if joint := result["within"]:
        yield _where(joint["ranges"]), *_shares(joint)
    for each in result["ranges"]:
        yield f"{of}from {shown(each['from'])} to {shown(each['to'])}", *_shares(each)
    for each in result["prefixes"]:
        yield f"{of}up to {shown(each['to'])}", *_shares(each)
    for each in result["quantiles"]:
        interval = f"{shown(each['low'])} to {shown(each['high'])}"
        yield f"{of}{100 * each['q']:g}% lie below", shown(each["value"]), interval


def _about(result: dict[str, Any]) -> str:
    """Say which of several attributes is asked about, and among whom."""
    among = f" given {_where(result['given'])}" if result["given"] else ""
    return f"{result['attribute']}{among}"


def _where(ranges: dict[str, list[Any]]) -> str:
    said = (f"{name} {_span(*ends)}" for name, ends in ranges.items())
    return ", ".join(said)


def _span(low: Any, high: Any) -> str:
    return shown(low) if low == high else f"{shown(low)} to {shown(high)}"


def _shares(each: dict[str, Any]) -> tuple[str, str]:
    return percent(each["value"]), f"{percent(each['low'])} to {percent(each['high'])}"


def _label(row: dict[str, Any]) -> str:
    low, high = shown(row["from"]), shown(row["to"])
    return low if row["from"] == row["to"] else f"{low} – {high}"


def _print_bins(name: str, labels: list[str], rows: list[dict[str, Any]], interval: str) -> None:
    """Print one line per bin; plainly, because there may be very many."""
    width = max(len(name), *map(len, labels))
    lines = [f"{name:<{width}}    answer   {interval}"]
    for label, row in zip(labels, rows, strict=True):
        value, ends = _shares(row)
        lines.append(f"{label:<{width}}  {value:>8}   {ends}")
    click.echo("\n".join(lines))
