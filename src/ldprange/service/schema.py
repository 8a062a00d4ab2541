"""The store's tables, the same on SQLite and on PostgreSQL.

A batch must not tell when it came, so no table numbers them. A batch is put into ``RECENT`` first; once an
hour, or after many, all that are there go into ``SORTED``, in the order of their ids, which their senders
drew at random, together with an aggregate that counts exactly what is sorted. The file's own order then
shows which batches were sorted together, and nothing finer.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

VERSION = 2
HOUR = 3600
_BIG = BigInteger().with_variant(Integer, "sqlite")  # SQLite's integers have 64 bits under any name

METADATA = MetaData()

FORMAT = Table("ldprange_format", METADATA, Column("version", Integer, primary_key=True, autoincrement=False))

SURVEYS = Table(
    "ldprange_surveys",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(63), nullable=False, unique=True),
    Column("question", Text, nullable=False),
    Column("unit", Text, nullable=False),
    Column("public", Boolean, nullable=False),
    Column("batches", Boolean, nullable=False),  # whether a submission may hold more than one report
    Column("state", String(6), nullable=False),
    Column("plan", Text, nullable=False),
)


def _batches(name: str, *more: Column[int], numbered: bool) -> Table:
    """Return a table of batches as they came; SQLite would number its rows in their order."""
    return Table(
        name,
        METADATA,
        Column("survey", ForeignKey(SURVEYS.c.id), primary_key=True),
        Column("batch", LargeBinary(16), primary_key=True),
        *more,
        Column("body", LargeBinary, nullable=False),
        sqlite_with_rowid=numbered,
    )


RECENT = _batches("ldprange_recent", Column("generation", _BIG, nullable=False), numbered=True)
"""Batches that no stored aggregate counts yet; those of a generation are sorted together.

Rows are added at its end, which costs least; so here their order can be told.
"""

SORTED = _batches("ldprange_sorted", numbered=False)
"""Batches that their survey's stored aggregate counts."""

AGGREGATES = Table(
    "ldprange_aggregates",
    METADATA,
    Column("survey", ForeignKey(SURVEYS.c.id), primary_key=True),
    Column("aggregate", LargeBinary, nullable=False),
)
"""The counts of each survey's sorted batches; none where they are too large for a database."""

ARRIVALS = Table(
    "ldprange_hours",
    METADATA,
    Column("survey", ForeignKey(SURVEYS.c.id), primary_key=True),
    Column("hour", _BIG, primary_key=True, autoincrement=False),  # its begin, in Unix time
    Column("reports", _BIG, nullable=False),
    sqlite_with_rowid=False,
)
"""How many reports came in each hour."""

TOKENS = Table(
    "ldprange_tokens",
    METADATA,
    Column("role", String(13), primary_key=True),
    Column("digest", LargeBinary(32), nullable=False),
)
"""SHA-256 of each role's token. Tokens have 256 random bits, so that nothing slower is needed."""
