"""A store's database: made or carried over when it is opened, and written by one service only."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, func, insert, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from ldprange.errors import StoreError
from ldprange.service.locations import FILE, engine_of, forget_log, private_file, url_of, without_password
from ldprange.service.migration import carry_over
from ldprange.service.schema import FORMAT, METADATA, VERSION

_LOCK = 0x6C647072616E6765  # PostgreSQL's advisory locks are numbers: "ldprange"
_ATTEMPTS, _PAUSE = 20, 0.1  # to get a lock back; seconds between them


class Database:
    """An open database with the tables of this version.

    Parameters
    ----------
    place
        A directory, in which there is or will be an SQLite file; or a database's URL.
    create
        Make what is not there yet; otherwise that is an error.
    """

    def __init__(self, place: str | os.PathLike[str], *, create: bool = False) -> None:
        url = url_of(place, create)
        self.place = without_password(str(place))
        self._directory = None if "://" in str(place) else Path(place)
        self._lock: int | None = None  # a file's descriptor
        self._writing: Connection | None = None
        self._engine = engine_of(url)
        if self._directory is not None:
            self._file = (self._directory / FILE).stat()
        with self.reached():
            self._check(create)

    def _check(self, create: bool) -> None:
        """See that the tables are ours and of this version, or make them so."""
        if not inspect(self._engine).has_table(FORMAT.name):
            if not create:
                raise StoreError(
                    f"{self.place} must hold surveys, and it holds none; `ldprange serve` makes one"
                )
            with self._engine.begin() as connection:
                METADATA.create_all(connection)
                connection.execute(insert(FORMAT), {"version": VERSION})
        version = self._version()
        if version == 1:
            self.lock()
            if self._version() == 1:  # nobody else did it while we waited
                carry_over(self._writer)
                forget_log(self._writer)
            self._unlock()
            version = self._version()
        if version != VERSION:
            raise StoreError(f"{self.place} must be of version {VERSION}, got {version}; upgrade ldprange")

    def _version(self) -> int:
        with self._engine.connect() as connection:
            return int(connection.scalar(select(FORMAT.c.version)) or 0)

    @contextmanager
    def reached(self) -> Iterator[None]:
        """Turn a database's errors into one that says which database it is."""
        try:
            yield
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).strip().split("\n")[0]
            raise StoreError(
                f"{self.place} must be a database that can be used, and it is not: {reason}"
            ) from error

    def lock(self) -> None:
        """Become the only one who writes here, until :meth:`close` or the end of the process; or again.

        On PostgreSQL the connection that holds the lock is the one that writes: if it is lost, so are both.
        """
        taken = StoreError(
            f"only one service may write to {self.place}, and another does; end that one first"
        )
        if self._directory is not None and self._lock is None:
            file = private_file(self._directory / "lock")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
                raise taken from None
            except OSError as error:
                os.close(file)
                raise StoreError(
                    f"{self.place} must be on a file system with locks, and it has none ({error.strerror}); "
                    "put it on a local disk, or use PostgreSQL"
                ) from None
            self._lock = file
        attempts = _ATTEMPTS  # a database may take a while to see that we left, or died
        self._let_go()
        connection = self._engine.connect()
        while self._directory is None and not _locked(connection):
            attempts -= 1
            if not attempts:
                connection.close()
                raise taken
            time.sleep(_PAUSE)
        self._writing = connection

    @property
    def _writer(self) -> Connection:
        if self._writing is None:
            raise StoreError(f"{self.place} must be locked before anything is kept in it")
        return self._writing

    def _check_place(self) -> None:
        """Raise StoreError if the database's file was moved or removed: nobody would find what is written."""
        if self._directory is None:
            return
        file = self._directory / FILE
        if not file.exists() or not os.path.samestat(self._file, file.stat()):
            raise StoreError(f"{self.place} must stay where it is, and its file was moved or replaced")

    def _let_go(self) -> None:
        """End the connection that writes, and with it the database's lock."""
        if self._writing is not None:
            self._writing.invalidate()
            self._writing.close()
            self._writing = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the lock back and let go of all connections."""
        self._unlock()
        self._engine.dispose()

    def _unlock(self) -> None:
        self._let_go()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def free_bytes(self) -> int | None:
        """Return how much may still be written to the disk of an SQLite file; None for PostgreSQL."""
        if self._directory is None:
            return None
        disk = os.statvfs(self._directory)
        return disk.f_bavail * disk.f_frsize


def _locked(connection: Connection) -> bool:
    with connection.begin():
        return bool(connection.scalar(select(func.pg_try_advisory_lock(_LOCK))))
