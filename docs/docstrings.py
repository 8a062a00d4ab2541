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
    shown = re.sub(r"^(\w+(?:, \w+)+)\n((?: {4}.*\n?)+)", _each_by_itself, shown, flags=re.MULTILINE)
    if "\nExamples\n" in shown:
        return shown
    return re.sub(r"^(?=>>> )", "Examples\n--------\n", shown, count=1, flags=re.MULTILINE)


def _each_by_itself(several: re.Match[str]) -> str:
    r"""Return parameters that share a text one by one, so that each is shown with its own type and default.

    >>> for_the_site("Parameters\n----------\nlow, high\n    The ends.\n")
    'Parameters\n----------\nlow\n    The ends.\nhigh\n    The ends.\n'
    """
    names, text = several.groups()
    return "".join(f"{name}\n{text}" for name in names.split(", "))
