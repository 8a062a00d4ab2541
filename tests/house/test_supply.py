"""What is shipped can be told, and made again."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bill_of_materials import ROOT, bill, pinned
from built_package import build


@pytest.mark.parametrize("name", ["run", "dev", "site", "fuzz", "uv"])
def test_pins_have_hashes_and_no_address(name: str) -> None:
    text = (ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8")
    pins = pinned(text)
    assert pins
    assert all(hashes for _, hashes in pins.values())
    assert not re.search(r"https?:|file:|--(extra-)?index|--find-links", text)


def test_the_bill_of_materials_has_every_pin_and_is_the_same_again() -> None:
    made = bill()
    pins = pinned((ROOT / "requirements/run.txt").read_text(encoding="utf-8"))
    listed = {each["name"]: each["version"] for each in made["components"]}
    assert {name: version for name, (version, _) in pins.items()}.items() <= listed.items()
    assert set(listed) - set(pins) == {"uPlot"}
    known = {each["bom-ref"] for each in (*made["components"], made["metadata"]["component"])}
    assert len(known) == len(made["components"]) + 1
    (own,) = (each for each in made["dependencies"] if "/ldprange@" in each["ref"])
    assert len(own["dependsOn"]) >= 9
    for each in made["dependencies"]:
        assert {each["ref"], *each["dependsOn"]} <= known
    program = [sys.executable, str(ROOT / "supply/bill_of_materials.py")]
    printed = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    assert json.loads(printed) == made


@pytest.mark.system
def test_a_package_is_the_same_when_it_is_built_again_elsewhere(tmp_path: Path) -> None:
    built = []
    for name in ("one", "another place"):
        copy = tmp_path / name
        shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        for file in ("pyproject.toml", "README.md", "LICENSE", "CMakeLists.txt"):
            shutil.copy(ROOT / file, copy / file)
        for place in copy.rglob("*"):
            os.utime(place, (10**9 + len(name), 10**9))
        # the time is the commit's in scripts/reproduce, which builds the compiled part too
        files = build(copy, tmp_path / f"built {name}", "sdist", "wheel", SOURCE_DATE_EPOCH="1700000000")
        built.append({file.name: file.read_bytes() for file in files.values()})
    assert len(built[0]) == 2
    assert built[0] == built[1]
