"""Answers as frames: a row for each, with what was asked beside it, in pandas or polars."""

from __future__ import annotations

import datetime
import io
import pickle
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ldprange as ldp
from ldprange.errors import MissingPackageError

DAY = datetime.date(2026, 1, 1)
AGES = ldp.Domain.integers(0, 3)
OPEN_ENDS: list[object] = [pytest.approx(end, nan_ok=True) for end in (np.nan, 0, 1, np.nan)]
DOMAINS: dict[str, tuple[ldp.Domain, dict[str, list[object]]]] = {
    "integers": (AGES, {"from": [0, 1, 2, 3], "to": [0, 1, 2, 3]}),
    "real": (ldp.Domain.real(0, 1, bins=4), {"from": [0, 0.25, 0.5, 0.75], "to": [0.25, 0.5, 0.75, 1]}),
    "dates": (
        ldp.Domain.dates(DAY, DAY.replace(day=4)),
        {end: list(pd.date_range("2026-01-01", periods=4)) for end in ("from", "to")},
    ),
    "labels": (ldp.Domain.ordered(["XS", "S", "M", "L"]), {"label": ["XS", "S", "M", "L"]}),
    "open ends": (
        ldp.Domain.integers(0, 1, open_ends=True),
        {"label": ["less than 0", "0", "1", "more than 1"], **dict.fromkeys(("from", "to"), OPEN_ENDS)},
    ),
}
every_domain = pytest.mark.parametrize(("domain", "bins"), DOMAINS.values(), ids=DOMAINS.keys())


def estimate_of(domain: ldp.Domain) -> Any:
    plan = ldp.choose_plan(domain, epsilon=2.0, expected_users=1000)
    counts = 100 + np.arange(domain.bins).reshape(domain.shape)
    return ldp.estimate(ldp.simulate(plan, counts, seed=1))


class TestOfOneAttribute:
    @every_domain
    def test_bins(self, domain: ldp.Domain, bins: dict[str, list[object]]) -> None:
        found = estimate_of(domain)
        histogram, cdf = found.histogram(), found.cdf(band="simultaneous")
        for answer, asked in ((histogram, list(bins)), (cdf, [name for name in bins if name != "from"])):
            frame = answer.to_frame()
            assert list(frame.columns) == [*asked, "value", "low", "high", "confidence"]
            for name in asked:
                assert frame[name].tolist() == bins[name]
            for name in ("value", "low", "high"):
                assert frame[name].tolist() == getattr(answer, name).tolist()
            assert set(frame["confidence"]) == {0.95}

    @pytest.mark.parametrize(
        ("domain", "kind"),
        [
            (ldp.Domain.real(0, 10, bins=4, open_ends=True), "f"),
            (ldp.Domain.dates(DAY, DAY.replace(day=4), open_ends="high"), "M"),
        ],
    )
    def test_quantiles_beyond_open_ends_are_nothing(self, domain: ldp.Domain, kind: str) -> None:
        quantiles = estimate_of(domain).quantiles([0.01, 0.5, 0.99])
        names = [isinstance(each, str) for each in quantiles.value.tolist()]
        assert any(names)
        frame = quantiles.to_frame()
        assert frame["value"].dtype.kind == frame["high"].dtype.kind == kind
        assert frame["value"].isna().tolist() == names
        frame.to_parquet(io.BytesIO())

    def test_questions(self) -> None:
        found = estimate_of(AGES)
        ranges = found.ranges([0, 1], [2, 3], confidence=0.9).to_frame()
        assert ranges[["from", "to"]].to_numpy().tolist() == [[0, 2], [1, 3]]
        assert found.ranges(0, [2, 3]).to_frame()[["from", "to"]].to_numpy().tolist() == [[0, 2], [0, 3]]
        assert found.prefixes([1, 2]).to_frame()["to"].tolist() == [1, 2]
        quartiles = found.quantiles([0.25, 0.5, 0.75])
        assert quartiles.to_frame()["q"].tolist() == [0.25, 0.5, 0.75]
        assert quartiles.to_frame()["value"].tolist() == quartiles.value.tolist()

    def test_one_answer_is_one_row(self) -> None:
        found = estimate_of(AGES)
        answer = found.range(1, 2)
        (row,) = answer.to_frame().to_dict("records")
        ends = {"value": answer.value, "low": answer.low, "high": answer.high, "confidence": 0.95}
        assert row == {"from": 1, "to": 2, **ends}
        assert list(found.quantile(0.5, confidence=None).to_frame().columns) == ["q", "value"]

    def test_a_note_is_beside_its_answer(self) -> None:
        found = estimate_of(ldp.Domain.real(0.0, 4.0, bins=4))
        answer = found.range(0.5, 2.0)
        assert "inside a bin" in answer.note
        assert answer.to_frame()["note"].tolist() == [answer.note]
        assert "note" not in found.range(1.0, 2.0).to_frame().columns

    def test_days_are_days(self) -> None:
        median = estimate_of(DOMAINS["dates"][0]).quantile(0.5)
        assert median.to_frame()["value"].dt.date.tolist() == [median.value]

    def test_answers_can_still_be_compared_and_pickled(self) -> None:
        answer = estimate_of(AGES).range(1, 2)
        copy = pickle.loads(pickle.dumps(answer))  # noqa: S301 (our own)
        assert copy == answer
        assert copy.to_frame().equals(answer.to_frame())
        for many in (estimate_of(AGES).histogram(), estimate_of(AGES).cdf()):
            assert pickle.loads(pickle.dumps(many)).to_frame().equals(many.to_frame())  # noqa: S301


class TestOfSeveral:
    DOMAIN = ldp.Domain.product(age=AGES, size=ldp.Domain.ordered(["S", "M"]))

    def test_joint_bins(self) -> None:
        found = estimate_of(self.DOMAIN)
        frame = found.histogram("size", "age").to_frame()
        assert list(frame.columns[:3]) == ["size", "age from", "age to"]
        assert frame["size"].tolist() == ["S"] * 4 + ["M"] * 4
        assert frame["age from"].tolist() == [0, 1, 2, 3] * 2
        assert frame["value"].tolist() == found.histogram("size", "age").value.reshape(-1).tolist()
        row = frame[(frame["size"] == "M") & (frame["age from"] == 2)]
        assert row["value"].item() == pytest.approx(found.range(age=(2, 2), size=("M", "M")).value)

    def test_joint_ranges(self) -> None:
        frame = estimate_of(self.DOMAIN).ranges(age=([0, 1], [1, 3]), size=("S", "M")).to_frame()
        assert frame.iloc[:, :4].to_numpy().tolist() == [[0, 1, "S", "M"], [1, 3, "S", "M"]]


class TestLibraries:
    @every_domain
    def test_polars_without_pandas(
        self, domain: ldp.Domain, bins: dict[str, list[object]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        histogram = estimate_of(domain).histogram()
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "pandas", None)
            frame = histogram.to_frame()
        assert isinstance(frame, pl.DataFrame)
        assert frame.columns == [*bins, "value", "low", "high", "confidence"]
        assert frame["value"].to_list() == histogram.value.tolist()

    def test_neither(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for package in ("pandas", "polars"):
            monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(MissingPackageError, match="neither is installed; pip install pandas"):
            estimate_of(AGES).histogram().to_frame()
