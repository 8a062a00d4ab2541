"""Plans of at most a million characters that a stranger may send, made to take much memory or time."""

from __future__ import annotations

import json
from typing import Any

LONGEST = 1 << 20
"""Characters of a plan."""

GRR: list[object] = [{"kind": "grr"}]
_WIDE: list[int] = list(range(255, 0, -1))
_MANY = 16_000  # attributes


def whole(bins: int) -> dict[str, Any]:
    return {"kind": "integers", "low": 0, "high": bins - 1}


def joint(*bins: int) -> dict[str, Any]:
    return {
        "kind": "product",
        "names": [f"a{place}" for place in range(len(bins))],
        "axes": [whole(each) for each in bins],
    }


def described(
    domain: object, decomposition: object, oracles: object, branchings: object = (1,), **rest: object
) -> dict[str, Any]:
    """Return a plan with everything that the JavaScript client wants to be told, but for its fingerprint."""
    levels = len(oracles) if isinstance(oracles, list) else 1
    return {
        "ldprange_plan": 1,
        "domain": domain,
        "epsilon": 1.0,
        "decomposition": decomposition,
        "branchings": branchings,
        "oracles": oracles,
        "level_probabilities": [1 / levels] * levels,
    } | rest


def _flat(bins: int, oracle: object, **rest: object) -> dict[str, Any]:
    return described(whole(bins), {"kind": "flat"}, [oracle], [bins], **rest)


def _windows(bins: int, oracle: object, **rest: object) -> dict[str, Any]:
    return described(whole(bins), {"kind": "windows", "widths": _WIDE}, [oracle] * 255, [1] * 255, **rest)


def _grids(bins: int, trees: object, depths: object) -> dict[str, Any]:
    return described(joint(bins, bins), {"kind": "grids", "trees": trees, "depths": depths}, GRR)


PLANS: dict[str, dict[str, Any]] = {
    "all combinations of depths": described(joint(*[1 << 20] * 12), {"kind": "haar"}, GRR),
    "all combinations of shallow trees": described(joint(*[2] * 200), {"kind": "tree", "branching": 2}, GRR),
    "far from any number with small factors": described(joint(65028097, 2), {"kind": "haar"}, GRR),
    "many ways to write it as a product": described(
        joint(66528000, 2), {"kind": "tree", "branching": 1 << 20}, GRR
    ),
    "a cell for each of many combinations": described(joint(*[1 << 26] * 2000), {"kind": "flat"}, GRR),
    "a tree of many branchings": _grids(2, [[2] * 50_000, [2]], [[1, 1]]),
    "branchings of thousands of digits": _grids(2, [[10**4000] * 27, [2]], [[27, 1]]),
    "many symbols on many levels": _windows(300, {"kind": "olh", "symbols": 1 << 16}, epsilon=20.0),
    "many symbols that others must find": _windows(1 << 16, {"kind": "hadamard", "bits": None}),
    "many counters": _windows(1 << 26, {"kind": "hadamard", "bits": 1}),
    "many windows": described(whole(1 << 26), {"kind": "windows", "widths": list(range(30_000, 0, -1))}, GRR),
    "a large ε": _flat(300, {"kind": "olh", "symbols": 3}, epsilon=1e308),
    "a small ε": _flat(300, {"kind": "grr"}, epsilon=5e-324),
    "bins without end": described(
        {"kind": "real", "low": 0, "high": 1, "bins": 2**53 - 1}, {"kind": "haar"}, GRR
    ),
    "a coin for each of many cells": _flat(1 << 26, {"kind": "oue"}),
    "a coin for each of many joint cells": described(
        joint(1 << 14, 1 << 14),
        {"kind": "grids", "trees": [[1 << 14]] * 2, "depths": [[1, 1]]},
        [{"kind": "oue"}],
    ),
    "as many coins as fit into a report": _flat(7_999_000, {"kind": "oue"}),
    "half of many cells": _flat(1 << 16, {"kind": "subset", "size": 1 << 15}),
    "nearly all of many cells": _flat(1 << 16, {"kind": "subset", "size": (1 << 16) - 1}),
    "large sets on many levels": _windows(1 << 16, {"kind": "subset", "size": 120}),
    "many attributes in halves": described(joint(*[2] * _MANY), {"kind": "haar"}, GRR),
    "many attributes in trees": described(joint(*[2] * _MANY), {"kind": "tree", "branching": 2}, GRR),
    "many attributes at once": described(joint(*[1 << 26] * _MANY), {"kind": "flat"}, GRR),
    "many attributes, one of them asked": described(
        joint(*[2] * _MANY),
        {"kind": "grids", "trees": [[2]] * _MANY, "depths": [[1] + [0] * (_MANY - 1)]},
        GRR,
    ),
    "many labels": described(
        {"kind": "ordered", "labels": [f"{place:x}" for place in range(100_000)]},
        {"kind": "flat"},
        GRR,
        [100_000],
        epsilon=30.0,
    ),
    "many keys": {**_flat(10, {"kind": "grr"}), **{f"k{place}": 0 for place in range(70_000)}},
    "many keys of an oracle": _flat(10, {"kind": "grr", **{f"k{place}": 0 for place in range(70_000)}}),
    "a long kind": described({"kind": "k" * 900_000}, {"kind": "flat"}, GRR),
    "a long name": described(
        {"kind": "product", "names": ["a" * 900_000, "b"], "axes": [1, 2]}, {"kind": "flat"}, GRR
    ),
    "all days": described(
        {"kind": "dates", "first": "0001-01-01", "last": "9999-12-31"},
        {"kind": "haar"},
        [{"kind": "hadamard", "bits": 1}] * 22,
        [2] * 22,
    ),
}


def _with_text(key: str, text: str) -> str:
    plan = _flat(10, {"kind": "grr"}) | {key: "HERE"}
    return json.dumps(plan).replace('"HERE"', text)


_INSIDE = '{"kind": "product", "names": ["a", "b"], "axes": ['
TEXTS = {name: json.dumps(plan) for name, plan in PLANS.items()} | {
    "lists in lists": _with_text("domain", "[" * 400_000 + "]" * 400_000),
    "branchings in branchings": _with_text("branchings", "[" * 900 + "]" * 900),
    "domains in domains": _with_text("domain", '{"kind":' * 900 + "1" + "}" * 900),
    "products in products": _with_text("domain", _INSIDE * 300 + "1" + ", 1]}" * 300),
}
"""All of them as JSON."""


def labelled(plan: dict[str, Any], asked: str, attributes: int = LONGEST) -> str:
    """Return a labelled plan with ``attributes`` of one ``plan``, or as many as fit, as JSON."""
    number = min(attributes, LONGEST // (len(json.dumps(plan)) + 40))
    named = [{"name": f"a{place}", "plan": plan} for place in range(number)]
    return json.dumps({"ldprange_labelled_plan": 1, "attributes": named, "classes": [0, 1], "asked": asked})


_SYMBOLS = _flat(2, {"kind": "olh", "symbols": 1 << 16}, epsilon=20.0)
_SETS = _flat(1 << 16, {"kind": "subset", "size": None})
_HALVES = described(whole(1 << 26), {"kind": "haar"}, [{"kind": "hadamard", "bits": None}] * 26, [2] * 26)
LABELLED = {
    "many symbols": labelled(_SYMBOLS, "one"),
    "halves that others must find": labelled(_HALVES, "one"),
    "many large sets": labelled(_SETS, "all", 1000),
    "as many large sets as a person can send": labelled(_SETS, "all", 122),
    "a coin for each of many cells": labelled(_flat(1 << 21, {"kind": "oue"}), "all", 1000),
}
"""Labelled plans as JSON."""
