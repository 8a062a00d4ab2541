"""Structures in Thrift's compact protocol, which is how Parquet files describe themselves.

Arrow reads them too, but ends the process where some of them are damaged and their columns are asked for.
"""

from typing import Any

_TRUTHS, _BYTE, _NUMBERS, _DOUBLE, _TEXT, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
_LONG_LIST = 15  # a length that does not fit in half a byte

Structure = dict[int, Any]
"""Numbers, bytes, lists and structures, by the places that the format gives them."""


def read_structure(data: bytes) -> tuple[Structure, int]:
    """Return the structure with which ``data`` begin, and where it ends.

    Raises
    ------
    IndexError
        If the data end inside it.
    ValueError, RecursionError
        If it is something else.
    """
    reader = _Reader(data)
    return reader.structure(), reader.at


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def structure(self) -> Structure:
        found: Structure = {}
        place = 0
        while head := self._byte():
            place = place + (head >> 4) if head >> 4 else self._number()
            kind = head & 0xF
            found[place] = kind == 1 if kind in _TRUTHS else self._value(kind)
        return found

    def _value(self, kind: int) -> Any:
        if kind in _NUMBERS:
            return self._number()
        if kind == _STRUCT:
            return self.structure()
        if kind == _TEXT:
            return self._bytes(self._unsigned())
        if kind in _LISTS:
            head = self._byte()
            length = self._unsigned() if head >> 4 == _LONG_LIST else head >> 4
            return [self._value(head & 0xF) for _ in range(length)]
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind == _BYTE or kind in _TRUTHS:
            return self._byte()
        raise ValueError(f"a field of kind {kind}")

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _bytes(self, length: int) -> bytes:
        self.at += length
        if self.at > len(self.data):  # now, since a list could go on and on behind the end
            raise IndexError
        return self.data[self.at - length : self.at]

    def _unsigned(self) -> int:
        number = shift = 0
        while (byte := self._byte()) >= 0x80:
            number |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")
        return number | byte << shift

    def _number(self) -> int:
        number = self._unsigned()
        return number >> 1 ^ -(number & 1)
