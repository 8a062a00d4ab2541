"""The published vectors, replayed: what the versions mean, byte by byte."""

from __future__ import annotations

import hashlib
import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from ldprange import kernels, wire
from ldprange.client.encoding import encode_with
from ldprange.decompositions import KINDS as DECOMPOSITION_KINDS
from ldprange.oracles import KINDS as ORACLE_KINDS
from ldprange.protocol import run_protocol
from scripted_coins import ScriptedCoins

FOLDER = Path(__file__).parents[2] / "test_vectors"


def _read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


PLANS = _read("plans.json")
every_plan = pytest.mark.parametrize("vector", PLANS, ids=[vector["name"] for vector in PLANS])


def _plan(vector: dict[str, Any]) -> ldp.Plan:
    return ldp.Plan.from_json(json.dumps(vector["plan"]))


@every_plan
def test_plans(vector: dict[str, Any]) -> None:
    plan = _plan(vector)
    assert plan.fingerprint == vector["fingerprint"]
    assert json.loads(plan.to_json()) == vector["plan"]
    assert list(plan.level_thresholds) == vector["level_thresholds"]
    assert vector["levels"] == [
        {"cells": level.cells, "size": level.size, "width": mechanism.width}
        | ({"shifts": level.shifts, "asked": level.asked} if level.shifts > 1 else {})
        for level, mechanism in zip(plan.levels, plan.mechanisms, strict=True)
    ]


@every_plan
def test_reports(vector: dict[str, Any]) -> None:
    plan = _plan(vector)
    client = ldp.Client(plan)
    for report in vector["reports"]:
        coins = ScriptedCoins(report["words"])
        made = encode_with(client, plan.domain.index_one(report["value"]), coins)
        assert wire.pack(made).hex() == report["report"]
        assert coins.left == 0


FILES = {vector["name"]: vector["file"] for vector in _read("aggregates.json")["good"]}


@every_plan
def test_batches_and_aggregates(vector: dict[str, Any], tmp_path: Path) -> None:
    plan = _plan(vector)
    batch = bytes.fromhex(vector["batch"])
    assert wire.pack(wire.unpack(plan, batch), version=1) == batch
    total = ldp.Aggregate.of(plan, batch)
    assert total == ldp.Aggregate.of(plan, [bytes.fromhex(report["report"]) for report in vector["reports"]])
    assert list(total.users) == vector["users"]
    if "counts" in vector:
        for counts, wanted in zip(total.counts, vector["counts"], strict=True):
            assert {str(i): int(counts[i]) for i in np.flatnonzero(counts)} == wanted
    if "file" in vector:
        path = tmp_path / "some.agg"
        path.write_bytes(bytes.fromhex(vector["file"]))
        assert ldp.Aggregate.load(path) == total
    if vector["name"] in FILES:
        path = tmp_path / "new.agg"
        path.write_bytes(bytes.fromhex(FILES[vector["name"]]))
        assert ldp.Aggregate.load(path) == total
        total.save(path)
        assert path.read_bytes().hex() == FILES[vector["name"]]


@pytest.mark.parametrize("bad", _read("aggregates.json")["bad"], ids=lambda bad: bad["reason"])
def test_bad_aggregates(bad: dict[str, str]) -> None:
    with pytest.raises(ldp.FileError):
        ldp.Aggregate.from_bytes(bytes.fromhex(bad["file"]))


VERSION_2 = {vector["name"]: vector for vector in _read("version_2.json")}


@every_plan
def test_version_2(vector: dict[str, Any]) -> None:
    plan, in_bits = _plan(vector), VERSION_2[vector["name"]]
    assert [mechanism.bits for mechanism in plan.mechanisms] == in_bits["bits"]
    for old, new in zip(vector["reports"], in_bits["reports"], strict=True):
        report = wire.unpack(plan, bytes.fromhex(old["report"]))
        assert wire.pack(report).hex() == new
        assert wire.pack(wire.unpack(plan, bytes.fromhex(new)), version=1).hex() == old["report"]
    old, new = bytes.fromhex(vector["batch"]), bytes.fromhex(in_bits["batch"])
    assert wire.pack(wire.unpack(plan, old)) == new
    assert wire.pack(wire.unpack(plan, new), version=1) == old
    for payload in in_bits["bad"]:
        with pytest.raises(getattr(ldp, payload["error"])):
            wire.unpack(plan, bytes.fromhex(payload["payload"]))


@every_plan
def test_the_protocol_replays_them(vector: dict[str, Any]) -> None:
    reports = vector["reports"]
    coins = iter([ScriptedCoins(report["words"]) for report in reports])
    total, found = run_protocol(_plan(vector), [report["value"] for report in reports], lambda: next(coins))
    assert total == ldp.Aggregate.of(_plan(vector), bytes.fromhex(vector["batch"]))
    assert found.users == len(reports)


@every_plan
def test_bad_payloads(vector: dict[str, Any]) -> None:
    plan = _plan(vector)
    for bad in vector["bad"]:
        with pytest.raises(getattr(ldp, bad["error"])):
            wire.unpack(plan, bytes.fromhex(bad["payload"]))
        with pytest.raises(getattr(ldp, bad["error"])):
            ldp.Aggregate.of(plan, bytes.fromhex(bad["payload"]))


def test_hashes() -> None:
    for vector in _read("hashes.json"):
        found = kernels.polynomial_hash(
            np.array(vector["coefficients"], np.uint64)[:, None],
            np.array([vector["item"]], np.uint64),
            vector["exponent"],
            vector["symbols"],
        )
        assert found.tolist() == [vector["symbol"]]


@pytest.mark.parametrize("vector", _read("fingerprints.json"), ids=lambda vector: vector["name"])
def test_fingerprints(vector: dict[str, Any]) -> None:
    rest = {key: value for key, value in vector["plan"].items() if key != "fingerprint"}
    assert json.dumps(rest, sort_keys=True, separators=(",", ":")) == vector["canonical"]
    assert hashlib.sha256(vector["canonical"].encode("ascii")).hexdigest()[:16] == vector["fingerprint"]
    assert _plan(vector).fingerprint == vector["plan"]["fingerprint"] == vector["fingerprint"]


@pytest.mark.parametrize("vector", _read("bad_plans.json"), ids=lambda vector: vector["reason"])
def test_bad_plans(vector: dict[str, str]) -> None:
    with pytest.raises(ldp.PlanError):
        ldp.Plan.from_json(vector["text"])


def test_files_of_aggregates_are_published_in_both_versions() -> None:
    assert len(FILES) >= sum("file" in vector for vector in PLANS) > 10


def test_the_vectors_cover_every_oracle_decomposition_and_domain() -> None:
    plans = [vector["plan"] for vector in PLANS]
    assert {plan["domain"]["kind"] for plan in plans} == {
        "integers",
        "real",
        "logarithmic",
        "dates",
        "ordered",
        "categories",
        "product",
        "open_ends",
        "no_answer",
    }
    assert {plan["decomposition"]["kind"] for plan in plans} == set(DECOMPOSITION_KINDS)
    products = [plan["domain"] for plan in plans if plan["domain"]["kind"] == "product"]
    assert {axis["kind"] for domain in products for axis in domain["axes"]} >= {
        "integers",
        "real",
        "logarithmic",
        "dates",
        "ordered",
    }
    assert {len(domain["names"]) for domain in products} >= {2, 4}
    oracles = {oracle["kind"] for plan in plans for oracle in plan["oracles"]}
    assert oracles == set(ORACLE_KINDS)
    bits = {oracle["bits"] for plan in plans for oracle in plan["oracles"] if oracle["kind"] == "hadamard"}
    assert bits == {1, 2, 3, 4}
    assert {vector["exponent"] for vector in _read("hashes.json")} == {7, 13, 17, 19, 31}


def test_the_committed_files_are_what_the_script_writes() -> None:
    built = runpy.run_path(str(FOLDER / "generate.py"))["build"]()
    assert set(built) == {path.name for path in FOLDER.glob("*.json")}
    for name, text in built.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text + "\n"
