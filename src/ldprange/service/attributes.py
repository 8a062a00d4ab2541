"""Questions about several attributes: of one of them, of ranges in many, and the table of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ldprange.domain import Domain
from ldprange.domain.no_answer import check_answered
from ldprange.estimation import Estimate
from ldprange.plan import Plan
from ldprange.service.cells import MAX_CELLS, edges_of, parts_of
from ldprange.service.refusal import Refusal
from ldprange.service.replies import Parameters, columns, share

if TYPE_CHECKING:
    from ldprange.estimation import EitherEstimate

_MAX_TOGETHER = 1 << 19  # joint bins of attributes asked about together: each has a few numbers in memory
GIVEN = ("given", "given_low", "given_high")
"""Parameters: the attributes and the ranges of the people among whom something is asked."""

_ASK_EVERYONE = "every reply tells its share; for other questions about all people, add everyone=true"
_ONLY_ONE = "this survey has one attribute, without a name; leave out attribute, and what is given"


def one_attribute(parameters: Parameters, found: EitherEstimate) -> Estimate:
    """Return the estimate of the attribute that is asked about, among the people who are given."""
    names, several = parameters.texts("attribute"), names_of(found.domain)
    if several and len(names) != 1:
        raise Refusal(
            400,
            f"this needs one attribute: attribute={several[0]} or another of "
            f"{', '.join(several)}, got {len(names)}; of more, ask for a range or the histogram of two",
        )
    given = given_in(parameters, found)
    check_places(found.plan, [*names, *given])
    return found.marginal(*names, given=given)


def share_of_range(parameters: Parameters, found: EitherEstimate, confidence: float) -> dict[str, Any]:
    """Tell the share of people who are in a range on every attribute that is named, or on the only one."""
    ends = _ranges(parameters, found, ("attribute", "low", "high"))
    given = given_in(parameters, found)
    if not ends:
        name = next(iter(found.domain.attributes))
        raise Refusal(400, f"name an attribute and its range, as in attribute={name}&low=…&high=…")
    check_places(found.plan, [*ends, *given])
    answer = (
        found.range(*ends[""], confidence=confidence)
        if "" in ends
        else found.range(ends, given=given, confidence=confidence)
    )
    return {
        "attributes": list(ends),
        "from": [low for low, _ in ends.values()],
        "to": [high for _, high in ends.values()],
        **share(answer),
    }


def asked_about(parameters: Parameters, found: EitherEstimate) -> dict[str, Any]:
    """Tell which one of several attributes a question was about, and among whom."""
    names, given = parameters.texts("attribute"), given_in(parameters, found)
    about: dict[str, Any] = {"attribute": names[0]} if len(names) == 1 else {}
    if given:
        about["given"] = {name: list(ends) for name, ends in given.items()}
    return about


def given_in(parameters: Parameters, found: EitherEstimate) -> dict[str, Any]:
    """Return the ranges by attribute of the people among whom something is asked; they may be no answer."""
    return _ranges(parameters, found.everyone, GIVEN)


def may_be_unanswered(found: EitherEstimate, names: Sequence[str]) -> bool:
    """Return whether some people, who are not asked about, left out one of ``names`` (none: of all)."""
    domain = found.plan.domain
    return any(found.domain.attribute(name) != domain.attribute(name) for name in names or domain.attributes)


def names_of(domain: Domain) -> list[str]:
    """Return the names of the attributes; an only one has none."""
    return [name for name in domain.attributes if name]


def bound_of(text: str, found: Estimate | EitherEstimate, name: str = "") -> Any:
    """Return the bound of an attribute that came as ``text``."""
    domain = found.domain.attribute(name)
    check_answered(domain, found.everyone.domain.attribute(name), [text], _ASK_EVERYONE)
    return domain.parse(text)


def _ranges(parameters: Parameters, found: EitherEstimate, named: tuple[str, str, str]) -> dict[str, Any]:
    """Return ranges by attribute: as many low and high ends as names; an only attribute is not named."""
    several = names_of(found.domain)
    if not several:
        if parameters.texts("attribute") or any(map(parameters.texts, GIVEN)):
            raise Refusal(400, _ONLY_ONE)
        if named == GIVEN:
            return {}
        return {"": tuple(bound_of(parameters.text(end), found) for end in named[1:])}
    names, lows, highs = (parameters.texts(name) for name in named)
    if not len(names) == len(lows) == len(highs):
        name, low, high = named
        raise Refusal(
            400,
            "of several attributes each must be named with its range, as in "
            f"{name}={several[0]}&{low}=…&{high}=…&{name}={several[1]}&{low}=…&{high}=…, "
            f"got {len(names)} attributes, {len(lows)} low ends and {len(highs)} high ends",
        )
    if len(set(names)) != len(names):
        raise Refusal(400, f"an attribute must be named once, got {', '.join(names)}")
    each = zip(names, lows, highs, strict=True)
    return {name: (bound_of(low, found, name), bound_of(high, found, name)) for name, low, high in each}


def check_places(plan: Plan, names: Sequence[str]) -> tuple[int, ...]:
    """Return the attributes' places in order; refuse other names, and tables too large to hold."""
    if not names_of(plan.domain):
        return (0,)
    product, grids = parts_of(plan)
    places = tuple(sorted(product.place(name) for name in names))
    if len(set(names)) != len(names):
        raise Refusal(400, f"an attribute must be named once, got {', '.join(names)}")
    for together in [places] if grids.asks_together(places) else combinations(places, 2):
        bins = math.prod(product.shape[attribute] for attribute in together)
        if bins > _MAX_TOGETHER:
            raise Refusal(
                400,
                f"attributes that are asked about together may have at most {_MAX_TOGETHER} joint bins here, "
                f"and {', '.join(product.names[attribute] for attribute in together)} have {bins}; "
                "ask about each alone, or use the library",
            )
    return places


def two_of(parameters: Parameters, plan: Plan) -> tuple[str, str]:
    """Return the two attributes that a table is asked of; the plan must ask about them together."""
    product, grids = parts_of(plan)
    names = parameters.texts("attribute")
    if len(names) != 2:
        raise Refusal(
            400,
            f"this is asked of one or two attributes out of {', '.join(product.names)}, got {len(names)}; "
            f"as in attribute={product.names[0]}&attribute={product.names[1]}",
        )
    places = check_places(plan, names)
    if not grids.asks_together(places):
        raise Refusal(
            400, f"the plan does not ask about {' and '.join(names)} together; ask about each alone"
        )
    return names[0], names[1]


def check_attributes(parameters: Parameters, plan: Plan) -> None:
    """Raise Refusal unless a picture is of the survey's one attribute, of one of several, or of two."""
    names = parameters.texts("attribute")
    if not names_of(plan.domain):
        if names:
            raise Refusal(400, _ONLY_ONE)
        return
    if len(names) == 1:
        check_places(plan, names)
    else:
        two_of(parameters, plan)


def pair_pictures(
    found: EitherEstimate, names: tuple[str, str], confidence: float, half: float
) -> dict[str, Any]:
    """Return what there is to draw of two attributes, for a typical half-width of an interval.

    A cell says something if its interval is not longer than its share. Of such there are about 1/(2·half),
    for an even one's share is then twice the half-width. There are twice as many on each side, for the eye
    takes neighbours together; but 4 to 32.
    """
    edges = asked_edges(found, names, math.sqrt(2 / half))
    marginals = []
    for name, each in zip(names, edges, strict=True):
        lows, highs = found.domain.attribute(name).run_ends(each)
        marginals.append(columns(found.marginal(name).ranges(lows, highs, confidence=confidence)))
    unanswered = may_be_unanswered(found, names)
    return {
        "attributes": list(names),
        "no_answer": columns(found.no_answer(*names, confidence=confidence)) if unanswered else None,
        "table": table_of(found, names, edges, confidence),
        "marginals": marginals,
    }


def asked_edges(found: EitherEstimate, names: tuple[str, str], wanted: float = MAX_CELLS) -> list[list[int]]:
    """Return the edges of about ``wanted`` cells of two attributes.

    What is beyond an open end has a cell of its own, and so has no answer where all people are asked about.
    """
    each = zip(map(found.domain.attribute, names), edges_of(found.plan, names, wanted), strict=True)
    return [_named_apart(domain, edges) for domain, edges in each]


def _named_apart(domain: Domain, edges: Sequence[int]) -> list[int]:
    """Return the ``edges`` of cells on the axis, and those of each bin that has no place there."""
    plain = domain.plain_bins
    on_axis = {min(max(edge, plain.start), plain.stop) for edge in edges}
    return sorted({*range(plain.start), *on_axis, *range(plain.stop, domain.bins + 1)})


def table_of(
    found: EitherEstimate, names: tuple[str, str], edges: Sequence[Sequence[int]], confidence: float
) -> dict[str, Any]:
    """Tell the share of every cell of two attributes: rows by the first, columns by the second."""
    ends = [found.domain.attribute(name).run_ends(each) for name, each in zip(names, edges, strict=True)]
    rows, cells = (len(each) - 1 for each in edges)
    first = [[each for each in side for _ in range(cells)] for side in ends[0]]
    second = [side * rows for side in ends[1]]
    ranges = {names[0]: (first[0], first[1]), names[1]: (second[0], second[1])}
    shares = columns(found.ranges(ranges, confidence=confidence))
    return {
        "from": [lows for lows, _ in ends],
        "to": [highs for _, highs in ends],
        **{
            name: [flat[at : at + cells] for at in range(0, len(flat), cells)]
            for name, flat in shares.items()
        },
    }
