"""Files: what is written is read back, anything else is refused by name, and none is half-written."""

from __future__ import annotations

import datetime
import os
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from ldprange import wire
from ldprange.errors import DomainError, FileError, LdprangeError, MismatchError, WireError
from ldprange.files import read_plan, read_reports, read_text, read_values, reports, write_reports, write_text
from ldprange.files.kinds import Kind, kind_of
from ldprange.files.values import CHUNK
from ldprange.writing import whole_file

AGES = ldp.Domain.integers(0, 119)
SUFFIXES = ["parquet", "csv", "reports"]
PLANS = {
    "GRR": ldp.Plan(AGES, 1.1, ldp.Tree(4), ldp.GRR()),
    "OUE": ldp.Plan(AGES, 1.1, ldp.Tree(4), ldp.OUE()),
    "OLH": ldp.Plan(AGES, 1.1, ldp.Tree(4), ldp.OLH()),
    "HRR": ldp.Plan(ldp.Domain.integers(0, 999), 1.1, ldp.Haar(), ldp.HRR()),
    "Hadamard": ldp.Plan(AGES, 1.1, ldp.Flat(), ldp.HadamardHashing(bits=3)),
    "mixed": ldp.Plan(AGES, 1.1, ldp.Tree(10), [ldp.GRR(), ldp.OLH()]),
}
every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
every_suffix = pytest.mark.parametrize("suffix", SUFFIXES)


def _batch(plan: ldp.Plan, people: int = 500, seed: int = 1) -> ldp.Batch:
    values = np.random.default_rng(seed).integers(0, plan.domain.bins, people)
    return ldp.encode_many(plan, values, seed=seed)


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
        written = [_batch(plan, seed=1), _batch(plan, people=7, seed=2)]
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
        batch = _batch(plan)
        assert write_reports(path, plan, [batch]) == len(batch)
        _assert_same(plan, read_reports(path, plan), [batch])

    @every_plan
    @every_suffix
    def test_nobody_is_a_file_too(self, tmp_path: Path, plan: ldp.Plan, suffix: str) -> None:
        path = tmp_path / f"none.{suffix}"
        assert write_reports(path, plan, []) == 0
        assert sum(len(batch) for batch in read_reports(path, plan)) == 0

    @every_plan
    def test_rows_of_a_table_may_come_in_any_order(self, tmp_path: Path, plan: ldp.Plan) -> None:
        batch = _batch(plan)
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
            write_reports(tmp_path / "some.parquet", plan, [_batch(plan)])
            schema = pyarrow.parquet.read_schema(tmp_path / "some.parquet")
            assert [(field.name, field.type) for field in schema] == [("level", pa.uint8()), ("report", kind)]
            assert schema.metadata[b"ldprange_version"] == b"1"
            assert schema.metadata[b"ldprange_fingerprint"] == plan.fingerprint.encode()

    def test_a_csv_table_is_as_documented(self, tmp_path: Path) -> None:
        plan = PLANS["HRR"]
        batch = _batch(plan, people=1)
        write_reports(tmp_path / "one.csv", plan, [batch])
        level = next(level for level, column in enumerate(batch.columns) if len(column))
        packed = plan.mechanisms[level].pack(batch.columns[level]).tobytes().hex()
        assert (
            tmp_path / "one.csv"
        ).read_text() == f"plan,level,report\n{plan.fingerprint},{level},{packed}\n"

    def test_of_another_plan_are_not_written(self, tmp_path: Path) -> None:
        with pytest.raises(MismatchError, match="must be of the plan"):
            write_reports(tmp_path / "x.reports", PLANS["HRR"], [_batch(PLANS["GRR"])])
        assert not list(tmp_path.iterdir())

    @every_suffix
    def test_progress_ends_at_the_size(self, tmp_path: Path, suffix: str) -> None:
        plan, path, steps = PLANS["HRR"], tmp_path / f"some.{suffix}", list[int]()
        write_reports(path, plan, [_batch(plan)])
        list(read_reports(path, plan, progress=steps.append))
        assert 0 < sum(steps) <= path.stat().st_size


class TestReportDirectories:
    def test_all_files_below_count(self, tmp_path: Path) -> None:
        plan, batches = PLANS["OUE"], [_batch(PLANS["OUE"], seed=seed) for seed in range(3)]
        (tmp_path / "deeper").mkdir()
        write_reports(tmp_path / "a.parquet", plan, batches[:1])
        write_reports(tmp_path / "b.csv", plan, batches[1:2])
        write_reports(tmp_path / "deeper" / "c.reports", plan, batches[2:])
        (tmp_path / "_SUCCESS").touch()
        (tmp_path / ".hidden").mkdir()
        (tmp_path / ".hidden" / "notes").touch()
        _assert_same(plan, read_reports(tmp_path, plan), batches)

    def test_an_unknown_file_is_named(self, tmp_path: Path) -> None:
        write_reports(tmp_path / "a.parquet", PLANS["GRR"], [_batch(PLANS["GRR"])])
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
        write_reports(path, PLANS["GRR"], [_batch(PLANS["GRR"])])
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
        write_reports(path, plan, [_batch(plan)])
        data = path.read_bytes()
        for keep in {1, 3, 4, 5, 20, len(data) // 2, len(data) - 9, len(data) - 1}:
            path.write_bytes(data[:keep])
            self._refuse(path, plan, FileError, "truncated")

    def test_csv_cut_inside_a_row(self, tmp_path: Path) -> None:
        path, plan = tmp_path / "x.csv", PLANS["HRR"]
        write_reports(path, plan, [_batch(plan)])
        data = path.read_bytes()
        for cut in (2, 4, 8, 20):
            path.write_bytes(data[:-cut])
            with pytest.raises(LdprangeError, match=r"x\.csv"):
                list(read_reports(path, plan))

    @every_suffix
    @pytest.mark.parametrize("name", ["HRR", "OUE"])
    def test_damaged_anywhere(self, tmp_path: Path, suffix: str, name: str) -> None:
        """A changed byte is noticed or harmless; text and packed bytes may become other valid reports."""
        path, plan = tmp_path / f"x.{suffix}", PLANS[name]
        batch = _batch(plan, people=50)
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
            ("{plan},0,02", r"\[0, 2\)"),
            ("{plan},10,00", "below 10, got 10"),
            ("{plan},999,00", "cannot be read"),
            ("{plan},x,00", "cannot be read"),
            ("{plan},0,0", "as long as"),
            ("{plan},0,0000", "as long as"),
            ("{plan},0,zz", "hexadecimal"),
            ("{plan},0, 0", "hexadecimal"),
            ("{plan},0,", "every row must have"),
            ("{plan},0", "cannot be read"),
            (",0,00", "every row must have"),
            ("0123456789abcdef,0,00", "another plan"),
        ],
    )
    def test_csv_rows(self, tmp_path: Path, row: str, match: str) -> None:
        path, plan = tmp_path / "x.csv", PLANS["HRR"]
        good = f"{plan.fingerprint},0,01\n"
        path.write_text("plan,level,report\n" + good + row.format(plan=plan.fingerprint) + "\n" + good)
        self._refuse(path, plan, LdprangeError, match)

    def test_csv_of_other_columns(self, tmp_path: Path) -> None:
        path = tmp_path / "x.csv"
        path.write_text("level,report\n0,00\n")
        self._refuse(path, PLANS["HRR"], WireError, "columns must be plan,level,report, got level,report")

    def _write_parquet(self, path: Path, levels: list[int], column: pa.Array, version: str = "1") -> None:
        metadata = {"ldprange_version": version, "ldprange_fingerprint": PLANS["HRR"].fingerprint}
        table = pa.table({"level": pa.array(levels, pa.uint8()), "report": column})
        pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), path)


class TestKinds:
    """A file in place of another is called by its name; what cannot be told is left to whoever reads it."""

    @every_plan
    def test_what_is_written_is_recognised(self, tmp_path: Path, plan: ldp.Plan) -> None:
        kinds = {"plan": Kind.PLAN, "agg": Kind.AGGREGATE}
        kinds |= {"parquet": Kind.PARQUET, "csv": Kind.TEXT, "reports": Kind.PACKED}
        (tmp_path / "x.plan").write_text(plan.to_json(), encoding="utf-8")
        ldp.Aggregate.empty(plan).save(tmp_path / "x.agg")
        for suffix in SUFFIXES:
            write_reports(tmp_path / f"x.{suffix}", plan, [_batch(plan)])
        for suffix, kind in kinds.items():
            assert kind_of((tmp_path / f"x.{suffix}").read_bytes()[:4096]) is kind

    @pytest.mark.parametrize(
        ("start", "kind"),
        [
            (b"", None),
            (b"1\n2\n", None),
            (b"\xff\xfea\0g\0e\0\n\0", None),
            (b"age\n1\n\x002\n3\n", None),
            (b'{"a": 1, "b": 2}', None),
            (b"\xef\xbb\xbf\n{" + b'"ldprange_plan": 1}', Kind.PLAN),
            ("größe,ä".encode()[:-1], Kind.TEXT),  # cut inside a character
        ],
    )
    def test_of_other_beginnings(self, start: bytes, kind: Kind | None) -> None:
        assert kind_of(start) is kind

    @pytest.mark.parametrize(
        ("written", "given", "match"),
        [
            ("x.parquet", "x.csv", "reports as plain text, but it is a Parquet table; rename it to .parquet"),
            ("x.csv", "x.reports", "must be packed reports, but it is plain text; rename it to .csv"),
            ("x.reports", "x.parquet", "as a Parquet table, but it is packed reports; rename it to .reports"),
        ],
    )
    def test_reports_under_another_name(self, tmp_path: Path, written: str, given: str, match: str) -> None:
        write_reports(tmp_path / written, PLANS["HRR"], [_batch(PLANS["HRR"])])
        (tmp_path / written).rename(tmp_path / given)
        with pytest.raises(FileError, match=match):
            list(read_reports(tmp_path / given, PLANS["HRR"]))

    def test_a_pipe_is_looked_at_and_left_whole(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        text = PLANS["HRR"].to_json()
        writer = threading.Thread(target=pipe.write_text, args=(text,), kwargs={"encoding": "utf-8"})
        writer.start()
        assert read_plan(pipe) == PLANS["HRR"]
        writer.join()


class TestWholeFiles:
    def test_an_error_leaves_nothing(self, tmp_path: Path) -> None:
        def failing() -> Iterator[ldp.Batch]:
            yield _batch(PLANS["HRR"])
            raise RuntimeError("no more")

        for suffix in SUFFIXES:
            with pytest.raises(RuntimeError, match="no more"):
                write_reports(tmp_path / f"x.{suffix}", PLANS["HRR"], failing())
        assert not list(tmp_path.iterdir())

    def test_an_error_leaves_what_was_there(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        write_text(path, "old")

        def interrupted() -> None:
            with whole_file(path) as file:
                file.write(b"new")
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert read_text(path) == "old"
        assert list(tmp_path.iterdir()) == [path]
        write_text(path, "new")
        assert read_text(path) == "new"

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "file")
        write_text(tmp_path / "link", "ε")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "file").read_text() == "ε"

    def test_a_device_stays_a_device(self) -> None:
        write_text(os.devnull, "gone")
        assert Path(os.devnull).is_char_device()

    def test_what_cannot_be_written_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"nowhere.* cannot be written: No such file"):
            write_text(tmp_path / "nowhere" / "x", "text")
        with pytest.raises(FileError, match="is a directory"):
            write_text(tmp_path, "text")

    @pytest.mark.parametrize(("data", "match"), [(b"", "empty"), (b"\xff\xfe\x00", "UTF-8")])
    def test_what_is_not_text_is_named(self, tmp_path: Path, data: bytes, match: str) -> None:
        path = tmp_path / "x.json"
        path.write_bytes(data)
        with pytest.raises(FileError, match=rf"x\.json.*{match}"):
            read_text(path)


def _read(path: Path, domain: ldp.Domain = AGES, column: str | None = None) -> list[Any]:
    values: list[Any] = np.concatenate(list(read_values(path, column, domain))).tolist()
    return values


DATES = ldp.Domain.dates("2026-01-01", "2026-12-31")
SIZES = ldp.Domain.ordered(["XS", "S", "M"])
REAL = ldp.Domain.real(0, 10, 20)


class TestValues:
    @pytest.mark.parametrize(
        ("name", "text", "domain", "column", "expected"),
        [
            ("a.txt", "1\n2\n3\n", AGES, None, [1, 2, 3]),
            ("a.txt", "1\r\n2\r\n 3 ", AGES, None, [1, 2, 3]),
            ("a", "\ufeff1\n2", AGES, None, [1, 2]),
            ("a.txt", "1.0\n2e0\n", AGES, None, [1.0, 2.0]),
            ("a.txt", "0.25\n1e-3\n", REAL, None, [0.25, 0.001]),
            ("a.csv", "age\n1\n2\n", AGES, None, [1, 2]),
            ("a.csv", 'name,age\n"a, b",1\n"c\nd",2\n', AGES, "age", [1, 2]),
            ("a.csv", "\ufeffage,x\n1,\n2,\n", AGES, "age", [1, 2]),
            ("a.csv", '"age; years"\n1\n', AGES, "age; years", [1]),
            ("a.csv", '"age, years"\n1\n', AGES, None, [1]),
            ("A.CSV", '"age"\n"1"\n', AGES, "age", [1]),
            ("a.tsv", "age\tname\n1\tx,y\n", AGES, "age", [1]),
            ("a.txt", "XS\nM\nM\n", SIZES, None, ["XS", "M", "M"]),
            ("a.txt", "2026-01-31\n", DATES, None, [datetime.date(2026, 1, 31)]),
        ],
    )
    def test_of_text(
        self,
        tmp_path: Path,
        name: str,
        text: str,
        domain: ldp.Domain,
        column: str | None,
        expected: list[Any],
    ) -> None:
        path = tmp_path / name
        path.write_bytes(text.encode())
        assert _read(path, domain, column) == expected
        domain.index(np.concatenate(list(read_values(path, column, domain))))  # the domain takes them

    @pytest.mark.parametrize(
        ("column", "domain", "expected"),
        [
            (pa.array([1, 2], pa.uint8()), AGES, [1, 2]),
            (pa.array([1, 2], pa.float32()), AGES, [1.0, 2.0]),
            (pa.array([Decimal("1.50")]), REAL, [1.5]),
            (pa.array(["1", "2"]), AGES, [1, 2]),
            (pa.array(["1", "2"]).dictionary_encode(), AGES, [1, 2]),
            (pa.array(["XS", "M"], pa.large_string()), SIZES, ["XS", "M"]),
            (pa.array([1, 2]), ldp.Domain.ordered(["1", "2"]), ["1", "2"]),
            (pa.array([datetime.date(2026, 1, 31)]), DATES, [datetime.date(2026, 1, 31)]),
            (pa.array([datetime.datetime(2026, 1, 31, 23)]), DATES, [datetime.date(2026, 1, 31)]),
        ],
        ids=str,
    )
    def test_of_parquet(
        self, tmp_path: Path, column: pa.Array, domain: ldp.Domain, expected: list[Any]
    ) -> None:
        path = tmp_path / "a.parquet"
        pyarrow.parquet.write_table(pa.table({"other": column, "it": column}), path)
        assert _read(path, domain, "it") == expected

    def test_of_every_kind_of_file_come_in_the_same_chunks(self, tmp_path: Path) -> None:
        values = np.arange(CHUNK + 5) % 120
        text = "".join(f"{value}\n" for value in values)
        (tmp_path / "a.txt").write_text(text)
        (tmp_path / "a.csv").write_text("age\n" + text)
        pyarrow.parquet.write_table(pa.table({"age": values}), tmp_path / "a.parquet")
        for name in ("a.txt", "a.csv", "a.parquet"):
            steps = list[int]()
            first, second = read_values(tmp_path / name, None, AGES, progress=steps.append)
            assert (first.size, second.size) == (CHUNK, 5)
            np.testing.assert_array_equal(np.concatenate([first, second]), values)
            assert 0 < sum(steps) <= (tmp_path / name).stat().st_size


def _text(text: str) -> Callable[[Path], None]:
    return _bytes(text.encode())


def _bytes(data: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(data)

    return make


def _parquet(**columns: pa.Array) -> Callable[[Path], None]:
    return lambda path: pyarrow.parquet.write_table(pa.table(columns), path)


@pytest.mark.parametrize(
    ("name", "make", "domain", "column", "match"),
    [
        ("gone.csv", lambda path: None, AGES, None, "No such file"),
        ("a.csv", lambda path: path.mkdir(), AGES, None, "Is a directory"),
        ("a.csv", _text(""), AGES, None, "empty"),
        ("a.txt", _text(""), AGES, None, "empty"),
        ("a.csv", _text("age\n"), AGES, None, "at least one value"),
        ("a.parquet", _text(""), AGES, None, "whole Parquet file"),
        ("a.parquet", _text("PAR1" + "x" * 100), AGES, None, "whole Parquet file"),
        ("a.parquet", _parquet(age=pa.array([], pa.int64())), AGES, None, "at least one value"),
        ("a.csv", _text("name,age\nx,1\n"), AGES, None, "choose one: name, age"),
        ("a.csv", _text("name,age\nx,1\n"), AGES, "agee", "no column 'agee'; its columns are: name, age"),
        ("a.csv", _text("age,age\n1,1\n"), AGES, "age", "more than one column 'age'"),
        ("a.parquet", _parquet(a=pa.array([1]), b=pa.array([1])), AGES, None, "choose one: a, b"),
        ("a.parquet", _parquet(a=pa.array([1])), AGES, "b", "no column 'b'"),
        ("a.txt", _text("1\n"), AGES, "age", "column can only be chosen"),
        ("a.csv", _text("1\n2\n"), AGES, None, "header .*got the value 1"),
        ("a.csv", _text("2026-02-01\n"), DATES, None, "header"),
        ("a.csv", _text("XS\nM\n"), SIZES, None, "header"),
        ("a.csv", _text("a,b\n1,2\n3\n"), AGES, "a", "Expected 2 columns, got 1"),
        ("a.csv", _text("name;age\nx;1\n"), AGES, "age", "must be a comma, .* shows semicolons: name;age"),
        ("a.csv", _text("name;pay\nx;1,5\n"), REAL, None, "must be a comma, .* shows semicolons"),
        ("a.csv", _text("name\tage\nx\t1\n"), AGES, "age", "must be a comma, .* shows tabs"),
        ("a.tsv", _text("name;age\nx;1\n"), AGES, "age", "must be a tab, .* shows semicolons"),
        ("a.txt", _parquet(a=pa.array([1])), AGES, None, "it is a Parquet table; rename it to .parquet"),
        ("a.parquet", _text("name,age\nx,1\n"), AGES, None, "it is plain text; rename it to .csv"),
        ("a.xls", _bytes(b"\xd0\xcf\x11\xe0" + bytes(9)), AGES, "age", "spreadsheet .*export it as CSV"),
        ("a.txt", _text("1\n2\nold\n4\n"), AGES, None, "row 3 has 'old'"),
        ("a.txt", _text("1\n2\nnan\n"), AGES, None, "row 3 has 'nan'"),
        ("a.txt", _text("1\n\n3\n"), AGES, None, "row 2 has none"),
        ("a.csv", _text("age,x\n1,a\n,b\n"), AGES, "age", "row 2 has none"),
        ("a.csv", _text("age,x\n1,a\nNA,b\n"), AGES, "age", "row 2 has 'NA'"),
        ("a.csv", _text("age,x\n1,a\n\n2,b\n"), AGES, "age", "row 2 has none"),
        ("a.txt", _text("1\n" * 2_500_000 + "x\n"), AGES, None, "row 2500001 has 'x'"),
        ("a.txt", _text("x" * 5_000_000), AGES, None, "one value a line"),
        ("a.txt", _text("2026-02-30\n"), DATES, None, "a date such as .*row 1 has '2026-02-30'"),
        ("a.parquet", _parquet(a=pa.array([1.0, float("nan")])), AGES, None, "row 2 has 'nan'"),
        ("a.parquet", _parquet(a=pa.array([1, None])), AGES, None, "row 2 has none"),
        ("a.parquet", _parquet(a=pa.array([True])), AGES, None, "a number, and row 1 has 'True'"),
        ("a.parquet", _parquet(a=pa.array([5])), DATES, None, "a date"),
        ("a.parquet", _parquet(a=pa.array([5.0])), SIZES, None, "a label"),
    ],
)
def test_values_that_cannot_be_read_say_why(
    tmp_path: Path,
    name: str,
    make: Callable[[Path], None],
    domain: ldp.Domain,
    column: str | None,
    match: str,
) -> None:
    path = tmp_path / name
    make(path)
    with pytest.raises(FileError, match=match) as caught:
        _read(path, domain, column)
    assert str(path) in str(caught.value)


def test_values_that_are_no_text_say_so(tmp_path: Path) -> None:
    for name in ("a.csv", "a.txt"):
        (tmp_path / name).write_bytes(b"age\n\xff\xfe\n")
        with pytest.raises(FileError, match="UTF8"):
            _read(tmp_path / name, SIZES)
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="UTF-8"):
        _read(tmp_path / "a.csv")


def test_values_outside_the_domain_are_for_the_domain_to_refuse(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("120\n")
    (values,) = read_values(tmp_path / "a.txt", None, AGES)
    with pytest.raises(DomainError, match="got 120;"):
        AGES.index(values)
