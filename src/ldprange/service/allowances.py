"""What each sender may still do: so much at once, and as much again in the course of time."""

import time
from collections import OrderedDict
from collections.abc import Hashable

_MAX_REMEMBERED = 1 << 16


class Allowances:
    """Amounts that are left to each key: at first ``most`` of each, which come back within ``seconds``.

    It looks at one entry for a request, and remembers a bounded number of them.
    """

    def __init__(self, seconds: float, *most: float) -> None:
        self._seconds, self._most = seconds, most
        self._left: OrderedDict[Hashable, tuple[float, list[float]]] = OrderedDict()  # the latest last

    def of(self, key: Hashable) -> list[float]:
        """Return what is left to ``key`` now, by amount; whoever spends any of it takes it off there."""
        now = time.monotonic()
        since, left = self._left.pop(key, (now, list(self._most)))
        passed = (now - since) / self._seconds
        left[:] = [min(most, amount + passed * most) for most, amount in zip(self._most, left, strict=True)]
        self._left[key] = (now, left)
        if len(self._left) > _MAX_REMEMBERED:
            self._left.popitem(last=False)  # who was silent longest, and has most of it back
        return left
