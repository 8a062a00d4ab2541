"""Packed reports in a column of anybody's table: all are counted, or none if any of them is wrong."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import ldprange as ldp
from command_line_survey import done, run
from example_plans import PLANS, batch_of, every_plan, payloads_of
from ldprange import packed_columns, wire
from ldprange.errors import ArgumentError, FileError, LdprangeError, MismatchError, WireError
from ldprange.files import counting, read_reports
from ldprange.files.counting import count_files

PLAN = PLANS["HRR"]
OTHER = PLANS["GRR"]
BATCH = batch_of(PLAN, people=60)
PACKED = payloads_of(BATCH)
EXPECTED = ldp.Aggregate.of(PLAN, BATCH)


def as_base64(payload: bytes) -> str:
    return base64.b64encode(payload).decode()


FRAMES: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": lambda rows: pd.DataFrame({"who": range(len(rows)), "report": rows}),
    "polars": lambda rows: pl.DataFrame({"who": range(len(rows)), "report": rows}),
    "arrow table": lambda rows: pa.table({"who": range(len(rows)), "report": rows}),
    "arrow batch": lambda rows: pa.record_batch({"who": range(len(rows)), "report": rows}),
}
COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "pandas series": pd.Series,
    "polars series": pl.Series,
    "arrow array": pa.array,
    "large binary": lambda rows: pa.array(rows, pa.large_binary()),
    "views": lambda rows: pa.array(rows, pa.binary_view()),
    "dictionary": lambda rows: pa.array(rows).dictionary_encode(),
    "parts": lambda rows: pa.chunked_array([rows[:7], [], rows[7:]], pa.binary()),
    "part of one": lambda rows: pa.array([b"before", *rows, b"after"])[1:-1],
}


class TestOneColumn:
    @every_plan
    @pytest.mark.parametrize("version", wire.VERSIONS)
    def test_reports_of_every_plan(self, plan: ldp.Plan, version: int) -> None:
        batch = batch_of(plan)
        rows = payloads_of(batch, version)
        np.random.default_rng(1).shuffle(rows)
        assert ldp.Aggregate.of(plan, pa.array(rows)) == ldp.Aggregate.of(plan, batch)

    @pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
    def test_of_any_library(self, column: Callable[[list[Any]], Any]) -> None:
        assert ldp.Aggregate.of(PLAN, column(PACKED)) == EXPECTED

    @pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
    @pytest.mark.parametrize("text", [bytes, bytes.hex, as_base64], ids=["bytes", "hexadecimal", "base64"])
    def test_of_a_frame(self, frame: Callable[[list[Any]], Any], text: Callable[[bytes], Any]) -> None:
        assert ldp.Aggregate.of(PLAN, frame([text(each) for each in PACKED]), column="report") == EXPECTED

    def test_an_only_column_needs_no_name(self) -> None:
        assert ldp.Aggregate.of(PLAN, pd.DataFrame({"report": PACKED})) == EXPECTED

    def test_rows_of_one_width_and_batches_and_both_versions(self) -> None:
        rows = [*PACKED[:20], wire.pack(BATCH), *payloads_of(BATCH, version=2), wire.pack(BATCH, version=1)]
        expected = ldp.Aggregate.of(PLAN, [*map(bytes, PACKED[:20]), BATCH, BATCH, BATCH])
        assert ldp.Aggregate.of(PLAN, pa.array(rows)) == expected
        alike = [each for each in PACKED if each[9] == PACKED[0][9]]
        fixed = pa.array(alike, pa.binary(len(alike[0])))
        assert ldp.Aggregate.of(PLAN, fixed) == ldp.Aggregate.of(PLAN, iter(alike))

    def test_read_in_blocks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(packed_columns, "_ROWS", 7)
        assert ldp.Aggregate.of(PLAN, pa.array(PACKED)) == EXPECTED
        with pytest.raises(WireError, match=r"^row 31: .* this one is empty"):
            ldp.Aggregate.of(PLAN, pa.array([*PACKED[:30], None]))

    def test_nobody(self) -> None:
        for empty in (
            pa.array([], pa.binary()),
            pa.array([], pa.string()),
            pd.DataFrame({"report": []}, dtype=str),
        ):
            assert ldp.Aggregate.of(PLAN, empty).reports == 0


REFUSED: dict[str, tuple[list[Any], type[LdprangeError], str]] = {
    "another plan": (
        [*PACKED[:4], payloads_of(batch_of(OTHER, 1))[0]],
        MismatchError,
        "^row 5: .*another plan",
    ),
    "cut short": ([*PACKED[:4], PACKED[4][:-1], PACKED[5]], WireError, "^row 5: .*cut short"),
    "nothing": ([*PACKED[:4], b""], WireError, "^row 5: a batch must have at least 9 bytes, got 0"),
    "more than it says": ([PACKED[0] + b"\0"], WireError, "^row 1: "),
    "a code that is none": (
        [*PACKED[:2], PACKED[2][:11] + b"\xff" * (len(PACKED[2]) - 11)],
        WireError,
        "^row 3: ",
    ),
    "missing": ([PACKED[0], None], WireError, "^row 2: .* this one is empty"),
    "all missing": ([None, None], WireError, "^row 1: .* this one is empty"),
    "odd digits": ([PACKED[0].hex(), PACKED[1].hex()[:-1]], WireError, "^row 2: .*hexadecimal"),
    "no digits": ([PACKED[0].hex(), "0x" + PACKED[1].hex()], WireError, "^row 2: .*hexadecimal"),
    "base64 cut": ([as_base64(PACKED[0]), as_base64(PACKED[1])[:-1]], WireError, "base64"),
    "base64 with a star": ([as_base64(PACKED[0]), "AQ*="], WireError, "base64"),
    "base64 padded within": ([as_base64(PACKED[0]) + "AQ==" + "AQ=="], WireError, "base64"),
    "base64 with spare bits": (["AR=="], WireError, "base64"),
    "a word": (["yes"], WireError, "base64"),
    "another code": (
        [PACKED[0].hex(), as_base64(PACKED[1]), PACKED[2].hex()],
        WireError,
        "^row 2: .*unlike most",
    ),
    "something else": (
        [PACKED[0], b"\xf3 something else"],
        WireError,
        "^row 2: .*the byte 243; this is not a report of ldprange's",
    ),
    "a later version": ([b"\3" + PACKED[0][1:]], WireError, "version 1 or 2, got 3; upgrade ldprange"),
    "numbers": ([1, 2], WireError, "must hold bytes, or text in hexadecimal digits or base64, got int64"),
}


@pytest.mark.parametrize(("rows", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_report_is_refused(rows: list[Any], error: type[LdprangeError], message: str) -> None:
    with pytest.raises(error, match=message):
        ldp.Aggregate.of(PLAN, pa.table({"report": rows}), column="report")


def test_a_refusal_says_how_to_count_the_others() -> None:
    for row in (None, b"", PACKED[0][:-1], b"\xf3 something else"):
        with pytest.raises(LdprangeError, match='count the others with damaged="skip"'):
            ldp.Aggregate.of(PLAN, pa.array([*PACKED, row]))


DAMAGED = [None, b"", b"\1", b"\xf3 something else", PACKED[0][:-1], PACKED[0] + b"\0"]
DAMAGED += [payloads_of(batch_of(OTHER, 1))[0], REFUSED["a code that is none"][0][2]]
DAMAGED_TEXTS = [None, "", "0", "0.53", "yes", "AR==", "AQ=A", "*", "00", "größe", "0x" + PACKED[0].hex()]


def among(good: list[Any], damaged: list[Any]) -> list[Any]:
    rows = [*good, *damaged]
    order = np.random.default_rng(3).permutation(len(rows))
    return [rows[place] for place in order]


class TestDamagedRowsAreLeftOut:
    def test_in_bytes(self) -> None:
        rows = among([*PACKED, wire.pack(BATCH)], DAMAGED * 3)
        for column in (rows, pa.array(rows), pd.DataFrame({"report": rows}), pl.Series(rows)):
            with pytest.warns(UserWarning, match="left out 24 rows without a report of this plan"):
                assert ldp.Aggregate.of(PLAN, column, damaged="skip") == EXPECTED + EXPECTED

    @pytest.mark.parametrize("text", [bytes.hex, as_base64], ids=["hexadecimal", "base64"])
    def test_in_text(self, text: Callable[[bytes], str]) -> None:
        rows = [*DAMAGED_TEXTS, *map(text, PACKED), *(text(each) for each in DAMAGED if each)]
        number = len(rows) - len(PACKED)
        with pytest.warns(UserWarning, match=f"left out {number} rows"):
            assert ldp.Aggregate.of(PLAN, pa.array(rows), damaged="skip") == EXPECTED

    @every_plan
    def test_of_every_plan(self, plan: ldp.Plan) -> None:
        """Bytes of any payload are changed by chance: what is left out is what is refused by itself."""
        chance = np.random.default_rng(5)
        rows = [np.frombuffer(each, np.uint8).copy() for each in payloads_of(batch_of(plan), 1)]
        for row in rows[::2]:
            row[chance.integers(len(row))] = chance.integers(256)
        payloads = [row.tobytes() for row in rows]
        batch, found = wire.unpack_many(plan, payloads)
        ends = np.cumsum([0, *map(len, payloads)])
        column, refused = wire.unpack_column(plan, np.concatenate(rows), ends)
        assert refused.tolist() == [at for at, what in enumerate(found) if not isinstance(what, int)]
        assert ldp.Aggregate.of(plan, column) == ldp.Aggregate.of(plan, batch)

    def test_all_of_them_or_none(self, recwarn: pytest.WarningsRecorder) -> None:
        assert ldp.Aggregate.of(PLAN, pa.array(PACKED), damaged="skip") == EXPECTED
        assert not recwarn.list
        for rows in (pa.array([None, None]), [None, None], pa.array(["a", "b"])):
            with pytest.warns(UserWarning, match="left out 2 rows"):
                assert ldp.Aggregate.of(PLAN, rows, damaged="skip").reports == 0

    def test_only_if_asked(self) -> None:
        with pytest.raises(ArgumentError, match="damaged must be 'refuse' or 'skip', got 'drop'"):
            ldp.Aggregate.of(PLAN, pa.array(PACKED), damaged="drop")  # type: ignore[arg-type]
        with pytest.raises(MismatchError):
            ldp.Aggregate.of(PLAN, [batch_of(OTHER, 1)], damaged="skip")


class TestTheColumnsName:
    @pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
    def test_must_be_there(self, frame: Callable[[list[Any]], Any]) -> None:
        with pytest.raises(ArgumentError, match="no column 'packed'; its columns are: who, report"):
            ldp.Aggregate.of(PLAN, frame(PACKED), column="packed")
        with pytest.raises(ArgumentError, match="several columns, so choose one with column=…: who, report"):
            ldp.Aggregate.of(PLAN, frame(PACKED))

    def test_is_of_a_frame_only(self) -> None:
        with pytest.raises(ArgumentError, match="can only be chosen of a frame"):
            ldp.Aggregate.of(PLAN, PACKED, column="report")


def write_table(path: Path, rows: list[Any]) -> Path:
    table = pa.table({"who": range(len(rows)), "report": rows})
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=16)
    else:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(delimiter=delimiter))
    return path


class TestFiles:
    @pytest.mark.parametrize("text", [bytes, bytes.hex, as_base64], ids=["bytes", "hexadecimal", "base64"])
    @pytest.mark.parametrize("suffix", [".parquet", ".csv", ".tsv"])
    def test_are_counted(self, tmp_path: Path, suffix: str, text: Callable[[bytes], Any]) -> None:
        if text is bytes and suffix != ".parquet":
            return  # text has no bytes
        path = write_table(tmp_path / f"own{suffix}", [text(each) for each in PACKED])
        assert ldp.Aggregate.of(PLAN, read_reports(path, PLAN, column="report")) == EXPECTED

    def test_in_parts_that_name_the_right_row(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(counting, "_PART_ROWS", 20)
        path = write_table(tmp_path / "own.parquet", PACKED)
        assert count_files(PLAN, [path], column="report") == EXPECTED
        write_table(path, [*PACKED[:50], b"\1", *PACKED[50:]])
        with pytest.raises(WireError, match=r"own\.parquet: row 51: "):
            count_files(PLAN, [path], column="report")

    def test_interrupted_in_another_column(self, tmp_path: Path) -> None:
        files = [write_table(tmp_path / f"{number}.parquet", PACKED) for number in range(9)]
        resume = tmp_path / "kept"

        def interrupt(size: int, reports: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            count_files(PLAN, files, column="report", resume=resume, progress=interrupt)
        with pytest.raises(FileError, match="does not match the inputs"):
            count_files(PLAN, files, column="who", resume=resume)
        assert count_files(PLAN, files, column="report", resume=resume).reports == 9 * len(PACKED)

    def test_rows_left_out_before_an_interruption_are_told_after_it(self, tmp_path: Path) -> None:
        files = [write_table(tmp_path / f"{number}.parquet", [*PACKED, None]) for number in range(3)]
        resume, told = tmp_path / "kept", list[int]()

        def interrupt(size: int, reports: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            count_files(PLAN, files, column="report", skipped=told.append, resume=resume, progress=interrupt)
        with pytest.raises(FileError, match="kept leaves out 1 damaged row"):
            count_files(PLAN, files, column="report", resume=resume)
        told.clear()
        total = count_files(PLAN, files, column="report", skipped=told.append, resume=resume)
        assert total.reports == 3 * len(PACKED)
        assert sum(told) == 3

    def test_long_values_are_refused(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "own.parquet", [*PACKED, b"\1" * 200_000])
        with pytest.raises(FileError, match="at most"):
            count_files(PLAN, [path], column="report")


class TestCommand:
    def test_counts_and_refuses(self, tmp_path: Path) -> None:
        PLAN.save(tmp_path / "plan.json")
        plan, own = str(tmp_path / "plan.json"), str(write_table(tmp_path / "own.parquet", PACKED))
        output = str(tmp_path / "own.agg")
        assert "60 reports" in done("aggregate", plan, own, "--column", "report", "-o", output)
        assert ldp.Aggregate.load(output) == EXPECTED
        for arguments, message in (
            ([own], "or a table of your own, whose column of packed reports you must name"),
            ([own, "--column", "packed"], "its columns are: who, report"),
            ([own, "--column", "who"], "must hold bytes"),
            ([own, plan, "--column", "report"], "the file must be"),
        ):
            result = run("aggregate", plan, *arguments, "-o", str(tmp_path / "no.agg"))
            assert result.exit_code == 2
            assert message in result.stderr
        assert not (tmp_path / "no.agg").exists()

    def test_leaves_damaged_rows_out(self, tmp_path: Path) -> None:
        PLAN.save(tmp_path / "plan.json")
        plan, own = str(tmp_path / "plan.json"), str(write_table(tmp_path / "own.parquet", [*PACKED, None]))
        output = str(tmp_path / "own.agg")
        result = run("aggregate", plan, own, "--column", "report", "-o", output)
        assert result.exit_code == 2
        assert "--damaged skip" in result.stderr
        skipping = ["aggregate", plan, own, "--column", "report", "--damaged", "skip", "-o", output]
        result = run(*skipping)
        assert "left out 1 row without a report of this plan" in result.stderr
        assert json.loads(done(*skipping, "--json"))["left_out"] == 1
        assert ldp.Aggregate.load(output) == EXPECTED
        result = run("aggregate", plan, own, "--damaged", "skip", "-o", output)
        assert result.exit_code == 2
        assert "whose --column you name" in result.stderr
