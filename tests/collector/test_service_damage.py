"""A damaged store: what can be counted again is counted again, and what cannot is named."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from sqlalchemy import Table, select, update

import ldprange as ldp
from command_line_survey import answered, run
from ldprange.service.live_aggregate import Live
from ldprange.service.schema import AGGREGATES, RECENT, SORTED
from ldprange.service.store import OPEN, Kept, Store, Survey
from running_collector import PLAN, counted, packed, serving

BODIES = [packed([number % 120] * 3, number) for number in range(40)]
OTHER = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Haar(), ldp.HRR())


def collected(place: str) -> None:
    """Make a store of which half of the batches are sorted, and half are not."""
    with serving(place) as service:
        service.create()
        for number, body in enumerate(BODIES[:20]):
            assert service.put(body, batch=f"{number:032x}").status == 201
    with Store(place) as store:
        store.lock()
        store.keep([Kept(1, number.to_bytes(16), BODIES[number], 3, 1) for number in range(20, 40)], 3600)


@pytest.mark.parametrize("damage", ["a bit", "half", "nothing left", "another plan"])
def test_a_damaged_aggregate_is_counted_again_from_the_batches(
    place: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    collected(place)
    with Store(place) as store, store._engine.begin() as connection:
        whole = connection.scalar(select(AGGREGATES.c.aggregate)) or b""
        flipped = bytearray(whole)
        flipped[-40] ^= 1
        damaged = {
            "a bit": bytes(flipped),
            "half": whole[: len(whole) // 2],
            "nothing left": b"",
            "another plan": ldp.Aggregate.empty(OTHER).to_bytes(),
        }[damage]
        connection.execute(update(AGGREGATES).values(aggregate=damaged))
    with caplog.at_level(logging.ERROR), serving(place) as service:
        assert counted(service) == ldp.Aggregate.of(PLAN, BODIES)
        assert service.put(packed([1], 99)).status == 201
    assert "the stored aggregate of survey ages" in caplog.text
    assert "counted again" in caplog.text
    # when it ended, a whole one took its place
    caplog.clear()
    with Store(place) as store:
        assert Live.load(store, store.surveys()[0]).reports == 3 * 40 + 1
    assert not caplog.text


@pytest.mark.parametrize("table", [RECENT, SORTED], ids=["recent", "sorted"])
def test_a_damaged_batch_is_named_and_the_rest_is_kept(
    place: str, table: Table, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    collected(place)
    at = 30 if table is RECENT else 10
    with Store(place) as store, store._engine.begin() as connection:
        connection.execute(update(table).where(table.c.batch == at.to_bytes(16)).values(body=BODIES[at][:-1]))
        connection.execute(AGGREGATES.delete())  # so that all is counted from the batches
    rest = ldp.Aggregate.of(PLAN, [body for number, body in enumerate(BODIES) if number != at])
    with caplog.at_level(logging.ERROR), serving(place) as service:
        assert counted(service) == rest
        assert service.put(BODIES[at], batch=f"{at:032x}").status == 409  # what is there is not what came
    assert f"batch {at:032x} of survey ages is damaged" in caplog.text
    where = ["--database" if "://" in place else "--data", place]
    assert answered("export", "ages", "-o", tmp_path / "out", *where)["reports"] == rest.reports
    answered("aggregate", tmp_path / "out/_plan.json", tmp_path / "out", "-o", tmp_path / "all.agg")
    assert ldp.Aggregate.load(tmp_path / "all.agg") == rest


def test_an_aggregate_that_grew_too_large_leaves_no_old_one_behind(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(place, create=True) as store:
        store.lock()
        survey = store.add_survey(Survey(0, "ages", "How old?", "", False, OPEN, PLAN))
        assert survey is not None
        for generation, body in enumerate(BODIES[:2]):
            store.keep([Kept(survey.id, generation.to_bytes(16), body, 3, generation)], 0)
            total = ldp.Aggregate.of(PLAN, BODIES[: generation + 1])
            store.sort(survey.id, generation, total.to_bytes())
            assert Live.load(store, survey).aggregate() == total
            monkeypatch.setattr("ldprange.service.store._MAX_AGGREGATE_BYTES", 1)


def test_a_store_without_one_of_its_tables_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        service.create()
    with Store(tmp_path) as store, store._engine.begin() as connection:
        RECENT.drop(connection)
    refused = run("serve", "--data", tmp_path, "--port", "0")
    assert (refused.exit_code, "cannot" in refused.stderr or "must" in refused.stderr) == (2, True)
