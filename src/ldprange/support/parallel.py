"""Threads over blocks: NumPy lets go of the interpreter in its loops, so blocks run side by side."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from ldprange.support.blas import callers_thread

if TYPE_CHECKING:
    from concurrent.futures import Future

Block = TypeVar("Block")
Result = TypeVar("Result")


@cache
def workers() -> int:
    """Return how many threads are worth having."""
    return os.cpu_count() or 1


def in_threads(work: Callable[[Block], Result], blocks: Iterable[Block]) -> Iterator[Result]:
    """Yield ``work(block)`` for every block, in order, running a few at once.

    Blocks are taken only as they are needed, so memory holds a few blocks however many come. A single block
    is done in the caller's thread: to start another can take longer than the block.
    """
    blocks = iter(blocks)
    begun = list(islice(blocks, 2))
    if len(begun) < 2:
        yield from map(work, begun)
        return
    from concurrent.futures import ThreadPoolExecutor  # not for a client, which has no blocks

    most = workers()
    waiting: deque[Future[Result]] = deque()
    with callers_thread, ThreadPoolExecutor(most) as pool:
        try:
            for block in chain(begun, blocks):
                waiting.append(pool.submit(work, block))
                if len(waiting) > most:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def slices(length: int, step: int) -> Iterator[slice]:
    """Cut ``range(length)`` into consecutive slices of at most ``step``."""
    for start in range(0, length, step):
        yield slice(start, min(start + step, length))
