"""BLAS is kept to the caller's thread while the main thread is inside, and left as it was."""

from __future__ import annotations

import sys
from threading import Thread
from typing import Any

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

import ldprange as ldp
from ldprange.estimation import joint_denoised
from ldprange.estimation.denoise_pair import denoised_pair
from ldprange.support.blas import _libraries, callers_thread
from ldprange.support.parallel import in_threads


def _threads() -> list[int]:
    """Return how many threads NumPy's BLAS takes; other packages may have brought one of their own."""
    found = ThreadpoolController().select(user_api="blas").info()
    return [library["num_threads"] for library in found if "numpy" in library["filepath"]]


def test_one_thread_inside_and_as_many_as_before_outside() -> None:
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        before = _threads()
        assert before
        with callers_thread:
            assert _threads() == [1] * len(before)
            with callers_thread:
                assert _threads() == [1] * len(before)
            assert _threads() == [1] * len(before)
        assert _threads() == before


def test_another_thread_changes_nothing() -> None:
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        before, inside = _threads(), list[list[int]]()

        def work() -> None:
            with callers_thread:
                inside.append(_threads())

        for threads in (before, [1] * len(before)):
            other = Thread(target=work)
            other.start()
            other.join()
            assert inside.pop() == threads
            callers_thread.__enter__()
        callers_thread.__exit__()
        callers_thread.__exit__()
        assert _threads() == before


def test_threads_of_our_own_do_not_bring_more() -> None:
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        assert set(_threads()) == {2}  # also where fewer were asked for when the process began
        found = list(in_threads(lambda _: _threads(), range(4)))
    assert {number for each in found for number in each} == {1}


def test_without_its_package_blas_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    _libraries.cache_clear()
    before = _threads()
    with callers_thread:
        assert _threads() == before
    _libraries.cache_clear()


def test_a_pair_that_is_denoised_when_it_is_first_asked_takes_one_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []

    def spied(*given: Any) -> Any:
        seen.extend(_threads())
        return denoised_pair(*given)

    monkeypatch.setattr(joint_denoised, "denoised_pair", spied)
    domain = ldp.Domain.product(a=ldp.Domain.integers(0, 7), b=ldp.Domain.integers(0, 7))
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=1000)
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        found = ldp.estimate(ldp.simulate(plan, np.full((8, 8), 20), seed=1), denoise=True)
        found.range(a=(0, 3), b=(2, 5))
    assert set(seen) == {1}
