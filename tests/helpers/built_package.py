"""The package as people get it: built, and installed into environments that hold nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterable, Mapping
from importlib.metadata import PathDistribution, distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]

_BUILD = """
import sys
from scikit_build_core import build
out, *kinds = sys.argv[1:]
for kind in kinds:
    getattr(build, f"build_{kind}")(out, {"wheel.cmake": "false"})
"""


def build(sources: Path, out: Path, *kinds: str, **environment: str) -> dict[str, Path]:
    """Build ``sources`` into ``out``, without compiled kernels; return what was made by ending.

    ``kinds`` are "sdist" and "wheel", or one of them: to look for all files of an sdist takes long.
    """
    out.mkdir()
    done([sys.executable, "-c", _BUILD, str(out), *kinds], cwd=sources, env={**os.environ, **environment})
    return {file.suffix: file for file in out.iterdir()}


def packages_of(wheel: Path, *extras: str, modules: Path | None = None) -> set[str]:
    """Return the names of all packages that pip installs beside ``wheel`` when asked for these ``extras``.

    What each needs in turn is looked up in a folder of ``modules``: by default that of the tests.
    """
    paths = sys.path if modules is None else [str(modules)]
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
        here = own if name == own.metadata["Name"] else next(iter(distributions(name=name, path=paths)))
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
    link(packages, modules_of(place))
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    done([*pip, "install", "--quiet", "--no-index", "--no-deps", *options, str(wheel)], env=env)
    done([*pip, "check"])  # nothing that the package needs is missing
    return python.parent


def modules_of(place: Path) -> Path:
    """Return the folder of modules in an environment."""
    return Path(sysconfig.get_paths(vars={"base": str(place), "platbase": str(place)})["purelib"])


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
