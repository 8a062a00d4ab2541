"""Notebooks, which are kept as programs without results: run, as pages of the site and as files for Jupyter.

A program is cut into cells at lines that begin with ``# %%``; the text of a ``# %% [markdown]`` cell is in
comments. Editors (Jupyter with jupytext, VS Code, PyCharm, Spyder) open such a file as a notebook.
"""

from __future__ import annotations

import ast
import base64
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

_MARK = "# %%"


class Cell(NamedTuple):
    """A piece of text, or of a program with what it prints and what its last line is."""

    is_text: bool
    source: str
    printed: str = ""
    shown: dict[str, str] | None = None  # by media type; pictures in base 64


def made_from(program: Path) -> dict[str, str | bytes]:
    """Return the page, its pictures and the notebook that a ``program`` makes when it is run, by name."""
    done = list(run(program.read_text(encoding="utf-8")))
    made: dict[str, str | bytes] = {}
    parts = []
    for number, cell in enumerate(done):
        if cell.is_text:
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        shown = cell.shown or {}
        picture = f"{program.stem}-{number}.png"
        if cell.printed:
            parts.append(f"```text\n{cell.printed.rstrip()}\n```")
        if "image/png" in shown:
            made[picture] = base64.b64decode(shown["image/png"])
            parts.append(f"![What the cell draws]({picture})")
        elif "text/html" in shown:
            parts.append(f"<div>\n{shown['text/html']}\n</div>")
        elif shown:
            parts.append(f"```text\n{shown['text/plain']}\n```")
    parts.insert(1, f"[Download this page as a notebook]({program.stem}.ipynb) for Jupyter.")
    made[f"{program.stem}.md"] = "\n\n".join(parts) + "\n"
    made[f"{program.stem}.ipynb"] = json.dumps(_notebook(done), indent=1, ensure_ascii=False)
    return made


def run(source: str) -> Iterator[Cell]:
    """Yield the cells of a program, each after it has been run, all with the same names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for piece in f"\n{source}".split(f"\n{_MARK}")[1:]:
        head, _, body = piece.partition("\n")
        if head.strip() == "[markdown]":
            lines = (line.removeprefix("#").removeprefix(" ") for line in body.strip().split("\n"))
            yield Cell(True, "\n".join(lines))
            continue
        statements = ast.parse(body).body
        match statements:
            case [*_, ast.Expr(expression)]:
                last = ast.Expression(expression)
                statements.pop()
            case _:
                last = ast.parse("None", mode="eval")
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(ast.Module(statements, []), "cell", "exec"), names)  # noqa: S102 (our own)
            value = eval(compile(last, "cell", "eval"), names)  # noqa: S307
        yield Cell(False, body.strip(), printed.getvalue(), None if value is None else _forms(value))


def _forms(value: Any) -> dict[str, str]:
    """Return how a value is shown, as Jupyter would ask it."""
    forms = {"text/plain": repr(value)}
    if hasattr(value, "savefig"):
        picture = io.BytesIO()
        value.savefig(picture, format="png", dpi=100)
        forms["image/png"] = base64.b64encode(picture.getvalue()).decode()
    elif (html := getattr(value, "_repr_html_", lambda: None)()) is not None:
        forms["text/html"] = html
    return forms


def _notebook(cells: list[Cell]) -> dict[str, Any]:
    """Return a notebook of version 4.5 of the format."""
    made = []
    for number, cell in enumerate(cells):
        entry: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}, "source": cell.source}
        if cell.is_text:
            made.append({"cell_type": "markdown", **entry})
            continue
        outputs: list[dict[str, Any]] = []
        if cell.printed:
            outputs.append({"output_type": "stream", "name": "stdout", "text": cell.printed})
        if cell.shown:
            result = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
            outputs.append({**result, "data": cell.shown})
        made.append({"cell_type": "code", **entry, "execution_count": number, "outputs": outputs})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": made}
