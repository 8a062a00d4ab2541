"""The JavaScript client against the Python one: its package, its reports, its thresholds, its refusals."""

from __future__ import annotations

import copy
import datetime
import json
import math
import os
import random
import struct
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ldprange as ldp
from example_kinds import DECOMPOSITIONS, ORACLES
from ldprange import wire
from ldprange.client.encoding import encode_with
from ldprange.decompositions.grids_layout import Grid
from ldprange.domain import Product
from ldprange.oracles import Oracle
from ldprange.oracles.randomized_response import SymbolResponse
from ldprange.oracles.shifted import ShiftedMechanism
from ldprange.oracles.subset_selection import SubsetMechanism
from ldprange.oracles.unary_encoding import _UnaryMechanism
from ldprange.randomness import WORDS, Coins, exponential_from_below
from node_client import FOLDER, ROOT, answers, as_json, program, seeded
from unused_coins import UnusedCoins


def test_plans_that_chance_has_changed_are_read_or_refused(node: str) -> None:
    fuzz = [node, str(FOLDER / "support" / "fuzz_plans.js"), "5000", str(ROOT / "test_vectors/plans.json")]
    done = subprocess.run(fuzz, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "5000 inputs" in done.stdout


def test_its_own_tests_pass(node: str) -> None:
    done = subprocess.run([node, "--test"], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# fail 0" in done.stdout or "ℹ fail 0" in done.stdout


def test_the_package_holds_what_is_needed(node: str, tmp_path: Path) -> None:
    quiet = {
        "npm_config_cache": str(tmp_path),
        "npm_config_offline": "true",
        "npm_config_update_notifier": "false",
    }
    done = subprocess.run(
        [program("npm"), "pack", "--dry-run", "--json"],
        cwd=FOLDER,
        env={**os.environ, **quiet},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (package,) = json.loads(done.stdout)
    sources = {path.name for path in FOLDER.glob("*.js")}
    assert {file["path"] for file in package["files"]} == sources | {
        "LICENSE",
        "README.md",
        "index.d.ts",
        "package.json",
    }
    assert (package["name"], package["version"]) == ("ldprange", ldp.__version__)
    assert package["unpackedSize"] < 100_000


def test_the_licence_is_that_of_the_repository() -> None:
    assert (FOLDER / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


# Reports


class EdgyCoins:
    """Words like any and words at the edges of what they decide; remembers all that were used."""

    def __init__(self, rng: random.Random, edges: Sequence[int]) -> None:
        self._rng, self._edges = rng, edges
        self.used: list[int] = []

    def word(self) -> int:
        edgy = self._rng.random() < 0.3
        self.used.append(self._rng.choice(self._edges) if edgy else self._rng.getrandbits(32))
        return self.used[-1]

    def words(self, count: int) -> NDArray[np.uint32]:
        return np.array([self.word() for _ in range(count)], np.uint32)

    @property
    def spare(self) -> Coins:
        return UnusedCoins()


def _domain(
    rng: random.Random, sizes: Sequence[int] = (1, 2, 3, 5, 8, 16, 31, 64, 100, 120, 257)
) -> ldp.Domain:
    bins = rng.choice([*sizes, rng.randint(min(sizes), max(sizes) * 2)])
    low = rng.choice([0, 1, -bins, rng.randint(-(10**6), 10**6)])
    first = datetime.date(1, 1, 1) + datetime.timedelta(days=rng.randint(0, 3_600_000))
    return rng.choice(
        [
            ldp.Domain.integers(low, low + bins - 1),
            ldp.Domain.real(rng.uniform(-9, 9), rng.uniform(10, 99), bins),
            ldp.Domain.logarithmic(rng.uniform(0.01, 9), rng.uniform(10, 1e6), bins),
            ldp.Domain.dates(first, first + datetime.timedelta(days=bins - 1)),
            ldp.Domain.ordered([f"é{number}" for number in range(bins)]),
            ldp.Domain.integers(low, low + bins - 1, open_ends=rng.choice([True, "low", "high"])),
            ldp.Domain.ordered([f"é{number}" for number in range(bins)], no_answer=True),
            ldp.Domain.integers(low, low + bins - 1, open_ends=True, no_answer=True),
        ]
    )


def _oracle(rng: random.Random) -> Oracle:
    return rng.choice(
        [
            *ORACLES.values(),
            ldp.OLH(rng.choice([2, 3, rng.randint(2, 3000), 2**16])),
            ldp.HadamardHashing(rng.randint(1, 4)),
        ]
    )


def _plan(rng: random.Random) -> ldp.Plan:
    domain = _domain(rng)
    widths = sorted({1, *(rng.randint(1, max(1, domain.bins - 1)) for _ in range(3))}, reverse=True)
    decomposition = rng.choice([*DECOMPOSITIONS.values(), ldp.Tree(rng.randint(2, 12)), ldp.Windows(widths)])
    levels = len(decomposition.on(domain).levels)
    oracle = [_oracle(rng) for _ in range(levels)] if rng.random() < 0.5 else _oracle(rng)
    weights = [rng.randint(0, 9) for _ in range(levels - 1)] + [1]
    probabilities = [weight / sum(weights) for weight in weights] if rng.random() < 0.5 else None
    epsilon = rng.choice([0.1, 0.5, 1.0, 1.1, 2.0, 8.0, 70.0, math.exp(rng.uniform(-3, 3))])
    return ldp.Plan(domain, epsilon, decomposition, oracle, probabilities)


def _product_plan(rng: random.Random) -> ldp.Plan:
    attributes = rng.choice([2, 2, 3, 5])
    names = rng.sample(["age", "__proto__", "größe", "a b", "constructor", "0", "length"], attributes)
    axes = [_domain(rng, (2, 3, 4, 6, 8, 9, 12)) for _ in names]
    domain = ldp.Domain.product(**dict(zip(names, axes, strict=True)))
    many = attributes > 2 or rng.random() < 0.3
    grids = ldp.Grids.pairs(domain, 30) if many else ldp.Tree(rng.randint(2, 5))
    levels = len(grids.on(domain).levels)
    oracle = [_oracle(rng) for _ in range(levels)] if rng.random() < 0.5 else _oracle(rng)
    return ldp.Plan(domain, rng.choice([0.5, 1.1, 2.0, 8.0]), grids, oracle)


def _any_plan(rng: random.Random) -> ldp.Plan:
    if rng.random() < 0.7:
        return _plan(rng)
    while True:
        try:
            return _product_plan(rng)
        except ldp.PlanError:  # all attributes have one bin, or there are too many levels
            continue


def _value(domain: ldp.Domain, rng: random.Random) -> Any:
    if isinstance(domain, Product):
        return {name: _value(axis, rng) for name, axis in zip(domain.names, domain.axes, strict=True)}
    index = rng.choice([0, domain.bins - 1, rng.randrange(domain.bins)])
    return as_json(domain.at(index + (0.5 if domain.kind in ("real", "logarithmic") else 0.0)))


def _edges(plan: ldp.Plan) -> list[int]:
    """Return the words at which something changes."""
    edges = {0, 1, 2**31, WORDS, *plan.level_thresholds}
    for mechanism in plan.mechanisms:
        grid = mechanism._grid if isinstance(mechanism, ShiftedMechanism) else mechanism
        for known in (grid, getattr(grid, "_response", grid)):  # thresholds are among the whole numbers kept
            edges |= {value for value in vars(known).values() if type(value) is int and value < WORDS}
    return sorted({min(max(0, edge + step), WORDS - 1) for edge in edges for step in (-1, 0)})


def _survey(plan: ldp.Plan, rng: random.Random, people: int) -> tuple[dict[str, Any], list[ldp.Report]]:
    """Let Python encode some people; return what JavaScript needs to do the same, and the reports."""
    client, edges = ldp.Client(plan), _edges(plan)
    given, reports = [], []
    for _ in range(people):
        coins, value = EdgyCoins(rng, edges), _value(plan.domain, rng)
        reports.append(encode_with(client, plan.domain.index_one(value), coins))
        given.append({"value": value, "words": coins.used})
    return {"plan": json.loads(plan.to_json()), "people": given}, reports


def test_reports_are_those_of_python(node: str) -> None:
    rng = seeded(1)
    surveys = [_survey(_any_plan(rng), rng, people=12) for _ in range(500)]
    large = ldp.Domain.integers(0, 2**26 - 1)
    for oracle in (ldp.GRR(), ldp.OLH(), ldp.OLH(2**16), *(ldp.HadamardHashing(t) for t in (1, 2, 3))):
        surveys.append(_survey(ldp.Plan(large, 3.5, ldp.Flat(), oracle), rng, people=50))
        surveys.append(_survey(ldp.Plan(large, 3.5, ldp.Haar(), ldp.HRR()), rng, people=50))
    found = answers(node, "reports", [given for given, _ in surveys])
    for (given, reports), answer in zip(surveys, found, strict=True):
        wanted = [[wire.pack(report).hex(), 0] for report in reports]
        assert answer == wanted, given["plan"]


def test_thresholds_are_those_of_python(node: str) -> None:
    rng = seeded(2)
    epsilons = [math.exp(rng.uniform(-20, math.log(80))) for _ in range(1500)]
    epsilons += [number / 10 for number in range(1, 200)] + [number / 64 for number in range(1, 200)]
    epsilons += [math.log(number) for number in range(2, 200)]  # e^ε beside a whole number, on either side
    epsilons += [math.nextafter(math.log(number), 99) for number in range(2, 200)]
    epsilons += [5e-324, 1e-300, 1e-49, 1e-16, 1e-9, 64.0, math.nextafter(64, 0), 64.5, 1e300]
    cases = []
    for epsilon in epsilons:
        cells = rng.randint(2, 2**16)
        size, symbols = rng.randint(1, cells - 1), rng.choice([2, 3, 4, 16, rng.randint(2, 2**26)])
        cases.append((epsilon, symbols, cells, size))
    names = ("epsilon", "symbols", "cells", "size")
    found = answers(node, "thresholds", [dict(zip(names, case, strict=True)) for case in cases])
    compared: Counter[str] = Counter()
    for (epsilon, symbols, cells, size), answer in zip(cases, found, strict=True):
        numerator, denominator, *found = map(int, answer)
        assert Fraction(numerator, denominator) == exponential_from_below(epsilon), epsilon
        makers: dict[str, Callable[[], list[int]]] = {
            "keep": partial(_keeping, symbols, epsilon),
            "unary": partial(_unary, epsilon),
            "subset": partial(_subset, cells, epsilon, size),
        }
        for (name, make), thresholds in zip(
            makers.items(), zip(found[::2], found[1::2], strict=True), strict=True
        ):
            try:
                assert list(thresholds) == make(), (name, epsilon, symbols, cells, size)
                compared[name] += 1
            except ldp.PlanError:  # too small an ε for the coins; that JavaScript says so too is tested there
                assert epsilon < 1
    assert min(compared[name] for name in ("keep", "unary", "subset")) > 1500


def _keeping(symbols: int, epsilon: float) -> list[int]:
    response = SymbolResponse(symbols, epsilon)
    return [response.threshold, response.finer]


def _unary(epsilon: float) -> list[int]:
    mechanism = _UnaryMechanism(2, epsilon)
    return [mechanism._threshold, mechanism._finer]


def _subset(cells: int, epsilon: float, size: int) -> list[int]:
    mechanism = SubsetMechanism(cells, epsilon, size)
    return [mechanism._threshold, mechanism._finer]


# Plans that are none


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inside:
        yield (*path, key)
        yield from _places(entry, (*path, key))


def _refused(plan: dict[str, Any]) -> bool:
    try:
        ldp.Plan.from_json(json.dumps(plan))
    except ldp.PlanError:
        return True
    return False


def test_numbers_are_digested_as_python_writes_them(node: str) -> None:
    rng = seeded(8)
    numbers = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(50_000)]
    numbers += [rng.choice([-1, 1]) * 10 ** rng.uniform(-8, 20) for _ in range(20_000)]
    numbers += [float(rng.randrange(10**17)) for _ in range(5_000)]
    numbers += [sign * 10.0**power for power in range(-10, 25) for sign in (-1, 1)]
    numbers += [0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1 / 3, 2.0**53, 1e23]
    numbers = [number for number in numbers if math.isfinite(number)]
    assert answers(node, "floats", [{"numbers": numbers}]) == [json.dumps(numbers, separators=(",", ":"))]


def test_what_python_refuses_is_refused(node: str) -> None:
    rng = seeded(6)
    oddities = [-1, 0, 1, 2, 3, 0.5, -0.5, 1e-12, 65537, 2**26, 2**53, 1e308, "", "x", [], [1], {}, None]
    plans, places = [], []
    for _ in range(1200):
        plan = json.loads(_any_plan(rng).to_json())
        place = rng.choice([place for place in _places(plan) if place != ("fingerprint",)])
        target = plan
        for key in place[:-1]:
            target = target[key]
        if isinstance(target, dict) and rng.random() < 0.1:
            del target[place[-1]]
        else:
            target[place[-1]] = copy.deepcopy(rng.choice(oddities))
        plans.append(plan)
        places.append(place)
    refusals = 0
    for plan, place, answer in zip(
        plans, places, answers(node, "refusals", [{"plan": plan} for plan in plans]), strict=True
    ):
        refused = _refused({key: value for key, value in plan.items() if key != "fingerprint"})
        refusals += refused
        if _another_tree(plan):
            continue  # only the planner knows which branchings a tree's branching leads to
        if refused:
            assert answer == "PlanError", (place, plan)
        elif answer != "PlanError":
            assert answer == ldp.Plan.from_dict({**plan, "fingerprint": answer}).fingerprint, (place, plan)
        else:  # what Python would choose itself, a client must be told
            assert place[-1] in ("bits", "size", "symbols", "widths", "branchings", "level_probabilities"), (
                place,
                plan,
            )
    assert refusals > 450


def _another_tree(plan: dict[str, Any]) -> bool:
    """Say whether domain and branching are those of a tree, but of one with other branchings."""
    try:
        domain = ldp.Domain.from_dict(plan["domain"])
        levels = ldp.Tree(plan["decomposition"]["branching"]).on(domain).levels
    except (KeyError, TypeError, ldp.LdprangeError):
        return False
    return [level.branching for level in levels] != plan.get("branchings")


def test_descriptions_say_what_likelihoods_say(node: str) -> None:
    rng = seeded(7)
    surveys = []
    for _ in range(220):
        plan = _any_plan(rng)
        surveys.append((plan, _survey(plan, rng, people=3)[1]))
    cases = [
        {"plan": json.loads(plan.to_json()), "reports": [wire.pack(report).hex() for report in reports]}
        for plan, reports in surveys
    ]
    for (plan, reports), answer in zip(surveys, answers(node, "descriptions", cases), strict=True):
        for report, described in zip(reports, answer, strict=True):
            level, mechanism = plan.levels[report.level], plan.mechanisms[report.level]
            assert described["level"] == report.level
            assert described["blockSize"] == level.size * level.shifts
            assert described["bytes"] == len(wire.pack(report))
            assert ("shift" in described) == (level.shifts > 1)
            size, possible = level.size, plan.domain.bins
            if isinstance(level, Grid):  # its cells are what a report tells apart
                size, possible = 1, level.cells
                assert [each["parts"] for each in described["attributes"]] == list(level.shape)
            assert described["answers"] == possible
            asked = [mechanism.likelihood(report.payload, cell) for cell in range(-(-possible // size))]
            chances = [asked[index // size] for index in range(possible)]
            if len(set(chances)) == 1:
                assert described["likelier"] in (0, possible)
                assert any("equally likely" in sentence for sentence in described["sentences"])
            else:
                assert described["likelier"] == chances.count(max(chances))
