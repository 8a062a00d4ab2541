"""Bytes of reports: the same reports come back, and anything else is refused whole."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ldprange as ldp
from example_kinds import ORACLES
from ldprange import wire
from ldprange.decompositions import Decomposition
from ldprange.errors import ArgumentError, LdprangeError, MismatchError, WireError
from ldprange.oracles import Oracle
from ldprange.oracles.bit_rows import end_to_end, rows_of
from plan_strategies import batches, plans

HEADER = 9


def _plan(
    oracle: Oracle | None = None, decomposition: Decomposition | None = None, bins: int = 100
) -> ldp.Plan:
    return ldp.Plan(
        ldp.Domain.integers(0, bins - 1), 1.1, decomposition or ldp.Tree(branching=4), oracle or ldp.HRR()
    )


PLANS = {
    **{kind: _plan(oracle) for kind, oracle in ORACLES.items()},
    "hrr": _plan(ldp.HRR()),
    "hrr on haar": _plan(ldp.HRR(), ldp.Haar()),
    "hadamard to 3 bits": _plan(ldp.HadamardHashing(bits=3)),
    "subset in windows": _plan(ldp.SubsetSelection(), ldp.Windows((50, 7, 1))),
}
every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
every_version = pytest.mark.parametrize("version", wire.VERSIONS)


def _header(plan: ldp.Plan, version: int = 1) -> bytes:
    return bytes([version]) + bytes.fromhex(plan.fingerprint)


def _batch(plan: ldp.Plan, people: int = 20) -> ldp.Batch:
    return ldp.encode_many(plan, np.arange(people) % plan.domain.bins, seed=1)


def _same(one: ldp.Batch, other: ldp.Batch) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.columns, other.columns, strict=True))


@every_version
@given(batches())
def test_a_batch_comes_back_as_it_went(version: int, batch: ldp.Batch) -> None:
    data = wire.pack(batch, version=version)
    again = wire.unpack(batch.plan, data)
    assert len(again) == len(batch) == wire.count(batch.plan, data)
    assert _same(again, batch)
    assert wire.pack(again, version=version) == data


@given(st.lists(batches(), max_size=1), st.data())
def test_payloads_of_both_versions_are_read_together(some: list[ldp.Batch], data: st.DataObject) -> None:
    for batch in some:
        many = [ldp.Batch(batch.plan, [column[start:] for column in batch.columns]) for start in range(3)]
        versions = data.draw(st.lists(st.sampled_from(wire.VERSIONS), min_size=3, max_size=3))
        payloads = [wire.pack(each, version=v) for each, v in zip(many, versions, strict=True)]
        together, found = wire.unpack_many(batch.plan, [payloads[0], b"", *payloads[1:]])
        assert [found[0], *found[2:]] == [len(each) for each in many]
        assert isinstance(found[1], WireError)
        assert ldp.Aggregate.of(batch.plan, together) == ldp.Aggregate.of(batch.plan, many)


@given(plans(), st.data())
def test_a_report_is_a_batch_of_one(plan: ldp.Plan, data: st.DataObject) -> None:
    value = plan.domain.at(data.draw(st.integers(0, plan.domain.bins - 1)) + 0.5)
    report = ldp.Client(plan).encode(value)
    batch = wire.unpack(plan, wire.pack(report))
    assert [len(column) for column in batch.columns] == [
        int(level == report.level) for level in range(len(plan.levels))
    ]
    rows = plan.mechanisms[report.level].pack(batch.columns[report.level])
    assert rows.tobytes() == report.payload
    assert wire.pack(batch, version=1) == wire.pack(report)
    mechanism = plan.mechanisms[report.level]
    assert len(wire.pack(batch)) == HEADER + 2 + (mechanism.bits + 7) // 8 <= len(wire.pack(report))


@every_plan
@every_version
def test_a_batch_of_nobody_is_its_header(plan: ldp.Plan, version: int) -> None:
    data = wire.pack(ldp.encode_many(plan, [], seed=1), version=version)
    assert data == _header(plan, version)
    assert len(wire.unpack(plan, data)) == 0


def test_the_layout_is_the_documented_one() -> None:
    plan = _plan(ldp.GRR(), ldp.Tree(branching=2), bins=4)
    columns = [np.array([1, 0], np.uint32), np.array([3, 0, 2], np.uint32)]
    batch = ldp.Batch(plan, columns)
    assert wire.pack(batch, version=1) == _header(plan) + bytes([0, 2, 1, 0, 1, 3, 3, 0, 2])
    assert wire.pack(batch) == wire.pack(batch, version=2)
    assert wire.pack(batch) == _header(plan, 2) + bytes([0, 2, 0b01, 1, 3, 0b10_00_11])
    nobody = np.array([], np.uint32)
    alone = ldp.Batch(plan, [nobody, columns[1]])
    assert wire.pack(alone, version=1) == _header(plan) + bytes([1, 3, 3, 0, 2])


def test_sets_are_numbered_in_version_2() -> None:
    plan = _plan(ldp.SubsetSelection(size=2), ldp.Flat(), bins=5)
    every = sorted(sum(1 << cell for cell in cells) for cells in combinations(range(5), 2))
    column = np.array(every, np.uint8)[:, None]  # in the order of their numbers, 0 to 9, in 4 bits each
    assert wire.pack(ldp.Batch(plan, [column])) == _header(plan, 2) + bytes(
        [0, 10, 0x10, 0x32, 0x54, 0x76, 0x98]
    )


@pytest.mark.parametrize(
    ("cells", "size", "bits"),
    [
        (5, 2, 4),
        (65, 16, 50),
        (9, 7, 9),
        (68, 34, 68),
        (67, 33, 64),
        (1 << 16, 2, 31),
        (1 << 16, 900, 1 << 16),
    ],
)
def test_sets_take_the_bits_of_their_number_or_one_for_each_cell(cells: int, size: int, bits: int) -> None:
    mechanism = ldp.SubsetSelection(size).on(cells, 2.0)
    assert mechanism.bits == min(cells, bits)
    items = np.arange(20, dtype=np.uint32) % cells
    column = mechanism.encode_many(items, np.random.default_rng(1))
    data = end_to_end(mechanism.compact(column), mechanism.bits)
    assert len(data) == (20 * mechanism.bits + 7) // 8
    np.testing.assert_array_equal(mechanism.expand(rows_of(data, 20, mechanism.bits)), column)


def test_a_report_alone_is_of_version_1_and_versions_are_1_or_2() -> None:
    plan = PLANS["grr"]
    report = ldp.Client(plan).encode(3)
    assert wire.pack(report, version=1) == wire.pack(report)
    with pytest.raises(ArgumentError, match="a batch of one"):
        wire.pack(report, version=2)
    for version in (0, 3, "2", True):
        with pytest.raises(ArgumentError, match="must be 1 or 2, got"):
            wire.pack(_batch(plan), version=version)  # type: ignore[arg-type]


def test_spare_bits_of_version_2_must_be_0() -> None:
    plan = _plan(ldp.GRR(), ldp.Flat(), bins=5)
    good = _header(plan, 2) + bytes([0, 2, 0b00_100_001])
    assert wire.unpack(plan, good).columns[0].tolist() == [1, 4]
    for spare in (0b01_100_001, 0b10_100_001, 0b11_100_001):
        with pytest.raises(WireError, match="spare bits"):
            wire.unpack(plan, good[:-1] + bytes([spare]))
    with pytest.raises(WireError, match=r"\[0, 5\).*got 5.*refused whole"):
        wire.unpack(plan, good[:-1] + bytes([0b00_101_001]))


@pytest.mark.parametrize(("people", "number"), [(127, [0x7F]), (128, [0x80, 0x01]), (300, [0xAC, 0x02])])
def test_numbers_of_reports_take_seven_bits_a_byte(people: int, number: list[int]) -> None:
    plan = _plan(ldp.GRR(), ldp.Flat(), bins=2)
    data = wire.pack(_batch(plan, people))
    assert data[HEADER : HEADER + 1 + len(number)] == bytes([0, *number])
    assert len(wire.unpack(plan, data)) == people


@pytest.mark.parametrize("decomposition", [ldp.Flat(), ldp.Haar()], ids=["Flat", "Haar"])
@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_a_hadamard_report_on_many_bins_takes_at_most_four_bytes(
    bits: int, decomposition: Decomposition
) -> None:
    plan = _plan(ldp.HadamardHashing(bits=bits), decomposition, bins=1 << 16)
    assert max(mechanism.width for mechanism in plan.mechanisms) <= 4
    people = 1000
    overhead = HEADER + 3 * len(plan.levels)  # level and number, at most
    assert len(wire.pack(_batch(plan, people))) <= overhead + 4 * people


# Refusals


@every_plan
def test_an_unknown_version_is_refused(plan: ldp.Plan) -> None:
    data = wire.pack(_batch(plan))
    for version, message in (
        (0, "the byte 0; this is not a report of ldprange's"),
        (3, "version 1 or 2, got 3; upgrade ldprange"),
        (255, "the byte 255; this is not a report of ldprange's"),
    ):
        with pytest.raises(WireError, match=message):
            wire.unpack(plan, bytes([version]) + data[1:])


@every_plan
def test_reports_of_another_plan_are_refused(plan: ldp.Plan) -> None:
    other = ldp.Plan(plan.domain, 1.2, plan.decomposition, plan.oracle)
    with pytest.raises(MismatchError, match=rf"{plan.fingerprint}, got {other.fingerprint}"):
        wire.unpack(plan, wire.pack(_batch(other)))


@every_plan
@every_version
def test_a_batch_cut_short_anywhere_is_refused_or_ends_between_levels(plan: ldp.Plan, version: int) -> None:
    batch = _batch(plan)
    data = wire.pack(batch, version=version)
    ends, at = {HEADER}, HEADER
    for column, mechanism in zip(batch.columns, plan.mechanisms, strict=True):
        if len(column):
            bits = mechanism.bits if version == 2 else 8 * mechanism.width
            at += 2 + (len(column) * bits + 7) // 8
            ends.add(at)
    assert at == len(data)
    for stop in range(len(data)):
        if stop in ends:
            assert len(wire.unpack(plan, data[:stop])) < len(batch)
        else:
            with pytest.raises(WireError, match=r"must .*cut short"):
                wire.unpack(plan, data[:stop])


@every_plan
@every_version
def test_leftover_bytes_are_refused(plan: ldp.Plan, version: int) -> None:
    data = wire.pack(_batch(plan, 400), version=version)
    for extra in (b"\0", b"\xff", b"\0\0\0\0\0\0\0\0", data[HEADER:], data):
        with pytest.raises(WireError, match="must"):
            wire.unpack(plan, data + extra)


def test_levels_out_of_order_repeated_or_beyond_the_last_are_refused() -> None:
    plan = _plan(ldp.GRR(), ldp.Tree(branching=2), bins=4)
    first, second = bytes([0, 1, 1]), bytes([1, 1, 3])
    assert len(wire.unpack(plan, _header(plan) + first + second)) == 2
    for body in (second + first, first + first, bytes([2, 1, 0]), bytes([255, 1, 0])):
        with pytest.raises(WireError, match=r"levels must increase and stay below 2, got \d"):
            wire.unpack(plan, _header(plan) + body)


@pytest.mark.parametrize(
    "number",
    [[0], [0x80, 0x00], [0x81, 0x00], [0xFF] * 9, [0xFF] * 9 + [0x01], [0x80] * 20],
    ids=["zero", "long zero", "long one", "unfinished", "beyond 63 bits", "endless"],
)
def test_numbers_of_reports_have_one_form_only(number: list[int]) -> None:
    plan = _plan(ldp.GRR(), ldp.Flat(), bins=2)
    with pytest.raises(WireError, match="number"):
        wire.unpack(plan, _header(plan) + bytes([0, *number, 0, 0, 0]))


@pytest.mark.parametrize("number", [[0xFF] * 8 + [0x7F], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]])
def test_a_number_of_reports_that_no_memory_holds_is_refused_at_once(number: list[int]) -> None:
    plan = _plan(ldp.OLH(), ldp.Flat())
    with pytest.raises(WireError, match="only 3 bytes are left"):
        wire.unpack(plan, _header(plan) + bytes([0, *number, 0, 0, 0]))


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "hrr", "hrr on haar", "hadamard to 3 bits"])
def test_an_index_outside_its_level_is_refused_with_the_whole_batch(name: str) -> None:
    plan = PLANS[name]
    level = len(plan.levels) - 1
    width = plan.mechanisms[level].width
    good = bytes(width)
    wire.unpack(plan, _header(plan) + bytes([level, 2]) + good + good)
    with pytest.raises(WireError, match="refused whole"):
        wire.unpack(plan, _header(plan) + bytes([level, 2]) + good + b"\xff" * width)


# Fuzzing: whatever comes is refused, or is the one encoding of what it says


def _refused_or_exact(plan: ldp.Plan, data: bytes) -> None:
    try:
        batch = wire.unpack(plan, data)
    except LdprangeError:
        with pytest.raises(LdprangeError):
            ldp.Aggregate.of(plan, data)
        return
    assert wire.pack(batch, version=data[0]) == data
    assert ldp.Aggregate.of(plan, data).reports == len(batch)


@every_plan
@given(data=st.binary(max_size=200))
@example(data=b"")
def test_arbitrary_bytes(plan: ldp.Plan, data: bytes) -> None:
    _refused_or_exact(plan, data)


@every_plan
@every_version
@given(data=st.binary(max_size=60))
def test_arbitrary_bytes_after_a_good_header(plan: ldp.Plan, version: int, data: bytes) -> None:
    _refused_or_exact(plan, _header(plan, version) + data)


@every_plan
@every_version
@given(number=st.integers(0, 40), body=st.binary(max_size=60), level=st.integers(0, 5))
def test_arbitrary_reports_after_a_good_beginning(
    plan: ldp.Plan, version: int, number: int, body: bytes, level: int
) -> None:
    _refused_or_exact(plan, _header(plan, version) + bytes([level, number]) + body)


@pytest.mark.slow
@every_version
@given(batches(), st.data())
def test_mutations_of_good_batches(version: int, batch: ldp.Batch, data: st.DataObject) -> None:
    good = wire.pack(batch, version=version)
    start = data.draw(st.integers(0, len(good)))
    stop = data.draw(st.integers(start, min(len(good), start + 4)))
    mutated = good[:start] + data.draw(st.binary(max_size=4)) + good[stop:]
    _refused_or_exact(batch.plan, mutated)


def test_what_is_no_bytes_is_refused_among_many() -> None:
    plan = PLANS["hrr"]
    batch, found = wire.unpack_many(plan, [None, wire.pack(_batch(plan))])  # type: ignore[list-item]
    assert len(batch) == found[1]
    assert "must be of type bytes, got None" in str(found[0])
