"""What values one of several attributes may have, in a word."""

import csv
import re
from collections.abc import Sequence

import click

from ldprange.domain import Domain
from ldprange.domain.contract import OpenEndsLike
from ldprange.errors import DomainError, about
from ldprange.support.checking import shown

_BETWEEN = re.compile(
    r"([-+.0-9e]+?)\.\.([-+.0-9e]+)(?:/([0-9]{1,9})(/log)?)?(/open(?:-low|-high)?)?", re.IGNORECASE
)
_NO_ANSWER = "/no-answer"
_QUOTED = re.compile(r'"[^"]*"')
_LIKE_AN_ENDING = re.compile(
    r"/(?:no[-_]?answers?|open(?:[-_](?:low|high|ends?|both))?)\s*(?=[,/]|$)", re.IGNORECASE
)
_OPEN: dict[str | None, OpenEndsLike] = {None: False, "/open": True, "/open-low": "low", "/open-high": "high"}
WAYS = (
    "0..119 for whole numbers, 0..20000/64 for real numbers in 64 bins, 1..60000/64/log for bins of equal "
    "ratio, 2026-01-01..2026-12-31 for days, any of these with /open, /open-low or /open-high for values "
    "beyond the ends, labels:XS,S,M in their order, or categories:north,south; add /no-answer to any of them "
    "if people may decline"
)


def product_of(attributes: Sequence[tuple[str, str]]) -> Domain:
    """Return the domain of people with several attributes, each a name and its values in a word."""
    if len(attributes) < 2:
        raise click.UsageError(
            "--attribute is for two or more; for just one, use --low and --high or the like"
        )
    named: dict[str, Domain] = {}
    for name, values in attributes:
        if name in named:
            raise click.UsageError(f"--attribute must be given once for each name, got {name} twice")
        with about(name):
            optional = values.lower().endswith(_NO_ANSWER)
            said = values[: -len(_NO_ANSWER)] if optional else values
            named[name] = _domain(said).with_no_answer(optional)
    return Domain.product(**named)


def labels_of(text: str) -> list[str]:
    """Return labels from a list with commas, as a line of a CSV file has it.

    >>> labels_of('XS, S,"M, or larger"')
    ['XS', 'S', 'M, or larger']
    """
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error:
        raise DomainError(
            f"labels must be a list with commas, and a label with a comma in double quotes, got {shown(text)}"
        ) from None
    labels = [label.strip() for row in rows for label in row]
    if not labels or not all(labels):
        raise DomainError(f"every label must have a name, got {shown(text)}; is there a comma too many?")
    return labels


def _domain(values: str) -> Domain:
    """Return what a word says.

    >>> _domain("0..119").bins, _domain("0..20000/64").bins, _domain("categories:north,south").bins
    (120, 64, 2)
    >>> _domain("0..119/open-high").describe()
    'whole numbers from 0 to 119, or more than 119 (121 bins)'
    """
    kind, _, listed = values.partition(":")
    if listed and kind in ("labels", "categories"):
        if ending := _LIKE_AN_ENDING.search(_QUOTED.sub("", listed)):
            raise DomainError(
                f"after the labels there may be {_NO_ANSWER}, once and at the very end, got "
                f"{shown(ending[0])}; if it is part of a label, put that in double quotes"
            )
        return (Domain.ordered if kind == "labels" else Domain.categories)(labels_of(listed))
    said = _BETWEEN.fullmatch(values)
    low, high, bins, logarithmic, sides = said.groups() if said else ("", "", None, None, None)
    open_ends = _OPEN[sides.lower() if sides else None]
    if bins is None and low.count("-") == 2:
        return Domain.dates(low, high, open_ends=open_ends)
    number: type[int] | type[float] = int if bins is None else float
    try:
        least, most = number(low), number(high)
    except ValueError:
        raise DomainError(f"values must look like one of: {WAYS}; got {shown(values)}") from None
    if isinstance(least, int) and isinstance(most, int):
        return Domain.integers(least, most, open_ends=open_ends)
    make = Domain.logarithmic if logarithmic else Domain.real
    return make(least, most, int(bins or 0), open_ends=open_ends)
