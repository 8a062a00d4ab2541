"""Bytes of reports: the same reports come back, and anything else is refused whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ldprange as ldp
from ldprange import wire
from ldprange.decompositions import Decomposition
from ldprange.errors import LdprangeError, MismatchError, WireError
from ldprange.oracles import Oracle
from plan_strategies import batches, plans

HEADER = 9


def _plan(
    oracle: Oracle | None = None, decomposition: Decomposition | None = None, bins: int = 100
) -> ldp.Plan:
    return ldp.Plan(
        ldp.Domain.integers(0, bins - 1), 1.1, decomposition or ldp.Tree(branching=4), oracle or ldp.HRR()
    )


PLANS = {
    "GRR": _plan(ldp.GRR()),
    "OUE": _plan(ldp.OUE()),
    "OLH": _plan(ldp.OLH()),
    "HRR": _plan(ldp.HRR()),
    "Subset": _plan(ldp.SubsetSelection()),
    "HaarHRR": _plan(ldp.HRR(), ldp.Haar()),
    "Hadamard": _plan(ldp.HadamardHashing(bits=3)),
}
every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())


def _header(plan: ldp.Plan) -> bytes:
    return bytes([1]) + bytes.fromhex(plan.fingerprint)


def _batch(plan: ldp.Plan, people: int = 20) -> ldp.Batch:
    return ldp.encode_many(plan, np.arange(people) % plan.domain.bins, seed=1)


def _same(one: ldp.Batch, other: ldp.Batch) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one.columns, other.columns, strict=True))


@given(batches())
def test_a_batch_comes_back_as_it_went(batch: ldp.Batch) -> None:
    data = wire.pack(batch)
    again = wire.unpack(batch.plan, data)
    assert len(again) == len(batch)
    assert _same(again, batch)
    assert wire.pack(again) == data


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
    assert wire.pack(batch) == wire.pack(report)


@every_plan
def test_a_batch_of_nobody_is_its_header(plan: ldp.Plan) -> None:
    data = wire.pack(ldp.encode_many(plan, [], seed=1))
    assert data == _header(plan)
    assert len(wire.unpack(plan, data)) == 0


def test_the_layout_is_the_documented_one() -> None:
    plan = _plan(ldp.GRR(), ldp.Tree(branching=2), bins=4)
    columns = [np.array([1, 0], np.uint32), np.array([3, 0, 2], np.uint32)]
    data = wire.pack(ldp.Batch(plan, columns))
    assert data == _header(plan) + bytes([0, 2, 1, 0, 1, 3, 3, 0, 2])
    nobody = np.array([], np.uint32)
    assert wire.pack(ldp.Batch(plan, [nobody, columns[1]])) == _header(plan) + bytes([1, 3, 3, 0, 2])


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
    for version in (0, 2, 255):
        with pytest.raises(WireError, match=rf"must be of version 1, got {version}"):
            wire.unpack(plan, bytes([version]) + data[1:])


@every_plan
def test_reports_of_another_plan_are_refused(plan: ldp.Plan) -> None:
    other = ldp.Plan(plan.domain, 1.2, plan.decomposition, plan.oracle)
    with pytest.raises(MismatchError, match=rf"{plan.fingerprint}, got {other.fingerprint}"):
        wire.unpack(plan, wire.pack(_batch(other)))


@every_plan
def test_a_batch_cut_short_anywhere_is_refused_or_ends_between_levels(plan: ldp.Plan) -> None:
    batch = _batch(plan)
    data = wire.pack(batch)
    ends, at = {HEADER}, HEADER
    for column, mechanism in zip(batch.columns, plan.mechanisms, strict=True):
        if len(column):
            at += 2 + len(column) * mechanism.width
            ends.add(at)
    assert at == len(data)
    for stop in range(len(data)):
        if stop in ends:
            assert len(wire.unpack(plan, data[:stop])) < len(batch)
        else:
            with pytest.raises(WireError, match=r"must .*cut short"):
                wire.unpack(plan, data[:stop])


@every_plan
def test_leftover_bytes_are_refused(plan: ldp.Plan) -> None:
    data = wire.pack(_batch(plan, 400))
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


@pytest.mark.parametrize("name", ["GRR", "HRR", "HaarHRR", "Hadamard", "OUE", "OLH"])
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
    assert wire.pack(batch) == data
    assert ldp.Aggregate.of(plan, data).reports == len(batch)


@every_plan
@given(data=st.binary(max_size=200))
@example(data=b"")
def test_arbitrary_bytes(plan: ldp.Plan, data: bytes) -> None:
    _refused_or_exact(plan, data)


@every_plan
@given(data=st.binary(max_size=60))
def test_arbitrary_bytes_after_a_good_header(plan: ldp.Plan, data: bytes) -> None:
    _refused_or_exact(plan, _header(plan) + data)


@every_plan
@given(number=st.integers(0, 40), body=st.binary(max_size=60), level=st.integers(0, 5))
def test_arbitrary_reports_after_a_good_beginning(
    plan: ldp.Plan, number: int, body: bytes, level: int
) -> None:
    _refused_or_exact(plan, _header(plan) + bytes([level, number]) + body)


@given(batches(), st.data())
def test_mutations_of_good_batches(batch: ldp.Batch, data: st.DataObject) -> None:
    good = wire.pack(batch)
    start = data.draw(st.integers(0, len(good)))
    stop = data.draw(st.integers(start, min(len(good), start + 4)))
    mutated = good[:start] + data.draw(st.binary(max_size=4)) + good[stop:]
    _refused_or_exact(batch.plan, mutated)
