"""Answers: as a number, as a pair of ends, and in plain JSON types."""

from __future__ import annotations

import datetime
import json
from typing import Any

import numpy as np
import pytest

import ldprange as ldp

AGES = ldp.Domain.integers(0, 9)
WEEK = ldp.Domain.dates("2026-01-01", "2026-01-07")
SIZES = ldp.Domain.ordered(["XS", "S", "M"])


def estimate_on(domain: ldp.Domain) -> ldp.Estimate:
    plan = ldp.Plan(domain, 3.0, ldp.Flat(), ldp.GRR())
    return ldp.estimate(ldp.simulate(plan, [1000] * domain.bins, seed=1))


def test_an_answer_of_one_number_is_a_float() -> None:
    found = estimate_on(AGES)
    share, median = found.range(2, 5), found.quantile(0.5)
    assert float(share) == share.value
    assert (type(float(median)), float(median)) == (float, median.value)
    assert share.interval == (share.low, share.high)
    assert found.range(2, 5, confidence=None).interval is None


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (ldp.Answer(np.array([0.1, 0.2]), None, None, None), "an array of float64, 2"),
        (ldp.Answer(datetime.date(2026, 1, 31), None, None, None), r"datetime\.date\(2026, 1, 31\)"),
        (ldp.Answer("XS", None, None, None), "'XS'"),
    ],
)
def test_another_answer_is_no_float_and_says_so(answer: ldp.Answer[Any], got: str) -> None:
    with pytest.raises(TypeError, match=rf"one number, got {got}.*; use answer\.value"):
        float(answer)


@pytest.mark.parametrize("domain", [AGES, WEEK, SIZES, ldp.Domain.real(0.0, 1.0, bins=4)])
@pytest.mark.parametrize("confidence", [0.95, None])
def test_every_answer_is_plain_json(domain: ldp.Domain, confidence: float | None) -> None:
    found = estimate_on(domain)
    low, high = domain.lower(0), domain.upper(1)
    answers: list[ldp.Answer[Any]] = [
        found.range(low, high, confidence=confidence),
        found.ranges([low, low], [high, high], confidence=confidence),
        found.quantile(0.5, confidence=confidence),
        found.quantiles([0.25, 0.5], confidence=confidence),
        found.histogram(confidence=confidence),
    ]
    for answer in answers:
        described = answer.to_dict()
        assert json.loads(json.dumps(described, allow_nan=False)) == described
        assert list(described) == ["value", "low", "high", "confidence", "note"]
        assert described["confidence"] == confidence
        assert np.shape(described["value"]) == np.shape(answer.value)
        assert (
            np.asarray(described["value"]).astype(str).tolist()
            == np.asarray(answer.value).astype(str).tolist()
        )
