"""The store: surveys, batches as they came, snapshots and tokens, in SQLite or PostgreSQL.

One service writes to a store, which a lock makes sure of; anybody may read beside it.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    bindparam,
    func,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from ldprange import wire
from ldprange.errors import LdprangeError, StoreError
from ldprange.plan import Plan
from ldprange.reports import Batch
from ldprange.service.opening import FILE, engine_of, private_file, url_of, without_password
from ldprange.service.tables import ARRIVALS, BATCHES, FORMAT, METADATA, SNAPSHOTS, SURVEYS, TOKENS, VERSION

OPEN, CLOSED = "open", "closed"
_LOCK = 0x6C647072616E6765  # PostgreSQL's advisory locks are numbers: "ldprange"
_ATTEMPTS, _PAUSE = 20, 0.1  # to get a lock back; seconds between them
_READ_TOGETHER = 512  # batches
_READ_BYTES = 1 << 20  # unpacked together
_LARGEST_SNAPSHOT = 512 << 20  # bytes; SQLite takes no value beyond 1 GB

# what every transaction says, put together once
_BODIES = select(BATCHES.c.batch, BATCHES.c.body).where(
    BATCHES.c.survey == bindparam("survey"), BATCHES.c.batch.in_(bindparam("batches", expanding=True))
)
_NEW = select(BATCHES.c.survey, BATCHES.c.batch).where(BATCHES.c.number >= bindparam("first"))
_MORE = (
    update(ARRIVALS)
    .where(ARRIVALS.c.survey == bindparam("in_survey"), ARRIVALS.c.minute == bindparam("in_minute"))
    .values(reports=ARRIVALS.c.reports + bindparam("more"))
)


@dataclass(frozen=True, slots=True)
class Survey:
    """A plan with a name, a question and a state."""

    id: int
    name: str
    question: str
    unit: str
    public: bool
    state: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class Kept:
    """A batch to be kept: whose, under which id, and its bytes."""

    survey: int
    batch: bytes
    body: bytes
    reports: int


class Store:
    """An open store.

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
        dialect = postgresql if self._engine.dialect.name == "postgresql" else sqlite
        keep = dialect.insert(BATCHES).on_conflict_do_nothing(index_elements=["survey", "batch"])
        self._keep = str(keep.compile(dialect=self._engine.dialect))  # for the driver: very many rows
        with self.reached():
            self._check(create)

    def _check(self, create: bool) -> None:
        """See that the tables are ours, or make them."""
        if not inspect(self._engine).has_table(FORMAT.name):
            if not create:
                raise StoreError(
                    f"{self.place} must hold surveys, and it holds none; `ldprange serve` makes one"
                )
            with self._engine.begin() as connection:
                METADATA.create_all(connection)
                connection.execute(insert(FORMAT), {"version": VERSION})
        with self._engine.connect() as connection:
            version = connection.scalar(select(FORMAT.c.version))
        if version != VERSION:
            raise StoreError(f"{self.place} must be of version {VERSION}, got {version}; upgrade ldprange")

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
            except OSError:
                os.close(file)
                raise taken from None
            self._lock = file
        attempts = (
            1 if self._writing is None else _ATTEMPTS
        )  # a database may take a while to see that we left
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
        """Refuse to write into a file that nobody will find again."""
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

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the lock back and let go of all connections."""
        self._let_go()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        self._engine.dispose()

    # surveys

    def surveys(self) -> list[Survey]:
        """Return all surveys, oldest first."""
        with self._engine.connect() as connection:
            return [
                _survey(row) for row in connection.execute(select(SURVEYS).order_by(SURVEYS.c.id)).mappings()
            ]

    def add_survey(self, new: Survey) -> Survey | None:
        """Add a survey, which gets an id of its own; None if the name is taken."""
        values = {name: getattr(new, name) for name in ("name", "question", "unit", "public", "state")}
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(SURVEYS), {**values, "plan": new.plan.to_json()})
        except IntegrityError:
            return None
        return next(survey for survey in self.surveys() if survey.name == new.name)

    def change_survey(self, survey: int, changes: Mapping[str, Any]) -> None:
        """Change a survey's state, or whether it is public."""
        with self._engine.begin() as connection:
            connection.execute(update(SURVEYS).where(SURVEYS.c.id == survey).values(**changes))

    # batches

    def last_number(self) -> int:
        """Return the number of the last batch."""
        with self._engine.connect() as connection:
            return int(connection.scalar(select(func.max(BATCHES.c.number))) or 0)

    def bodies(self, survey: int, batches: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return those of the batches that are there, by their ids."""
        with self._writer.begin():
            found = self._writer.execute(_BODIES, {"survey": survey, "batches": batches})
            return {row.batch: row.body for row in found}

    def keep(self, first: int, batches: Sequence[Kept], minute: int) -> set[tuple[int, bytes]]:
        """Keep batches under numbers from ``first`` on, and return survey and id of those that are new.

        They are durable when this returns. An id that is there already stays as it is.
        """
        self._check_place()
        rows = [
            {"number": number, "survey": kept.survey, "batch": kept.batch, "body": kept.body}
            for number, kept in enumerate(batches, first)
        ]
        with self._writer.begin():
            new = {(kept.survey, kept.batch) for kept in batches}
            kept_now = self._writer.exec_driver_sql(self._keep, rows).rowcount
            if kept_now != len(rows):  # which have got a number?
                new = {(row.survey, row.batch) for row in self._writer.execute(_NEW, {"first": first})}
            came: dict[int, int] = {}
            for kept in batches:
                if (kept.survey, kept.batch) in new:
                    came[kept.survey] = came.get(kept.survey, 0) + kept.reports
            for survey, reports in came.items():
                more = {"in_survey": survey, "in_minute": minute, "more": reports}
                if not self._writer.execute(_MORE, more).rowcount:
                    values = {"survey": survey, "minute": minute, "reports": reports}
                    self._writer.execute(insert(ARRIVALS), values)
        return new

    def batches(self, survey: Survey, after: int = 0) -> Iterator[tuple[int, Batch]]:
        """Yield a survey's reports after a number, many batches at a time, each time with the last number."""
        bodies: list[bytes] = []
        size = last = 0
        for last, body in self.read(survey.id, after):
            bodies.append(body)
            size += len(body)
            if size >= _READ_BYTES:
                yield last, _together(survey, bodies)
                bodies, size = [], 0
        if bodies:
            yield last, _together(survey, bodies)

    def read(self, survey: int, after: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield number and bytes of a survey's batches after a number, in order, as they came."""
        asked = (
            select(BATCHES.c.number, BATCHES.c.body)
            .where(BATCHES.c.survey == survey, BATCHES.c.number > after)
            .order_by(BATCHES.c.number)
        )
        with self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=_READ_TOGETHER).execute(asked):
                yield row.number, row.body

    def arrivals(self, survey: int) -> tuple[list[int], list[int]]:
        """Return the minutes in which reports came, and how many in each."""
        asked = select(ARRIVALS.c.minute, ARRIVALS.c.reports).where(ARRIVALS.c.survey == survey)
        with self._engine.connect() as connection:
            rows = connection.execute(asked.order_by(ARRIVALS.c.minute)).all()
        return [row.minute for row in rows], [row.reports for row in rows]

    # snapshots

    def snapshot(self, survey: int) -> tuple[int, bytes] | None:
        """Return an aggregate's bytes and the number of the last batch in it, if there is one."""
        with self._engine.connect() as connection:
            row = connection.execute(select(SNAPSHOTS).where(SNAPSHOTS.c.survey == survey)).one_or_none()
        return None if row is None else (row.upto, row.aggregate)

    def keep_snapshot(self, survey: int, upto: int, aggregate: bytes) -> None:
        """Put a snapshot in the place of the last; one too large for a database is left out."""
        if len(aggregate) > _LARGEST_SNAPSHOT:
            return
        with self._engine.begin() as connection:
            connection.execute(SNAPSHOTS.delete().where(SNAPSHOTS.c.survey == survey))
            connection.execute(insert(SNAPSHOTS), {"survey": survey, "upto": upto, "aggregate": aggregate})

    # tokens

    def digests(self) -> dict[str, bytes]:
        """Return the digest of each role's token."""
        with self._engine.connect() as connection:
            return {row.role: row.digest for row in connection.execute(select(TOKENS))}

    def keep_digests(self, digests: Mapping[str, bytes]) -> None:
        """Put new tokens in the place of the old."""
        with self._engine.begin() as connection:
            connection.execute(TOKENS.delete().where(TOKENS.c.role.in_(digests)))
            connection.execute(insert(TOKENS), [{"role": role, "digest": d} for role, d in digests.items()])


def _together(survey: Survey, bodies: list[bytes]) -> Batch:
    batch, found = wire.unpack_many(survey.plan, bodies)
    for what in found:
        if not isinstance(what, int):
            raise StoreError(f"the store of survey {survey.name} must hold whole batches, but: {what}")
    return batch


def _locked(connection: Connection) -> bool:
    with connection.begin():
        return bool(connection.scalar(select(func.pg_try_advisory_lock(_LOCK))))


def _survey(row: Any) -> Survey:
    try:
        plan = Plan.from_json(row["plan"])
    except LdprangeError as error:
        raise StoreError(f"survey {row['name']} has a plan that cannot be read: {error}") from None
    return Survey(
        row["id"], row["name"], row["question"], row["unit"], bool(row["public"]), row["state"], plan
    )
