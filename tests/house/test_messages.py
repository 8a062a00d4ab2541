"""No message holds a column of people's values, whatever came: it shows one value at most, and shortened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from ldprange.files import read_reports, read_values

MOST = 640  # characters of a message
SECRET = "secret-4711"  # noqa: S105 (it stands for a person's value)
COLUMN = [f"{SECRET}-{person}" for person in range(1000)] * 2
HOSTILE: dict[str, Any] = {
    "a column of texts": COLUMN,
    "a column of texts as an array": np.array(COLUMN),
    "a few texts": COLUMN[:3] * 2,
    "a table": {f"name {place}": COLUMN for place in range(20)},
    "rows": [COLUMN[:30]] * 30,
    "rows of several lengths": [COLUMN[:3], COLUMN[:2]],
    "a long text": SECRET + "x" * 100_000,
    "long texts": [SECRET + "x" * 100_000] * 2,
    "bytes": SECRET.encode() + bytes(10_000),
    "a number of many digits": 10**5000,
    "numbers": np.arange(100_000) + 4711,
    "a number": 4.711e300,
    "not a number": float("nan"),
    "objects": np.array([{SECRET: COLUMN}] * 5, object),
    "a set": set(COLUMN),
    "lists in lists": [[[[COLUMN]]]],
}
ANY: Any = ldp  # the module, so that the type checker lets wrong calls through
AGES = ldp.Domain.integers(0, 9)
SIZES = ldp.Domain.ordered([f"{label}" + "y" * 500 for label in range(300)])
PEOPLE = ldp.Domain.product(**{f"attribute{place}" + "z" * 300: AGES for place in range(20)})
DAYS = ldp.Domain.dates("2026-01-01", "2026-12-31")
PLAN = ldp.Plan(AGES, 1.0, ldp.Tree(3), ldp.OUE())
LABELLED = ldp.LabelledPlan(("hours",), (PLAN,), ("stays", "leaves"), "one")
FOUND = ldp.estimate(ldp.Aggregate.of(PLAN, ldp.encode_many(PLAN, [1, 2, 3] * 20, seed=1)))
JOINT_PLAN = ldp.Plan(ldp.Domain.product(a=AGES, b=AGES), 1.0, ldp.Tree(3), ldp.HRR())
JOINT: Any = ldp.estimate(
    ldp.Aggregate.of(JOINT_PLAN, ldp.encode_many(JOINT_PLAN, {"a": [1] * 50, "b": [2] * 50}, seed=1))
)

CALLS: dict[str, Callable[[Any], object]] = {
    "Domain.integers": lambda x: ANY.Domain.integers(0, x),
    "Domain.real": lambda x: ANY.Domain.real(0, x, 10),
    "Domain.real, bins": lambda x: ANY.Domain.real(0, 1, x),
    "Domain.logarithmic": lambda x: ANY.Domain.logarithmic(x, 10, 10),
    "Domain.dates": lambda x: ANY.Domain.dates("2026-01-01", x),
    "Domain.ordered": lambda x: ANY.Domain.ordered(x),
    "Domain.categories": lambda x: ANY.Domain.categories(x),
    "Domain.product": lambda x: ANY.Domain.product(a=AGES, b=x),
    "Domain.from_dict": lambda x: ldp.Domain.from_dict(x),
    "index of numbers": lambda x: AGES.index(x),
    "index of a number": lambda x: AGES.index_one(x),
    "index of labels": lambda x: SIZES.index(x),
    "index of a label": lambda x: SIZES.index_one(x),
    "index of days": lambda x: DAYS.index(x),
    "index of a day": lambda x: DAYS.index_one(x),
    "index of people": lambda x: PEOPLE.index(x),
    "index of a person": lambda x: PEOPLE.index_one(dict.fromkeys(PEOPLE.to_dict()["names"], x)),
    "Plan of a domain": lambda x: ldp.Plan(x, 1.0, ldp.Flat(), ldp.GRR()),
    "Plan of ε": lambda x: ldp.Plan(AGES, x, ldp.Flat(), ldp.GRR()),
    "Plan of a decomposition": lambda x: ldp.Plan(AGES, 1.0, x, ldp.GRR()),
    "Plan of oracles": lambda x: ldp.Plan(AGES, 1.0, ldp.Flat(), x),
    "Plan of probabilities": lambda x: ldp.Plan(AGES, 1.0, ldp.Flat(), ldp.GRR(), x),
    "Plan.from_json": lambda x: ldp.Plan.from_json(x),
    "Plan.from_dict": lambda x: ldp.Plan.from_dict(PLAN.to_dict() | {"domain": x}),
    "Plan.predict": lambda x: PLAN.predict(x),
    "Plan.predict, counts": lambda x: PLAN.predict(10, x),
    "Tree": lambda x: ldp.Tree(x),
    "Windows": lambda x: ldp.Windows(x),
    "Grids": lambda x: ldp.Grids(x, x),
    "OLH": lambda x: ldp.OLH(x),
    "HadamardHashing": lambda x: ldp.HadamardHashing(x),
    "SubsetSelection": lambda x: ldp.SubsetSelection(x),
    "choose_plan": lambda x: ldp.choose_plan(AGES, epsilon=1.0, expected_users=x),
    "choose_plan, workload": lambda x: ldp.choose_plan(AGES, epsilon=1.0, expected_users=10, workload=x),
    "Client": lambda x: ldp.Client(x),
    "Client.encode": lambda x: ldp.Client(PLAN).encode(x),
    "Ledger": lambda x: ldp.Ledger("ledger", budget=x),
    "encode_many": lambda x: ldp.encode_many(PLAN, x, seed=1),
    "encode_many, people": lambda x: ldp.encode_many(JOINT_PLAN, x, seed=1),
    "encode_many, seed": lambda x: ldp.encode_many(PLAN, [1], seed=x),
    "simulate": lambda x: ldp.simulate(PLAN, x, seed=1),
    "simulate_values": lambda x: ldp.simulate_values(PLAN, x, seed=1),
    "Aggregate.of": lambda x: ldp.Aggregate.of(PLAN, x),
    "wire.pack": lambda x: ldp.wire.pack(x),
    "wire.unpack": lambda x: ldp.wire.unpack(PLAN, x),
    "estimate": lambda x: ldp.estimate(x),
    "range": lambda x: FOUND.range(x, x),
    "ranges": lambda x: FOUND.ranges(x, x),
    "prefix": lambda x: FOUND.prefix(x),
    "quantile": lambda x: FOUND.quantile(x),
    "confidence": lambda x: FOUND.range(1, 2, confidence=x),
    "band": lambda x: FOUND.cdf(band=x),
    "joint range": lambda x: JOINT.range(a=x, b=x),
    "joint attribute": lambda x: JOINT.range(**{f"{SECRET}{x}".replace(SECRET, "")[:99_999]: (1, 2)}),
    "marginal": lambda x: JOINT.marginal(x),
    "given": lambda x: JOINT.marginal("a", given=x),
    "LabelledPlan": lambda x: ldp.LabelledPlan(x, (PLAN,), ("a", "b"), "one"),
    "LabelledPlan, classes": lambda x: ldp.LabelledPlan(("hours",), (PLAN,), x, "one"),
    "LabelledPlan.from_json": lambda x: ldp.LabelledPlan.from_json(x),
    "class_indices": lambda x: LABELLED.class_indices(x),
    "LabelledClient.encode": lambda x: ldp.LabelledClient(LABELLED).encode(x),
    "LabelledAggregate.of": lambda x: ldp.LabelledAggregate.of(LABELLED, "stays", x),
    "choose_labelled_plan": lambda x: ldp.choose_labelled_plan(
        x, ["a", "b"], epsilon=1.0, expected_users=100
    ),
    "Sender": lambda x: ldp.Sender(x),
    "Sender, timeout": lambda x: ldp.Sender("https://example.org/s/a", timeout=x),
}


def check_message(error: Exception, came: str = "") -> None:
    text = str(error)
    assert len(text) <= MOST, (came, text[:2000])
    assert text.count(SECRET) <= 2, (came, text)  # one value, or the ends of one range


@pytest.mark.parametrize("call", CALLS)
def test_a_message_holds_one_value_at_most(call: str, here: Path) -> None:
    for came, value in HOSTILE.items():
        try:
            CALLS[call](value)
        except Exception as error:  # what is refused elsewhere than here says no more either
            check_message(error, came)


@pytest.mark.parametrize("column", ["value", None, "name" * 100])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "parquet"])
@pytest.mark.parametrize("domain", [AGES, SIZES, DAYS, PEOPLE])
def test_a_message_about_a_file_holds_one_value_at_most(
    tmp_path: Path, domain: ldp.Domain, suffix: str, column: str | None
) -> None:
    path = tmp_path / f"people.{suffix}"
    mark = "\t" if suffix == "tsv" else ","
    header = mark.join(["value", *(f"column {SECRET[:6]}{place}" for place in range(200))])
    path.write_text("\n".join([*([header] * (suffix != "txt")), *COLUMN[:9], mark.join(COLUMN[:201])]))
    with pytest.raises(ldp.LdprangeError) as caught:
        _ = [domain.index(chunk) for chunk in read_values(path, column, domain)]
    check_message(Exception(str(caught.value).replace(str(path), "")))
    with pytest.raises(ldp.LdprangeError) as caught:
        list(read_reports(path, PLAN))
    check_message(Exception(str(caught.value).replace(str(path), "")))


def test_a_persons_values_are_not_told_where_they_do_not_fit_a_plan_of_several_numbers() -> None:
    with pytest.raises(ldp.DomainError) as caught:
        ldp.LabelledClient(LABELLED).encode([SECRET])  # type: ignore[arg-type]
    assert SECRET not in str(caught.value)
    with pytest.raises(ldp.DomainError) as caught:
        ldp.LabelledClient(LABELLED).encode({"hours": 1, "other": SECRET})
    assert SECRET not in str(caught.value)
