"""What clients and a collector agree on in the open: JSON text, known by a digest of everything in it."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, Self

from ldprange.errors import PlanError, about
from ldprange.support.checking import listed
from ldprange.support.whole_files import read_whole, text_of, whole_file

FINGERPRINT_BYTES = 8


class Agreement(ABC):
    """What is public: written as JSON text, and known by a digest of everything in it."""

    @abstractmethod
    def _description(self) -> dict[str, Any]:
        """Return all that is agreed on in plain JSON types."""

    @classmethod
    @abstractmethod
    def from_json(cls, text: str) -> Self:
        """Read a plan back."""

    def to_dict(self) -> dict[str, Any]:
        """Return the plan in plain JSON types."""
        return self._description()

    def to_json(self) -> str:
        """Return the plan as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan's JSON text to ``path``: beside it first, then moved there, so never half of it."""
        with whole_file(path) as file:
            file.write(f"{self.to_json()}\n".encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the plan in the file ``path``, which :meth:`save` wrote, or anyone else as JSON text."""
        data = read_whole(path)
        with about(path):
            return cls.from_json(text_of(data))

    @cached_property
    def fingerprint(self) -> str:
        """A short digest of everything in the plan."""
        canonical = json.dumps(self._description(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[: 2 * FINGERPRINT_BYTES]


def read_json(text: str, what: str) -> Any:
    """Return what JSON ``text`` says; the error calls it ``what``."""
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates)
    except (ValueError, TypeError, RecursionError) as error:
        raise PlanError(
            f"{what} must be JSON text (not a file's name), and this is not: {listed([error])}"
        ) from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    description = dict(pairs)
    if len(description) != len(pairs):
        raise ValueError("a key stands twice")
    return description
