"""Files that are there whole, or not at all: writing them, and reading them again."""

import hashlib
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ldprange.errors import FileError

_DIGEST = 32  # bytes
_NEVER_FOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file beside ``path`` for writing, and move it there when the block ends well.

    If the block raises, what was there before is still there, and nothing else is.
    """
    path = Path(path)
    # a link stays a link to the file that is replaced
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FileError(f"{path} must be a file to write to, but it is a directory")
    try:
        if target.exists() and not target.is_file():
            # a pipe or a device can only be written into; moving a file there would take its place
            with target.open("wb") as file:
                yield file
            return
        # a name that nobody can foretell, and new: a link that lies there already is not followed
        beside = target.with_name(f"{target.name}.{secrets.token_hex(8)}.partial")
        mode = 0o600 if target.exists() else 0o666  # nor may whoever cannot read the old file read this one
        try:
            # an interrupt may come as soon as it is there
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NEVER_FOLLOWED, mode)
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if target.exists():  # whoever could not read the old file cannot read the new one
                beside.chmod(target.stat().st_mode & 0o777)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from None


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """Return what a file holds."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None


def text_of(data: bytes) -> str:
    """Return the text that a file's ``data`` hold; they must be UTF-8, with or without a byte order mark."""
    if not data:
        raise FileError("the file must hold text, and it is empty")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError("the file must be UTF-8 text, and it is something else") from None


_READ_WITH = {
    b"LDPRAGG": "an aggregate; read it with Aggregate.load",
    b"LDPRLAB": "a labelled aggregate; read it with LabelledAggregate.load",
}


def unsealed(
    data: bytes, kind: bytes, versions: Sequence[int], what: str, path: str | os.PathLike[str]
) -> memoryview:
    """Return all of ``data`` but the digest at the end; they begin with ``kind`` and the byte of a version.

    Another kind, a version that is not among ``versions``, or half of a file is an error, which says ``what``
    must be at ``path``. The digest is SHA-256 over all before it.
    """
    if data[: len(kind)] != kind:
        found = _READ_WITH.get(data[: len(kind)], "something else" if data else "empty")
        raise FileError(f"{path} must be {what} that ldprange saved, but it is {found}")
    if len(data) > len(kind) and data[len(kind)] not in versions:
        known = " or ".join(map(str, versions))
        raise FileError(f"{path} must be {what} of version {known}; upgrade ldprange")
    body, digest = memoryview(data)[:-_DIGEST], data[-_DIGEST:]
    if len(body) <= len(kind) or hashlib.sha256(body).digest() != digest:
        raise FileError(f"{path} must be whole, but it is truncated or damaged; copy or make it again")
    return body
