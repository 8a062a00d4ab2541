"""The package as people get it: built, and installed into environments that hold nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterable, Mapping
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def packages_of(wheel: Path, *extras: str) -> set[str]:
    """Return the names of all packages that pip installs beside ``wheel`` when asked for these ``extras``."""
    (metadata,) = (place for place in zipfile.Path(wheel).iterdir() if place.name.endswith(".dist-info"))
    own = PathDistribution(metadata)
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = [(own.metadata["Name"], extra) for extra in ("", *extras)]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        here = own if name == own.metadata["Name"] else distribution(name)
        for needed in map(Requirement, here.requires or ()):
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                package = canonicalize_name(needed.name)  # one name, however it is spelt
                waiting += [(package, inner) for inner in ("", *needed.extras)]
                found.add(package)
    return found - {own.metadata["Name"]}


def clean_environment(
    place: Path,
    wheel: Path,
    *packages: str,
    options: Iterable[str] = (),
    env: Mapping[str, str] | None = None,
) -> Path:
    """Make an environment of ``wheel`` and the ``packages`` named, and return the folder of its commands.

    Packages are linked from the environment of the tests, so that nothing has to be fetched. In the place of
    a wheel there may be an sdist, which pip builds: with further ``options``, and ``env`` as its environment.
    """
    done([sys.executable, "-m", "venv", "--without-pip", str(place)])
    python = place / "bin" / "python"
    paths = sysconfig.get_paths(vars={"base": str(place), "platbase": str(place)})
    link(packages, Path(paths["purelib"]))
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    done([*pip, "install", "--quiet", "--no-index", "--no-deps", *options, str(wheel)], env=env)
    done([*pip, "check"])  # nothing that the package needs is missing
    return python.parent


def link(packages: Iterable[str], folder: Path) -> None:
    """Link the ``packages`` named, from the environment of the tests, into a ``folder`` of modules."""
    for package in packages:
        for part in {file.parts[0] for file in distribution(package).files or () if file.parts[0] != ".."}:
            target = Path(str(distribution(package).locate_file(part)))
            if part != "__pycache__":
                (folder / part).symlink_to(target)


def done(
    command: list[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed."""
    result = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
    return result
