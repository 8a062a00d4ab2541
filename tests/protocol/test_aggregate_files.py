"""Files of aggregates: they come back as they went, in both versions, or are refused whole."""

from __future__ import annotations

import contextlib
import hashlib
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from ldprange.aggregate import Aggregate
from ldprange.errors import FileError, LdprangeError
from some_aggregates import PLAN, aggregates_of_one_plan, some


@given(aggregates_of_one_plan(number=1))
def test_an_aggregate_comes_back_from_its_file(
    tmp_path_factory: pytest.TempPathFactory, one: list[Aggregate]
) -> None:
    path = tmp_path_factory.mktemp("saved") / "some.agg"
    one[0].save(path)
    again = Aggregate.load(path)
    assert again == one[0]
    assert again.plan == one[0].plan
    assert [file.name for file in path.parent.iterdir()] == ["some.agg"]
    # what was loaded is an aggregate like any other: it adds, and can be added to
    assert (again + again).reports == 2 * one[0].reports
    again.absorb(one[0])
    assert again == one[0] + one[0]


def test_saving_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "some.agg"
    path.write_bytes(b"something else, and longer than any aggregate" * 1000)
    some().save(path)
    assert Aggregate.load(path) == some()


def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.agg"
    some().save(path)
    whole = path.read_bytes()
    for stop in range(len(whole)):
        path.write_bytes(whole[:stop])
        with pytest.raises(FileError, match=r"some\.agg must be"):
            Aggregate.load(path)


def test_a_file_with_any_byte_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.agg"
    some().save(path)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        with pytest.raises(FileError, match=r"some\.agg must be"):
            Aggregate.load(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty"),
        (b"age\n42\n", "is something else"),
        (b"PAR1" * 20, "is something else"),
        (b"LDPRAGG\x00" + b"\0" * 60, "version 1 or 2; upgrade"),
        (b"LDPRAGG\x03" + b"\0" * 60, "version 1 or 2; upgrade"),
        (b"LDPRAGG", "truncated"),
        (b"LDPRAGG\x01", "truncated"),
        (b"LDPRAGG\x01" + b"\0" * 60, "truncated or damaged"),
        (b"LDPRAGG\x02", "truncated"),
        (b"LDPRAGG\x02" + b"\0" * 60, "truncated or damaged"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "some.agg"
    path.write_bytes(content)
    with pytest.raises(FileError, match=rf"some\.agg must be .*{what}"):
        Aggregate.load(path)


def test_a_missing_file_and_a_directory_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.agg", tmp_path):
        with pytest.raises(FileError, match="cannot be read"):
            Aggregate.load(path)


def test_a_place_that_cannot_be_written_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    for path in (tmp_path / "none" / "some.agg", tmp_path / "file" / "some.agg", tmp_path):
        with pytest.raises(FileError, match=r"cannot be written|must be a file"):
            some().save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "kept"


def _forge(header: Any, counts: bytes, version: int) -> bytes:
    """Write a file whose digest is right, whatever it says."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    body = b"LDPRAGG" + bytes([version]) + len(text).to_bytes(4, "little") + text + counts
    return body + hashlib.sha256(body).digest()


COUNTERS = [mechanism.counters for mechanism in PLAN.mechanisms]
NOBODY = {
    1: bytes(8 * sum(COUNTERS)),
    2: b"".join(bytes([0, 1]) + bytes(number) for number in COUNTERS),
}
"""The counts of nobody, in each version."""
each_version = pytest.mark.parametrize("version", NOBODY)


def _header() -> dict[str, Any]:
    return {"plan": PLAN.to_json(), "users": [0] * len(COUNTERS), "counters": COUNTERS}


@each_version
def test_a_forged_file_that_says_the_right_things_is_read(tmp_path: Path, version: int) -> None:
    # so the refusals below are about what they change
    path = tmp_path / "some.agg"
    path.write_bytes(_forge(_header(), NOBODY[version], version))
    assert Aggregate.load(path) == Aggregate.empty(PLAN)


@each_version
@pytest.mark.parametrize(
    "change",
    [
        {"plan": "{}"},
        {"plan": 5},
        {"plan": PLAN.to_json().replace("1.1", "1.2")},
        {"users": None},
        {"users": [0]},
        {"users": [0, 0, 0, 0, 0]},
        {"users": [-1, 0, 1]},
        {"users": ["0", "0", "0"]},
        {"users": [0.5, 0.5, 0]},
        {"counters": None},
        {"counters": [1, 2, 3]},
    ],
)
def test_a_header_that_does_not_fit_is_refused(tmp_path: Path, change: dict[str, Any], version: int) -> None:
    path = tmp_path / "some.agg"
    path.write_bytes(_forge({**_header(), **change}, NOBODY[version], version))
    with pytest.raises(FileError, match=r"some\.agg"):
        Aggregate.load(path)
    missing = {key: value for key, value in _header().items() if key not in change}
    path.write_bytes(_forge(missing, NOBODY[version], version))
    with pytest.raises(FileError, match=r"some\.agg"):
        Aggregate.load(path)


@each_version
@pytest.mark.parametrize("header", [b"[]", b"5", b"null", b'"text"', b"{", b"\xff\xfe", b""])
def test_a_header_that_is_no_object_is_refused(tmp_path: Path, header: bytes, version: int) -> None:
    path = tmp_path / "some.agg"
    path.write_bytes(_forge(header, b"", version))
    with pytest.raises(FileError, match=r"some\.agg"):
        Aggregate.load(path)


@each_version
def test_counts_that_are_too_many_or_too_few_are_refused(tmp_path: Path, version: int) -> None:
    path = tmp_path / "some.agg"
    counts = NOBODY[version]
    for wrong in (b"", counts[:-8], counts[:-1], counts + b"\0", counts + bytes(8), counts + counts):
        path.write_bytes(_forge(_header(), wrong, version))
        with pytest.raises(FileError, match=r"some\.agg must hold 36 counts for its plan"):
            Aggregate.load(path)


def _with_last_level(counts: bytes, users: int) -> bytes:
    """Write a file of version 2 in which ``users`` reported on the last level, and nobody on the others."""
    others = b"".join(bytes([0, 1]) + bytes(number) for number in COUNTERS[:-1])
    header = {**_header(), "users": [*[0] * len(COUNTERS[:-1]), users]}
    return _forge(header, others + counts, 2)


def _block(gap_bytes: int, count_bytes: int, gaps: list[int], counts: list[int]) -> bytes:
    numbers = [(gap, gap_bytes) for gap in gaps] + [(count, count_bytes) for count in counts]
    begin = bytes([gap_bytes, count_bytes]) + len(gaps).to_bytes(2, "little")
    return begin + b"".join(number.to_bytes(size, "little") for number, size in numbers)


LAST = COUNTERS[-1]


def test_few_counts_are_read_wherever_they_lie(tmp_path: Path) -> None:
    path = tmp_path / "some.agg"
    for gap_bytes, count_bytes in ((1, 1), (2, 1), (1, 8), (2, 4)):
        path.write_bytes(_with_last_level(_block(gap_bytes, count_bytes, [3, 0, LAST - 6], [5, 6, 7]), 18))
        counts = Aggregate.load(path).counts[-1]
        assert {int(at): int(counts[at]) for at in np.flatnonzero(counts)} == {3: 5, 4: 6, LAST - 1: 7}


@pytest.mark.parametrize(
    ("counts", "users", "said"),
    [
        (_block(1, 1, [LAST], [1]), 1, "goes on to count"),
        (_block(2, 1, [0xFFFF] * 3, [1, 1, 1]), 3, "goes on to count"),
        (_block(1, 1, [0] * (LAST + 1), [1] * (LAST + 1)), LAST + 1, "goes on to count"),
        (_block(1, 1, [0], []), 1, "end too early"),
        (bytes([1, 1]) + (0xFFFF).to_bytes(2, "little") + b"\0\1", 1, "end too early"),
        (bytes([1, 1, 0]), 0, "end too early"),
        (bytes([0, 8]) + bytes(8 * LAST - 1), 0, "end too early"),
        (bytes([0, 3]) + bytes(3 * LAST), 0, "a gap must take"),
        (bytes([0, 0, 0]), 0, "a gap must take"),
        (bytes([4, 1, 0, 0]), 0, "a gap must take"),
        (_block(1, 8, [0], [2**64 - 1]), 1, "level 1 must hold counts that 1 reports can leave"),
        (_block(1, 8, [0], [2**63]), 1, "level 1 must hold counts that 1 reports can leave"),
        (_block(1, 8, [0, 0], [2**63, 2**63]), 0, "level 1 must hold counts that 0 reports can leave"),
        (_block(1, 1, [0], [2]), 1, "level 1 must hold counts that 1 reports can leave"),
        (_block(1, 1, [0], [1]), 1, ""),
    ],
)
def test_counts_that_cannot_be_are_refused(tmp_path: Path, counts: bytes, users: int, said: str) -> None:
    path = tmp_path / "some.agg"
    path.write_bytes(_with_last_level(counts, users))
    if said:
        with pytest.raises(FileError, match=rf"some\.agg .*{said}"):
            Aggregate.load(path)
    else:  # so the refusals above are about what they change
        assert Aggregate.load(path).reports == 1


def test_a_short_file_takes_no_memory_for_the_counts_of_a_large_plan(tmp_path: Path) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, (1 << 24) - 1), 1.1, ldp.Flat(), ldp.HRR())
    header = {"plan": plan.to_json(), "users": [0], "counters": [plan.counters]}
    path = tmp_path / "some.agg"
    path.write_bytes(_forge(header, bytes([1, 1, 0, 0]) * 100, 2))
    tracemalloc.start()
    with pytest.raises(FileError, match="end too early"):
        Aggregate.load(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < plan.counters


@each_version
@given(header=st.binary(max_size=300), counts=st.binary(max_size=80))
def test_arbitrary_headers_and_counts_never_load(
    tmp_path_factory: pytest.TempPathFactory, version: int, header: bytes, counts: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.agg"
    path.write_bytes(_forge(header, counts, version))
    with pytest.raises(LdprangeError):
        Aggregate.load(path)


@given(counts=st.binary(max_size=80), users=st.integers(0, 300))
def test_arbitrary_counts_are_refused_or_can_be(
    tmp_path_factory: pytest.TempPathFactory, counts: bytes, users: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.agg"
    path.write_bytes(_with_last_level(counts, users))
    with contextlib.suppress(FileError):
        found = Aggregate.load(path)
        assert found.users[-1] == found.counts[-1].sum() == users
