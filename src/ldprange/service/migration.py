"""Carrying over a store of version 1, which numbered its batches and counted reports by the minute."""

from sqlalchemy import Connection, text

from ldprange.service.schema import METADATA

_STEPS = (
    # what the stored aggregate counts, in the order of the random ids
    "insert into ldprange_sorted (survey, batch, body) select old.survey, old.batch, old.body "
    "from ldprange_batches old join ldprange_snapshots counted on counted.survey = old.survey "
    "where old.number <= counted.upto order by old.survey, old.batch",
    # and the rest
    "insert into ldprange_recent (survey, batch, generation, body) select old.survey, old.batch, 0, old.body "
    "from ldprange_batches old left join ldprange_snapshots counted on counted.survey = old.survey "
    "where counted.upto is null or old.number > counted.upto order by old.survey, old.batch",
    "insert into ldprange_aggregates (survey, aggregate) select survey, aggregate from ldprange_snapshots",
    "insert into ldprange_hours (survey, hour, reports) select survey, minute / 3600 * 3600, sum(reports) "
    "from ldprange_arrivals group by survey, minute / 3600 * 3600",
    "drop table ldprange_batches",
    "drop table ldprange_snapshots",
    "drop table ldprange_arrivals",
    # batches were taken by every survey
    "alter table ldprange_surveys add column batches boolean not null default true",
    "update ldprange_format set version = 2",
)


def carry_over(connection: Connection) -> None:
    """Make the tables of this version out of those of version 1: all of it, or nothing."""
    with connection.begin():
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("begin immediate")  # its driver begins too late for tables
        METADATA.create_all(connection)
        for step in _STEPS:
            connection.execute(text(step))
