"""What CONTRIBUTING says of the house is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_of_layers_is_the_one_that_is_kept() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (each for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    kept = [re.findall(r"\w+", layer) for layer in contract["layers"]]
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [re.findall(r"`(\w+)`", row) for row in rows] == kept
