"""NumPy's BLAS, kept to the thread that calls it.

BLAS takes a thread for every core to all but the smallest products. They are done within microseconds, and
then spin while they wait for one another: on a machine with other work to do, or beside threads of our own,
they burn several times what the products take.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from functools import cache
from threading import current_thread, main_thread
from typing import Any


@cache
def _libraries() -> Any:
    """Return what can limit BLAS's threads; None without threadpoolctl: then all is as exact, but slower."""
    try:
        from threadpoolctl import ThreadpoolController
    except ModuleNotFoundError:
        return None
    return ThreadpoolController()


class _CallersThread(ContextDecorator):
    """While the main thread is inside, no product takes a second thread; then all is as before.

    Other threads change nothing: the setting is the whole process's, and OpenBLAS takes it from none but the
    main thread.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        if current_thread() is main_thread():
            if not self._depth and _libraries():
                self._limits = _libraries().limit(limits=1, user_api="blas")
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        if current_thread() is main_thread():
            self._depth -= 1
            if not self._depth and self._limits:
                self._limits.restore_original_limits()


callers_thread = _CallersThread()
"""As a context, or before a function: products are done by the thread that asks for them."""
