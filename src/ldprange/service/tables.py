"""The store's tables, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

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
    UniqueConstraint,
)

VERSION = 1
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
    Column("state", String(6), nullable=False),
    Column("plan", Text, nullable=False),
)

BATCHES = Table(
    "ldprange_batches",
    METADATA,
    Column("number", _BIG, primary_key=True, autoincrement=False),  # in the order in which they were kept
    Column("survey", ForeignKey(SURVEYS.c.id), nullable=False),
    Column("batch", LargeBinary(16), nullable=False),
    Column("body", LargeBinary, nullable=False),
    UniqueConstraint("survey", "batch"),
)
"""The batches as they came. When each came is not kept: it could tell who sent it."""

ARRIVALS = Table(
    "ldprange_arrivals",
    METADATA,
    Column("survey", ForeignKey(SURVEYS.c.id), primary_key=True),
    Column("minute", _BIG, primary_key=True, autoincrement=False),
    Column("reports", _BIG, nullable=False),
)
"""How many reports came in each minute, in Unix time."""

SNAPSHOTS = Table(
    "ldprange_snapshots",
    METADATA,
    Column("survey", ForeignKey(SURVEYS.c.id), primary_key=True),
    Column("upto", _BIG, nullable=False),  # the number of the last batch that it counts
    Column("aggregate", LargeBinary, nullable=False),
)

TOKENS = Table(
    "ldprange_tokens",
    METADATA,
    Column("role", String(13), primary_key=True),
    Column("digest", LargeBinary(32), nullable=False),
)
"""SHA-256 of each role's token. Tokens have 256 random bits, so that nothing slower is needed."""
