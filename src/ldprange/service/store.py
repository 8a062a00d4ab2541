"""The store: surveys, batches as they came, snapshots and tokens, in SQLite or PostgreSQL.

One service writes to a store, which a lock makes sure of; anybody may read beside it.
"""

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    CompoundSelect,
    Integer,
    LargeBinary,
    bindparam,
    cast,
    exists,
    func,
    insert,
    null,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from ldprange import wire
from ldprange.aggregate import Aggregate
from ldprange.errors import LdprangeError, StoreError
from ldprange.plan import Plan
from ldprange.reports import Batch
from ldprange.service.database import Database
from ldprange.service.locations import forget_log
from ldprange.service.schema import AGGREGATES, ARRIVALS, HOUR, RECENT, SORTED, SURVEYS, TOKENS

_log = logging.getLogger("ldprange.service")
OPEN, CLOSED = "open", "closed"
_READ_TOGETHER = 512  # batches
_READ_BYTES = 1 << 20  # unpacked together
_MAX_AGGREGATE_BYTES = 512 << 20  # bytes; SQLite takes no value beyond 1 GB

# what every transaction says, put together once
_SURVEY = bindparam("in_survey", type_=Integer())
_BODIES = union_all(
    *(
        select(table.c.batch, table.c.body).where(
            table.c.survey == _SURVEY, table.c.batch.in_(bindparam("batches", expanding=True))
        )
        for table in (SORTED, RECENT)
    )
)
_MORE = (
    update(ARRIVALS)
    .where(ARRIVALS.c.survey == _SURVEY, ARRIVALS.c.hour == bindparam("in_hour"))
    .values(reports=ARRIVALS.c.reports + bindparam("more"))
)
_ENDED = (RECENT.c.survey == _SURVEY) & (RECENT.c.generation <= bindparam("up_to"))
_SORT = insert(SORTED).from_select(
    ["survey", "batch", "body"],
    select(RECENT.c.survey, RECENT.c.batch, RECENT.c.body).where(_ENDED).order_by(RECENT.c.batch),
)
_COUNTED = exists().where(AGGREGATES.c.survey == _SURVEY)
_COUNTS = union_all(  # one statement, so that it sees one state, whoever sorts meanwhile
    select(cast(null(), LargeBinary).label("batch"), AGGREGATES.c.aggregate).where(
        AGGREGATES.c.survey == _SURVEY
    ),
    select(SORTED.c.batch, SORTED.c.body).where(SORTED.c.survey == _SURVEY, ~_COUNTED),
    select(RECENT.c.batch, RECENT.c.body).where(RECENT.c.survey == _SURVEY),
)
_IN_ORDER = union_all(
    *(select(table.c.batch, table.c.body).where(table.c.survey == _SURVEY) for table in (SORTED, RECENT))
).order_by("batch")


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
    batches: bool = False
    """Whether a submission may hold more than one report."""


class Kept(NamedTuple):
    """A batch to be kept: whose, under which id, its bytes, and with which others it will be sorted."""

    survey: int
    batch: bytes
    body: bytes
    reports: int
    generation: int = 0


class Store(Database):
    """What a collector keeps."""

    def __init__(self, place: str | os.PathLike[str], *, create: bool = False) -> None:
        super().__init__(place, create=create)
        self._insert = self._insertion()
        self._last_deleted = 0

    def _insertion(self) -> str:
        """Return the statement that keeps a batch unless its id is there already, for the driver."""
        dialect = postgresql if self._engine.dialect.name == "postgresql" else sqlite
        row = {column.name: bindparam(column.name, type_=column.type) for column in RECENT.c}
        known = exists().where(SORTED.c.survey == row["survey"], SORTED.c.batch == row["batch"])
        new = select(*row.values()).where(~known)
        keep = dialect.insert(RECENT).from_select(list(row), new)
        keep = keep.on_conflict_do_nothing(index_elements=["survey", "batch"])
        return str(keep.compile(dialect=self._engine.dialect))

    # surveys

    def surveys(self) -> list[Survey]:
        """Return all surveys, oldest first."""
        with self._engine.connect() as connection:
            return [
                _survey(row) for row in connection.execute(select(SURVEYS).order_by(SURVEYS.c.id)).mappings()
            ]

    def add_survey(self, new: Survey) -> Survey | None:
        """Add a survey, which gets an id of its own; None if the name is taken."""
        columns = ("name", "question", "unit", "public", "batches", "state")
        values = {name: getattr(new, name) for name in columns}
        try:
            with self._engine.begin() as connection:
                if self._directory is not None:
                    # SQLite would give a deleted survey's number again, by which its late reports know it
                    last = connection.scalar(select(func.max(SURVEYS.c.id))) or 0
                    values["id"] = 1 + max(last, self._last_deleted)
                connection.execute(insert(SURVEYS), {**values, "plan": new.plan.to_json()})
        except IntegrityError:
            return None
        return next(survey for survey in self.surveys() if survey.name == new.name)

    def delete_survey(self, survey: int) -> None:
        """Delete a survey and all that is kept of it, or nothing; SQLite overwrites it with zeros."""
        self._check_place()
        with self._writer.begin():
            for table in (RECENT, SORTED, AGGREGATES, ARRIVALS):
                self._writer.execute(table.delete().where(table.c.survey == survey))
            self._writer.execute(SURVEYS.delete().where(SURVEYS.c.id == survey))
        self._last_deleted = max(self._last_deleted, survey)
        forget_log(self._writer)

    def change_survey(self, survey: int, changes: Mapping[str, Any]) -> None:
        """Change columns of a survey, such as its state, or whether it is public."""
        with self._engine.begin() as connection:
            connection.execute(update(SURVEYS).where(SURVEYS.c.id == survey).values(**changes))

    # batches

    def bodies(self, survey: int, batches: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return those of the batches that are there, by their ids."""
        with self._writer.begin():
            found = self._writer.execute(_BODIES, {"in_survey": survey, "batches": batches})
            return {row.batch: row.body for row in found}

    def keep(self, batches: Sequence[Kept], hour: int) -> set[tuple[int, bytes]]:
        """Keep batches that came in an hour, and return survey and id of those that are new.

        They are durable when this returns. An id that is there already stays as it is.
        """
        self._check_place()
        if not self._keep(batches, hour):  # some are there: which?
            by_survey: dict[int, list[bytes]] = {}
            for kept in batches:
                by_survey.setdefault(kept.survey, []).append(kept.batch)
            there = {
                (survey, batch) for survey, ids in by_survey.items() for batch in self.bodies(survey, ids)
            }
            batches = [kept for kept in batches if (kept.survey, kept.batch) not in there]
            self._keep(batches, hour)
        return {(kept.survey, kept.batch) for kept in batches}

    def _keep(self, batches: Sequence[Kept], hour: int) -> bool:
        """Keep batches that are all new; otherwise none of them, and return False."""
        if not batches:
            return True
        rows = [
            {"survey": kept.survey, "batch": kept.batch, "generation": kept.generation, "body": kept.body}
            for kept in batches
        ]
        came: dict[int, int] = {}
        for kept in batches:
            came[kept.survey] = came.get(kept.survey, 0) + kept.reports
        with self._writer.begin() as transaction:
            if self._writer.exec_driver_sql(self._insert, rows).rowcount != len(rows):
                transaction.rollback()
                return False
            for survey, reports in came.items():
                more = {"in_survey": survey, "in_hour": hour, "more": reports}
                if not self._writer.execute(_MORE, more).rowcount:
                    values = {"survey": survey, "hour": hour, "reports": reports}
                    self._writer.execute(insert(ARRIVALS), values)
        return True

    def sort(self, survey: int, generation: int, aggregate: bytes) -> None:
        """Sort a survey's batches up to a generation, and store the aggregate that counts all sorted ones.

        It happens whole or not at all. An aggregate too large for a database is left out.
        """
        self._check_place()
        with self._writer.begin():
            which = {"in_survey": survey, "up_to": generation}
            self._writer.execute(_SORT, which)
            self._writer.execute(RECENT.delete().where(_ENDED), which)
            self._writer.execute(AGGREGATES.delete().where(AGGREGATES.c.survey == survey))
            if len(aggregate) <= _MAX_AGGREGATE_BYTES:
                self._writer.execute(insert(AGGREGATES), {"survey": survey, "aggregate": aggregate})
        forget_log(self._writer)

    def last_generation(self, survey: int) -> int:
        """Return the last generation of a survey's batches that are not sorted yet, or 0."""
        query = select(func.max(RECENT.c.generation)).where(RECENT.c.survey == survey)
        with self._engine.connect() as connection:
            return int(connection.scalar(query) or 0)

    def counts(self, survey: Survey) -> Iterator[Aggregate | Batch]:
        """Yield what makes up a survey's counts: the stored aggregate, and the batches it does not count.

        The aggregate comes last. StoreError if it is damaged, or of another plan than the survey's.
        """
        stored: list[bytes] = []

        def others() -> Iterator[tuple[bytes, bytes]]:
            for batch, data in self._rows(_COUNTS, survey.id):
                if batch is not None:
                    yield batch, data
                else:
                    stored.append(data)

        yield from _joined(survey, others())
        for data in stored:
            yield _aggregate(survey, data)

    def batches(self, survey: Survey) -> Iterator[Batch]:
        """Yield all of a survey's reports, many at a time, in an order that tells nothing.

        A batch that is damaged is named in the log, and left out.
        """
        return _joined(survey, self._rows(_IN_ORDER, survey.id))

    def read(self, survey: int) -> Iterator[bytes]:
        """Yield the bytes of a survey's batches as they came, in the order of their random ids."""
        for _, body in self._rows(_IN_ORDER, survey):
            yield body

    def _rows(self, query: CompoundSelect[Any], survey: int) -> Iterator[Any]:
        with self._engine.connect() as connection:
            yield from connection.execution_options(yield_per=_READ_TOGETHER).execute(
                query, {"in_survey": survey}
            )

    def arrivals(self, survey: int, most: int) -> tuple[list[int], list[int]]:
        """Return when each of at most ``most`` steps of whole hours begins, and how many reports came in it.

        The steps are of one length, one after the other from the first report to the last.
        """
        ends = select(func.min(ARRIVALS.c.hour), func.max(ARRIVALS.c.hour)).where(ARRIVALS.c.survey == survey)
        with self._engine.connect() as connection:
            first, last = connection.execute(ends).one()
            if first is None:
                return [], []
            step = HOUR * (1 + (last - first) // (HOUR * most))
            number = ((ARRIVALS.c.hour - first) // step).label("number")
            query = select(number, func.sum(ARRIVALS.c.reports)).where(
                ARRIVALS.c.survey == survey, ARRIVALS.c.hour <= last
            )
            sums = {int(at): int(reports) for at, reports in connection.execute(query.group_by(number))}
        steps = range(1 + (last - first) // step)
        return [first + step * at for at in steps], [sums.get(at, 0) for at in steps]

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


def _joined(survey: Survey, batches: Iterable[tuple[bytes, bytes]]) -> Iterator[Batch]:
    """Yield a survey's packed batches, which come with their ids, unpacked, many together."""
    group: list[tuple[bytes, bytes]] = []
    size = 0
    for batch, body in batches:
        group.append((batch, body))
        size += len(body)
        if size >= _READ_BYTES:
            yield _unpacked(survey, group)
            group, size = [], 0
    if group:
        yield _unpacked(survey, group)


def _unpacked(survey: Survey, group: list[tuple[bytes, bytes]]) -> Batch:
    reports, found = wire.unpack_many(survey.plan, [body for _, body in group])
    for (batch, _), what in zip(group, found, strict=True):
        if not isinstance(what, int):
            _log.error(
                "batch %s of survey %s is damaged in the store, and is left out: %s",
                batch.hex(),
                survey.name,
                what,
            )
    return reports


def _aggregate(survey: Survey, data: bytes) -> Aggregate:
    what = f"the stored aggregate of survey {survey.name}"
    try:
        stored = Aggregate.from_bytes(data, what)
    except LdprangeError as error:
        raise StoreError(str(error)) from None
    if stored.plan.fingerprint != survey.plan.fingerprint:
        raise StoreError(f"{what} must be of its plan, and it is of another")
    return stored


def _survey(row: Any) -> Survey:
    try:
        plan = Plan.from_json(row["plan"])
    except LdprangeError as error:
        raise StoreError(f"survey {row['name']} has a plan that cannot be read: {error}") from None
    same = {name: row[name] for name in ("id", "name", "question", "unit", "state")}
    return Survey(**same, public=bool(row["public"]), plan=plan, batches=bool(row["batches"]))
