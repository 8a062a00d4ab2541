"""Write the published test vectors, which any implementation of the protocol can replay.

``plans.json``
    For each plan: its JSON and fingerprint; reports, each with the value, the 32-bit words that the coins
    gave and the bytes on the wire; all of them as one batch; payloads that must be refused, with the
    reason; and of the aggregate the users of every level and, unless there are many, the counts that are
    not 0 and the file, of version 1.
``version_2.json``
    For each of these plans, by its name: the bits of a report of every level in version 2 of the wire; the
    same reports, in their order, and the same batch in version 2; payloads that must be refused.
``aggregates.json``
    Under ``good`` the files of version 2 of the same aggregates, by the plan's name, unless they are long;
    under ``bad`` files that must be refused, with the reason.
``hashes.json``
    The hash of local hashing: coefficients a₀, a₁, a₂ over the field of 2**exponent − 1 elements.
``fingerprints.json``
    Plans with numbers and letters that are easily written in another way: the text that is digested, and the
    fingerprint, which is the first 8 bytes of its SHA-256.
``bad_plans.json``
    Texts that are no plan, with the reason.

No version ever changes its meaning: run this again only to add vectors, and look at the difference.

    python test_vectors/generate.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ldprange as ldp
from aggregate_vectors import aggregates, file_of_version_1
from ldprange import wire
from ldprange.client.encoding import encode_with
from ldprange.levels import Level
from ldprange.randomness import WORDS, Coins
from unused_coins import UnusedCoins
from vector_plans import plans

HERE = Path(__file__).parent


class RecordedCoins:
    """Words made from a name, preceded by chosen ones; remembers all that were used."""

    def __init__(self, name: str, first: Sequence[int]) -> None:
        self._name = name
        self._first = list(first)
        self.used: list[int] = []

    def word(self) -> int:
        """Return the next word."""
        at = len(self.used)
        if at < len(self._first):
            word = self._first[at]
        else:
            word = int.from_bytes(sha256(f"{self._name}: {at}".encode()).digest()[:4], "little")
        self.used.append(word)
        return word

    def words(self, count: int) -> NDArray[np.uint32]:
        """Return the next ``count`` words."""
        return np.array([self.word() for _ in range(count)], np.uint32)

    @property
    def spare(self) -> Coins:
        """Coins that decide nothing: none of these."""
        return UnusedCoins()


def reports(name: str, plan: ldp.Plan, values: list[Any]) -> Iterator[tuple[dict[str, Any], ldp.Report]]:
    """Yield reports of every value: with words like any, and with words at the edges of what they decide."""
    client = ldp.Client(plan)
    firsts: list[list[int]] = [[], [0], [WORDS - 1]]
    for threshold in plan.level_thresholds:
        firsts += [[threshold - 1], [threshold]]
    for value in values:
        for number, first in enumerate(firsts):
            coins = RecordedCoins(f"{name}, {value}, {number}", first)
            report = encode_with(client, plan.domain.index_one(value), coins)
            vector = {"value": value, "words": coins.used, "report": wire.pack(report).hex()}
            yield vector, report


def bad_payloads(plan: ldp.Plan, batch: bytes) -> Iterator[dict[str, str]]:
    """Yield payloads that must be refused whole."""
    header = batch[:9]
    last = len(plan.levels) - 1
    mechanism = plan.mechanisms[last]
    one = bytes([last, 1]) + bytes(mechanism.width)

    def bad(reason: str, payload: bytes, error: str = "WireError") -> dict[str, str]:
        return {"reason": reason, "error": error, "payload": payload.hex()}

    yield bad("nothing at all", b"")
    yield bad("cut inside the header", batch[:8])
    yield bad("version 0", b"\0" + batch[1:])
    yield bad("version 2", b"\2" + batch[1:])
    other = bytes([batch[1] ^ 1])
    yield bad("another plan's fingerprint", batch[:1] + other + batch[2:], "MismatchError")
    yield bad("cut after a level", header + bytes([last]))
    yield bad("cut inside a number", header + bytes([last, 0x80]))
    yield bad("cut inside a report", batch[:-1])
    yield bad("a byte left over", header + one + b"\0")
    yield bad("no reports of a level", header + bytes([last, 0]))
    yield bad("a number in a longer form than need be", header + bytes([last, 0x81, 0]) + one[2:])
    yield bad("a number beyond 63 bits", header + bytes([last]) + b"\xff" * 9 + b"\1")
    yield bad("more reports than there are bytes", header + bytes([last, 2]) + one[2:])
    yield bad("a level twice", header + one + one)
    yield bad("a level beyond the last", header + bytes([last + 1]) + one[1:])
    if last:
        first = bytes([0, 1]) + bytes(plan.mechanisms[0].width)
        yield bad("levels out of order", header + one + first)
    if plan.levels[0].shifts > 1:
        shifts, width = plan.levels[0].shifts, plan.mechanisms[0].width
        report = batch[11 : 11 + width]  # the first, whose shift has one byte
        yield bad("a shift beyond the last", header + bytes([0, 1, shifts]) + report[1:])
    beyond = b"\xff" * mechanism.width
    try:
        mechanism.unpack(np.frombuffer(beyond, np.uint8)[None])
    except ldp.WireError:
        yield bad("a report that no client can send", header + bytes([last, 1]) + beyond)


def level_vector(level: Level, width: int) -> dict[str, int]:
    """Return a level's numbers: on a shifted grid also those of its shifts, and of windows to choose from."""
    numbers = {"cells": level.cells, "size": level.size, "width": width}
    return numbers if level.shifts == 1 else {**numbers, "shifts": level.shifts, "asked": level.asked}


def plan_vector(name: str, plan: ldp.Plan, values: list[Any]) -> dict[str, Any]:
    """Return all vectors of one plan."""
    made = list(reports(name, plan, values))
    total = ldp.Aggregate.of(plan, [report for _, report in made])
    columns = []
    for level, mechanism in enumerate(plan.mechanisms):
        payload = b"".join(report.payload for _, report in made if report.level == level)
        columns.append(mechanism.unpack(np.frombuffer(payload, np.uint8).reshape(-1, mechanism.width)))
    batch = wire.pack(ldp.Batch(plan, columns), version=1)
    vector: dict[str, Any] = {
        "name": name,
        "plan": json.loads(plan.to_json()),
        "fingerprint": plan.fingerprint,
        "level_thresholds": list(plan.level_thresholds),
        "levels": [
            level_vector(level, mechanism.width)
            for level, mechanism in zip(plan.levels, plan.mechanisms, strict=True)
        ],
        "reports": [vector for vector, _ in made],
        "batch": batch.hex(),
        "users": list(total.users),
        "bad": list(bad_payloads(plan, batch)),
    }
    if sum(map(np.count_nonzero, total.counts)) <= 1000:
        vector["counts"] = [
            {str(i): int(counts[i]) for i in np.flatnonzero(counts)} for counts in total.counts
        ]
    if sum(map(len, total.counts)) <= 1000:
        vector["file"] = file_of_version_1(total).hex()
    return vector


def fewest_bits(name: str, plan: ldp.Plan, vector: dict[str, Any]) -> dict[str, Any]:
    """Return the reports and the batch of a plan's vector in version 2 of the wire, and bad payloads."""
    alone = [wire.unpack(plan, bytes.fromhex(report["report"])) for report in vector["reports"]]
    batch = wire.pack(wire.unpack(plan, bytes.fromhex(vector["batch"])), version=2)
    return {
        "name": name,
        "bits": [mechanism.bits for mechanism in plan.mechanisms],
        "reports": [wire.pack(report, version=2).hex() for report in alone],
        "batch": batch.hex(),
        "bad": list(bad_bits(plan, batch)),
    }


def bad_bits(plan: ldp.Plan, batch: bytes) -> Iterator[dict[str, str]]:
    """Yield payloads of version 2 that must be refused."""
    header, last = batch[:9], len(plan.levels) - 1
    mechanism = plan.mechanisms[last]
    width, spare = (mechanism.bits + 7) // 8, -mechanism.bits % 8
    zeros = bytes([last, 1]) + bytes(width)

    def bad(reason: str, payload: bytes) -> dict[str, str]:
        return {"reason": reason, "error": "WireError", "payload": payload.hex()}

    yield bad("cut inside a report", batch[:-1])
    yield bad("a byte left over", header + zeros + b"\0")
    yield bad("no reports of a level", header + bytes([last, 0]))
    yield bad("more reports than there are bytes", header + bytes([last, 9]) + zeros[2:])
    yield bad("a level twice", header + zeros + zeros)
    if spare:
        yield bad("a spare bit that is 1", header + zeros[:-1] + bytes([1 << (8 - spare)]))
    beyond = b"\xff" * (width - 1) + bytes([255 >> spare])
    try:
        mechanism.expand(np.frombuffer(beyond, np.uint8)[None])
    except ldp.WireError:
        yield bad("a report that no client can send", header + bytes([last, 1]) + beyond)


def hashes() -> Iterator[dict[str, Any]]:
    """Yield hashes on every field, with values at its edges and values like any."""
    for exponent, symbols in [(7, 2), (7, 3), (13, 4), (17, 1000), (19, 9000), (31, 5), (31, 65536)]:
        prime = (1 << exponent) - 1
        edges = [0, 1, prime // 2, prime - 2, prime - 1]
        for number in range(12):
            coins = RecordedCoins(f"hash {exponent} {symbols} {number}", [])
            if number < len(edges):
                a0 = a1 = a2 = item = edges[number]
            else:
                a0, a1, a2, item = (coins.word() % prime for _ in range(4))
            value = (a2 * item * item + a1 * item + a0) % prime
            yield {
                "exponent": exponent,
                "symbols": symbols,
                "coefficients": [a0, a1, a2],
                "item": item,
                "symbol": value * symbols >> exponent,
            }


def fingerprints() -> Iterator[dict[str, Any]]:
    """Yield plans with the text that their fingerprint is a digest of."""
    weights = [0.1, 0.2, 0.3, 0.4]
    labels = ["é", "日本", "🙂", '"\\/', "\b\f\n\r\t\x01\x1f", "\x7f\x80\u2028\u2029\ufeff", "a<b>&c"]
    odd = {
        "a whole ε": (ldp.Domain.integers(0, 3), 1, ldp.Flat(), None),
        "a small ε": (ldp.Domain.integers(-5, 5), 0.0001, ldp.Flat(), None),
        "a smaller ε, with an exponent": (ldp.Domain.integers(0, 1), 1.5e-05, ldp.Flat(), None),
        "a large ε, without one": (ldp.Domain.integers(0, 3), 9.87654321e15, ldp.Flat(), None),
        "a larger ε, with one": (ldp.Domain.integers(0, 3), 1e16, ldp.Flat(), None),
        "ε of 17 digits": (ldp.Domain.integers(0, 3), 0.1 + 0.2, ldp.Flat(), None),
        "the widest whole ends": (ldp.Domain.integers(2**53 - 9, 2**53 - 1), 1.1, ldp.Haar(), weights),
        "whole ends of real numbers": (ldp.Domain.real(-10, 10, 4), 1.1, ldp.Flat(), None),
        "an end of minus 0": (ldp.Domain.real(-0.0, 1e22, 4), 1.1, ldp.Flat(), None),
        "tiny ends": (ldp.Domain.logarithmic(5e-07, 1, 16), 1.1, ldp.Haar(), weights),
        "probabilities of 0 and 1": (ldp.Domain.integers(0, 15), 1.1, ldp.Haar(), [0, 0, 1e-09, 1 - 1e-09]),
        "labels in many scripts": (ldp.Domain.ordered(labels), 1.1, ldp.Flat(), None),
        "attributes in many scripts": (
            ldp.Domain.product(**{"größe": ldp.Domain.real(0, 2, 4), "🙂": ldp.Domain.categories(labels)}),
            1.1,
            ldp.Tree(branching=2),
            None,
        ),
    }
    for name, (domain, epsilon, decomposition, probabilities) in odd.items():
        plan = ldp.Plan(domain, epsilon, decomposition, ldp.GRR(), probabilities)
        described = plan.to_dict()
        rest = {key: value for key, value in described.items() if key != "fingerprint"}
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
        yield {"name": name, "plan": described, "canonical": text, "fingerprint": plan.fingerprint}


def bad_plans() -> Iterator[dict[str, str]]:
    """Yield texts that are no plan."""
    good = json.loads(ldp.Plan(ldp.Domain.integers(0, 119), 1.1, ldp.Haar(), ldp.HRR()).to_json())

    def changed(**changes: Any) -> str:
        return json.dumps({**good, **changes})

    without = {key: value for key, value in good.items() if key != "fingerprint"}
    yield {"reason": "not JSON", "text": "age,42"}
    yield {"reason": "not an object", "text": "[]"}
    yield {"reason": "not a plan", "text": "{}"}
    yield {"reason": "edited after the fingerprint was made", "text": changed(epsilon=2.2)}
    changes: dict[str, dict[str, Any]] = {
        "a later format": {"ldprange_plan": 2},
        "an unknown key": {"extra": 1},
        "ε of 0": {"epsilon": 0},
        "ε as text": {"epsilon": "1.1"},
        "an unknown domain": {"domain": {"kind": "complex"}},
        "a domain upside down": {"domain": {"kind": "integers", "low": 1, "high": 0}},
        "an unknown decomposition": {"decomposition": {"kind": "bush"}},
        "a tree of one branch": {"decomposition": {"kind": "tree", "branching": 1}},
        "windows of bins in one stage": {"decomposition": {"kind": "windows", "stages": [[1, 120, [1]]]}},
        "a stage with a cell too many": {"decomposition": {"kind": "windows", "stages": [[4, 31, [1]]]}},
        "an unknown oracle": {"oracles": [{"kind": "delphi"}] * 7},
        "too few oracles": {"oracles": good["oracles"][:6]},
        "probabilities beyond 1": {"level_probabilities": [0.5] * 7},
        "a probability below 0": {"level_probabilities": [1.5, -0.5, 0, 0, 0, 0, 0]},
    }
    for reason, change in changes.items():
        yield {"reason": reason, "text": json.dumps({**without, **change})}
    yield from bad_products()


def bad_products() -> Iterator[dict[str, str]]:
    """Yield texts that are no plan of several attributes."""
    sizes = ldp.Domain.ordered(["S", "M", "L"])
    people = ldp.Domain.product(age=ldp.Domain.integers(0, 15), size=sizes)
    good = json.loads(ldp.Plan(people, 1.1, ldp.Tree(branching=4), ldp.HRR()).to_json())
    without = {key: value for key, value in good.items() if key != "fingerprint"}
    ages, size = good["domain"]["axes"]

    def attributes(names: list[Any], *axes: Any) -> dict[str, Any]:
        return {"domain": {"kind": "product", "names": names, "axes": list(axes)}}

    def grids(trees: list[list[int]], depths: list[list[int]]) -> dict[str, Any]:
        return {"decomposition": {"kind": "grids", "trees": trees, "depths": depths}}

    trees, depths = good["decomposition"]["trees"], good["decomposition"]["depths"]
    changes: dict[str, dict[str, Any]] = {
        "a product of one attribute": attributes(["age"], ages),
        "a product of nothing": attributes([]),
        "an attribute without a domain": attributes(["age", "size"], ages),
        "an attribute's name twice": attributes(["age", "age"], ages, size),
        "an attribute without a name": attributes(["age", ""], ages, size),
        "an attribute whose name is a number": attributes(["age", 1], ages, size),
        "an attribute called confidence": attributes(["age", "confidence"], ages, size),
        "a product within a product": attributes(["age", "more"], ages, good["domain"]),
        "an attribute upside down": attributes(["age", "size"], {**ages, "low": 16}, size),
        "depths beyond a tree": grids(trees, [[3, 1], *depths[1:]]),
        "depths below 0": grids(trees, [[-1, 1], *depths[1:]]),
        "depths of another number of trees": grids(trees, [[1], *depths[1:]]),
        "a grid that asks nothing": grids(trees, [[0, 0], *depths[1:]]),
        "a grid twice": grids(trees, [depths[1], *depths[1:]]),
        "no grids": grids(trees, []),
        "trees that do not fit the bins": grids([[4, 4], [2]], depths),
        "trees with twice as many leaves as bins": grids([[4, 4], [6]], depths),
        "trees for other attributes": grids([[3], [4, 4]], [depth[::-1] for depth in depths]),
        "a tree of one attribute": grids([[4, 4]], [[1], [2]]),
        "a tree with a branching of 1": grids([[1, 4, 4], [3]], depths),
        "grids with branchings": {"branchings": [2] * len(depths)},
        "a product asked as windows": {"decomposition": {"kind": "windows", "widths": [1]}},
        "one attribute asked as grids": {"domain": ages},
    }
    for reason, change in changes.items():
        yield {"reason": reason, "text": json.dumps({**without, **change})}


def build() -> dict[str, str]:
    """Return the text of every file."""
    every = plans().items()
    vectors = [plan_vector(name, plan, values) for name, (plan, values) in every]
    in_bits = [fewest_bits(name, plan, one) for (name, (plan, _)), one in zip(every, vectors, strict=True)]
    totals = {
        name: ldp.Aggregate.of(plan, bytes.fromhex(one["batch"]))
        for (name, (plan, _)), one in zip(every, vectors, strict=True)
    }
    return {
        "plans.json": _text(vectors, 3),
        "version_2.json": _text(in_bits, 3),
        "aggregates.json": _text(aggregates(totals), 2),
        "hashes.json": _text(list(hashes()), 1),
        "fingerprints.json": _text(list(fingerprints()), 2),
        "bad_plans.json": _text(list(bad_plans()), 1),
    }


def _text(value: Any, depth: int, indent: str = "\n") -> str:
    """Write JSON with a line for each entry down to some depth."""
    inner = indent + " "
    if depth and isinstance(value, list) and value:
        return "[" + ",".join(inner + _text(entry, depth - 1, inner) for entry in value) + indent + "]"
    if depth and isinstance(value, dict) and value:
        entries = (f"{inner}{json.dumps(key)}: {_text(value[key], depth - 1, inner)}" for key in value)
        return "{" + ",".join(entries) + indent + "}"
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    for file, content in build().items():
        (HERE / file).write_text(content + "\n", encoding="utf-8")
