"""What values people may have: the options that say so, turned into a domain."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import click

from ldprange.cli.attribute_syntax import WAYS, labels_of, product_of
from ldprange.cli.command import with_options
from ldprange.domain import Domain
from ldprange.domain.contract import OpenEndsLike
from ldprange.domain.open_ends import SIDES
from ldprange.support.checking import shown

_OPTIONS = (
    click.option("--low", metavar="NUMBER", help="The smallest value people may have."),
    click.option("--high", metavar="NUMBER", help="The largest value people may have."),
    click.option(
        "--bins", type=int, help="How many bins for real numbers; without it, values are whole numbers."
    ),
    click.option(
        "--logarithmic",
        is_flag=True,
        help="Bins that grow with the value, for durations, spending and the like.",
    ),
    click.option("--first", metavar="DATE", help="The first possible day, such as 2026-01-01."),
    click.option("--last", metavar="DATE", help="The last possible day."),
    click.option("--labels", metavar="A,B,C", help="Labels in their order, such as XS,S,M."),
    click.option(
        "--categories", metavar="A,B,C", help="Labels without an order, such as north,south: a choice."
    ),
    click.option(
        "--open-ends",
        is_flag=False,
        flag_value="both",
        type=click.Choice(SIDES),
        help="Also accept values outside, as “less than …” and “more than …”, at both ends or just one.",
    ),
    click.option(
        "--prefer-not-to-say",
        "no_answer",
        is_flag=True,
        help="People may decline, as privately as they answer; shares are then of those who answer.",
    ),
    click.option(
        "--attribute",
        "attributes",
        nargs=2,
        multiple=True,
        metavar="NAME VALUES",
        help="The name and the values of one of several attributes.",
    ),
)
_WAYS = (
    "There are six ways to say which values people may have: --low and --high for whole numbers; add --bins "
    "for real numbers; add --bins and --logarithmic for real numbers from tiny to huge; --first and --last "
    "for days; --labels for labels in order; --categories for labels without one. Add --open-ends to numbers "
    "and days, or --prefer-not-to-say to any of them. If people have several attributes, describe each one "
    f"with --attribute: {WAYS}."
)


def domain_options(*, required: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options that say what values there may be, and its function a ``domain``.

    Unless they are required, all may be left out; the domain is then None.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_domain(**given: Any) -> None:
            command(domain=take_domain(given, required=required), **given)

        return add_domain_options(with_domain)

    return decorate


def add_domain_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return ``command`` with the options that say what values there may be, and with help on them."""
    command.__doc__ = f"{inspect.cleandoc(command.__doc__ or '')}\n\n{_WAYS}"
    return with_options(command, *_OPTIONS)


def take_domain(given: dict[str, Any], *, required: bool) -> Domain | None:
    """Return the domain that ``given`` options describe, and take them out; None if none is ``required``."""
    said = _Said(**{part.name: given.pop(part.name) for part in fields(_Said)})
    return said.domain() if required or said != _NOTHING else None


@dataclass(frozen=True)
class _Said:
    """What was typed."""

    low: str | None = None
    high: str | None = None
    bins: int | None = None
    logarithmic: bool = False
    first: str | None = None
    last: str | None = None
    labels: str | None = None
    categories: str | None = None
    open_ends: OpenEndsLike | None = None
    no_answer: bool = False
    attributes: tuple[tuple[str, str], ...] = ()

    def domain(self) -> Domain:
        """Return the domain that is meant, or say what is missing."""
        ways: dict[str, dict[str, object]] = {
            "--low and --high": {"--low": self.low, "--high": self.high},
            "--first and --last": {"--first": self.first, "--last": self.last},
            "--labels": {"--labels": self.labels},
            "--categories": {"--categories": self.categories},
            "--attribute, for each of several": {"--attribute": self.attributes or None},
        }
        said = [way for way, given in ways.items() if any(part is not None for part in given.values())]
        if len(said) != 1:
            got = f", got {' and also '.join(said)}" * bool(said)
            raise click.UsageError(f"say which values people may have, with one of: {'; '.join(ways)}{got}")
        for option, part in ways[said[0]].items():
            if part is None:
                raise click.UsageError(f"{said[0]} go together, and {option} is missing; add it")
        numbers = said == ["--low and --high"]
        if (self.bins is not None or self.logarithmic) and not numbers:
            raise click.UsageError("--bins and --logarithmic go with --low and --high only")
        if self.open_ends is not None and self.attributes:
            raise click.UsageError(
                "--open-ends is for one attribute; with several, add /open to the values of each"
            )
        if self.no_answer and self.attributes:
            raise click.UsageError(
                "--prefer-not-to-say is for one attribute; with several, add /no-answer to the values of "
                "each one that people may decline"
            )
        return self._of_values().with_open_ends(self.open_ends or False).with_no_answer(self.no_answer)

    def _of_values(self) -> Domain:
        if self.first is not None and self.last is not None:
            return Domain.dates(self.first, self.last)
        if self.labels is not None:
            return Domain.ordered(labels_of(self.labels))
        if self.categories is not None:
            return Domain.categories(labels_of(self.categories))
        if self.attributes:
            return product_of(self.attributes)
        return self._numbers()

    def _numbers(self) -> Domain:
        low, high = _number("--low", self.low), _number("--high", self.high)
        if self.bins is None:
            if self.logarithmic or not (isinstance(low, int) and isinstance(high, int)):
                raise click.UsageError("real numbers need --bins: say how many bins to use")
            return Domain.integers(low, high)
        make = Domain.logarithmic if self.logarithmic else Domain.real
        return make(low, high, self.bins)


_NOTHING = _Said()


def _number(option: str, text: str | None) -> int | float:
    try:
        return int(text or "")
    except ValueError:
        try:
            return float(text or "")
        except ValueError:
            raise click.BadParameter(f"must be a number, got {shown(text)}", param_hint=option) from None
