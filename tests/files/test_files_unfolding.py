"""Parquet files that are small on the disk and huge in memory are refused before they are unfolded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ldprange as ldp
from ldprange.files import read_reports, read_values, write_reports
from ldprange.files.thrift import read_structure

PLAN = ldp.Plan(ldp.Domain.integers(0, 119), 1.1, ldp.Tree(4), ldp.OUE())  # reports of up to 15 bytes
SIZES = ldp.Domain.ordered(["S", "M", "L"])
MEMORY = 300 << 20  # beyond what reading a good file takes
LONG = pa.chunked_array([pa.array([b"x" * (1 << 16)] * 1024)] * 16)  # a GiB

READ = """
import resource, sys
sys.path[:0] = sys.argv[3:]
from ldprange import LdprangeError
from test_files_unfolding import reading
def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
reading(sys.argv[1])
before = most()
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
try:
    reading(sys.argv[2])
except LdprangeError as error:
    print(most() - before, error)
"""


def reading(name: str) -> int:
    if "values" in name:
        return sum(len(chunk) for chunk in read_values(name, None, SIZES))
    return ldp.Aggregate.of(PLAN, read_reports(name, PLAN)).reports


def write_long_reports(path: Path, **options: object) -> None:
    good = path.with_name("good reports.parquet")
    write_reports(good, PLAN, [ldp.encode_many(PLAN, np.arange(100), seed=1)])
    levels = pa.array(np.zeros(len(LONG), np.uint8))
    table = pa.table({"level": levels, "report": LONG}, schema=pq.read_schema(good))
    pq.write_table(table, path, compression="zstd", **options)


def write_long_values(path: Path) -> None:
    pq.write_table(pa.table({"size": ["S", "M"]}), path.with_name("good values.parquet"))
    pq.write_table(pa.table({"size": LONG.cast(pa.string())}), path, compression="zstd")


@pytest.mark.parametrize("how", ["dictionary", "zeros", "beginnings", "values"])
@pytest.mark.system
def test_what_unfolds_is_refused_in_little_memory(tmp_path: Path, how: str) -> None:
    kind = "values" if how == "values" else "reports"
    path, good = tmp_path / f"bad {kind}.parquet", tmp_path / f"good {kind}.parquet"
    if how == "values":
        write_long_values(path)
    elif how == "dictionary":
        write_long_reports(path, use_dictionary=True)
    elif how == "zeros":
        write_long_reports(path, use_dictionary=False, data_page_size=1 << 30)
    else:
        encodings = {"level": "PLAIN", "report": "DELTA_BYTE_ARRAY"}
        write_long_reports(path, use_dictionary=False, column_encoding=encodings)
    assert path.stat().st_size < 400_000
    here = Path(__file__).parent
    command = [sys.executable, "-c", READ, str(good), str(path), str(here), str(here.parent / "helpers")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    taken, message = done.stdout.split(" ", 1)
    assert int(taken) < MEMORY
    assert path.name in message
    assert len(message) < 400


@pytest.mark.parametrize(
    "options",
    [
        {"use_dictionary": True},
        {"use_dictionary": False},
        {"use_dictionary": False, "column_encoding": {"level": "PLAIN", "report": "DELTA_BYTE_ARRAY"}},
        {"use_dictionary": False, "data_page_version": "2.0"},
        {"use_dictionary": True, "data_page_version": "2.0", "compression": "none"},
    ],
)
def test_reports_are_read_however_they_are_written(tmp_path: Path, options: dict[str, object]) -> None:
    batch = ldp.encode_many(PLAN, np.arange(5000) % 120, seed=1)
    ours, theirs = tmp_path / "ours.parquet", tmp_path / "theirs.parquet"
    write_reports(ours, PLAN, [batch])
    pq.write_table(pq.read_table(ours), theirs, **options)
    assert ldp.Aggregate.of(PLAN, read_reports(theirs, PLAN)) == ldp.Aggregate.of(PLAN, batch)


def test_a_damaged_page_header_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "reports.parquet"
    write_reports(path, PLAN, [ldp.encode_many(PLAN, np.arange(100), seed=1)])
    data = bytearray(path.read_bytes())
    data[4:8] = b"\xff\xff\xff\xff"
    path.write_bytes(data)
    with pytest.raises(ldp.FileError, match=r"reports\.parquet: the file must be a whole Parquet file"):
        list(read_reports(path, PLAN))


def test_a_list_that_goes_on_behind_the_end_of_a_description_is_not_followed() -> None:
    endless = b"\x19" + b"\xf7" + b"\xff" * 8 + b"\x7f"  # in the first place, 2⁶³ numbers of 8 bytes
    with pytest.raises(IndexError):
        read_structure(endless)
