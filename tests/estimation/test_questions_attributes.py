"""Questions about several attributes, as a collector answers them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

import ldprange as ldp
from running_collector import Service, serving

pytestmark = pytest.mark.system

PEOPLE = ldp.Domain.product(
    age=ldp.Domain.integers(0, 119),
    income=ldp.Domain.real(0.0, 80_000.0, 64),
    size=ldp.Domain.ordered(["S", "M", "L"]),
)
TWO = ldp.Domain.product(age=PEOPLE.attributes["age"], income=PEOPLE.attributes["income"])
LARGE = ldp.Domain.product(a=ldp.Domain.integers(0, 1023), b=ldp.Domain.integers(0, 1023))
PLANS = {
    "tree": ldp.Plan(TWO, 2.0, ldp.Tree(4), ldp.HadamardHashing()),
    "pairs": ldp.Plan(PEOPLE, 2.0, ldp.Grids.pairs(PEOPLE, 20), ldp.HadamardHashing()),
    "large": ldp.Plan(
        LARGE,
        2.0,
        ldp.Grids.pairs(LARGE, 20),
        ldp.HRR(),
    ),
    "prime": ldp.Plan(
        ldp.Domain.product(a=ldp.Domain.integers(0, 100), b=ldp.Domain.integers(0, 3)),
        2.0,
        ldp.Flat(),
        ldp.HRR(),
    ),
}
N = 20_000


def values(plan: ldp.Plan) -> Any:
    rng = np.random.default_rng(3)
    columns = {
        "age": rng.integers(0, 120, N),
        "income": rng.uniform(0, 80_000, N),
        "size": np.array(["S", "M", "L"])[rng.integers(0, 3, N)],
        "a": rng.integers(0, 101, N),
        "b": rng.integers(0, 4, N),
    }
    return {name: columns[name] for name in plan.domain.names}  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("attributes")) as running:
        for name, plan in PLANS.items():
            assert running.create(name, plan).status == 201
            batch = ldp.wire.pack(ldp.encode_many(plan, values(plan), seed=1))
            assert running.put(batch, name=name).status == 201
        running.create()
        running.create("nobody", PLANS["tree"])
        yield running


@pytest.fixture(scope="module")
def found() -> dict[str, ldp.JointEstimate]:
    made: dict[str, ldp.JointEstimate] = {}
    for name, plan in PLANS.items():
        made[name] = ldp.estimate(ldp.Aggregate.of(plan, ldp.encode_many(plan, values(plan), seed=1)))
    return made


def asked(service: Service, path: str, *pairs: tuple[str, str]) -> Any:
    reply = service.get(f"/api/surveys/{path}?{urlencode(pairs)}")
    assert reply.status == 200, reply.json
    return reply.json


def refused(service: Service, path: str, *pairs: tuple[str, str]) -> str:
    reply = service.get(f"/api/surveys/{path}?{urlencode(pairs)}")
    assert reply.status == 400, reply.json
    reason: str = reply.json["error"]
    return reason


def test_ranges_of_several_attributes_are_those_of_the_library(
    service: Service, found: dict[str, ldp.JointEstimate]
) -> None:
    pairs = [("attribute", "income"), ("low", "0"), ("high", "50000")]
    pairs += [("attribute", "age"), ("low", "18"), ("high", "64")]
    told = asked(service, "tree/range", *pairs, ("confidence", "0.9"))
    wanted = found["tree"].range(age=(18, 64), income=(0, 50_000), confidence=0.9)
    assert (told["value"], told["low"], told["high"]) == (wanted.value, wanted.low, wanted.high)
    assert (told["attributes"], told["from"], told["to"]) == (["income", "age"], [0, 18], [50_000, 64])
    one = asked(service, "tree/range", ("attribute", "age"), ("low", "18"), ("high", "64"))
    assert one["value"] == found["tree"].range(age=(18, 64)).value
    three = [("attribute", "size"), ("low", "S"), ("high", "M")]
    denoised = asked(service, "pairs/range", *pairs, *three, ("denoise", "true"))
    assert denoised["denoised"] is True
    assert denoised["low"] <= denoised["value"] <= denoised["high"]
    assert "denoise" in refused(service, "pairs/range", *pairs, *three)


def test_one_attribute_is_asked_by_name(service: Service, found: dict[str, ldp.JointEstimate]) -> None:
    age = ("attribute", "age")
    marginal = found["pairs"].marginal("age")
    assert asked(service, "pairs/prefix", age, ("value", "40"))["value"] == marginal.prefix(40).value
    quantiles = asked(service, "pairs/quantiles", age, ("q", "0.25"), ("q", "0.5"))
    assert quantiles["value"] == marginal.quantiles([0.25, 0.5]).value.tolist()
    cdf = asked(service, "pairs/cdf", age, ("band", "simultaneous"))
    assert cdf["value"] == marginal.cdf(band="simultaneous").value.tolist()
    assert cdf["to"] == list(range(120))
    histogram = asked(service, "pairs/histogram", age)
    assert histogram["value"] == marginal.histogram().value.tolist()
    assert histogram["from"] == histogram["to"] == list(range(120))
    sizes = asked(service, "pairs/histogram", ("attribute", "size"))
    assert sizes["from"] == ["S", "M", "L"]
    assert asked(service, "pairs/prefix", ("attribute", "size"), ("value", "L"))["value"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("survey", "names", "shape"),
    [
        ("tree", ("age", "income"), (20, 16)),
        ("tree", ("income", "age"), (16, 20)),
        ("pairs", ("size", "income"), (3, 8)),
        ("prime", ("a", "b"), (26, 4)),
    ],
)
def test_the_histogram_of_two_is_cut_into_few_cells(
    service: Service,
    found: dict[str, ldp.JointEstimate],
    survey: str,
    names: tuple[str, str],
    shape: tuple[int, int],
) -> None:
    told = asked(service, f"{survey}/histogram", *(("attribute", name) for name in names))
    assert told["attributes"] == list(names)
    table = np.array(told["value"])
    assert table.shape == shape
    assert max(table.shape) <= 32
    assert table.sum() == pytest.approx(1)
    assert tuple(len(each) for each in told["from"]) == tuple(len(each) for each in told["to"]) == shape
    row, cell = shape[0] // 2, shape[1] - 1
    ends = {
        name: (told["from"][at][place], told["to"][at][place])
        for at, (name, place) in enumerate(zip(names, (row, cell), strict=True))
    }
    wanted = found[survey].range(**ends)  # type: ignore[arg-type]
    assert told["value"][row][cell] == pytest.approx(wanted.value, abs=1e-12)
    assert told["low"][row][cell] == pytest.approx(wanted.low, abs=1e-12)
    assert told["high"][row][cell] == pytest.approx(wanted.high, abs=1e-12)


def test_an_overview_is_of_one_attribute_or_of_two(
    service: Service, found: dict[str, ldp.JointEstimate]
) -> None:
    one = asked(service, "pairs/overview", ("attribute", "size"))
    assert one["histogram"]["from"] == ["S", "M", "L"]
    assert (
        one["quartiles"]["value"]
        == found["pairs"].marginal("size").quantiles([0.25, 0.5, 0.75]).value.tolist()
    )
    two = asked(service, "pairs/overview", ("attribute", "size"), ("attribute", "age"))
    assert two["attributes"] == ["size", "age"]
    assert [len(each) for each in two["table"]["from"]] == [len(each["value"]) for each in two["marginals"]]
    assert np.sum(two["table"]["value"], axis=1) == pytest.approx(two["marginals"][0]["value"])
    assert np.sum(two["table"]["value"], axis=0) == pytest.approx(two["marginals"][1]["value"])
    assert min(one["error"]["typical"], two["error"]["typical"]) > 0
    since = ("since", str(two["version"]))
    names = [("attribute", "size"), ("attribute", "age")]
    assert service.get(f"/api/surveys/pairs/overview?{urlencode([*names, since])}").status == 204
    empty = asked(service, "nobody/overview", ("attribute", "age"), ("attribute", "income"))
    assert (empty["reports"], empty["table"], empty["error"]) == (0, None, None)


def test_the_error_that_is_predicted_is_the_one_there_is(
    service: Service, found: dict[str, ldp.JointEstimate]
) -> None:
    told = asked(service, "tree/overview", ("attribute", "age"))["error"]["typical"]
    ends = np.sort(np.random.default_rng(1).integers(0, 120, (300, 2)), axis=1)
    answer = found["tree"].marginal("age").ranges(ends[:, 0], ends[:, 1])
    assert answer.low is not None
    assert told == pytest.approx(float(np.sqrt(np.mean((answer.value - answer.low) ** 2))), rel=0.25)


@pytest.mark.parametrize("path", ["prefix?value=4", "quantiles?q=0.5", "cdf?", "histogram?", "overview?"])
def test_what_is_not_asked_of_all_attributes_says_what_to_ask(service: Service, path: str) -> None:
    reply = service.get(f"/api/surveys/pairs/{path}")
    assert reply.status == 400
    assert "age, income, size" in reply.json["error"]
    assert "attribute=age" in reply.json["error"]


SMALL = [("given", "size"), ("given_low", "S"), ("given_high", "M")]
AGES = [("attribute", "age"), ("low", "0"), ("high", "9")]
BOTH = [("attribute", "age"), ("attribute", "size")]


def test_an_attribute_is_asked_about_among_the_people_in_others(
    service: Service, found: dict[str, ldp.JointEstimate]
) -> None:
    among = found["pairs"].marginal("age", given={"size": ("S", "M")})
    told = asked(service, "pairs/range", *AGES, *SMALL)
    wanted = among.range(0, 9)
    assert (told["value"], told["low"], told["high"]) == (wanted.value, wanted.low, wanted.high)
    assert (
        asked(service, "pairs/prefix", ("attribute", "age"), ("value", "9"), *SMALL)["value"] == wanted.value
    )
    told = asked(service, "pairs/quantiles", ("attribute", "age"), ("q", "0.5"), *SMALL)
    assert told["value"] == [among.quantile(0.5).value]
    told = asked(service, "pairs/mean", ("attribute", "age"), *SMALL)
    assert told["value"] == among.mean().value
    assert "mean needs numbers" in refused(service, "pairs/mean", ("attribute", "size"))
    told = asked(service, "pairs/cdf", ("attribute", "age"), *SMALL)
    assert told["low"] == np.asarray(among.cdf().low).tolist()
    told = asked(service, "pairs/histogram", ("attribute", "age"), *SMALL)
    assert told["value"] == among.histogram().value.tolist()


def test_hardly_any_doubt_is_left_out(service: Service) -> None:
    drawn = asked(service, "pairs/overview", *BOTH, ("confidence", "0.999"))
    assert drawn["error"]["typical"] > 0


def test_everything_can_be_denoised(service: Service) -> None:
    denoise = ("denoise", "true")
    alone = asked(service, "pairs/histogram", ("attribute", "age"), denoise)
    assert min(alone["value"]) >= 0
    assert sum(alone["value"]) == pytest.approx(1)
    both = asked(service, "pairs/histogram", *BOTH, denoise)
    assert np.min(both["value"]) >= 0
    assert np.sum(both["value"]) == pytest.approx(1)
    drawn = asked(service, "pairs/overview", *BOTH, denoise)
    assert np.min(drawn["table"]["value"]) >= 0
    assert np.sum(drawn["table"]["value"], axis=1) == pytest.approx(drawn["marginals"][0]["value"], abs=1e-6)


@pytest.mark.parametrize(
    ("path", "pairs", "reason"),
    [
        ("pairs/range", [("low", "0"), ("high", "1")], "attribute=age&low=…&high=…&attribute=income"),
        ("pairs/range", [("attribute", "age"), ("low", "0")], "1 attributes, 1 low ends and 0 high ends"),
        ("pairs/range", [("attribute", "age"), ("low", "x"), ("high", "1")], "whole number"),
        ("pairs/range", [("attribute", "age"), ("low", "9"), ("high", "1")], "end after it begins"),
        ("pairs/range", [("attribute", "nope"), ("low", "0"), ("high", "1")], "the attributes are age"),
        ("pairs/range", 2 * [("attribute", "age"), ("low", "0"), ("high", "1")], "named once"),
        ("pairs/prefix", [("attribute", "nope"), ("value", "1")], "the attributes are age"),
        ("pairs/cdf", [("attribute", "age"), ("attribute", "size")], "given once"),
        ("pairs/histogram", [("attribute", "age")] * 2, "named once"),
        ("pairs/histogram", [("attribute", name) for name in ("age", "income", "size")], "one or two"),
        ("pairs/histogram", [*BOTH, *SMALL], "leave out given"),
        ("pairs/cdf", [("attribute", "size"), *SMALL], "named once"),
        ("pairs/cdf", [("attribute", "age"), *SMALL, *SMALL], "named once"),
        ("pairs/cdf", [("attribute", "age"), ("given", "size")], "1 attributes, 0 low ends"),
        ("pairs/prefix", [("attribute", "age"), ("value", "3"), ("given", "nope")], "1 attributes, 0 low"),
        (
            "pairs/range",
            [*AGES, ("attribute", "income"), ("low", "0"), ("high", "5"), *SMALL],
            "one attribute",
        ),
        ("ages/prefix", [("value", "3"), *SMALL], "leave out attribute"),
        ("ages/range", [("low", "0"), ("high", "1"), ("given_low", "3")], "and what is given"),
        ("pairs/histogram", [*BOTH, ("given_low", "3")], "leave out given"),
        ("pairs/overview", [*BOTH, ("confidence", "2")], "got 2.0"),
        ("pairs/overview", [("attribute", "nope")], "the attributes are age"),
        ("large/histogram", [("attribute", "a"), ("attribute", "b")], "at most 524288 joint bins"),
        ("ages/range", [("attribute", "age"), ("low", "0"), ("high", "1")], "leave out attribute"),
        ("ages/range", [("low", "0"), ("low", "1"), ("high", "1")], "low must be given once"),
        ("ages/histogram", [("attribute", "age")], "leave out attribute"),
        ("ages/overview", [("attribute", "age")], "leave out attribute"),
    ],
)
def test_what_is_wrong_is_refused(
    service: Service, path: str, pairs: list[tuple[str, str]], reason: str
) -> None:
    if path.startswith("ages"):
        service.put(ldp.wire.pack(ldp.encode_many(ldp.Plan(*_AGES), [1], seed=1)))
    assert reason in refused(service, path, *pairs)


_AGES = (ldp.Domain.integers(0, 119), 1.1, ldp.Haar(), ldp.HRR())


@pytest.mark.parametrize("name", ["a\nb", "x" * 81, " "])
def test_attributes_whose_names_cannot_be_shown_are_refused(service: Service, name: str) -> None:
    domain = ldp.Domain.product(**{name: ldp.Domain.integers(0, 3), "b": ldp.Domain.integers(0, 3)})
    reply = service.create("names", ldp.Plan(domain, 1.0, ldp.Flat(), ldp.HRR()))
    assert reply.status == 400
    assert "a line of 1 to 80 characters" in reply.json["error"]
