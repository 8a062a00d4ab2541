"""Report files as on the wire: packed batches, each after its length in 4 bytes, little-endian."""

import os
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np

from ldprange import wire
from ldprange.errors import FileError
from ldprange.plan import Plan
from ldprange.reports import Batch

_LENGTH_BYTES = 4


def read(file: BinaryIO, plan: Plan, groups: range | None = None) -> Iterator[Batch]:
    """Yield the batches one by one."""
    size = os.fstat(file.fileno()).st_size if file.seekable() else None
    while head := file.read(_LENGTH_BYTES):
        length = int.from_bytes(head, "little")
        # asked first, because a length that is not one would ask for any amount of memory
        cut = len(head) < _LENGTH_BYTES or (size is not None and length > size - file.tell())
        data = b"" if cut else file.read(length)
        if cut or len(data) < length:
            raise FileError(
                "the file must consist of whole packed batches, and it ends inside one; "
                "it was truncated, or it is something else"
            )
        yield wire.unpack(plan, data)


def write(file: BinaryIO, plan: Plan, batches: Iterable[Batch]) -> None:
    """Write batches one by one; without any, an empty one, so that the file still names its plan."""
    empty = True
    for batch in batches:
        _append(file, batch)
        empty = False
    if empty:
        _append(file, Batch(plan, [np.empty(0)] * len(plan.levels)))


def _append(file: BinaryIO, batch: Batch) -> None:
    data = wire.pack(batch)
    file.write(len(data).to_bytes(_LENGTH_BYTES, "little"))
    file.write(data)
