"""The site: every page is in it, links lead somewhere, notebooks run, and nothing comes from elsewhere."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ldprange as ldp
from built_package import ROOT
from site_pages import PAGES, api_page

NAMES = {*ldp.__all__, "DecisionStump", "NaiveBayes"}
WITHOUT_MKDOCS = importlib.util.find_spec("mkdocs") is None
NOT_TESTED = "mkdocs is not installed (scripts/environment site), so the site was NOT tested"
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.py"))


def test_every_page_has_a_place_in_the_navigation() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"([\w/-]+\.md)$", settings, re.MULTILINE))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    notebooks = {f"notebooks/{path.stem}.md" for path in NOTEBOOKS}
    assert listed == pages | notebooks | {*PAGES, "api.md"}


def test_every_public_name_is_shown_in_full() -> None:
    page = api_page((ROOT / "docs/reference.md").read_text(encoding="utf-8"))
    assert set(re.findall(r"^::: ldprange\.(\w+)$", page, re.MULTILINE)) == NAMES


def strictly_built(sources: Path, place: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of ``sources`` into ``place``, as scripts/site does it."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(place)],
        cwd=sources,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site."""
    if WITHOUT_MKDOCS:
        pytest.skip(NOT_TESTED)
    place = tmp_path_factory.mktemp("site")
    built = strictly_built(ROOT, place)
    assert built.returncode == 0, built.stderr
    return place


@pytest.mark.skipif(WITHOUT_MKDOCS, reason=NOT_TESTED)
@pytest.mark.system
@pytest.mark.parametrize(
    "links",
    [
        {"other.md#a-heading": None},
        {
            "nowhere.md": "target is not found among documentation files",
            "other.md#nothing": "does not contain an anchor '#nothing'",
            "#nothing": "there is no such anchor on this page",
            "nowhere.png": "target is not found among documentation files",
        },
    ],
    ids=["somewhere", "nowhere"],
)
def test_links_that_lead_nowhere_end_the_build(tmp_path: Path, links: dict[str, str | None]) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "index.md").write_text(
        "\n\n".join(["# Start", *(f"[A link]({link})" for link in links)]), encoding="utf-8"
    )
    (pages / "other.md").write_text("# Other\n\n## A heading\n", encoding="utf-8")
    settings = {
        "INHERIT": str(ROOT / "mkdocs.yml"),  # what is strict, and how headings are named
        "docs_dir": "pages",
        "hooks": [],
        "plugins": [],
        "nav": ["index.md", "other.md"],
    }
    (tmp_path / "mkdocs.yml").write_text(json.dumps(settings), encoding="utf-8")
    built = strictly_built(tmp_path, tmp_path / "site")
    warnings = [line for line in built.stderr.splitlines() if line.startswith("WARNING")]
    for link, told in links.items():  # each is a warning, and any warning ends it
        assert len([line for line in warnings if f"'{link}'" in line and told and told in line]) == bool(told)
    assert len(warnings) == len([told for told in links.values() if told])
    assert built.returncode == bool(warnings), built.stderr


@pytest.mark.slow
@pytest.mark.system
@pytest.mark.parametrize("name", [program.stem for program in NOTEBOOKS])
def test_a_notebook_was_run(site: Path, name: str) -> None:
    folder = site / "notebooks"
    notebook = json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    page = (folder / f"{name}.html").read_text(encoding="utf-8")
    assert re.search(r'<h1 id="[\w-]+">', page)
    assert set(re.findall(rf'src="({name}-\d+\.png)"', page)) == {
        file.name for file in folder.glob(f"{name}-*")
    }


@pytest.mark.slow
@pytest.mark.system
def test_the_site_has_no_programs_and_nothing_that_python_left(site: Path) -> None:
    assert [file for file in site.rglob("*") if file.suffix in (".py", ".pyc")] == []


@pytest.mark.slow
@pytest.mark.system
def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?(?:https?:)?//[^>]*>", text)
        loaded += re.findall(r"<link\b[^>]*\bhref=[\"']?(?:https?:)?//[^>]*>", text)
        assert loaded == [], page.name
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//|@import", style.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.system
def test_the_api_and_the_search_know_every_public_name(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    assert NAMES - set(re.findall(r'id="ldprange\.(\w+)"', page)) == set()
    found = (site / "search/search_index.json").read_text(encoding="utf-8")
    assert "api.html#ldprange.choose_plan" in found
