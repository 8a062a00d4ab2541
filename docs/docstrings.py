"""Docstrings as the site shows them; mkdocs.yml names this file, and mkdocstrings calls it."""

from __future__ import annotations

import re
from typing import Any

import griffe


class SiteDocstrings(griffe.Extension):
    """Gives examples a heading of their own, so that they are shown as code; references become names."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of whatever is shown."""
        if obj.docstring is not None:
            obj.docstring.value = for_the_site(obj.docstring.value)


def for_the_site(docstring: str) -> str:
    r"""Return a docstring with a heading before its first example, and references as code.

    >>> for_the_site("Return :class:`Plan`.\n\n>>> 1 + 1\n2")
    'Return `Plan`.\n\nExamples\n--------\n>>> 1 + 1\n2'
    """
    shown = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", docstring)
    if "\nExamples\n" in shown:
        return shown
    return re.sub(r"^(?=>>> )", "Examples\n--------\n", shown, count=1, flags=re.MULTILINE)
