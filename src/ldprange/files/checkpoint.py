"""How far counting has come: an aggregate, and which parts of which files are in it.

One file, so that both always belong together::

    8 bytes     b"LDPRCKP" and the version, 1
    4 bytes     length of the list, little-endian
    list        JSON: [[name, first, last, size, changed, column, left_out], …]
    the rest    the aggregate, as its file has it
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ldprange.aggregate import Aggregate
from ldprange.errors import FileError, MismatchError
from ldprange.files.sources import naming
from ldprange.plan import Plan
from ldprange.support.whole_files import whole_file

_MAGIC = b"LDPRCKP\x01"


class Part(NamedTuple):
    """A part of a file, and what the file was like: row groups ``first`` up to ``last``, or all of it.

    ``column`` is the one that holds packed reports, where the file is a table of the user's own.
    """

    name: str
    first: int
    last: int
    size: int
    changed: int
    column: str | None = None


def save(path: Path, total: Aggregate, done: Mapping[Part, int]) -> None:
    """Write how far it has come: what is ``done``, and how many rows of each part were left out.

    The file is there whole or not at all.
    """
    listed = json.dumps([[*part, left_out] for part, left_out in sorted(done.items())]).encode()
    with whole_file(path) as file:
        file.write(_MAGIC + len(listed).to_bytes(4, "little") + listed)
        file.write(total.to_bytes())


def load(path: Path, plan: Plan, parts: set[Part]) -> tuple[Aggregate, dict[Part, int]]:
    """Return what :func:`save` wrote to ``path``; an error unless it is of ``plan`` and these ``parts``."""
    advice = "; remove it to begin anew"
    data = path.read_bytes()
    start = 12 + int.from_bytes(data[8:12], "little")
    try:
        if data[:8] != _MAGIC:
            raise ValueError
        done = {Part(*part): left_out for *part, left_out in json.loads(data[12:start])}
        if not all(type(left_out) is int and left_out >= 0 for left_out in done.values()):
            raise ValueError
    except (ValueError, TypeError, RecursionError):
        raise FileError(f"{path} must be a checkpoint of counting, and it is not{advice}") from None
    with naming(path):
        total = Aggregate.from_bytes(data[start:], "its aggregate")
    if total.plan.fingerprint != plan.fingerprint:
        raise MismatchError(
            f"{path} must be of the plan {plan.fingerprint}, got {total.plan.fingerprint}{advice}"
        )
    if not done.keys() <= parts:
        name = sorted(done.keys() - parts)[0].name
        raise FileError(
            f"checkpoint {path} does not match the inputs ({name} was modified or is not among them){advice}"
        )
    return total, done
