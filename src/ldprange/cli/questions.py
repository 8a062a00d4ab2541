"""What ``ldprange query`` asks of an estimate, and the answers in plain JSON types."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ldprange.answer import Answer
from ldprange.estimation import Estimate, JointEstimate

_QUARTILES = (0.25, 0.5, 0.75)

Ranges = Mapping[str, tuple[Any, Any]]
"""Low and high end by attribute."""


@dataclass(frozen=True)
class Questions:
    """What is asked about one attribute, as it was typed."""

    ranges: tuple[tuple[str, str], ...] = ()
    prefixes: tuple[str, ...] = ()
    quantiles: tuple[float, ...] = ()
    histogram: bool = False
    cdf: bool = False
    band: str = "pointwise"

    @property
    def any(self) -> bool:
        """Whether anything is asked."""
        return bool(self.ranges or self.prefixes or self.quantiles or self.histogram or self.cdf)

    def answers(self, estimated: Estimate, confidence: float) -> dict[str, Any]:
        """Return the answers from ``estimated`` at ``confidence``; what was not asked is left out."""
        found = {
            "no_answer": _no_answer(estimated, confidence),
            "ranges": _ranges(estimated, self.ranges, confidence),
            "prefixes": _prefixes(estimated, self.prefixes, confidence),
            "quantiles": _quantiles(estimated, self.quantiles, confidence),
            "histogram": _histogram(estimated, confidence) if self.histogram else [],
            "band": self.band if self.cdf else None,
            "cdf": _cdf(estimated, confidence, self.band) if self.cdf else [],
        }
        return {key: answer for key, answer in found.items() if answer}


def overview_of(estimated: Estimate) -> Questions:
    """Return the questions of an overview of ``estimated``: the quartiles, or the shares of categories."""
    return Questions(histogram=True) if estimated.domain.unordered else Questions(quantiles=_QUARTILES)


def share_within(found: JointEstimate, ranges: Ranges, confidence: float) -> dict[str, Any]:
    """Return the share of people in all ``ranges`` at once, from ``found`` at ``confidence``."""
    none = {}
    if any(found.plan.domain.attribute(name).optional for name in ranges):
        none = {"no_answer": _one(found.no_answer(*ranges, confidence=confidence))}
    return {"ranges": bounds(ranges), **none, **_one(found.range(ranges, confidence=confidence))}


def bounds(ranges: Ranges) -> dict[str, list[Any]]:
    """Return ``ranges`` in plain JSON types."""
    return {name: list(ends) for name, ends in ranges.items()}


def _no_answer(estimated: Estimate, confidence: float) -> dict[str, Any] | None:
    """Return the share of all people who gave no answer, if they need not; all else is then of the others."""
    everybody_answers = estimated.everyone is estimated
    return None if everybody_answers else _one(estimated.no_answer(confidence=confidence))


def _ranges(
    estimated: Estimate, typed: tuple[tuple[str, str], ...], confidence: float
) -> list[dict[str, Any]]:
    return [
        {"from": low, "to": high, **_one(estimated.range(low, high, confidence=confidence))}
        for low, high in (map(estimated.domain.parse, ends) for ends in typed)
    ]


def _prefixes(estimated: Estimate, typed: tuple[str, ...], confidence: float) -> list[dict[str, Any]]:
    parsed = map(estimated.domain.parse, typed)
    return [{"to": bound, **_one(estimated.prefix(bound, confidence=confidence))} for bound in parsed]


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
