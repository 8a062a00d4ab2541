"""No answer on some of several attributes, as a collector's replies tell it."""

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
    pay=ldp.Domain.integers(0, 29, open_ends="high", no_answer=True),
    region=ldp.Domain.categories(["north", "south"], no_answer=True),
    children=ldp.Domain.integers(0, 5),
)
PLAN = ldp.Plan(PEOPLE, 4.0, ldp.Tree(4), ldp.HadamardHashing())
N = 20_000


def batch() -> ldp.Batch:
    rng = np.random.default_rng(3)
    pay = rng.integers(0, 40, N).astype(float)
    pay[rng.random(N) < 0.2] = np.nan
    region = np.array(["north", "south", None], object)[rng.choice(3, N, p=[0.5, 0.3, 0.2])]
    return ldp.encode_many(PLAN, {"pay": pay, "region": region, "children": rng.integers(0, 6, N)}, seed=1)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("unanswered")) as running:
        assert running.create("people", PLAN).status == 201
        assert running.put(ldp.wire.pack(batch()), name="people").status == 201
        yield running


@pytest.fixture(scope="module")
def found() -> ldp.JointEstimate:
    return ldp.estimate(ldp.Aggregate.of(PLAN, batch()))


def asked(service: Service, path: str, *pairs: tuple[str, str]) -> Any:
    reply = service.get(f"/api/surveys/people/{path}?{urlencode(pairs)}")
    assert reply.status == 200, reply.json
    return reply.json


def ends(reply: Any) -> tuple[float, float, float]:
    return reply["value"], reply["low"], reply["high"]


def own(answer: ldp.Answer[float]) -> Any:
    return pytest.approx((answer.value, answer.low, answer.high))


def test_one_attribute_is_told_as_where_there_is_only_one(service: Service, found: ldp.JointEstimate) -> None:
    reply = asked(service, "prefix", ("attribute", "pay"), ("value", "10"))
    pay = found.marginal("pay")
    assert ends(reply) == own(pay.prefix(10))
    assert ends(reply["no_answer"]) == own(pay.no_answer())
    assert "no_answer" not in asked(service, "prefix", ("attribute", "children"), ("value", "2"))


def test_two_attributes_are_told_of_those_who_answered_both(
    service: Service, found: ldp.JointEstimate
) -> None:
    both = [("attribute", "pay"), ("low", "0"), ("high", "9")]
    both += [("attribute", "region"), ("low", "north"), ("high", "north")]
    reply = asked(service, "range", *both)
    assert ends(reply) == own(found.range(pay=(0, 9), region="north"))
    assert ends(reply["no_answer"]) == own(found.no_answer("pay", "region"))
    table = asked(service, "histogram", ("attribute", "pay"), ("attribute", "region"))
    assert table["to"][0][-2:] == [29, "more than 29"]
    assert table["to"][1] == ["north", "south"]
    assert np.sum(table["value"]) == pytest.approx(1)
    assert ends(table["no_answer"]) == own(found.no_answer("pay", "region"))


def test_what_is_beyond_an_end_and_no_answer_have_cells_of_their_own(
    service: Service, found: ldp.JointEstimate
) -> None:
    both, end = [("attribute", "pay"), ("attribute", "region")], "more than 29"
    answered, drawn = asked(service, "histogram", *both), asked(service, "overview", *both)["table"]
    everyone = asked(service, "histogram", *both, ("everyone", "true"))
    assert [each["from"][0][-1] for each in (answered, drawn)] == [end, end]
    assert everyone["from"][0][-3:] == [*answered["from"][0][-2:], "no answer"]
    assert everyone["to"][0][-3:] == [29, end, "no answer"]
    assert everyone["to"][1] == ["north", "south", "no answer"]
    for table in (answered, drawn):
        assert table["value"][-1][0] == pytest.approx(found.range(pay=end, region="north").value)
    of_all = found.everyone.range(pay="no answer", region="north").value
    assert everyone["value"][-1][0] == pytest.approx(of_all)


def test_people_may_be_given_who_gave_no_answer(service: Service, found: ldp.JointEstimate) -> None:
    given = [("given", "region"), ("given_low", "no answer"), ("given_high", "no answer")]
    reply = asked(service, "prefix", ("attribute", "pay"), ("value", "10"), *given)
    among = found.marginal("pay", given={"region": "no answer"})
    assert ends(reply) == own(among.prefix(10))
    assert ends(reply["no_answer"]) == own(among.no_answer())
    assert reply["given"] == {"region": ["no answer", "no answer"]}


def test_a_range_of_no_answer_is_refused(service: Service) -> None:
    pairs = urlencode([("attribute", "region"), ("low", "no answer"), ("high", "no answer")])
    assert service.get(f"/api/surveys/people/range?{pairs}").status == 400


def test_an_overview_tells_how_many_gave_no_answer(service: Service, found: ldp.JointEstimate) -> None:
    two = asked(service, "overview", ("attribute", "pay"), ("attribute", "region"))
    assert ends(two["no_answer"]) == own(found.no_answer("pay", "region"))
    assert two["table"]["to"][0][-2:] == [29, "more than 29"]
    one = asked(service, "overview", ("attribute", "pay"))
    assert one["beside"]["name"] == ["more than 29", "no answer"]
    others = asked(service, "overview", ("attribute", "pay"), ("attribute", "children"), ("denoise", "true"))
    assert others["no_answer"]["value"] == pytest.approx(0.2, abs=0.05)


@pytest.mark.parametrize(
    ("path", "pairs"),
    [
        ("range", [("attribute", "pay"), ("low", "no answer"), ("high", "no answer")]),
        ("range", [("attribute", "region"), ("low", "south"), ("high", "no answer")]),
        ("prefix", [("attribute", "pay"), ("value", "no answer")]),
    ],
)
def test_no_answer_among_those_who_gave_one(
    service: Service, path: str, pairs: list[tuple[str, str]]
) -> None:
    refused = service.get(f"/api/surveys/people/{path}?{urlencode(pairs)}")
    assert refused.status == 400
    assert "got “no answer”; every reply tells its share" in refused.json["error"]
    assert "add everyone=true" in refused.json["error"]
