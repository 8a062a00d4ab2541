"""Files of people's values: what a table or a list says, and why it cannot be read."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import ldprange as ldp
from ldprange.errors import DomainError, FileError
from ldprange.files import read_values
from ldprange.files.values import CHUNK

AGES = ldp.Domain.integers(0, 119)
DATES = ldp.Domain.dates("2026-01-01", "2026-12-31")
SIZES = ldp.Domain.ordered(["XS", "S", "M"])
REAL = ldp.Domain.real(0, 10, 20)


def _read(path: Path, domain: ldp.Domain = AGES, column: str | None = None) -> list[Any]:
    values: list[Any] = np.concatenate(list(read_values(path, column, domain))).tolist()
    return values


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
            (
                pa.array([datetime.datetime(2026, 2, 1, 3)], pa.timestamp("us", tz="America/New_York")),
                DATES,
                [datetime.date(2026, 1, 31)],
            ),
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
        ("a.csv", _text("name,age\nx,1\n"), AGES, None, "choose one with --column: name, age"),
        ("a.csv", _text("name,age\nx,1\n"), AGES, "agee", "no column 'agee'; its columns are: name, age"),
        ("a.csv", _text("age,age\n1,1\n"), AGES, "age", "more than one column 'age'"),
        (
            "a.parquet",
            _parquet(a=pa.array([1]), b=pa.array([1])),
            AGES,
            None,
            "choose one with --column: a, b",
        ),
        ("a.parquet", _parquet(a=pa.array([1])), AGES, "b", "no column 'b'"),
        ("a.txt", _text("1\n"), AGES, "age", "column can only be chosen"),
        ("a.csv", _text("1\n2\n"), AGES, None, "header .*got the value 1"),
        ("a.csv", _text("2026-02-01\n"), DATES, None, "header"),
        ("a.csv", _text("XS\nM\n"), SIZES, None, "header"),
        ("a.csv", _text("a,b\n1,2\n3\n"), AGES, "a", "row 2: Expected 2 columns, got 1"),
        (
            "a.txt",
            _text("1\n" * 2_500_000 + "1\x1f2\n"),
            AGES,
            None,
            "row 2500001: Expected 1 columns, got 2",
        ),
        ("a.csv", _text("name;age\nx;1\n"), AGES, "age", "must be a comma, .* shows semicolons: name;age"),
        ("a.csv", _text("name;pay\nx;1,5\n"), REAL, None, "must be a comma, .* shows semicolons"),
        ("a.csv", _text("name\tage\nx\t1\n"), AGES, "age", "must be a comma, .* shows tabs"),
        ("a.tsv", _text("name;age\nx;1\n"), AGES, "age", "must be a tab, .* shows semicolons"),
        ("a.txt", _parquet(a=pa.array([1])), AGES, None, "it is a Parquet table; rename it to .parquet"),
        ("a.parquet", _text("name,age\nx,1\n"), AGES, None, "it is plain text; rename it to .csv"),
        ("a.xls", _bytes(b"\xd0\xcf\x11\xe0" + bytes(9)), AGES, "age", "spreadsheet .*export it as CSV"),
        ("a.txt", _text("1\n2\nold\n4\n"), AGES, None, "row 3 has 'old'"),
        ("a.txt", _text("1\n2\nnan\n"), AGES, None, "row 3 has none; .*--missing skip"),
        ("a.txt", _text("1\n\n3\n"), AGES, None, "row 2 has none"),
        ("a.csv", _text("age,x\n1,a\n,b\n"), AGES, "age", "row 2 has none"),
        ("a.csv", _text("age,x\n1,a\nNA,b\n"), AGES, "age", "row 2 has none; .*--missing skip"),
        ("a.csv", _text("age,x\n1,a\n\n2,b\n"), AGES, "age", "row 2 has none"),
        ("a.txt", _text("1\n" * 2_500_000 + "x\n"), AGES, None, "row 2500001 has 'x'"),
        ("a.txt", _text("x" * 5_000_000), AGES, None, "one value a line"),
        ("a.txt", _text("2026-02-30\n"), DATES, None, "a date such as .*row 1 has '2026-02-30'"),
        ("a.parquet", _parquet(a=pa.array([1.0, float("nan")])), AGES, None, "row 2 has 'nan'"),
        ("a.parquet", _parquet(a=pa.array([1, None])), AGES, None, "row 2 has none"),
        ("a.parquet", _parquet(a=pa.array([True])), AGES, None, "number, and row 1 has 'True'"),
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


@pytest.mark.parametrize("domain", [SIZES, AGES])
def test_texts_of_a_parquet_file_that_are_not_utf8_are_told_of_by_row(
    tmp_path: Path, domain: ldp.Domain
) -> None:
    texts = pa.array([b"S", b"M", b"\xd3", b"M"] if domain is SIZES else [b"1", b"2", b"\xd3", b"3"])
    pyarrow.parquet.write_table(pa.table({"a": texts.view(pa.string())}), tmp_path / "a.parquet")
    with pytest.raises(FileError, match="every text must be UTF-8, and the one in row 3 is not"):
        _read(tmp_path / "a.parquet", domain, "a")


def test_values_outside_the_domain_are_for_the_domain_to_refuse(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("120\n")
    (values,) = read_values(tmp_path / "a.txt", None, AGES)
    with pytest.raises(DomainError, match="got 120;"):
        AGES.index(values)


class TestWords:
    """Names of bins beside a domain's plain values, which a table may have as its values."""

    @pytest.mark.parametrize(
        ("domain", "values"),
        [
            (ldp.Domain.integers(0, 9, open_ends=True, no_answer=True), ["3", "less than 0", "7"]),
            (
                ldp.Domain.integers(0, 9, open_ends="high", no_answer=True),
                [" more than 9 ", "no answer", "", "0"],
            ),
            (ldp.Domain.real(0, 9, 3, open_ends=True), ["3", "0.5", "more than 9", "less than 0"]),
            (ldp.Domain.logarithmic(1, 9, 3, no_answer=True), ["no answer", "3"]),
            (
                ldp.Domain.dates("2026-01-01", "2026-01-09", open_ends=True, no_answer=True),
                ["2026-01-03", "after 2026-01-09", "", "no answer", "before 2026-01-01"],
            ),
            (
                ldp.Domain.dates("0001-01-01", "9999-12-31", open_ends=True),
                ["before 0001-01-01", "after 9999-12-31"],
            ),
            (ldp.Domain.ordered(["S", "M"], no_answer=True), ["M", "no answer", "", "S"]),
        ],
    )
    def test_they_are_read_as_a_client_reads_them(
        self, tmp_path: Path, domain: ldp.Domain, values: list[str]
    ) -> None:
        (tmp_path / "a.csv").write_text("it,more\n" + "".join(f"{each},x\n" for each in values))
        column = pa.array([each or None for each in values])
        pyarrow.parquet.write_table(pa.table({"it": column}), tmp_path / "a.parquet")
        expected = [domain.index_one(domain.parse(each.strip()) if each else None) for each in values]
        for name in ("a.csv", "a.parquet"):
            (read,) = read_values(tmp_path / name, "it", domain)
            assert domain.index(read).tolist() == expected

    def test_a_word_of_no_bin_is_told_with_those_there_are(self, tmp_path: Path) -> None:
        domain = ldp.Domain.integers(0, 9, open_ends="high", no_answer=True)
        (tmp_path / "a.txt").write_text("more than 9\n3\nmore than 99\n")
        wanted = (
            r"a whole number, or “more than 9” or “no answer” \(or nothing\), and row 3 has 'more than 99'"
        )
        with pytest.raises(FileError, match=wanted):
            _read(tmp_path / "a.txt", domain)
        (tmp_path / "a.txt").write_text("no answer\n")
        with pytest.raises(FileError, match="a whole number, and row 1 has 'no answer'"):
            _read(tmp_path / "a.txt", AGES)


class TestMissing:
    """Rows without a value, which are left out if that is asked for."""

    ROWS = 'who,age,size\na,1,XS\nb,,S\nc,3,\nd,4,M\n,5,"M"\n'

    def left(self, path: Path, column: str | None, domain: ldp.Domain) -> tuple[list[Any], int]:
        skipped: list[int] = []
        chunks = list(read_values(path, column, domain, skipped=skipped.append))
        return chunks, sum(skipped)

    def test_of_a_text_table(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text(self.ROWS)
        (ages,), skipped = self.left(tmp_path / "a.csv", "age", AGES)
        assert (ages.tolist(), skipped) == ([1, 3, 4, 5], 1)
        both = ldp.Domain.product(age=AGES, size=SIZES)
        (people,), skipped = self.left(tmp_path / "a.csv", None, both)
        assert {name: column.tolist() for name, column in people.items()} == {
            "age": [1, 4, 5],
            "size": ["XS", "M", "M"],
        }
        assert skipped == 2

    def test_of_plain_text(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("1\n\n3\n\n")
        (ages,), skipped = self.left(tmp_path / "a.txt", None, AGES)
        assert (ages.tolist(), skipped) == ([1, 3], 2)

    def test_of_parquet(self, tmp_path: Path) -> None:
        held = pa.array([1.5, None, float("nan"), 2.5])
        pa.parquet.write_table(pa.table({"x": held}), tmp_path / "a.parquet")
        (values,), skipped = self.left(tmp_path / "a.parquet", None, REAL)
        assert (values.tolist(), skipped) == ([1.5, 2.5], 2)

    @pytest.mark.parametrize("word", ["NaN", "nan", "NA", "null", " None"])
    def test_said_in_a_word(self, word: str, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text(f"age,size\n1,S\n{word},M\n3,NA\n")
        (ages,), skipped = self.left(tmp_path / "a.csv", "age", AGES)
        assert (ages.tolist(), skipped) == ([1, 3], 1)
        with pytest.raises(FileError, match=r"row 2 has none; .*--missing skip"):
            _read(tmp_path / "a.csv", AGES, "age")
        (sizes,), skipped = self.left(tmp_path / "a.csv", "size", ldp.Domain.ordered(["S", "M", "NA"]))
        assert (sizes.tolist(), skipped) == (["S", "M", "NA"], 0)

    def test_of_what_people_need_not_tell_is_no_answer(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("age,pay\n1,\n,2\n3,4\n5,NaN\n")
        both = ldp.Domain.product(age=AGES, pay=ldp.Domain.integers(0, 9, no_answer=True))
        (chunk,), skipped = self.left(tmp_path / "a.csv", None, both)
        assert (chunk["age"].tolist(), skipped) == ([1, 3, 5], 1)
        assert np.isnan(chunk["pay"]).tolist() == [True, False, True]

    def test_chunks_are_cut_as_without_them(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("age\n" + '""\n5\n' * (CHUNK + 3))
        chunks, skipped = self.left(tmp_path / "a.csv", None, AGES)
        assert ([chunk.size for chunk in chunks], skipped) == ([CHUNK, 3], CHUNK + 3)

    def test_an_error_names_the_row_of_the_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_text("who,age\n" + "a,\n" * 7 + "b,many\n")
        with pytest.raises(FileError, match="row 8 has 'many'"):
            self.left(tmp_path / "a.csv", "age", AGES)
        with pytest.raises(FileError, match=r"row 1 has none; .*--missing skip"):
            _read(tmp_path / "a.csv", AGES, "age")
