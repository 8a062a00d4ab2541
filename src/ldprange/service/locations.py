"""Opening a store: a directory with an SQLite file, or a PostgreSQL database."""

import os
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from ldprange.errors import StoreError

FILE = "ldprange.sqlite"
_BUSY = 10_000  # milliseconds to wait for whoever else writes


def url_of(place: str | os.PathLike[str], create: bool) -> URL:
    """Return a store's URL; make its directory and an empty file in it if there is to be one."""
    if "://" in str(place):
        try:
            url = make_url(str(place))
        except (ArgumentError, ValueError):
            raise StoreError(
                "a database's URL must be such as postgresql://user@host/name, and it is not"
            ) from None
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        if url.get_backend_name() != "postgresql":
            raise StoreError(f"the database must be a PostgreSQL one, or a directory, got {url.drivername}")
        return url
    directory = Path(place)
    file = directory / FILE
    if create:
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(private_file(file))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StoreError(f"{place} must be a directory that can be written: {reason}") from None
    elif not file.exists():
        raise StoreError(
            f"{place} must be a directory that `ldprange serve` made, and there is no store in it"
        )
    return URL.create("sqlite", database=str(file))


def without_password(place: str) -> str:
    """Return a place as it may be shown."""
    return make_url(place).set(query={}).render_as_string(hide_password=True) if "://" in place else place


def private_file(path: Path) -> int:
    """Open a file that only its owner can read, making it if need be; never one that a link leads to."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def engine_of(url: URL) -> Engine:
    """Return how a database is reached."""
    try:
        if url.get_backend_name() == "sqlite":
            engine = create_engine(url, paramstyle="named")  # as PostgreSQL's: rows are dictionaries in both
            event.listen(engine, "connect", _durable)
            return engine
        return create_engine(url, pool_pre_ping=True)
    except (ModuleNotFoundError, NoSuchModuleError):
        raise StoreError(
            "PostgreSQL needs a driver; install it with: pip install 'ldprange[postgresql]'"
        ) from None


def _durable(connection: Any, record: object) -> None:
    """Sync at every commit: what is acknowledged is on the disk, and what is deleted is overwritten there."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={_BUSY}", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def forget_log(connection: Connection) -> None:
    """Empty SQLite's write-ahead log, which has transactions in their order; not while somebody reads it."""
    if connection.dialect.name == "sqlite":
        for pragma in ("busy_timeout=0", "wal_checkpoint(TRUNCATE)", f"busy_timeout={_BUSY}"):
            connection.exec_driver_sql(f"PRAGMA {pragma}").close()
        connection.rollback()
