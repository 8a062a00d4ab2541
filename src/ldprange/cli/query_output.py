"""The answers of ``ldprange query``, as rows: on the screen, and as CSV."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import click

from ldprange.cli.output import answers, console
from ldprange.cli.summary import percent
from ldprange.domain.no_answer import NO_ANSWER
from ldprange.domain.text import plain, shown
from ldprange.support.checking import in_percent

_COLUMNS = ("kind", "attribute", "among", "from", "to", "q", "value", "low", "high", "confidence", "note")
_KINDS = {
    "ranges": "range",
    "prefixes": "prefix",
    "quantiles": "quantile",
    "histogram": "histogram",
}


def print_csv(within: dict[str, Any] | None, found: list[dict[str, Any]], confidence: float) -> None:
    """Print a row for each answer: the share ``within`` ranges, and what was ``found`` of each attribute."""
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, _COLUMNS, lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    for row in _csv_rows(within, found):
        table.writerow({**{key: plain(value) for key, value in row.items()}, "confidence": confidence})
    click.echo(text.getvalue(), nl=False)


def _csv_rows(within: dict[str, Any] | None, found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    if within:
        if none := within.get("no_answer"):
            yield {"kind": NO_ANSWER, "attribute": " or ".join(none["attributes"]), **none}
        yield {"kind": "within", "among": _where(within["ranges"]), **within}
    for about in found:
        whom = {"attribute": about.get("attribute", ""), "among": _where(about.get("given", {}))}
        if none := about.get("no_answer"):
            yield {"kind": NO_ANSWER, **whom, **none}
        if mean := about.get("mean"):
            yield {"kind": "mean", **whom, **mean}
        all_at_once = about.get("band") == "simultaneous"
        for key, kind in {**_KINDS, "cdf": "simultaneous cdf" if all_at_once else "cdf"}.items():
            yield from ({"kind": kind, **whom, **each} for each in about.get(key, []))


def print_answers(within: dict[str, Any] | None, found: list[dict[str, Any]], confidence: float) -> None:
    """Print the answers to single questions in one table, then histograms and cdfs bin by bin."""
    interval = f"{in_percent(confidence)} interval"
    rows = [] if within is None else [(_where(within["ranges"]), *_shares(within))]
    if within and (none := within.get("no_answer")):
        rows.insert(0, (f"{' or '.join(none['attributes'])}: {NO_ANSWER}, of all people", *_shares(none)))
    if rows := [*rows, *(row for about in found for row in _rows(about))]:
        console().print(answers(["question", "answer", interval], rows))
    for about in found:
        of = f" of {_about(about)}" if "attribute" in about else ""
        if histogram := about.get("histogram"):
            labels = [_span(row["from"], row["to"], " – ") for row in histogram]
            _print_bins(f"histogram{of}", labels, histogram, interval)
        if cdf := about.get("cdf"):
            at_once = ", all at once" if about["band"] == "simultaneous" else ""
            labels = [f"up to {shown(row['to'])}" for row in cdf]
            _print_bins(f"cdf{of}", labels, cdf, interval + at_once)


def notes_on(within: dict[str, Any] | None, found: list[dict[str, Any]]) -> list[str]:
    """Return what there is to know about single answers, each once."""
    some = ["All but the share of no answer is about those who answered."]
    unanswered = any("no_answer" in about for about in [within or {}, *found])
    single = [each for about in found for key in ("ranges", "prefixes") for each in about.get(key, [])]
    notes = dict.fromkeys(each["note"] for each in [within or {}, *single] if each.get("note"))
    return [*(some if unanswered else []), *notes]


def _rows(about: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    of = f"{_about(about)}: " if "attribute" in about else ""
    if none := about.get("no_answer"):
        whom = "of them" if "given" in about else "people"
        yield f"{of}{NO_ANSWER}, of all {whom}", *_shares(none)
    for each in about.get("ranges", []):
        yield f"{of}from {shown(each['from'])} to {shown(each['to'])}", *_shares(each)
    for each in about.get("prefixes", []):
        yield f"{of}up to {shown(each['to'])}", *_shares(each)
    for each in about.get("quantiles", []):
        interval = f"{shown(each['low'])} to {shown(each['high'])}"
        yield f"{of}{100 * each['q']:g}% lie up to", shown(each["value"]), interval
    if mean := about.get("mean"):
        value, low, high = (f"{mean[key]:.6g}" for key in ("value", "low", "high"))
        yield f"{of}mean", value, f"{low} to {high}"


def _about(about: dict[str, Any]) -> str:
    """Say which of several attributes is asked about, and among whom."""
    among = f" given {_where(about['given'])}" if "given" in about else ""
    return f"{about['attribute']}{among}"


def _where(ranges: dict[str, list[Any]]) -> str:
    return ", ".join(f"{name} {_span(*ends)}" for name, ends in ranges.items())


def _span(low: Any, high: Any, between: str = " to ") -> str:
    return shown(low) if low == high else f"{shown(low)}{between}{shown(high)}"


def _shares(each: dict[str, Any]) -> tuple[str, str]:
    return percent(each["value"]), f"{percent(each['low'])} to {percent(each['high'])}"


def _print_bins(name: str, labels: list[str], rows: list[dict[str, Any]], interval: str) -> None:
    """Print one line per bin; plainly, because there may be very many."""
    width = max(len(name), *map(len, labels))
    lines = [f"{name:<{width}}    answer   {interval}"]
    for label, row in zip(labels, rows, strict=True):
        value, ends = _shares(row)
        lines.append(f"{label:<{width}}  {value:>8}   {ends}")
    click.echo("\n".join(lines))
