"""What the root's conftest.py names is there, so that a move of tests does not undo a mark unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_marked_folders_and_long_starts_have_tests(pytestconfig: pytest.Config) -> None:
    settings = pytestconfig.pluginmanager.get_plugin(str(ROOT / "conftest.py"))
    assert settings is not None
    tests = (*ROOT.glob("*/**/test_*.py"), *ROOT.glob("docs/*.md"))
    files = [str(path.relative_to(ROOT)) for path in tests]
    folders = [f"{each}/" for each in (*settings.SYSTEM_FOLDERS, *settings.SLOW_FOLDERS)]
    for start in (*folders, *settings.LONG_STARTS):
        assert any(file.startswith(start) for file in files), start


@pytest.mark.parametrize("name", ["docs/docstrings.py", "docs/notebooks", "tests/spark/conftest.py"])
def test_what_has_no_tests_is_not_imported_to_look_for_some(name: str, pytestconfig: pytest.Config) -> None:
    path = ROOT / name
    assert path.exists()
    assert pytestconfig.hook.pytest_ignore_collect(collection_path=path, config=pytestconfig)
