"""Labelled plans and aggregates come back from their files; what is something else is called by its name."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import ldprange as ldp
from aggregate_vectors import file_of_version_1
from example_labelled import PEOPLE, small
from ldprange.errors import FileError, PlanError
from ldprange.learning.plan import Asked

every_way = pytest.mark.parametrize("asked", ["one", "all"])
COUNTS = ldp.LabelledAggregate.empty(small("all"))


@every_way
def test_counts_come_back_from_their_file(asked: Asked, tmp_path: Path) -> None:
    counts = ldp.simulate_labelled(small(asked), np.array(PEOPLE * 10), ["a", "b", "b"] * 40, seed=1)
    counts.save(tmp_path / "week.counts")
    assert ldp.LabelledAggregate.load(tmp_path / "week.counts") == counts
    assert [each.name for each in tmp_path.iterdir()] == ["week.counts"]


def _signed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


def test_a_file_that_holds_aggregates_of_version_1_is_read(tmp_path: Path) -> None:
    pieces = [
        COUNTS.plan.to_json().encode(),
        *(file_of_version_1(one) for row in COUNTS.parts for one in row),
    ]
    body = b"LDPRLAB\x01" + b"".join(len(piece).to_bytes(8, "little") + piece for piece in pieces)
    (tmp_path / "old.counts").write_bytes(_signed(body))
    assert ldp.LabelledAggregate.load(tmp_path / "old.counts") == COUNTS


def test_a_file_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "week.counts"
    COUNTS.save(path)
    data = path.read_bytes()
    broken = {
        "cannot be read": None,
        "is empty": b"",
        "is something else": b"nothing of ours",
        "is an aggregate": COUNTS.parts[0][0].to_bytes(),
        "upgrade ldprange": data[:7] + b"\2" + data[8:],
        "truncated or damaged": data[:-1],
        "damaged": data[:40] + bytes([data[40] ^ 1]) + data[41:],
        "holds what cannot be": _signed(data[:8]),
        "JSON text": _signed(data[:16] + b"x" + data[17:-32]),
        "each of 2 classes, got 1": _signed(data[:8] + _pieces(data)[0] + b"".join(_pieces(data)[1:3])),
        "an aggregate that ldprange saved": _signed(data[:8] + _pieces(data)[0] + 4 * (bytes(7) + b"\1x")),
    }
    for words, content in broken.items():
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(FileError, match=words) as caught:
            ldp.LabelledAggregate.load(path)
        assert str(path) in str(caught.value)


def _pieces(data: bytes) -> list[bytes]:
    """Cut a file into plan and aggregates, each with its length before it."""
    found, at = [], 8
    while at < len(data) - 32:
        stop = at + 8 + int.from_bytes(data[at : at + 8], "little")
        found.append(data[at:stop])
        at = stop
    return found


@every_way
def test_a_plan_comes_back_from_its_text_and_from_its_file(asked: Asked, tmp_path: Path) -> None:
    plan, path = small(asked), tmp_path / "labelled.plan.json"
    assert ldp.LabelledPlan.from_json(plan.to_json()) == plan
    plan.save(path)
    assert ldp.LabelledPlan.load(path) == plan
    assert ldp.LabelledPlan.load(path).fingerprint == plan.fingerprint
    assert len({small(way).fingerprint for way in get_args(Asked)}) == 2
    path.write_text(plan.to_json().replace('"asked"', '"classes"'), encoding="utf-8")
    with pytest.raises(PlanError, match=r"labelled\.plan\.json: a labelled plan .* a key stands twice"):
        ldp.LabelledPlan.load(path)


def test_what_is_labelled_or_is_not_is_called_by_its_name(tmp_path: Path) -> None:
    plan = small("all")
    plan.save(tmp_path / "labelled.json")
    plan.plans[0].save(tmp_path / "plain.json")
    ldp.LabelledAggregate.empty(plan).save(tmp_path / "labelled.agg")
    ldp.Aggregate.empty(plan.plans[0]).save(tmp_path / "plain.agg")
    with pytest.raises(
        ldp.PlanError, match=r"labelled\.json: .*a labelled plan; read it with LabelledPlan\.load"
    ):
        ldp.Plan.load(tmp_path / "labelled.json")
    with pytest.raises(ldp.PlanError, match=r"plain\.json: .*a plan of one survey; read it with Plan\.load"):
        ldp.LabelledPlan.load(tmp_path / "plain.json")
    with pytest.raises(ldp.FileError, match=r"is a labelled aggregate; read it with LabelledAggregate\.load"):
        ldp.Aggregate.load(tmp_path / "labelled.agg")
    with pytest.raises(ldp.FileError, match=r"is an aggregate; read it with Aggregate\.load"):
        ldp.LabelledAggregate.load(tmp_path / "plain.agg")
