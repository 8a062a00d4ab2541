"""What ``ldprange query`` asks of an estimate, and the answers in plain JSON types."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldprange.answer import Answer
from ldprange.domain import Domain
from ldprange.domain.no_answer import check_answered
from ldprange.estimation import Estimate, JointEstimate

_ASK_EVERYONE = "every answer tells its share; for other questions about all people, add --everyone"
_QUARTILES = (0.25, 0.5, 0.75)

Ranges = Mapping[str, tuple[Any, Any]]
"""Low and high end by attribute."""


@dataclass(frozen=True)
class Questions:
    """What is asked about one attribute, as it was typed."""

    ranges: tuple[tuple[str, str], ...] = ()
    prefixes: tuple[str, ...] = ()
    quantiles: tuple[float, ...] = ()
    mean: bool = False
    histogram: bool = False
    cdf: bool = False
    band: str = "pointwise"

    @property
    def any(self) -> bool:
        """Whether anything is asked."""
        return self != Questions(band=self.band)

    def answers(self, estimated: Estimate, confidence: float) -> dict[str, Any]:
        """Return the answers from ``estimated`` at ``confidence``; what was not asked is left out."""
        domain, everyones = estimated.domain, estimated.everyone.domain
        found = dict[str, Any]()
        if estimated.everyone is not estimated:  # all else is then of those who answered
            found["no_answer"] = _one(estimated.no_answer(confidence=confidence))
        found["ranges"] = [
            {"from": low, "to": high, **_one(estimated.range(low, high, confidence=confidence))}
            for low, high in (parsed(domain, everyones, ends) for ends in self.ranges)
        ]
        found["prefixes"] = [
            {"to": bound, **_one(estimated.prefix(bound, confidence=confidence))}
            for bound in parsed(domain, everyones, self.prefixes)
        ]
        if self.quantiles:
            values = _each(estimated.quantiles(list(self.quantiles), confidence=confidence))
            found["quantiles"] = [{"q": q, **each} for q, each in zip(self.quantiles, values, strict=True)]
        if self.mean:
            found["mean"] = _one(estimated.mean(confidence=confidence))
        if self.histogram:
            found["histogram"] = [
                {"from": domain.lower(index), "to": domain.upper(index), **each}
                for index, each in enumerate(_each(estimated.histogram(confidence=confidence)))
            ]
        if self.cdf:
            shares = _each(estimated.cdf(confidence=confidence, band=self.band))
            found["band"] = self.band
            found["cdf"] = [{"to": domain.upper(index), **each} for index, each in enumerate(shares)]
        return {key: answer for key, answer in found.items() if answer}


def overview_of(estimated: Estimate) -> Questions:
    """Return the questions of an overview of ``estimated``: the quartiles, or the shares of categories."""
    return Questions(histogram=True) if estimated.domain.unordered else Questions(quantiles=_QUARTILES)


def share_within(found: JointEstimate, ranges: Ranges, confidence: float) -> dict[str, Any]:
    """Return the share of people in all ``ranges`` at once, from ``found`` at ``confidence``."""
    none, domain = {}, found.plan.domain
    if names := [name for name in ranges if found.domain.attribute(name) != domain.attribute(name)]:
        none = {"no_answer": {"attributes": names, **_one(found.no_answer(*names, confidence=confidence))}}
    return {"ranges": bounds(ranges), **none, **_one(found.range(ranges, confidence=confidence))}


def bounds(ranges: Ranges) -> dict[str, list[Any]]:
    """Return ``ranges`` in plain JSON types."""
    return {name: list(ends) for name, ends in ranges.items()}


def parsed(domain: Domain, everyones: Domain, typed: Sequence[str]) -> list[Any]:
    """Return bounds of a ``domain`` that were ``typed``; no answer may be one in ``everyones`` only."""
    check_answered(domain, everyones, typed, _ASK_EVERYONE)
    return [domain.parse(text) for text in typed]


def _one(answer: Answer[float]) -> dict[str, Any]:
    """Return an answer in plain JSON types; with a note, if there is one."""
    ends = {"value": answer.value, "low": answer.low, "high": answer.high}
    return {**ends, "note": answer.note} if answer.note else ends


def _each(found: Answer[Any]) -> Iterator[dict[str, Any]]:
    """Yield an answer of arrays entry by entry, in plain JSON types."""
    told = found.to_dict()
    for each in zip(told["value"], told["low"], told["high"], strict=True):
        yield dict(zip(("value", "low", "high"), each, strict=True))
