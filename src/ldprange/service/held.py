"""What was last worked out of surveys, kept until there is more to work out."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Hashable
from threading import Lock
from typing import Any, ClassVar, Generic, TypeVar

from ldprange.service.store import Survey

Key = TypeVar("Key", bound=tuple[Any, ...])
Value = TypeVar("Value")


class Held(Generic[Key, Value]):
    """What was last worked out of surveys, ``most`` at a time; a key begins with the survey's id."""

    most: ClassVar[int]

    def __init__(self) -> None:
        self._held: OrderedDict[Key, Value] = OrderedDict()
        self._locks: defaultdict[Hashable, Lock] = defaultdict(Lock)
        self._holding = Lock()

    def hold(self, key: Key, what: Value) -> None:
        """Keep ``what`` was worked out, and let go of what was not asked for longest."""
        with self._holding:
            self._held[key] = what
            self._held.move_to_end(key)
            while len(self._held) > self.most:
                self._held.popitem(last=False)

    def forget(self, survey: Survey) -> None:
        """Let go of all that is known of a survey."""
        with self._holding:
            for key in [key for key in self._held if key[0] == survey.id]:
                del self._held[key]
