"""Good inputs of every parser, from which fuzzing starts: ``python fuzzing/seeds.py`` writes them.

They are named by their numbers. What fuzzing found since is named by its digest, as libFuzzer does.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

CORPUS = Path(__file__).parent / "corpus"
ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests/helpers")]

import ldprange as ldp  # noqa: E402 (helpers come first)
from fuzz_targets import AGES, PLANS  # noqa: E402
from ldprange import wire  # noqa: E402
from ldprange.files import checkpoint, write_reports  # noqa: E402

_DIGEST = 32


def _plans() -> Iterator[bytes]:
    for vector in json.loads((ROOT / "test_vectors/plans.json").read_text(encoding="utf-8")):
        plan = {
            key: value for key, value in vector["plan"].items() if key not in ("fingerprint", "branchings")
        }
        yield json.dumps(plan, ensure_ascii=False, separators=(",", ":")).encode()
    for bad in json.loads((ROOT / "test_vectors/bad_plans.json").read_text(encoding="utf-8")):
        yield bad["text"].encode()


def _labelled_plan() -> ldp.LabelledPlan:
    numbers = {"age": AGES, "years": ldp.Domain.integers(0, 9)}
    return ldp.choose_labelled_plan(numbers, ["no", "yes"], epsilon=1.0, expected_users=1000)


def _values(plan: ldp.Plan) -> list[Any]:
    if plan is PLANS[4]:
        return ["XS", "L"]
    return [3, 42, 60]


def seeds(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield good inputs with the names of their targets; files are made in a folder."""
    for text in _plans():
        if len(text) < 4000:
            yield "plan", text
    batches = [ldp.encode_many(plan, _values(plan), seed=1) for plan in PLANS]
    for number, batch in enumerate(batches):
        for version in (1, 2):
            packed = wire.pack(batch, version=version)
            yield "reports", bytes([number]) + packed[:1] + packed[9:]
        yield "aggregate", ldp.Aggregate.of(batch.plan, batch).to_bytes()[:-_DIGEST]
    labelled = _labelled_plan()
    yield "labelled_plan", labelled.to_json().encode()
    ldp.LabelledAggregate.empty(labelled).save(folder / "labelled")
    yield "labelled_aggregate", (folder / "labelled").read_bytes()[:-_DIGEST]
    for number in (0, 1):
        path = folder / "reports.parquet"
        write_reports(path, PLANS[number], [batches[number]])
        data = path.read_bytes()
        yield "parquet_table_of_reports", data
        yield "thrift", data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
        yield "thrift", data[4:200]
    for table in (
        {"age": [1, 2]},
        {"size": ["S", "M"]},
        {"day": ["2026-01-02"]},
        {"age": [1], "size": ["S"]},
    ):
        file = io.BytesIO()
        pq.write_table(pa.table(table), file)
        yield "parquet_table_of_values", file.getvalue()
    write_reports(folder / "reports.csv", PLANS[1], [batches[1]])
    yield "csv_table_of_reports", (folder / "reports.csv").read_bytes()
    for text in (
        b"age\n1\n42\n",
        b"age,size\n1,S\n2,M\n",
        b'day\n"2026-01-02"\n',
        b"1\n2\n",
        "größe\nM\n".encode(),
    ):
        yield "csv_table_of_values", text
    write_reports(folder / "packed.reports", PLANS[0], batches[:1])
    yield "packed_file", (folder / "packed.reports").read_bytes()
    checkpoint.save(
        folder / "checkpoint", ldp.Aggregate.of(PLANS[0], batches[0]), {checkpoint.Part("a", 0, 1, 2, 3): 0}
    )
    yield "checkpoint_file", (folder / "checkpoint").read_bytes()[:-_DIGEST]
    ledger = ldp.Ledger(folder / "ledger")
    ldp.Client(PLANS[0], ledger=ledger, survey="https://example.org/s/ages").encode(42)
    yield "ledger", (folder / "ledger").read_bytes()
    survey = {"name": "b", "question": "B?", "plan": json.loads(next(_plans()))}
    for way, text in (
        (1, json.dumps(survey, separators=(",", ":")).encode()),
        (2, b'{"state":"closed"}'),
        (2, b'{"public":true,"batches":false}'),
        (3, b"low=18&high=64&confidence=0.99&denoise=true"),
        (4, b"value=30"),
        (5, b"q=0.25&q=0.5"),
        (6, b"band=simultaneous"),
        (7, b"attribute="),
        (0, wire.pack(batches[0])),
    ):
        yield "http", bytes([way]) + text


def main() -> None:
    """Write the seeds into the corpus."""
    numbers: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for target, data in seeds(Path(folder)):
            number = numbers[target] = numbers.get(target, 0) + 1
            place = CORPUS / target / f"seed-{number:02}"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)


if __name__ == "__main__":
    main()
