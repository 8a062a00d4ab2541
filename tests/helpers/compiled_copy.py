"""The compiled kernels of a copy of the sources, built in the copy and laid beside its modules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPILE_ONCE = ROOT / "scripts/compile-once"


def can_be_built() -> bool:
    """Return whether the kernels were built in this environment, and so can be again."""
    # in another process: whoever asks may not have imported the package yet, and want a copy of it
    asked = [sys.executable, "-c", "import ldprange.kernels._compiled"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def configure(copy: Path) -> None:
    """Make ready to build in a ``copy``, as the kernels of this environment were built."""
    shutil.copy(ROOT / "CMakeLists.txt", copy)
    _run(
        *("cmake", "-S", str(copy), "-B", str(copy / "build"), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-DCMAKE_CXX_COMPILER_LAUNCHER={COMPILE_ONCE}",
    )


def build(copy: Path) -> None:
    """Compile what has changed in a ``copy`` since it was last built."""
    _run("cmake", "--build", str(copy / "build"), "-j", "2")
    (built,) = (copy / "build").glob("_compiled.*")
    place = copy / "src/ldprange/kernels" / built.name
    place.unlink(missing_ok=True)
    shutil.copy(built, place)


def is_built(copy: Path) -> bool:
    """Return whether the kernels of a ``copy`` were built."""
    return any((copy / "src/ldprange/kernels").glob("_compiled.*"))


def _run(*command: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # CMake and Ninja are packages
    done = subprocess.run(
        command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} must succeed, and says: {done.stdout}{done.stderr}")
