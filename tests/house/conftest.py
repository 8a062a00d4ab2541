"""The package as people get it, built once."""

from pathlib import Path

import pytest

from built_package import ROOT, build


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel that these sources make, without compiled kernels."""
    return build(ROOT, tmp_path_factory.mktemp("wheel") / "built")[".whl"]
