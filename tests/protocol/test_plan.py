"""Plans: frozen, the same in JSON, told apart by their fingerprint, and right in what they predict."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from dense_least_squares import all_ranges
from experiments.noise_alone import noise_alone
from ldprange.decompositions import Decomposition, decomposition_from_dict
from ldprange.errors import LdprangeError, PlanError
from ldprange.oracles import Oracle
from plan_strategies import plans

AGES = ldp.Domain.integers(0, 119)
PLAN = ldp.Plan(AGES, 1.1, ldp.Haar(), ldp.HRR())


# JSON and fingerprints


@given(plans())
def test_a_plan_comes_back_from_its_json(plan: ldp.Plan) -> None:
    again = ldp.Plan.from_json(plan.to_json())
    assert again == plan
    assert again.fingerprint == plan.fingerprint
    assert again.to_json() == plan.to_json()
    assert again.levels == plan.levels
    assert [m.counters for m in again.mechanisms] == [m.counters for m in plan.mechanisms]
    assert hash(again) == hash(plan)


@pytest.mark.slow
@given(plans(), plans())
def test_plans_share_a_fingerprint_only_if_they_are_the_same(one: ldp.Plan, other: ldp.Plan) -> None:
    assert (one.fingerprint == other.fingerprint) == (one == other)
    assert (one.differences(other) == []) == (one == other)


def test_a_fingerprint_is_eight_bytes_and_says_nothing_of_layout() -> None:
    assert len(bytes.fromhex(PLAN.fingerprint)) == 8
    description = json.loads(PLAN.to_json())
    shuffled = json.dumps(dict(reversed(description.items())), indent=None)
    assert ldp.Plan.from_json(shuffled).fingerprint == PLAN.fingerprint


def test_choices_that_depend_on_epsilon_are_written_down() -> None:
    # a later version may choose better; a plan must keep what it chose
    plan = ldp.Plan(AGES, 1.1, ldp.Flat(), ldp.HadamardHashing())
    assert json.loads(plan.to_json())["oracles"] == [{"kind": "hadamard", "bits": 2}]
    assert plan == ldp.Plan(AGES, 1.1, ldp.Flat(), ldp.HadamardHashing(bits=2))
    hashing = ldp.Plan(AGES, 1.1, ldp.Flat(), ldp.OLH())
    assert json.loads(hashing.to_json())["oracles"] == [{"kind": "olh", "symbols": 4}]


def test_a_plan_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        PLAN.epsilon = 5.0  # type: ignore[misc]


def test_differences_say_what_differs() -> None:
    other = ldp.Plan(AGES, 1.2, ldp.Haar(), ldp.OUE())
    found = PLAN.differences(other)
    assert found[0] == "epsilon: 1.1 against 1.2"
    assert len(found) == 2
    assert found[1].startswith("oracles of level 0: ")


def _changed(**changes: Any) -> str:
    description = json.loads(PLAN.to_json())
    del description["fingerprint"]
    return json.dumps({**description, **changes})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be JSON"),
        ("{", "must be JSON"),
        ("age,42", "must be JSON"),
        ("[]", "must be a JSON object"),
        ("5", "must be a JSON object"),
        ("null", "must be a JSON object"),
        ("{}", "must be a JSON object with the key"),
        (_changed(ldprange_plan=2), "reads plans of format 1, got 2; upgrade"),
        (_changed(ldprange_plan="1"), "reads plans of format 1, got '1'"),
        (_changed(ldprange_plan=True), "reads plans of format 1, got True"),
        (_changed(extra=1), "must have the keys .*extra"),
        (json.dumps({"ldprange_plan": 1}), r"must have the keys .*lacks 'decomposition'"),
        (_changed(domain=None), "domain is not valid.*must be one of"),
        (_changed(domain={"kind": []}), "domain is not valid.*must be one of"),
        (_changed(domain={"kind": "integers", "low": 5, "high": 4}), "domain is not valid.*5 > 4"),
        (_changed(epsilon=0), "ε must be a finite number above 0, got 0"),
        (_changed(epsilon="1.1"), "ε must be a finite number above 0, got '1.1'"),
        (_changed(epsilon=None), "ε must be a finite number above 0, got None"),
        (_changed(epsilon=math.nan), "ε must be a finite number above 0, got nan"),
        (_changed(epsilon=10**400), "ε must be a finite number above 0, got 1000"),
        (_changed(decomposition={"kind": "bush", "branching": 4}), "kind must be one of .*, got 'bush'$"),
        (_changed(decomposition={"kind": {}}), "decomposition's kind must be one of"),
        (_changed(decomposition={"kind": "tree"}), "cannot be made"),
        (_changed(decomposition={"kind": "tree", "branching": 1}), "at least 2.*got 1"),
        (_changed(decomposition={"kind": "tree", "branching": 10**400}), "branching must be .*got 1000"),
        (_changed(oracles=None), "must be a list"),
        (_changed(oracles={}), "must be a list"),
        (_changed(oracles=[]), "one of these for each of the 7 levels"),
        (_changed(oracles=[{"kind": "hadamard", "bits": 1}]), "one of these for each of the 7 levels"),
        (_changed(oracles=[5] * 7), "oracle's kind must be one of"),
        (_changed(oracles=[{"kind": "hadamard", "bits": 9}] * 7), "bits must be .*got 9"),
        (_changed(level_probabilities=[0.5] * 7), "add up to 1"),
        (_changed(level_probabilities={"a": 1}), "must be 7 numbers"),
        (_changed(level_probabilities=["x"] * 7), "must be 7 numbers"),
        (_changed(fingerprint="0" * 16), f"must be {PLAN.fingerprint}, got '0000"),
        (_changed(fingerprint=5), f"must be {PLAN.fingerprint}, got 5"),
        (PLAN.to_json().replace("119", "120"), "plan was edited"),
    ],
)
def test_a_text_that_is_no_plan_is_refused(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        ldp.Plan.from_json(text)


@pytest.mark.parametrize("text", [None, 5, "[" * 100_000, '{"a":' * 100_000, b"\xff\xfe\x00"])
def test_what_is_not_even_text_is_refused(text: Any) -> None:
    with pytest.raises(PlanError, match="must be"):
        ldp.Plan.from_json(text)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.sampled_from(
        ["ldprange_plan", "domain", "epsilon", "decomposition", "oracles", "level_probabilities"]
    ),
    _json,
)
def test_any_part_replaced_by_anything_is_refused_or_a_plan(key: str, value: Any) -> None:
    try:
        plan = ldp.Plan.from_json(_changed(**{key: value}))
    except LdprangeError:
        return
    assert ldp.Plan.from_json(plan.to_json()) == plan


def test_a_meant_change_goes_through_without_its_fingerprint() -> None:
    assert ldp.Plan.from_json(_changed(epsilon=2)).epsilon == 2.0


# What cannot be planned


@pytest.mark.parametrize(
    "epsilon", [0, -1.0, math.nan, math.inf, -math.inf, "1", None, True, 1j, [1.0], 10**400]
)
def test_epsilon_is_a_finite_number_above_zero(epsilon: Any) -> None:
    with pytest.raises(PlanError, match="ε must be a finite number above 0, got"):
        ldp.Plan(AGES, epsilon, ldp.Haar(), ldp.HRR())


@pytest.mark.parametrize("branching", [1, 0, -2, 2.0, "2", True, None, 10**400])
def test_a_tree_branches_at_least_in_two(branching: Any) -> None:
    with pytest.raises(PlanError, match=r"branching must be .*at least 2.*got"):
        ldp.Tree(branching=branching)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((120, 1.1, ldp.Haar(), ldp.HRR()), "domain must be made with"),
        ((AGES, 1.1, "haar", ldp.HRR()), "decomposition must be .*got 'haar'"),
        ((AGES, 1.1, ldp.Haar, ldp.HRR()), "decomposition must be"),
        ((AGES, 1.1, ldp.Haar(), "hrr"), "oracle must be .*got 'hrr'"),
        ((AGES, 1.1, ldp.Haar(), ldp.OUE), "oracle must be"),
        ((AGES, 1.1, ldp.Haar(), None), "oracle must be"),
        ((AGES, 1.1, ldp.Haar(), [ldp.HRR()] * 6), "each of the 7 levels"),
        ((AGES, 1.1, ldp.Haar(), [ldp.HRR()] * 6 + ["hrr"]), "each of the 7 levels"),
        ((AGES, 1.1, ldp.Haar(), ldp.HRR(), [1.0]), "must be 7 numbers"),
        ((AGES, 1.1, ldp.Haar(), ldp.HRR(), 1.0), "must be 7 numbers"),
        ((AGES, 1.1, ldp.Haar(), ldp.HRR(), [1.5, -0.5, 0, 0, 0, 0, 0]), "at least 0"),
        ((AGES, 1.1, ldp.Haar(), ldp.HRR(), [math.nan] * 7), "add up to 1"),
        ((AGES, 1.1, ldp.Haar(), ldp.HRR(), [0.1] * 7), "add up to 1"),
        ((AGES, 1.1, ldp.Haar(), ldp.HRR(), "evenly"), "must be 7 numbers"),
        ((ldp.Domain.integers(0, 2**40), 1.1, ldp.Haar(), ldp.HRR()), "at most .* bins, got"),
        ((ldp.Domain.integers(0, 2**20), 1e-15, ldp.Flat(), ldp.GRR()), "ε must be large enough"),
    ],
)
def test_what_cannot_be_planned_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        ldp.Plan(*arguments)


# Decompositions


@given(st.integers(1, 5000), st.integers(2, 40))
def test_a_tree_covers_the_bins_with_branchings_near_the_wish(bins: int, branching: int) -> None:
    levels = ldp.Tree(branching).on(ldp.Domain.integers(1, bins)).levels
    assert levels[-1].size == 1
    assert levels[-1].cells >= bins
    assert levels[-1].cells == math.prod(level.branching for level in levels)
    for at, level in enumerate(levels):
        assert level.cells * level.size == levels[-1].cells
        assert level.cells == math.prod(above.branching for above in levels[: at + 1])
        assert level.branching >= 2
        assert level.branching <= 4 * branching
    if bins <= branching:
        assert [level.cells for level in levels] == [max(2, bins)]
    assert levels[-1].cells <= max(2, 1.5 * bins)


@pytest.mark.parametrize(("branching", "height"), [(2, 1), (2, 10), (3, 5), (4, 6), (5, 3), (16, 3)])
def test_a_power_of_the_branching_is_split_evenly(branching: int, height: int) -> None:
    levels = ldp.Tree(branching).on(ldp.Domain.integers(1, branching**height)).levels
    assert [level.branching for level in levels] == [branching] * height


@given(st.integers(1, 5000))
def test_haar_levels_are_the_halves_of_a_power_of_two(bins: int) -> None:
    levels = ldp.Haar().on(ldp.Domain.integers(1, bins)).levels
    assert [level.cells for level in levels] == [2 ** (at + 1) for at in range(len(levels))]
    assert all(level.contrast for level in levels)
    assert bins <= levels[-1].cells
    assert levels[-1].cells < 2 * bins or bins == 1


@pytest.mark.parametrize("decomposition", [ldp.Flat(), ldp.Haar(), ldp.Tree(branching=5)])
def test_a_decomposition_comes_back_from_its_description(decomposition: Decomposition) -> None:
    assert decomposition_from_dict(decomposition.to_dict()) == decomposition


# Predictions


@pytest.mark.parametrize(
    ("epsilon", "decomposition", "oracle", "thousandths"),
    [
        (1.1, ldp.Tree(branching=2), ldp.OUE(), 0.743),
        (1.1, ldp.Tree(branching=4), ldp.OUE(), 0.725),
        (1.1, ldp.Tree(branching=16), ldp.OUE(), 0.810),
        (1.1, ldp.Haar(), ldp.HRR(), 0.755),
        (0.2, ldp.Tree(branching=2), ldp.OUE(), 4.291),
        (0.2, ldp.Tree(branching=4), ldp.OUE(), 4.186),
        (0.2, ldp.Tree(branching=16), ldp.OUE(), 4.677),
        (0.2, ldp.Haar(), ldp.HRR(), 3.789),
    ],
)
def test_root_mean_squared_errors_of_the_papers_setting(
    epsilon: float, decomposition: Decomposition, oracle: Oracle, thousandths: float
) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 255), epsilon, decomposition, oracle)
    assert 1000 * noise_alone(plan, 2**26).range_rmse == pytest.approx(thousandths, abs=0.0005)


@pytest.mark.parametrize("bins", [8, 11])
@pytest.mark.parametrize("decomposition", [ldp.Flat(), ldp.Tree(3), ldp.Haar()], ids=["Flat", "Tree", "Haar"])
def test_a_prediction_for_a_population_is_the_mean_over_its_ranges(
    bins: int, decomposition: Decomposition
) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, bins - 1), 2.0, decomposition, ldp.OUE())
    counts = np.arange(bins) ** 2
    prediction = plan.predict(users=5000, counts=counts)
    users = 5000 * np.array(plan.probabilities)
    low, high, _ = all_ranges(bins)
    cdf = np.concatenate([[0.0], np.cumsum(counts) / counts.sum()])
    each = plan.estimator(users).variances(cdf)(low, high)
    assert prediction.range_variance == pytest.approx(each.mean())
    assert prediction.range_rmse == pytest.approx(math.sqrt(each.mean()))
    assert prediction.prefix_variance == pytest.approx(each[low == 0].mean())
    assert prediction.prefix_rmse == pytest.approx(math.sqrt(each[low == 0].mean()))


@pytest.mark.slow
def test_a_sample_of_ranges_predicts_what_all_of_them_do() -> None:
    bins = 600  # more than are gone through one by one
    plan = ldp.Plan(ldp.Domain.integers(0, bins - 1), 2.0, ldp.Tree(4), ldp.OUE())
    counts = np.random.default_rng(1).integers(0, 9, bins)
    users = 5000 * np.array(plan.probabilities)
    low, high, _ = all_ranges(bins)
    cdf = np.concatenate([[0.0], np.cumsum(counts) / counts.sum()])
    each = plan.estimator(users).variances(cdf)(low, high)
    assert plan.predict(5000, counts).range_variance == pytest.approx(each.mean(), rel=5e-3)


@pytest.mark.parametrize("decomposition", [ldp.Flat(), ldp.Tree(4), ldp.Haar()], ids=["Flat", "Tree", "Haar"])
@pytest.mark.parametrize("oracle", [ldp.OUE(), ldp.HRR(), ldp.HadamardHashing(bits=2), ldp.OLH()])
def test_a_thin_population_has_the_noise_alone(decomposition: Decomposition, oracle: Oracle) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 199), 0.5, decomposition, oracle)
    noise, even = noise_alone(plan, 10**6), plan.predict(10**6, population="respondents")
    assert even.range_rmse == pytest.approx(noise.range_rmse, rel=0.03)
    assert even.prefix_rmse == pytest.approx(noise.prefix_rmse, rel=0.03)
    assert plan.predict(10**6) == plan.predict(10**6, np.ones(200))


def test_errors_fall_with_the_root_of_the_users() -> None:
    one, hundred = PLAN.predict(10_000), PLAN.predict(1_000_000)
    assert one.range_rmse == pytest.approx(10 * hundred.range_rmse)
    assert one.prefix_rmse == pytest.approx(10 * hundred.prefix_rmse)


def test_a_large_domain_is_predicted_too() -> None:
    large = ldp.Plan(ldp.Domain.integers(0, 2**22 - 1), 1.1, ldp.Haar(), ldp.HRR())
    small = ldp.Plan(ldp.Domain.integers(0, 2**21 - 1), 1.1, ldp.Haar(), ldp.HRR())
    # the error grows with the height, about as (height)² does in variance
    ratio = large.predict(2**26).range_variance / small.predict(2**26).range_variance
    assert 1.0 < ratio < (22 / 21) ** 2.5


@pytest.mark.parametrize("users", [0, -5, math.nan, math.inf, "many", None])
def test_users_are_a_number_above_zero(users: Any) -> None:
    with pytest.raises(PlanError, match=r"users must be .*got"):
        PLAN.predict(users)


@pytest.mark.parametrize(
    "counts",
    [[1, 2], np.zeros(120), -np.ones(120), np.full(120, np.nan), "counts", np.ones((120, 1)), ["a"] * 120],
)
def test_counts_are_one_number_per_bin(counts: Any) -> None:
    with pytest.raises(PlanError, match="counts must be 120 numbers"):
        PLAN.predict(1000, counts)


def test_a_plan_whose_levels_were_chosen_by_another_rule_is_refused() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 119), 1.1, ldp.Tree(4), ldp.OUE())
    description = json.loads(plan.to_json())
    assert description["branchings"] == [4, 5, 6]
    del description["fingerprint"]
    del description["branchings"]
    assert ldp.Plan.from_json(json.dumps(description)) == plan
    description["branchings"] = [6, 5, 4]
    with pytest.raises(ldp.PlanError, match="branchings must be"):
        ldp.Plan.from_json(json.dumps(description))
