"""Files: each is called what it is, and none is half-written."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ldprange as ldp
from example_plans import PLANS, SUFFIXES, batch_of, every_plan
from ldprange.errors import FileError, PlanError
from ldprange.files import read_plan, read_reports, write_reports
from ldprange.files.sniffing import Kind, kind_of
from ldprange.support.whole_files import whole_file


class TestKinds:
    """A file in place of another is called by its name; what cannot be told is left to whoever reads it."""

    @every_plan
    def test_what_is_written_is_recognised(self, tmp_path: Path, plan: ldp.Plan) -> None:
        kinds = {"plan": Kind.PLAN, "agg": Kind.AGGREGATE}
        kinds |= {"parquet": Kind.PARQUET, "csv": Kind.TEXT, "reports": Kind.PACKED}
        plan.save(tmp_path / "x.plan")
        ldp.Aggregate.empty(plan).save(tmp_path / "x.agg")
        for suffix in SUFFIXES:
            write_reports(tmp_path / f"x.{suffix}", plan, [batch_of(plan)])
        for suffix, kind in kinds.items():
            assert kind_of((tmp_path / f"x.{suffix}").read_bytes()[:4096]) is kind

    def test_labelled_ones_are_recognised(self, tmp_path: Path) -> None:
        plan = PLANS["HRR"]
        labelled = ldp.LabelledPlan(("hours", "trips"), (plan, plan), ("stays", "leaves"), "all")
        labelled.save(tmp_path / "x.plan")
        ldp.LabelledAggregate.empty(labelled).save(tmp_path / "x.agg")
        for suffix, kind in {"plan": Kind.LABELLED_PLAN, "agg": Kind.LABELLED_AGGREGATE}.items():
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
        write_reports(tmp_path / written, PLANS["HRR"], [batch_of(PLANS["HRR"])])
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
            yield batch_of(PLANS["HRR"])
            raise RuntimeError("no more")

        for suffix in SUFFIXES:
            with pytest.raises(RuntimeError, match="no more"):
                write_reports(tmp_path / f"x.{suffix}", PLANS["HRR"], failing())
        assert not list(tmp_path.iterdir())

    def test_a_save_that_is_interrupted_leaves_what_was_there(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        PLANS["HRR"].save(path)

        def interrupted() -> None:
            with whole_file(path) as file:
                file.write(b"new")
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert ldp.Plan.load(path) == PLANS["HRR"]
        assert list(tmp_path.iterdir()) == [path]
        PLANS["OUE"].save(path)
        assert ldp.Plan.load(path) == PLANS["OUE"]

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "file")
        PLANS["HRR"].save(tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "file").read_text(encoding="utf-8") == PLANS["HRR"].to_json() + "\n"

    def test_a_device_stays_a_device(self) -> None:
        PLANS["HRR"].save(os.devnull)
        assert Path(os.devnull).is_char_device()

    def test_what_cannot_be_written_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"nowhere.* cannot be written: No such file"):
            PLANS["HRR"].save(tmp_path / "nowhere" / "x")
        with pytest.raises(FileError, match="is a directory"):
            PLANS["HRR"].save(tmp_path)

    @pytest.mark.parametrize("read", [ldp.Plan.load, read_plan])
    @pytest.mark.parametrize(
        ("data", "kind", "match"),
        [
            (b"", FileError, "empty"),
            (b"\xff\xfe\x00", FileError, "UTF-8"),
            (b"[]", PlanError, "ldprange_plan"),
        ],
    )
    def test_a_file_that_holds_no_plan_is_named(
        self,
        tmp_path: Path,
        data: bytes,
        kind: type[ldp.LdprangeError],
        match: str,
        read: Callable[[Path], ldp.Plan],
    ) -> None:
        path = tmp_path / "x.json"
        path.write_bytes(data)
        with pytest.raises(kind, match=rf"x\.json.*{match}"):
            read(path)

    def test_a_plan_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"nowhere\.json cannot be read: No such file"):
            ldp.Plan.load(tmp_path / "nowhere.json")

    def test_a_plan_of_other_hands_is_read(self, tmp_path: Path) -> None:
        domain = ldp.Domain.ordered(["größer", "am größten"])
        plan = ldp.Plan(domain, 1.0, ldp.Flat(), ldp.GRR())
        (tmp_path / "x.json").write_text(plan.to_json(), encoding="utf-8-sig")  # as some editors save it
        assert ldp.Plan.load(tmp_path / "x.json") == plan
