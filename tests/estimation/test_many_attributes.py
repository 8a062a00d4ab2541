"""More attributes than are asked about together: pairs of them, and what denoising makes of those."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ldprange as ldp
from example_products import joint


class TestMany:
    """Attributes that are asked about in pairs."""

    DOMAIN = ldp.Domain.product(**{each: ldp.Domain.integers(0, 15) for each in "abcde"})

    @staticmethod
    def values(users: int) -> dict[str, NDArray[np.int64]]:
        rng = np.random.default_rng(5)
        common = rng.normal(size=users)
        columns = {each: 0.8 * common + 0.6 * rng.normal(size=users) for each in "abcde"}
        return {each: np.clip(column * 3 + 8, 0, 15).astype(np.int64) for each, column in columns.items()}

    def test_the_planner_asks_about_pairs(self) -> None:
        plan = ldp.choose_plan(self.DOMAIN, epsilon=1.0, expected_users=100_000)
        assert {sum(size > 1 for size in level.shape) for level in plan.levels} == {1, 2}  # type: ignore[attr-defined]
        assert ldp.Plan.from_json(plan.to_json()) == plan

    @pytest.mark.slow
    def test_answers_are_near_and_intervals_hold_the_truth(self) -> None:
        values = self.values(200_000)
        plan = ldp.choose_plan(self.DOMAIN, epsilon=2.0, expected_users=200_000)
        found = joint(ldp.simulate_values(plan, values, seed=1), denoise=True)
        questions: tuple[dict[str, Any], ...] = (
            {"a": (4, 9)},
            {"a": (4, 11), "c": (8, 15)},
            {"a": (0, 7), "b": (0, 7), "d": (4, 15), "e": (2, 9)},
        )
        for asked in questions:
            inside = [(values[each] >= low) & (values[each] <= high) for each, (low, high) in asked.items()]
            truth = np.logical_and.reduce(inside).mean()
            answer = found.range(**asked)
            assert answer.low is not None
            assert answer.high is not None
            assert answer.low <= truth <= answer.high
            assert answer.value == pytest.approx(truth, abs=0.03)

    def test_without_denoising_more_than_two_are_refused(self) -> None:
        plan = ldp.choose_plan(self.DOMAIN, epsilon=2.0, expected_users=1000)
        found = joint(ldp.simulate_values(plan, self.values(1000), seed=1))
        with pytest.raises(ldp.QueryError, match="denoise"):
            found.range(a=(0, 3), b=(0, 3), c=(0, 3))

    @pytest.mark.parametrize("depth", [0, -1, 1.5, "3"])
    def test_pairs_are_cut_at_least_once(self, depth: Any) -> None:
        with pytest.raises(ldp.PlanError, match="depth must be a whole number of at least 1"):
            ldp.Grids.pairs(self.DOMAIN, depth=depth)

    def test_the_answer_says_why_the_interval_of_three_is_wide(self) -> None:
        plan = ldp.choose_plan(self.DOMAIN, epsilon=1.0, expected_users=1000, answers="denoised")
        found = joint(ldp.simulate_values(plan, self.values(1000), seed=1), denoise=True)
        whole = self.DOMAIN.shape[0] - 1
        assert found.range(a=(0, whole), b=(0, whole)).note == ""
        assert "two at a time" in found.range(a=(0, whole), b=(0, whole), c=(0, whole)).note

    @pytest.mark.parametrize("grids", [ldp.Grids.pairs, ldp.Grids.coarse])
    def test_one_attribute_has_no_pairs(self, grids: Any) -> None:
        with pytest.raises(ldp.PlanError, match="pairs need two attributes or more"):
            grids(ldp.Domain.integers(0, 9))
        with pytest.raises(ldp.ArgumentTypeError, match="domain must be of type Domain, got 'x'"):
            grids("x")

    def test_pairs_are_cut_no_deeper_than_to_bins(self) -> None:
        assert ldp.Grids.pairs(self.DOMAIN, depth=100) == ldp.Grids.pairs(self.DOMAIN, depth=6)

    @pytest.mark.parametrize("attributes", [4, 10, 20])
    def test_there_are_levels_for_many_attributes(self, attributes: int) -> None:
        domain = ldp.Domain.product(**{f"a{a}": ldp.Domain.integers(1, 64) for a in range(attributes)})
        grids = ldp.Grids.pairs(domain)
        assert len(grids.depths) <= 255
        assert all(len(ldp.Grids.pairs(domain, depth=depth).depths) <= 255 for depth in range(1, 7))
        assert len(grids.on(domain).tables) == attributes * (attributes - 1) // 2
        assert all(any(row[a] for row in grids.depths) for a in range(attributes))
