"""Where a collector keeps its reports: the options that say so."""

from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from typing import Any

import click

from ldprange.cli.command import with_options
from ldprange.support.optional import optional_packages

DIRECTORY = "ldprange-data"


def store_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name a store, and its function a ``place``."""

    @wraps(command)
    def with_place(*, data: str | None, database: str | None, **given: Any) -> None:
        if data is not None and database is not None:
            raise click.UsageError("use either --data or --database, not both")
        if database is not None and "://" not in database:
            raise click.UsageError("--database must look like postgresql://user@host/name, and it doesn't")
        need_service()
        command(place=database or data or DIRECTORY, **given)

    where = f"The directory for everything, in an SQLite file.  [default: {DIRECTORY}]"
    return with_options(
        with_place,
        click.option("--data", metavar="DIRECTORY", help=where),
        click.option(
            "--database",
            metavar="URL",
            envvar="LDPRANGE_DATABASE",
            help="Or a PostgreSQL database: postgresql://user@host/name; also from LDPRANGE_DATABASE.",
        ),
    )


def need_service() -> None:
    """Say what to install where a service cannot run."""
    with optional_packages():
        for package in ("sqlalchemy", "starlette", "uvicorn", "httptools"):
            if find_spec(package) is None:  # which takes no time: a listing of surveys needs no server
                raise ModuleNotFoundError(name=package)
