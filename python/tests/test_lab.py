"""Studies in this process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import goalward as gw
from studies import STUDY, tables, write_study


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> gw.lab.Results:
    place = tmp_path_factory.mktemp("study")
    text = STUDY.replace("figures = []", "")
    return gw.lab.run(write_study(place, text), out=place / "out")


def test_the_records_are_columns(ran: gw.lab.Results) -> None:
    assert ran.complete and not ran.failed
    assert len(ran.runs["seed"]) == 12 and ran.runs["seed"].dtype == np.uint64
    assert ran.runs["regret"].dtype == np.float64
    assert set(ran.runs["learner"]) == {"lr", "random", "psrl-ssp"}
    assert ran.runs["world"][3] == "mine.json"
    # what a learner does not have is missing: a number is NaN, a text None
    random = ran.runs["learner"] == "random"
    assert all(text is None for text in ran.runs["radius"][random])
    assert np.isnan(ran.runs["delta"][random]).all()
    last = ran.episodes["episode"] == 30
    assert np.array_equal(ran.episodes["regret"][last], ran.runs["regret"])
    assert len(ran.plans["plan"]) > 0 and ran.plans["empty"].dtype == np.bool_
    assert len(ran.probes["quantity"]) == 0


@pytest.mark.parametrize("table", ["runs", "episodes", "plans", "probes"])
def test_pandas_and_polars_read_the_same(ran: gw.lab.Results, table: str) -> None:
    pytest.importorskip("pyarrow")
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = getattr(ran, table)
    frame, other = ran.to_pandas(table), ran.to_polars(table)
    assert isinstance(frame, pandas.DataFrame) and isinstance(other, polars.DataFrame)
    assert list(frame.columns) == other.columns == list(columns)
    for name, values in columns.items():
        if values.dtype != object:
            same = np.array_equal(
                frame[name].to_numpy(), values, equal_nan=values.dtype.kind == "f"
            )
            assert same, name
    assert len(frame) == len(other) == len(columns["job"])


def test_what_it_says(ran: gw.lab.Results) -> None:
    assert ran.summary.startswith("# Small") and "psrl-ssp" in ran.summary
    assert ran.findings["runs"] == {"done": 12, "planned": 12, "failed": 0}
    assert ran.report.is_file() and ran.figures and all(path.is_file() for path in ran.figures)
    assert "12 of 12 runs" in repr(ran)
    shown = ran._repr_html_()
    assert "12 of 12" in shown and "<pre>" in shown and "data:image/png" in shown


def test_the_records_are_those_of_the_command(ran: gw.lab.Results, tmp_path: Path) -> None:
    program = os.environ.get("GOALWARD_PROGRAM")
    if program is None:
        pytest.skip("GOALWARD_PROGRAM names no command line")
    study = str(ran.folder.parent / "small.toml")
    command = [program, "study", "run", study, "--out", str(tmp_path / "out"), "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert tables(tmp_path / "out") == tables(ran.folder)
    assert json.loads(done.stdout)["runs"] == ran.findings["runs"]


def test_a_study_goes_on(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    first = gw.lab.run(study, out=tmp_path / "out", seeds=1)
    before = tables(tmp_path / "out")
    assert len(first.runs["job"]) == 6
    second = gw.lab.run(study, out=tmp_path / "out", threads=1)
    assert len(second.runs["job"]) == 12
    assert before.items() <= tables(tmp_path / "out").items()
    status = gw.lab.status(tmp_path / "out")
    assert (status.study, status.jobs, status.finished, status.failed) == ("small", 12, 12, 0)
    assert status.changes == ()


def test_another_question_is_refused_without_force(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    gw.lab.run(study, out=tmp_path / "out", seeds=1)
    write_study(tmp_path, STUDY.replace("episodes = 30", "episodes = 31"))
    with pytest.raises(gw.StudyError, match="do not belong to this question") as refused:
        gw.lab.run(study, out=tmp_path / "out", seeds=1)
    assert "force=True" in str(refused.value.hint)
    assert gw.lab.run(study, out=tmp_path / "out", seeds=1, force=True).complete


def test_ctrl_c_saves_what_is_under_way(tmp_path: Path) -> None:
    study = write_study(tmp_path, STUDY.replace("episodes = 30", "episodes = 100_000_000"))
    alarm = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    alarm.start()
    with pytest.raises(KeyboardInterrupt):
        gw.lab.run(study, out=tmp_path / "out")
    alarm.join()
    status = gw.lab.status(tmp_path / "out")
    assert status.finished == 0 and status.under_way > 0
    # and the folder is free again
    gw.lab.run(write_study(tmp_path), out=tmp_path / "out", force=True)


def failing(folder: Path) -> Path:
    """A study in which a learner refuses one of the worlds: it has free steps."""
    text = STUDY.replace("random", "levis++@B=oracle")
    return write_study(folder, text.replace("windy-grid@n=3", "random-mixture@free=0.5"))


def test_a_run_that_fails_is_recorded(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="2 runs failed"):
        results = gw.lab.run(failing(tmp_path), out=tmp_path / "out")
    assert not results.complete and len(results.failed) == 2
    assert "c_min" in results.failed[0]["reason"]


def test_parts_are_put_together(ran: gw.lab.Results, tmp_path: Path) -> None:
    merged = gw.lab.merge([ran.folder], tmp_path / "all")
    assert tables(tmp_path / "all") == tables(ran.folder) and merged.report.is_file()
    assert gw.lab.load(tmp_path / "all").summary == ran.summary
    with pytest.raises(gw.StudyError, match="no parts"):
        gw.lab.merge([], tmp_path / "none")


def test_a_report_is_made_again(ran: gw.lab.Results, tmp_path: Path) -> None:
    merged = gw.lab.merge([ran.folder], tmp_path / "all")
    merged.report.unlink()
    other = write_study(tmp_path, STUDY.replace('title = "Small"', 'title = "Other"'))
    gw.lab.report(tmp_path / "all", other)
    assert "Other" in merged.report.read_text(encoding="utf-8")


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(gw.StudyError, match='there is no study "dmo"') as no:
        gw.lab.run("dmo")
    assert "did you mean demo?" in str(no.value.hint)
    with pytest.raises(gw.FileError, match=r"nowhere\.toml"):
        gw.lab.run(tmp_path / "nowhere.toml")
    with pytest.raises(gw.FileError, match="demo"):
        gw.lab.run(Path("demo"))
    with pytest.raises(gw.SettingError, match="not its text"):
        gw.lab.run(STUDY)
    with pytest.raises(gw.SettingError, match="seeds"):
        gw.lab.run("demo", seeds=[1, 1])
    with pytest.raises(gw.StudyError, match="no folder of a study"):
        gw.lab.load(tmp_path)
    with pytest.raises(gw.StudyError, match="no folder of a study"):
        gw.lab.status(tmp_path / "nowhere")


def test_a_new_study_and_a_mistake_in_it(tmp_path: Path) -> None:
    study = gw.lab.new(tmp_path / "new.toml")
    with pytest.raises(gw.StudyError, match="already"):
        gw.lab.new(study)
    study.write_text(study.read_text().replace("\nseeds", "\nsedes", 1))
    with pytest.raises(gw.StudyError, match="did you mean seeds") as wrong:
        gw.lab.run(study)
    assert wrong.value.place["key"] == "sedes" and wrong.value.place["line"] > 1


def test_tables_are_known_by_name(ran: gw.lab.Results) -> None:
    pytest.importorskip("pandas")
    with pytest.raises(gw.StudyError, match="the tables are runs, episodes, plans, probes"):
        ran.to_pandas("../runs")


class Mine(gw.OwnLearner):
    """A learner that is written in Python."""


def test_learners_in_python_are_no_part_of_a_study(tmp_path: Path) -> None:
    with pytest.raises(gw.SettingError, match="expected a study file") as refused:
        gw.lab.run(Mine)  # type: ignore[arg-type]
    assert "goalward.compare" in str(refused.value.hint)
    study = write_study(tmp_path, STUDY.replace('"random"', '"Mine"'))
    with pytest.raises(gw.StudyError, match="Mine") as unknown:
        gw.lab.run(study)
    assert "written in Python" in str(unknown.value.hint)


def test_the_studies_that_there_are() -> None:
    studies = {study["name"]: study for study in gw.lab.studies()}
    assert studies["reproduce"]["runs"] > 0 and "demo" in studies


def test_a_replay_is_a_page(tmp_path: Path) -> None:
    grid = gw.worlds.make("windy-grid", n=3)
    path = tmp_path / "run.html"
    page = gw.lab.replay(grid, "lr", episodes=20, seed=3, path=path, delta=0.1)
    assert path.read_text(encoding="utf-8") == page.html
    assert page.html.lower().startswith("<!doctype html>") and "delta = 0.1" in page.html
    assert "srcdoc=" in page._repr_html_()
    page.save(path)
    notes = tmp_path / "notes.txt"
    notes.write_text("years of work")
    with pytest.raises(gw.FileError, match="overwritten"):
        page.save(notes)
    with pytest.raises(gw.SettingError, match="expected an id"):
        gw.lab.replay(grid, Mine)  # type: ignore[arg-type]
