"""Files of reports: what is written is read back, and anything else is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from example_plans import PLANS, batch_of, every_plan, every_suffix
from ldprange import wire
from ldprange.errors import FileError, LdprangeError, MismatchError, WireError
from ldprange.files import read_reports, reports, write_reports


def _assert_same(plan: ldp.Plan, read: Iterator[ldp.Batch], written: list[ldp.Batch]) -> None:
    """Check that the same reports came back; in a file their order within a level is kept."""
    batches = list(read)
    for level in range(len(plan.levels)):
        got = np.concatenate([batch.columns[level] for batch in batches])
        expected = np.concatenate([batch.columns[level] for batch in written])
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


class TestReports:
    @every_plan
    @every_suffix
    def test_come_back(self, tmp_path: Path, plan: ldp.Plan, suffix: str) -> None:
        path = tmp_path / f"some.{suffix}"
        written = [batch_of(plan, seed=1), batch_of(plan, people=7, seed=2)]
        assert write_reports(path, plan, written) == 507
        _assert_same(plan, read_reports(path, plan), written)
        assert list(tmp_path.iterdir()) == [path]

    @every_plan
    @every_suffix
    def test_come_back_when_cut_into_pieces(
        self, tmp_path: Path, plan: ldp.Plan, suffix: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reports, "_PIECE_BYTES", 100)
        path = tmp_path / f"some.{suffix}"
        batch = batch_of(plan)
        assert write_reports(path, plan, [batch]) == len(batch)
        _assert_same(plan, read_reports(path, plan), [batch])

    @pytest.mark.parametrize("name", ["HRR", "Windows, subsets"])
    def test_large_row_groups_of_one_size_are_read_one_by_one(self, tmp_path: Path, name: str) -> None:
        plan, path, sizes = PLANS[name], tmp_path / "some.parquet", [150_000, 150_000, 500]
        write_reports(path, plan, [batch_of(plan, people=size, seed=1) for size in sizes])
        assert [len(batch) for batch in read_reports(path, plan)] == sizes

    @every_plan
    @every_suffix
    def test_nobody_is_a_file_too(self, tmp_path: Path, plan: ldp.Plan, suffix: str) -> None:
        path = tmp_path / f"none.{suffix}"
        assert write_reports(path, plan, []) == 0
        assert sum(len(batch) for batch in read_reports(path, plan)) == 0

    @every_plan
    def test_rows_of_a_table_may_come_in_any_order(self, tmp_path: Path, plan: ldp.Plan) -> None:
        batch = batch_of(plan)
        expected = ldp.Aggregate.of(plan, batch)

        write_reports(tmp_path / "sorted.parquet", plan, [batch])
        table = pyarrow.parquet.read_table(tmp_path / "sorted.parquet")
        order = np.random.default_rng(3).permutation(table.num_rows)
        pyarrow.parquet.write_table(table.take(pa.array(order)), tmp_path / "mixed.parquet")
        assert ldp.Aggregate.of(plan, read_reports(tmp_path / "mixed.parquet", plan)) == expected

        write_reports(tmp_path / "sorted.csv", plan, [batch])
        header, *rows = (tmp_path / "sorted.csv").read_text().splitlines(keepends=True)
        (tmp_path / "mixed.csv").write_text(header + "".join(rows[i] for i in order))
        assert ldp.Aggregate.of(plan, read_reports(tmp_path / "mixed.csv", plan)) == expected

    def test_single_reports_are_joined(self, tmp_path: Path) -> None:
        plan = PLANS["HRR"]
        client = ldp.Client(plan)
        payloads = [wire.pack(client.encode(value)) for value in range(100)]
        path = tmp_path / "collected.reports"
        path.write_bytes(b"".join(len(data).to_bytes(4, "little") + data for data in payloads))
        (batch,) = read_reports(path, plan)
        assert ldp.Aggregate.of(plan, batch) == ldp.Aggregate.of(plan, payloads)

    def test_a_parquet_table_is_as_documented(self, tmp_path: Path) -> None:
        for name, kind in (("HRR", pa.uint32()), ("OUE", pa.binary()), ("mixed", pa.binary())):
            plan = PLANS[name]
            write_reports(tmp_path / "some.parquet", plan, [batch_of(plan)])
            schema = pyarrow.parquet.read_schema(tmp_path / "some.parquet")
            assert [(field.name, field.type) for field in schema] == [("level", pa.uint8()), ("report", kind)]
            assert schema.metadata[b"ldprange_version"] == b"1"
            assert schema.metadata[b"ldprange_fingerprint"] == plan.fingerprint.encode()

    def test_a_csv_table_is_as_documented(self, tmp_path: Path) -> None:
        plan = PLANS["HRR"]
        batch = batch_of(plan, people=1)
        write_reports(tmp_path / "one.csv", plan, [batch])
        level = next(level for level, column in enumerate(batch.columns) if len(column))
        packed = plan.mechanisms[level].pack(batch.columns[level]).tobytes().hex()
        assert (
            tmp_path / "one.csv"
        ).read_text() == f"plan,level,report\n{plan.fingerprint},{level},{packed}\n"

    def test_of_another_plan_are_not_written(self, tmp_path: Path) -> None:
        with pytest.raises(MismatchError, match="must be of the plan"):
            write_reports(tmp_path / "x.reports", PLANS["HRR"], [batch_of(PLANS["GRR"])])
        assert not list(tmp_path.iterdir())

    @every_suffix
    def test_progress_ends_at_the_size(self, tmp_path: Path, suffix: str) -> None:
        plan, path, steps = PLANS["HRR"], tmp_path / f"some.{suffix}", list[int]()
        write_reports(path, plan, [batch_of(plan)])
        list(read_reports(path, plan, progress=steps.append))
        assert 0 < sum(steps) <= path.stat().st_size


class TestReportDirectories:
    def test_all_files_below_count(self, tmp_path: Path) -> None:
        plan, batches = PLANS["OUE"], [batch_of(PLANS["OUE"], seed=seed) for seed in range(3)]
        (tmp_path / "deeper").mkdir()
        write_reports(tmp_path / "a.parquet", plan, batches[:1])
        write_reports(tmp_path / "b.csv", plan, batches[1:2])
        write_reports(tmp_path / "deeper" / "c.reports", plan, batches[2:])
        (tmp_path / "_SUCCESS").touch()
        (tmp_path / ".hidden").mkdir()
        (tmp_path / ".hidden" / "notes").touch()
        _assert_same(plan, read_reports(tmp_path, plan), batches)

    def test_an_unknown_file_is_named(self, tmp_path: Path) -> None:
        write_reports(tmp_path / "a.parquet", PLANS["GRR"], [batch_of(PLANS["GRR"])])
        (tmp_path / "a.parquet.123.partial").touch()
        with pytest.raises(FileError, match=r"a\.parquet\.123\.partial"):
            list(read_reports(tmp_path, PLANS["GRR"]))

    def test_an_empty_one_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="it has none"):
            list(read_reports(tmp_path, PLANS["GRR"]))


class TestReportsAreRefused:
    """Whatever is wrong, the error is one of ours and names the file."""

    def _refuse(self, path: Path, plan: ldp.Plan, error: type[LdprangeError], match: str) -> None:
        with pytest.raises(error, match=match) as caught:
            list(read_reports(path, plan))
        assert str(path) in str(caught.value)

    @every_suffix
    def test_of_another_plan(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"x.{suffix}"
        write_reports(path, PLANS["GRR"], [batch_of(PLANS["GRR"])])
        self._refuse(path, PLANS["HRR"], MismatchError, PLANS["GRR"].fingerprint)

    @every_suffix
    def test_missing_empty_or_a_directory_of_nothing(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"x.{suffix}"
        self._refuse(path, PLANS["GRR"], FileError, "No such file")
        path.touch()
        self._refuse(path, PLANS["GRR"], FileError, "empty")

    @pytest.mark.parametrize("suffix", ["parquet", "reports"])
    def test_truncated_anywhere(self, tmp_path: Path, suffix: str) -> None:
        path, plan = tmp_path / f"x.{suffix}", PLANS["HRR"]
        write_reports(path, plan, [batch_of(plan)])
        data = path.read_bytes()
        for keep in {1, 3, 4, 5, 20, len(data) // 2, len(data) - 9, len(data) - 1}:
            path.write_bytes(data[:keep])
            self._refuse(path, plan, FileError, "truncated")

    def test_csv_cut_inside_a_row(self, tmp_path: Path) -> None:
        path, plan = tmp_path / "x.csv", PLANS["HRR"]
        write_reports(path, plan, [batch_of(plan)])
        data = path.read_bytes()
        for cut in (2, 4, 8, 20):
            path.write_bytes(data[:-cut])
            with pytest.raises(LdprangeError, match=r"x\.csv"):
                list(read_reports(path, plan))

    @pytest.mark.slow
    @every_suffix
    @pytest.mark.parametrize("name", ["HRR", "OUE"])
    def test_damaged_anywhere(self, tmp_path: Path, suffix: str, name: str) -> None:
        """A changed byte is noticed or harmless; text and packed bytes may become other valid reports."""
        path, plan = tmp_path / f"x.{suffix}", PLANS[name]
        batch = batch_of(plan, people=50)
        write_reports(path, plan, [batch])
        data = path.read_bytes()
        refused = 0
        for at in range(0, len(data), 3):
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x21]) + data[at + 1 :])
            try:
                read = list(read_reports(path, plan))
            except LdprangeError as error:
                refused += str(path) in str(error)
                continue
            if suffix == "parquet":
                _assert_same(plan, iter(read), [batch])
        assert refused > 0

    @given(data=st.binary(min_size=1, max_size=200))
    def test_arbitrary_bytes(self, tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
        path = tmp_path_factory.getbasetemp() / "arbitrary.reports"
        path.write_bytes(data)
        with pytest.raises(LdprangeError, match="arbitrary"):
            list(read_reports(path, PLANS["HRR"]))

    @pytest.mark.parametrize(
        ("level", "report", "match"),
        [
            (200, 0, "below 10, got 200"),
            (0, 2, r"\[0, 2\)"),
            (0, 256, r"\[0, 2\)"),  # would fit if only the level's one byte were looked at
            (0, 2**32 - 1, r"\[0, 2\)"),
        ],
    )
    def test_parquet_numbers_out_of_range(self, tmp_path: Path, level: int, report: int, match: str) -> None:
        path = tmp_path / "x.parquet"
        self._write_parquet(path, [0, level], pa.array([0, report], pa.uint32()))
        self._refuse(path, PLANS["HRR"], WireError, match)

    def test_parquet_without_values(self, tmp_path: Path) -> None:
        path = tmp_path / "x.parquet"
        self._write_parquet(path, [0, 0], pa.array([0, None], pa.uint32()))
        self._refuse(path, PLANS["HRR"], WireError, "every row must have")

    def test_parquet_of_other_columns_or_version(self, tmp_path: Path) -> None:
        path = tmp_path / "x.parquet"
        self._write_parquet(path, [0], pa.array([0], pa.int64()))
        self._refuse(path, PLANS["HRR"], WireError, r"columns must be level \(uint8\), report \(uint32\)")
        self._write_parquet(path, [0], pa.array([0], pa.uint32()), version="2")
        self._refuse(path, PLANS["HRR"], WireError, "version 1, got 2")
        pyarrow.parquet.write_table(pa.table({"age": [1]}), path)
        self._refuse(path, PLANS["HRR"], WireError, "something else")

    def test_parquet_bytes_of_the_wrong_length(self, tmp_path: Path) -> None:
        path, plan = tmp_path / "x.parquet", PLANS["OUE"]
        metadata = {"ldprange_version": "1", "ldprange_fingerprint": plan.fingerprint}
        schema = pa.schema([("level", pa.uint8()), ("report", pa.binary())], metadata)
        rows = pa.table(
            {"level": pa.array([0, 0], pa.uint8()), "report": [b"\x01", b"\x01\x02"]}, schema=schema
        )
        pyarrow.parquet.write_table(rows, path)
        self._refuse(path, plan, WireError, "as long as")

    @pytest.mark.parametrize(
        ("row", "match"),
        [
            ("{plan},0,02", r"row 2: .*\[0, 2\)"),
            ("{plan},10,00", "row 2: .*below 10, got 10"),
            ("{plan},999,00", "cannot be read: .* row 2: "),
            ("{plan},x,00", "cannot be read: .* row 2: "),
            ("{plan},0,0", "row 2: .*as long as"),
            ("{plan},0,0000", "row 2: .*as long as"),
            ("{plan},0,zz", "row 2: .*hexadecimal"),
            ("{plan},0, 0", "row 2: .*hexadecimal"),
            ("{plan},0,", "row 2: every row must have"),
            ("{plan},0", "cannot be read: .* row 2: Expected 3 columns, got 2"),
            (",0,00", "row 2: every row must have"),
            ("0123456789abcdef,0,00", "another plan"),
        ],
    )
    def test_csv_rows(self, tmp_path: Path, row: str, match: str) -> None:
        path, plan = tmp_path / "x.csv", PLANS["HRR"]
        good = f"{plan.fingerprint},0,01\n"
        path.write_text("plan,level,report\n" + good + row.format(plan=plan.fingerprint) + "\n" + good)
        self._refuse(path, plan, LdprangeError, match)

    @pytest.mark.parametrize("wrong", ["{plan},0,zz", "{plan},9"])
    def test_csv_rows_far_down_and_not_in_the_order_of_levels(self, tmp_path: Path, wrong: str) -> None:
        path, plan = tmp_path / "x.csv", PLANS["HRR"]
        rows = [f"{plan.fingerprint},{at % 2},01\n" for at in range(200_000)]
        rows[150_001] = f"{wrong.format(plan=plan.fingerprint)}\n"
        path.write_text("plan,level,report\n" + "".join(rows))
        self._refuse(path, plan, LdprangeError, "row 150002: ")

    def test_csv_of_other_columns(self, tmp_path: Path) -> None:
        path = tmp_path / "x.csv"
        path.write_text("level,report\n0,00\n")
        self._refuse(path, PLANS["HRR"], WireError, "columns must be plan,level,report, got level,report")

    def _write_parquet(self, path: Path, levels: list[int], column: pa.Array, version: str = "1") -> None:
        metadata = {"ldprange_version": version, "ldprange_fingerprint": PLANS["HRR"].fingerprint}
        table = pa.table({"level": pa.array(levels, pa.uint8()), "report": column})
        pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), path)
