"""Domains of labels, with an order or without."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np

from ldprange.domain.contract import LONGEST_NUMBER, Discrete, Domain
from ldprange.errors import DomainError
from ldprange.support.arrays import Bins
from ldprange.support.checking import Values, can_be_written, first_of, listed, normalise, shown
from ldprange.support.columns import Bounded, as_array

_MAX_TOLD = 8  # labels that are all told


@dataclass(frozen=True, slots=True)
class Ordered(Discrete):
    """Labels in a given order."""

    labels: Sequence[str]
    _places: dict[str, int] = field(init=False, repr=False, compare=False)
    kind: ClassVar[str] = "ordered"
    one_value: ClassVar[str] = "a label"
    values: ClassVar[str] = "labels"
    column: ClassVar[Literal["labels"]] = "labels"

    def __post_init__(self) -> None:
        if isinstance(self.labels, str | Set | Mapping) or not isinstance(self.labels, Iterable):
            raise DomainError(f"labels must be a list of strings, in their order, got {shown(self.labels)}")
        normalise(self, labels=tuple(self.labels))
        if not self.labels:
            raise DomainError("labels must be one or more strings, got none")
        for label in self.labels:
            if not isinstance(label, str):
                raise DomainError(f"labels must be one or more strings, got {shown(label)} among them")
            if "\0" in label:
                raise DomainError(f"labels must be without NUL characters, got {shown(label)}")
        if len(set(self.labels)) != len(self.labels):
            ((again, _),) = Counter(self.labels).most_common(1)
            raise DomainError(
                f"labels must differ from one another, got {shown(again)} more than once; "
                "if these are people's values, give each label once"
            )
        try:
            "".join(self.labels).encode()
        except UnicodeEncodeError:
            wrong = next(label for label in self.labels if not can_be_written(label))
            raise DomainError(f"labels must be text that UTF-8 can write, got {shown(wrong)}") from None
        normalise(self, _places={label: index for index, label in enumerate(self.labels)})

    @property
    def bins(self) -> int:
        return len(self.labels)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "labels": list(self.labels)}

    def _bins_of(self, values: Values, _: Bounded) -> Bins:
        array = as_array(values)
        if array.size == 0:
            return np.zeros(array.shape, np.int64)
        if array.dtype.kind == "O" and all(isinstance(value, str) for value in array.flat):
            array = array.astype(np.str_)
        if array.dtype.kind == "b":
            array = array.astype(np.str_)  # "False" and "True"
        if array.dtype.kind not in "UT":
            raise DomainError(f"values must be labels (strings), got {shown(first_of(array))}")
        present, inverse = np.unique(array, return_inverse=True)
        places = np.array([self._places.get(str(label), -1) for label in present], np.int64)[inverse]
        unknown = places < 0
        if np.any(unknown):
            others = f" (unknown: {np.sum(unknown):,} of {array.size:,})" if array.size > 1 else ""
            raise self._unknown(str(array[unknown][0]), others)
        return places

    def index_one(self, value: Any) -> int:
        # as text, not as an array of it, which would lose a NUL at the end
        return self._place(value) if type(value) is str else Domain.index_one(self, value)

    def _place(self, label: str) -> int:
        if label not in self._places:
            raise self._unknown(label)
        return self._places[label]

    def _unknown(self, label: str, others: str = "") -> DomainError:
        known = listed(self.labels)
        return DomainError(f"values must be among the labels {known}, got {shown(label)}{others}")

    def edges(self) -> NoReturn:
        raise DomainError(f"labels have no edges, got {listed(self.labels)}; use domain.labels")

    def _parse(self, text: str, wanted: str) -> str:
        self._place(text)  # raises an error if there is none of this name
        return text

    @property
    def longest(self) -> int:
        return max(LONGEST_NUMBER, *(len(label.encode()) for label in self.labels))

    def in_words(self) -> str:
        few = self.labels if self.bins <= _MAX_TOLD else [*self.labels[:3], "…", self.labels[-1]]
        return f"{self.values} {', '.join(few)}"

    def _value(self, index: int) -> str:
        return self.labels[index]


@dataclass(frozen=True, slots=True)
class Categories(Ordered):
    """Labels without an order."""

    kind: ClassVar[str] = "categories"
    values: ClassVar[str] = "categories"

    @property
    def unordered(self) -> frozenset[int]:
        return frozenset([0])
