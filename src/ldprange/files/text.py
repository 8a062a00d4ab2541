"""Text files, such as plans."""

from __future__ import annotations

from typing import BinaryIO

from ldprange.errors import FileError
from ldprange.files.sources import Name, opened
from ldprange.support.whole_files import whole_file


def read_text(path: Name) -> str:
    """Return the text of a file, or of standard input for ``-``."""
    with opened(path) as file:
        return text_of(file)


def text_of(file: BinaryIO) -> str:
    """Return the text of an open file."""
    data = file.read()
    if not data:
        raise FileError("the file must hold text, and it is empty")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError("the file must be UTF-8 text, and it is something else") from None


def write_text(path: Name, text: str) -> None:
    """Write text to a file that is there whole or not at all."""
    with whole_file(path) as file:
        file.write(text.encode())
