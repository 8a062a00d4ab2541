"""The JavaScript client against the Python one: the same bytes, bins, thresholds and laws.

``python tests/test_javascript_client.py`` writes the bins that the client's own tests compare with.
"""

from __future__ import annotations

import copy
import datetime
import json
import math
import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import ldprange as ldp
from laws import outputs
from ldprange import wire
from ldprange.client import encode_with
from ldprange.domain.numbers import _SNAP
from ldprange.oracles import Oracle
from ldprange.oracles.local_hashing import HashingMechanism
from ldprange.oracles.randomized_response import SymbolResponse
from ldprange.oracles.shifted import ShiftedMechanism
from ldprange.oracles.subset_selection import SubsetMechanism
from ldprange.oracles.unary_encoding import _UnaryMechanism
from ldprange.randomness import WORDS, exponential_from_below

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "clients" / "javascript"
DOMAINS = FOLDER / "test" / "domains.json"
OLDEST_NODE = 20  # the package runs on 18, but its tests use what came with 20
FALSE_ALARM = 1e-7  # the chance that a comparison with real coins fails though all is well


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"the JavaScript client was NOT tested: {name} is missing; install Node {OLDEST_NODE}")
    return found


@pytest.fixture(scope="module")
def node() -> str:
    program = _program("node")
    version = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < OLDEST_NODE:
        pytest.skip(
            f"the JavaScript client was NOT tested: Node is {version}; install {OLDEST_NODE} or later"
        )
    return program


def _seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 (the same cases in every run)


def _answers(node: str, task: str, cases: Sequence[Any]) -> list[Any]:
    """Have one Node process do a task for every case."""
    done = subprocess.run(
        [node, str(FOLDER / "support" / "answer_python.js")],
        input=json.dumps({"task": task, "cases": cases}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    assert len(answers) == len(cases)
    return answers


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
        [_program("npm"), "pack", "--dry-run", "--json"],
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


def _domain(rng: random.Random) -> ldp.Domain:
    bins = rng.choice([1, 2, 3, 5, 8, 16, 31, 64, 100, 120, 257, rng.randint(1, 500)])
    low = rng.choice([0, 1, -bins, rng.randint(-(10**6), 10**6)])
    first = datetime.date(1, 1, 1) + datetime.timedelta(days=rng.randint(0, 3_600_000))
    return rng.choice(
        [
            ldp.Domain.integers(low, low + bins - 1),
            ldp.Domain.real(rng.uniform(-9, 9), rng.uniform(10, 99), bins),
            ldp.Domain.logarithmic(rng.uniform(0.01, 9), rng.uniform(10, 1e6), bins),
            ldp.Domain.dates(first, first + datetime.timedelta(days=bins - 1)),
            ldp.Domain.ordered([f"é{number}" for number in range(bins)]),
        ]
    )


def _oracle(rng: random.Random) -> Oracle:
    return rng.choice(
        [
            ldp.GRR(),
            ldp.OUE(),
            ldp.OLH(rng.choice([None, 2, 3, rng.randint(2, 3000), 2**16])),
            ldp.HRR(),
            ldp.HadamardHashing(rng.choice([None, 2, 3, 4])),
            ldp.SubsetSelection(),
        ]
    )


def _plan(rng: random.Random) -> ldp.Plan:
    domain = _domain(rng)
    widths = sorted({1, *(rng.randint(1, max(1, domain.bins - 1)) for _ in range(3))}, reverse=True)
    decomposition = rng.choice(
        [ldp.Flat(), ldp.Haar(), ldp.Tree(rng.randint(2, 12)), ldp.Windows(), ldp.Windows(widths)]
    )
    levels = len(decomposition.levels(domain.bins))
    oracle = [_oracle(rng) for _ in range(levels)] if rng.random() < 0.5 else _oracle(rng)
    weights = [rng.randint(0, 9) for _ in range(levels - 1)] + [1]
    probabilities = [weight / sum(weights) for weight in weights] if rng.random() < 0.5 else None
    epsilon = rng.choice([0.1, 0.5, 1.0, 1.1, 2.0, 8.0, 70.0, math.exp(rng.uniform(-3, 3))])
    return ldp.Plan(domain, epsilon, decomposition, oracle, probabilities)


def _json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime.date) else value


def _edges(plan: ldp.Plan) -> list[int]:
    """Return the words at which something changes."""
    edges = {0, 1, 2**31, WORDS, *plan.level_thresholds}
    for mechanism in plan.mechanisms:
        grid = mechanism._grid if isinstance(mechanism, ShiftedMechanism) else mechanism
        response = getattr(grid, "_response", None)
        edges.add(response.threshold if isinstance(response, SymbolResponse) else grid._threshold)  # type: ignore[attr-defined]
    return sorted({min(max(0, edge + step), WORDS - 1) for edge in edges for step in (-1, 0)})


def _survey(plan: ldp.Plan, rng: random.Random, people: int) -> tuple[dict[str, Any], list[ldp.Report]]:
    """Let Python encode some people; return what JavaScript needs to do the same, and the reports."""
    client, edges = ldp.Client(plan), _edges(plan)
    given, reports = [], []
    for _ in range(people):
        index = rng.choice([0, plan.domain.bins - 1, rng.randrange(plan.domain.bins)])
        coins = EdgyCoins(rng, edges)
        value = plan.domain.at(index + (0.5 if plan.domain.kind in ("real", "logarithmic") else 0.0))
        reports.append(encode_with(client, plan.domain.index_one(value), coins))
        given.append({"value": _json(value), "words": coins.used})
    return {"plan": json.loads(plan.to_json()), "people": given}, reports


def test_reports_are_those_of_python(node: str) -> None:
    rng = _seeded(1)
    surveys = [_survey(_plan(rng), rng, people=12) for _ in range(400)]
    large = ldp.Domain.integers(0, 2**26 - 1)
    for oracle in (ldp.GRR(), ldp.OLH(), ldp.OLH(2**16), *(ldp.HadamardHashing(t) for t in (1, 2, 3))):
        surveys.append(_survey(ldp.Plan(large, 3.5, ldp.Flat(), oracle), rng, people=50))
        surveys.append(_survey(ldp.Plan(large, 3.5, ldp.Haar(), ldp.HRR()), rng, people=50))
    answers = _answers(node, "reports", [given for given, _ in surveys])
    for (given, reports), answer in zip(surveys, answers, strict=True):
        wanted = [[wire.pack(report).hex(), 0] for report in reports]
        assert answer == wanted, given["plan"]


def test_thresholds_are_those_of_python(node: str) -> None:
    rng = _seeded(2)
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
    answers = _answers(node, "thresholds", [dict(zip(names, case, strict=True)) for case in cases])
    compared: Counter[str] = Counter()
    for (epsilon, symbols, cells, size), answer in zip(cases, answers, strict=True):
        numerator, denominator, *found = map(int, answer)
        assert Fraction(numerator, denominator) == exponential_from_below(epsilon), epsilon
        makers: dict[str, Callable[[], int]] = {
            "keep": partial(_keeping, symbols, epsilon),
            "unary": partial(_unary, epsilon),
            "subset": partial(_subset, cells, epsilon, size),
        }
        for (name, make), threshold in zip(makers.items(), found, strict=True):
            try:
                assert threshold == make(), (name, epsilon, symbols, cells, size)
                compared[name] += 1
            except ldp.PlanError:  # too small an ε for the coins; that JavaScript says so too is tested there
                assert epsilon < 1
    assert min(compared[name] for name in ("keep", "unary", "subset")) > 1500


def _keeping(symbols: int, epsilon: float) -> int:
    return SymbolResponse(symbols, epsilon).threshold


def _unary(epsilon: float) -> int:
    return _UnaryMechanism(2, epsilon)._threshold


def _subset(cells: int, epsilon: float, size: int) -> int:
    return SubsetMechanism(cells, epsilon, size)._threshold


# Domains


def _continuous(rng: random.Random) -> Iterator[ldp.Domain]:
    for bins in (1, 2, 3, 7, 10, 100, 1000, 2**16, 2**26, *(rng.randint(1, 10**5) for _ in range(50))):
        low = rng.choice([0.0, -1.0, 0.1, rng.uniform(-1e6, 1e6), rng.uniform(-1e-6, 1e-6)])
        yield ldp.Domain.real(low, low + math.exp(rng.uniform(-5, 20)), bins)
        least = rng.choice([1.0, 0.1, 100.0, math.exp(rng.uniform(-50, 50))])
        yield ldp.Domain.logarithmic(
            least, least * rng.choice([10.0, 1e6, math.exp(rng.uniform(0.1, 100))]), bins
        )
    yield ldp.Domain.real(0.0, 1.0, 10)
    yield ldp.Domain.real(-0.3, 0.3, 6)
    yield ldp.Domain.real(-1e307, 1e307, 12)
    yield ldp.Domain.logarithmic(100.0, 1e6, 1000)


def _edge_values(domain: Any, rng: random.Random, edges: int) -> Iterator[float]:
    """Yield values inside bins, on their edges, just beside them, and where snapping to them begins."""
    yield from (domain.low, domain.high)
    for _ in range(edges):
        edge = rng.choice([0, 1, domain.bins, rng.randint(0, domain.bins)])
        slack = _SNAP * max(1, edge)
        for place in (edge, edge + slack, edge - slack, edge + slack / 2, edge - slack / 2, edge + 0.5):
            value = domain.at(min(max(place, 0.0), float(domain.bins)))
            yield from (value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf))
        yield float(f"{rng.uniform(domain.low, domain.high):.3g}")
        yield rng.uniform(domain.low, domain.high)


def _bins(domain: ldp.Domain, values: Sequence[Any]) -> list[int | None]:
    found: list[int | None] = []
    for value in values:
        try:
            found.append(domain.index_one(value))
        except ldp.DomainError:
            found.append(None)
    return found


def _on_the_brink(domain: Any, value: float) -> bool:
    """Say whether a logarithm's last bit decides the bin: the platforms' logarithms differ in it.

    It does only where snapping to an edge begins, a billionth of a bin beside it.
    """
    if domain.kind != "logarithmic" or not domain.low <= value <= domain.high:
        return False
    position = float(domain._positions(np.float64(value)))
    edge = max(1.0, round(position))
    return bool(abs(abs(position - round(position)) - _SNAP * edge) < 1e-14 * max(edge, domain.bins))


def test_bins_of_numbers_are_those_of_python(node: str) -> None:
    rng = _seeded(3)
    domains = list(_continuous(rng))
    values = [list(_edge_values(domain, rng, edges=60)) for domain in domains]
    cases = [{"domain": d.to_dict(), "values": v} for d, v in zip(domains, values, strict=True)]
    compared = brink = 0
    for domain, given, answer in zip(domains, values, _answers(node, "bins", cases), strict=True):
        for value, wanted, found in zip(given, _bins(domain, given), answer, strict=True):
            if found != wanted and _on_the_brink(domain, value):
                assert None not in (found, wanted)
                assert abs(found - wanted) == 1
                brink += 1
            else:
                assert found == wanted, (domain, value)
                compared += 1
    assert compared > 100_000
    assert brink < compared / 100


def test_bins_of_days_and_labels_are_those_of_python(node: str) -> None:
    rng = _seeded(4)
    cases, wanted = [], []
    for first, last in [
        ("0001-01-01", "0001-12-31"),
        ("1582-10-01", "1582-10-31"),
        ("1899-12-25", "1900-03-05"),
        ("1969-12-30", "1970-01-02"),
        ("2023-12-31", "2024-03-01"),
        ("0001-01-01", "9999-12-31"),
        ("9999-12-31", "9999-12-31"),
    ]:
        domain = ldp.Domain.dates(first, last)
        days = [
            f"{rng.randint(1, 9999):04}-{rng.randint(1, 12):02}-{rng.randint(1, 31):02}" for _ in range(300)
        ]
        days += [domain.at(rng.randrange(domain.bins)).isoformat() for _ in range(100)]
        days += [first, last, "2024-02-29", "2023-02-29", "1900-02-29", "0000-01-01", "2024-13-01", "x", ""]
        cases.append({"domain": domain.to_dict(), "values": days})
        wanted.append(_bins(domain, days))
    labels = ["", " ", "a", "A", "ä", "a\u0308", "🙂", "__proto__", "0", "-0", "é\u200d"]
    domain, texts = ldp.Domain.ordered(labels), [*labels, "b", "🙃", "a ", "toString"]
    cases.append({"domain": domain.to_dict(), "values": texts})
    wanted.append(_bins(domain, texts))
    assert _answers(node, "bins", cases) == wanted


def _published_bins() -> str:
    """Return the bins of some values as Python has them: the text of the client's own test data."""
    rng = _seeded(5)
    cases = []
    for domain in (
        ldp.Domain.integers(-3, 119),
        ldp.Domain.real(0.0, 1.0, 10),
        ldp.Domain.real(-0.3, 0.3, 6),
        ldp.Domain.real(1e-3, 123.456, 1000),
        ldp.Domain.logarithmic(1.0, 1000.0, 3),
        ldp.Domain.logarithmic(100.0, 1e6, 1000),
        ldp.Domain.dates("2023-12-30", "2024-03-02"),
        ldp.Domain.ordered(["XS", "S", "M", "L", "XL"]),
    ):
        edges = [domain.at(float(edge)) for edge in sorted({*range(min(domain.bins, 12)), domain.bins - 1})]
        values = [_json(edge) for edge in edges]
        if domain.kind in ("real", "logarithmic"):
            values += [round(domain.at(rng.uniform(0, domain.bins)), 3) for _ in range(20)]
        cases.append({"domain": domain.to_dict(), "values": values, "bins": _bins(domain, values)})
    return json.dumps(cases, indent=1) + "\n"


def test_the_published_bins_are_those_of_python() -> None:
    assert DOMAINS.read_text(encoding="utf-8") == _published_bins()


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


def test_what_python_refuses_is_refused(node: str) -> None:
    rng = _seeded(6)
    oddities = [-1, 0, 1, 2, 3, 0.5, -0.5, 1e-12, 65537, 2**26, 2**53, 1e308, "", "x", [], [1], {}, None]
    plans, places = [], []
    for _ in range(800):
        plan = json.loads(_plan(rng).to_json())
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
        plans, places, _answers(node, "refusals", [{"plan": plan} for plan in plans]), strict=True
    ):
        refused = _refused({key: value for key, value in plan.items() if key != "fingerprint"})
        refusals += refused
        if _another_tree(plan):
            continue  # only the planner knows which branchings a tree's branching leads to
        if refused:
            assert answer == "PlanError", (place, plan)
        elif answer is not None:  # what Python would choose itself, a client must be told
            assert place[-1] in ("bits", "size", "symbols", "widths", "branchings", "level_probabilities"), (
                plan
            )
    assert refusals > 300


def _another_tree(plan: dict[str, Any]) -> bool:
    """Say whether domain and branching are those of a tree, but of one with other branchings."""
    try:
        bins = ldp.Domain.from_dict(plan["domain"]).bins
        levels = ldp.Tree(plan["decomposition"]["branching"]).levels(bins)
    except (KeyError, TypeError, ldp.LdprangeError):
        return False
    return [level.branching for level in levels] != plan.get("branchings")


# Descriptions


def test_descriptions_say_what_likelihoods_say(node: str) -> None:
    rng = _seeded(7)
    surveys = []
    for _ in range(150):
        plan = _plan(rng)
        surveys.append((plan, _survey(plan, rng, people=3)[1]))
    cases = [
        {"plan": json.loads(plan.to_json()), "reports": [wire.pack(report).hex() for report in reports]}
        for plan, reports in surveys
    ]
    for (plan, reports), answer in zip(surveys, _answers(node, "descriptions", cases), strict=True):
        for report, described in zip(reports, answer, strict=True):
            level, mechanism = plan.levels[report.level], plan.mechanisms[report.level]
            assert described["level"] == report.level
            assert described["blockSize"] == level.size * level.shifts
            assert described["bytes"] == len(wire.pack(report))
            assert ("shift" in described) == (level.shifts > 1)
            chances = [
                mechanism.likelihood(report.payload, index // level.size) for index in range(plan.domain.bins)
            ]
            if len(set(chances)) == 1:
                assert described["likelier"] in (0, plan.domain.bins)
                assert any("equally likely" in sentence for sentence in described["sentences"])
            else:
                assert described["likelier"] == chances.count(max(chances))


# The law of real coins


def _law(plan: ldp.Plan, index: int) -> dict[str, float]:
    """Return the exact chance of every report of a bin."""
    ends = [0, *plan.level_thresholds, WORDS]
    law = {}
    for number, (low, high) in enumerate(pairwise(ends)):
        level, mechanism = plan.levels[number], plan.mechanisms[number]
        if isinstance(mechanism, ShiftedMechanism):
            shifts = [shift.to_bytes(mechanism._shift_width, "little") for shift in range(level.shifts)]
            payloads = [shift + report for shift in shifts for report in outputs(mechanism._grid)]
        else:
            payloads = outputs(mechanism)
        for payload in payloads:
            chance = Fraction(high - low, WORDS) * mechanism.likelihood(payload, index // level.size)
            law[wire.pack(ldp.Report(plan.fingerprint, number, payload)).hex()] = float(chance)
    assert math.isclose(sum(law.values()), 1.0)
    return law


def _fits(observed: Sequence[float], expected: Sequence[float]) -> bool:
    """Say whether counts fit what was expected; those expected fewer than 10 times are taken together."""
    rare = [place for place, number in enumerate(expected) if number < 10]
    often = [place for place, number in enumerate(expected) if number >= 10]
    seen = [observed[place] for place in often]
    wanted = [expected[place] for place in often]
    if rare and sum(expected[place] for place in rare) >= 10:
        seen.append(sum(observed[place] for place in rare))
        wanted.append(sum(expected[place] for place in rare))
    statistic = sum((o - e) ** 2 / e for o, e in zip(seen, wanted, strict=True))
    return bool(stats.chi2.sf(statistic, len(wanted) - 1) > FALSE_ALARM)


SMALL = ldp.Domain.integers(0, 11)
LAWS = {
    "GRR": (ldp.Plan(ldp.Domain.ordered(["S", "M", "L", "XL"]), 1.0, ldp.Flat(), ldp.GRR()), "M"),
    "OUE in a tree": (ldp.Plan(SMALL, 1.1, ldp.Tree(3), ldp.OUE(), [0.75, 0.25]), 7),
    "HRR on Haar levels": (ldp.Plan(SMALL, 0.7, ldp.Haar(), ldp.HRR()), 11),
    "Hadamard hashing in windows": (ldp.Plan(SMALL, 1.5, ldp.Windows(), ldp.HadamardHashing(bits=2)), 5),
    "subsets in windows": (ldp.Plan(SMALL, 1.0, ldp.Windows((3, 1)), ldp.SubsetSelection()), 0),
}


@pytest.mark.parametrize(("plan", "value"), LAWS.values(), ids=LAWS.keys())
def test_real_coins_keep_the_law(node: str, plan: ldp.Plan, value: Any) -> None:
    people = 60_000
    case = {"plan": json.loads(plan.to_json()), "value": value, "people": people}
    (tally,) = _answers(node, "tallies", [case])
    law = _law(plan, plan.domain.index_one(value))
    assert set(tally) <= set(law)
    assert sum(tally.values()) == people
    assert _fits([tally.get(report, 0) for report in law], [people * chance for chance in law.values()])
    # and the test would see a neighbour's law
    wrong = _law(plan, (plan.domain.index_one(value) + 3) % plan.domain.bins)
    assert not _fits(
        [tally.get(report, 0) for report in wrong], [people * chance for chance in wrong.values()]
    )


def test_real_coins_keep_the_law_of_local_hashing(node: str) -> None:
    people, item = 60_000, 7
    plan = ldp.Plan(SMALL, 1.0, ldp.Flat(), ldp.OLH(symbols=3))
    mechanism = plan.mechanisms[0]
    assert isinstance(mechanism, HashingMechanism)
    case = {"plan": json.loads(plan.to_json()), "value": item, "people": people}
    (tally,) = _answers(node, "tallies", [case])
    packed = np.frombuffer(bytes.fromhex("".join(report[22:] for report in tally)), np.uint8)
    rows = mechanism.unpack(packed.reshape(-1, mechanism.width)).astype(np.uint64)
    numbers = np.array(list(tally.values()))
    away = (rows[:, 3] + 3 - mechanism.hashed(rows[:, :3].T, np.array([item], np.uint64))) % 3
    keep, lie = float(mechanism._response.keep), float(mechanism._response.lie)
    assert _fits(np.bincount(away.astype(int), numbers, 3).tolist(), [people * keep, *[people * lie] * 2])
    prime = mechanism._prime
    for column in rows[:, :3].T.astype(int):
        assert _fits(np.bincount(column, numbers, prime).tolist(), [people / prime] * prime)


if __name__ == "__main__":
    DOMAINS.write_text(_published_bins(), encoding="utf-8")
