"""The package as people get it: built, and installed into environments that hold nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).parents[2]

_BUILD = """
import sys
from scikit_build_core import build
build.build_sdist(sys.argv[1])
build.build_wheel(sys.argv[1], {"wheel.cmake": sys.argv[2]})
"""


def build(sources: Path, out: Path, *, compiled: bool = False, **environment: str) -> dict[str, Path]:
    """Build ``sources`` into ``out``, with compiled kernels or without; return sdist and wheel by ending."""
    out.mkdir()
    command = [sys.executable, "-c", _BUILD, str(out), str(compiled).lower()]
    done(command, cwd=sources, env={**os.environ, **environment})
    return {file.suffix: file for file in out.iterdir()}


def clean_environment(place: Path, wheel: Path, *packages: str) -> Path:
    """Make an environment of ``wheel`` and the ``packages`` named, and return the folder of its commands.

    Packages are linked from the environment of the tests, so that nothing has to be fetched.
    """
    done([sys.executable, "-m", "venv", "--without-pip", str(place)])
    python = place / "bin" / "python"
    paths = sysconfig.get_paths(vars={"base": str(place), "platbase": str(place)})
    for package in packages:
        for part in {file.parts[0] for file in distribution(package).files or () if file.parts[0] != ".."}:
            target = Path(str(distribution(package).locate_file(part)))
            if part != "__pycache__":
                (Path(paths["purelib"]) / part).symlink_to(target)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    done([*pip, "install", "--quiet", "--no-index", "--no-deps", str(wheel)])
    done([*pip, "check"])  # nothing that the package needs is missing
    return python.parent


def done(
    command: list[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed."""
    result = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
    return result
