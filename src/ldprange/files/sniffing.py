"""What a file is, by how it begins, so that one given in place of another is called by its name."""

import codecs
import io
import re
from collections.abc import Mapping
from enum import Enum
from typing import BinaryIO

from ldprange import wire
from ldprange.errors import FileError

SWAP = "swap the arguments?"
_START_BYTES = 4096
_TOO_SHORT = 8  # so few bytes may be the beginning of anything
_LENGTH_BYTES = 4


class Kind(Enum):
    """The kinds of files that are told apart, by what messages call them."""

    PLAN = "a plan"
    AGGREGATE = "an aggregate"
    LABELLED_PLAN = "a labelled plan"
    LABELLED_AGGREGATE = "a labelled aggregate"
    PACKED = "packed reports"
    PARQUET = "a Parquet table"
    ARCHIVE = "a spreadsheet or an archive"
    TEXT = "plain text"


_MAGIC = {
    b"LDPRAGG": Kind.AGGREGATE,
    b"LDPRLAB": Kind.LABELLED_AGGREGATE,
    b"PAR1": Kind.PARQUET,
    b"PK\x03\x04": Kind.ARCHIVE,  # zip, and so .xlsx and .ods
    b"\xd0\xcf\x11\xe0": Kind.ARCHIVE,  # .xls
    b"\x1f\x8b": Kind.ARCHIVE,  # gzip
}
_FROM_PYTHON = {
    Kind.LABELLED_PLAN: "use it from Python (LabelledPlan)",
    Kind.LABELLED_AGGREGATE: "use it from Python (LabelledAggregate)",
}


def expect(kind: Kind, file: BinaryIO, what: str, advice: Mapping[Kind, str]) -> None:
    """Raise FileError if the first bytes of ``file`` are of another kind; its parser reports the rest.

    Parameters
    ----------
    kind
        What it must be.
    file
        The file, which is not moved in.
    what
        The same in the user's words.
    advice
        What to do about each kind that it may be instead; of labelled ones it is known.
    """
    found = kind_of(beginning(file))
    if found is not None and found != kind:
        what_to_do = {**advice, **_FROM_PYTHON}[found]
        raise FileError(f"the file must be {what}, but it is {found.value}; {what_to_do}")


def kind_of(start: bytes) -> Kind | None:
    """Say what begins like this, if that can be told.

    >>> kind_of(b"PAR1 and so on").value
    'a Parquet table'
    """
    for magic, kind in _MAGIC.items():
        if start.startswith(magic):
            return kind
    if len(start) < _TOO_SHORT:
        return None
    # a batch has its length before it, which is far below 2**28
    if start[_LENGTH_BYTES - 1] < 1 << 4 and start[_LENGTH_BYTES] in wire.VERSIONS:
        return Kind.PACKED
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(start)  # may end inside a character
    except UnicodeDecodeError:
        return None
    if text.lstrip().startswith("{"):
        if '"ldprange_labelled_plan"' in text:  # which has plans inside
            return Kind.LABELLED_PLAN
        return Kind.PLAN if '"ldprange_plan"' in text else None
    return None if re.search(r"[\0-\x08\x0b\x0c\x0e-\x1f]", text) else Kind.TEXT


def beginning(file: BinaryIO) -> bytes:
    """Return how a file begins, and leave it there; nothing, if that cannot be."""
    if file.seekable():
        position = file.tell()
        start = file.read(_START_BYTES)
        file.seek(position)
        return start
    return file.peek(_START_BYTES)[:_START_BYTES] if isinstance(file, io.BufferedReader) else b""
