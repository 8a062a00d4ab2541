"""Fuzz one parser, guided by coverage: ``python fuzzing/run.py TARGET [libFuzzer's options] [folders]``.

``scripts/fuzz`` runs all of them. It needs Atheris.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[1]
# the finder of the package as it is installed for development gives Atheris nothing to instrument
sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests/helpers")]

# what is not ours is loaded before, as it is
import numpy  # noqa: E402, F401
import sqlalchemy  # noqa: E402, F401
import starlette.applications  # noqa: E402, F401
import uvicorn  # noqa: E402, F401

with atheris.instrument_imports(include=["ldprange"]):
    from fuzz_targets import TARGETS, refused


def main() -> None:
    """Fuzz until libFuzzer's options say that it is enough, or a fault is found."""
    name, *options = sys.argv[1:]
    target = TARGETS[name]

    def one(data: bytes) -> None:
        refused(target, data)

    atheris.Setup([sys.argv[0], *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
