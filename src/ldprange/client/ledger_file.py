"""The file of a ledger: made whole or not at all, written durably, and left alone if it is something else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ldprange.errors import FileError

if TYPE_CHECKING:
    from sqlite3 import Connection

_KIND = 0x6C64704C  # "ldpL": how SQLite files say whose they are
_VERSION = 2
_OLDER_VERSION = 1  # its reports were kept by person and plan alone
_BUSY_SECONDS = 60.0

# A survey is '' where it is not known: in reports that came over from the older version.
_REPORTS = """
CREATE TABLE reports (
    person TEXT NOT NULL,
    survey TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    epsilon REAL NOT NULL,
    report BLOB NOT NULL,
    batch_id TEXT NOT NULL UNIQUE,
    acknowledged INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (person, survey, fingerprint)
) WITHOUT ROWID
"""

_TABLES = f"""
PRAGMA application_id = {_KIND};
PRAGMA user_version = {_VERSION};
CREATE TABLE ledger (budget REAL NOT NULL);
{_REPORTS};
"""

_FROM_OLDER = (
    "ALTER TABLE reports RENAME TO older_reports",
    _REPORTS,
    "INSERT INTO reports SELECT person, '', fingerprint, epsilon, report, batch_id, acknowledged"
    " FROM older_reports",
    "DROP TABLE older_reports",
    f"PRAGMA user_version = {_VERSION}",
)


class LedgerFile:
    """An SQLite file that any number of threads and processes may open."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def opened(self) -> Iterator[Connection]:
        """Open the file; what is not committed when the block ends did not happen."""
        # A connection for each use costs little beside a durable write, and none is ever shared
        # between threads or carried over a fork, which SQLite does not allow.
        import sqlite3  # here, so that a collector or an analyst need not load it

        address = f"{self.path.as_uri()}?mode=rw"
        try:
            connection = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
            with closing(connection):
                # FULL, and the folder too: else a power cut could bring back a journal and undo a report
                connection.execute("PRAGMA synchronous = EXTRA")
                yield connection
        except (sqlite3.Error, UnicodeDecodeError) as error:  # what is said of damage may quote some of it
            raise FileError(
                f"{self.path} must be a ledger that can be read and written, but: {error}; "
                "if it is damaged, restore it from a backup: a new one would not know what was answered"
            ) from None

    def exists(self) -> bool:
        """Tell whether anything has this name."""
        try:
            self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, ValueError) as error:
            raise FileError(
                f"{str(self.path)[:200]!r} must be a name that a file can have: {error}"
            ) from None
        return True

    def make(self, budget: float) -> None:
        """Make the file whole under another name, then give it its own, unless somebody was faster."""
        import sqlite3
        import tempfile

        folder = self.path.parent
        if not folder.is_dir():
            raise FileError(f"{self.path} must be in a folder that is there, got {folder}; make that first")
        try:
            handle, name = tempfile.mkstemp(".partial", f"{self.path.name}.", self.path.parent)  # mode 0600
            os.close(handle)
            try:
                with closing(sqlite3.connect(name, isolation_level=None)) as connection:
                    connection.executescript(f"BEGIN; {_TABLES}")
                    connection.execute("INSERT INTO ledger VALUES (?)", (budget,))
                    connection.execute("COMMIT")
                os.link(name, self.path)  # never replaces a file, as a rename would
            finally:
                Path(name).unlink()
        except FileExistsError:
            pass
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or error  # without the other name
            raise FileError(
                f"{self.path} must be in a folder that can be written to, but: {reason}"
            ) from None

    def check(self, connection: Connection) -> None:
        """Raise an error if the file is damaged or no ledger, before anything is written to it."""
        if connection.execute("PRAGMA application_id").fetchone() != (_KIND,):
            raise FileError(f"{self.path} must be a ledger, and it is empty or something else; use another")
        version = _version(connection)
        if version not in (_OLDER_VERSION, _VERSION):
            raise FileError(
                f"{self.path} must be of version {_OLDER_VERSION} or {_VERSION}, got {version}; "
                "upgrade ldprange"
            )
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise FileError(
                f"{self.path} must be whole, but it is damaged ({found}); restore it from a backup"
            )

    def bring_up_to_date(self, connection: Connection) -> None:
        """Carry a file of the older version over, every report with its ε and its id, or do nothing."""
        if _version(connection) == _VERSION:
            return
        connection.execute("BEGIN IMMEDIATE")
        if _version(connection) == _OLDER_VERSION:  # else another process was faster
            for statement in _FROM_OLDER:
                connection.execute(statement)
        connection.execute("COMMIT")


def _version(connection: Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
