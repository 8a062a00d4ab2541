"""Whoever adds an oracle or a decomposition is told where else it belongs.

That it is exported and in the reference is in ``test_exported_names.py``, that there are vectors of it in
``tests/protocol/test_published_vectors.py``.
"""

import re
from pathlib import Path

import click
import pytest

from ldprange.cli.plan import plan
from ldprange.decompositions import KINDS as DECOMPOSITIONS
from ldprange.oracles import KINDS as ORACLES

ROOT = Path(__file__).parents[2]


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "table", "kinds"),
    [("oracles.js", "ORACLES", ORACLES), ("levels.js", "DECOMPOSITIONS", DECOMPOSITIONS)],
)
def test_the_javascript_client_knows_every_kind(file: str, table: str, kinds: dict[str, type]) -> None:
    found = re.search(
        rf"const {table} = new Map\(\[\n(.*?)\n\]\);", _read(f"clients/javascript/{file}"), re.S
    )
    assert found, table
    assert set(re.findall(r"^  \[\"(\w+)\",", found[1], re.M)) == set(kinds)


@pytest.mark.parametrize(
    ("begins", "kinds"),
    [("- an oracle has a `kind`: ", ORACLES), ("- `decomposition` has a `kind`: ", DECOMPOSITIONS)],
)
def test_the_page_of_formats_lists_every_kind(begins: str, kinds: dict[str, type]) -> None:
    _, _, rest = _read("docs/formats.md").partition(begins)
    entry = re.split(r"\n\n|\n- ", rest)[0]
    assert {f"`{kind}`" for kind in kinds} <= set(re.findall(r"`\w+`", entry))


@pytest.mark.parametrize("kind", [*ORACLES.values(), *DECOMPOSITIONS.values()])
def test_the_page_of_the_method_explains_every_kind(kind: type) -> None:
    assert f"`{kind.__name__}" in _read("docs/method.md")


@pytest.mark.parametrize("option", ["oracle", "decomposition"])
def test_the_page_of_the_command_line_names_every_choice(option: str) -> None:
    (chosen,) = (each for each in plan.params if each.name == option)
    assert isinstance(chosen.type, click.Choice)
    for choice in set(chosen.type.choices) - {"best"}:
        assert f"`{choice}`" in _read("docs/command-line.md"), choice
