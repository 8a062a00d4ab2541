"""Where a collector keeps its reports: the options that say so."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ldprange.errors import LdprangeError

DIRECTORY = "ldprange-data"


def store_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name a store, and its function a ``place``."""

    @wraps(command)
    def with_place(*, data: str | None, database: str | None, **given: Any) -> None:
        if data is not None and database is not None:
            raise click.UsageError("--data and --database exclude one another; leave one of them out")
        if database is not None and "://" not in database:
            raise click.UsageError("--database must be such as postgresql://user@host/name, and it is not")
        need_service()
        command(place=database or data or DIRECTORY, **given)

    click.option(
        "--database",
        metavar="URL",
        envvar="LDPRANGE_DATABASE",
        help="Or a PostgreSQL database, such as postgresql://user@host/name; also from LDPRANGE_DATABASE.",
    )(with_place)
    click.option(
        "--data",
        metavar="DIRECTORY",
        help=f"Where everything is kept, in an SQLite file.  [default: {DIRECTORY}]",
    )(with_place)
    return with_place


def need_service() -> None:
    """Say what to install where a service cannot run."""
    try:
        import sqlalchemy  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise LdprangeError(
            f"a collector needs {error.name}, which is not there; install: pip install 'ldprange[serve]'"
        ) from None
