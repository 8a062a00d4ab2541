"""Threads over blocks: results in order, and no threads of threads."""

from __future__ import annotations

from threading import get_ident

import pytest

from ldprange.support import parallel
from ldprange.support.parallel import in_threads, slices


@pytest.fixture(autouse=True)
def _three_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "workers", lambda: 3)


def test_results_come_in_the_order_of_blocks() -> None:
    assert list(in_threads(lambda number: number**2, range(50))) == [number**2 for number in range(50)]


def test_what_a_block_is_cut_into_stays_in_its_thread() -> None:
    def inner(_: int) -> int:
        return get_ident()

    def outer(_: int) -> set[int]:
        return {get_ident(), *in_threads(inner, range(8))}

    assert all(len(threads) == 1 for threads in in_threads(outer, range(8)))
    # the thread that asks is none of those, and stays free to have others later
    assert get_ident() not in set(in_threads(inner, range(8)))


def test_a_failure_reaches_who_asked() -> None:
    def fails(number: int) -> int:
        return 1 // (number - 3)

    with pytest.raises(ZeroDivisionError):
        list(in_threads(fails, range(8)))


def test_slices_cover_everything_once() -> None:
    assert [number for some in slices(10, 4) for number in range(10)[some]] == list(range(10))
