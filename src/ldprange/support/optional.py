"""Packages that are optional: what needs each, and what to install where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ldprange.errors import MissingPackageError

_EXTRAS = {
    "click": ("the command line needs click", "cli"),
    "httptools": ("a collector needs httptools", "serve"),
    "matplotlib": ("drawing needs matplotlib", "plot"),
    "pyarrow": ("files of values, and tables of reports, need pyarrow", "files"),
    "rich": ("the command line needs rich", "cli"),
    "sklearn": ("models need scikit-learn", "learn"),
    "sqlalchemy": ("a collector needs sqlalchemy", "serve"),
    "starlette": ("a collector needs starlette", "serve"),
    "uvicorn": ("a collector needs uvicorn", "serve"),
}


@contextmanager
def optional_packages() -> Iterator[None]:
    """Turn the failed import of an optional package into an error that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRAS:
            raise
        need, extra = _EXTRAS[package]
        raise MissingPackageError(
            f"{need}, which is not installed; pip install 'ldprange[{extra}]', or in a checkout '.[{extra}]'",
            name=package,
        ) from None
