"""The collector's pages run the JavaScript client's own files, by links: none may be missing."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src/ldprange/service/static"


@pytest.mark.parametrize("module", sorted(STATIC.glob("*.js")), ids=lambda module: module.name)
def test_whatever_a_page_imports_is_served(module: Path) -> None:
    imported = re.findall(r'from "\./([\w.]+)"', module.read_text(encoding="utf-8"))
    assert [name for name in imported if not (STATIC / name).exists()] == []
