"""Studies on a Dask cluster: two worker processes on this machine."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import goalward as gw
from goalward import _goalward
from studies import STUDY, tables, write_study
from test_lab import failing

distributed = pytest.importorskip("distributed")

from goalward.lab import _cluster, _worker  # noqa: E402


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    cluster = distributed.LocalCluster(
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        n_workers=2,
        threads_per_worker=1,
        processes=True,
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def test_the_records_are_those_of_a_run_here(client: Any, tmp_path: Path) -> None:
    study = write_study(tmp_path)
    here = gw.lab.run(study, out=tmp_path / "here")
    there = gw.lab.run(study, out=tmp_path / "there", client=client)
    assert tables(tmp_path / "here") == tables(tmp_path / "there")
    assert len(tables(tmp_path / "there")) == 12 + 12 + 8
    assert there.summary == here.summary and there.report.is_file()
    # nothing is left to do, and nothing is sent
    assert gw.lab.run(study, out=tmp_path / "there", client=client).complete


def test_tiny_jobs_travel_together(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = write_study(tmp_path)
    sent: list[int] = []
    keep = _cluster._Gathering._keep

    def counting(self: Any, batch: Any, answer: Any) -> None:
        sent.append(len(batch))
        keep(self, batch, answer)

    monkeypatch.setattr(_cluster._Gathering, "_keep", counting)
    gw.lab.run(study, out=tmp_path / "there", client=client, seeds=12)
    gw.lab.run(study, out=tmp_path / "here", seeds=12)
    assert sum(sent) == 72 and max(sent) > 1
    assert tables(tmp_path / "here") == tables(tmp_path / "there")


def test_a_run_that_fails_is_recorded_alike(client: Any, tmp_path: Path) -> None:
    study = failing(tmp_path)
    with pytest.warns(UserWarning, match="2 runs failed"):
        here = gw.lab.run(study, out=tmp_path / "here")
    with pytest.warns(UserWarning, match="2 runs failed"):
        there = gw.lab.run(study, out=tmp_path / "there", client=client)
    assert here.failed == there.failed
    assert tables(tmp_path / "here") == tables(tmp_path / "there")


def test_ctrl_c_stops_the_workers_too(client: Any, tmp_path: Path) -> None:
    short = gw.lab.run(write_study(tmp_path), out=tmp_path / "short")
    study = write_study(tmp_path, STUDY.replace("episodes = 30", "episodes = 100_000_000"))
    alarm = threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT))
    alarm.start()
    with pytest.raises(KeyboardInterrupt):
        gw.lab.run(study, out=tmp_path / "out", client=client)
    alarm.join()
    deadline = time.monotonic() + 8.0
    while any(client.run(_busy).values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(client.run(_busy).values()), "workers still run cancelled tasks"
    again = gw.lab.run(write_study(tmp_path), out=tmp_path / "again", client=client)
    assert again.summary == short.summary


def test_a_restart_of_the_cluster_loses_nothing(client: Any, tmp_path: Path) -> None:
    study = write_study(tmp_path, STUDY.replace("episodes = 30", "episodes = 20_000"))
    here = gw.lab.run(study, out=tmp_path / "here")
    restarts = [threading.Timer(seconds, client.restart) for seconds in (0.5, 4.0)]
    for restart in restarts:
        restart.start()
    there = gw.lab.run(study, out=tmp_path / "there", client=client)
    for restart in restarts:
        restart.join()
    assert tables(tmp_path / "here") == tables(tmp_path / "there")
    assert there.summary == here.summary


_busy = eval("lambda dask_worker: len(dask_worker.state.executing)")
"""How many tasks run in a worker; sent as it is, for the workers do not have this file."""


def test_another_build_is_refused(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cluster, "build", lambda: ("0.0.1", "abc"))
    study = write_study(tmp_path)
    with pytest.raises(gw.StudyError, match=r"has goalward .* this is 0.0.1 \(commit abc\)") as no:
        gw.lab.run(study, out=tmp_path / "out", client=client)
    assert "same wheel" in str(no.value.hint)
    # and so is a worker that comes later
    monkeypatch.setattr(_cluster, "_check", lambda client: None)
    with pytest.raises(gw.StudyError, match="a worker has goalward"):
        gw.lab.run(study, out=tmp_path / "out", client=client)
    assert not tables(tmp_path / "out")


def test_the_guide_runs_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    guide = (Path(__file__).resolve().parents[2] / "docs" / "lab.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    known: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks:
        exec(compile(block, "docs/lab.md", "exec"), known)
    assert len(blocks) == 3 and len(known["records"]("out/workers")) > 12


def test_what_is_no_client(tmp_path: Path) -> None:
    study = write_study(tmp_path)
    with pytest.raises(gw.SettingError, match="expected a client of Dask"):
        gw.lab.run(study, out=tmp_path / "out", client="127.0.0.1:8786")  # type: ignore[arg-type]
    with pytest.raises(gw.SettingError, match="threads"):
        client: Any = object()
        gw.lab.run(study, out=tmp_path / "out", client=client, threads=2)


def test_changed_files_are_refused(tmp_path: Path) -> None:
    study = _goalward.open_study(str(write_study(tmp_path)), True, False, None, 1)
    head, files = study.pack()
    # what a worker has: neither the study nor the world is a file there
    (tmp_path / "mine.json").unlink()
    parcel = _worker.Parcel("digest", _worker.build(), head, files)
    folder = study.claim(str(tmp_path / "out"), False)
    left, _, _ = folder.left(False)
    jobs = [job for job, *_ in left][:6]
    answer = _worker.work(parcel, jobs)
    assert isinstance(answer, dict) and list(answer) == jobs
    manifest, made = answer[jobs[0]]
    spoilt = {name: content[:-1] + b"\0" for name, content in made.items()}
    for tried in (spoilt, {"../runs": b""}, {}):
        with pytest.raises(gw.StudyError, match="not what its manifest says"):
            folder.adopt("a worker", jobs[0], manifest, tried)
    with pytest.raises(gw.StudyError, match="another job"):
        folder.adopt("a worker", jobs[1], manifest, made)
    with pytest.raises(gw.StudyError, match="checksum"):
        folder.adopt("a worker", jobs[0], b"{", made)
    assert not tables(tmp_path / "out")
    assert folder.adopt("a worker", jobs[0], manifest, made)
    assert not folder.adopt("a worker", jobs[0], manifest, made), "it is there already"
    with pytest.raises(gw.StudyError, match="is none of the study"):
        _worker.work(parcel, ["00"])
    folder.close()
    with pytest.raises(gw.MisuseError, match="closed"):
        folder.left(False)


def test_jobs_that_workers_die_of_travel_alone() -> None:
    jobs = [(str(n), n % 2, 30, f"job {n}") for n in range(60)]
    gathering = _cluster._Gathering(None, None, jobs, "test")  # type: ignore[arg-type]
    assert len(gathering._batch()) == 1, "nothing is known yet"
    gathering.times = {0: (0.4, 2), 1: (0.05, 1)}
    batch = gathering._batch()
    assert len(batch) > 1 and sum(map(gathering._seconds, batch)) <= _cluster.SECONDS

    class Died:
        status = "error"

    killed = (None, distributed.KilledWorker("task", None, 3), None)
    gathering.queue = deque()
    gathering._take(batch, Died(), killed)
    assert list(gathering.queue) == batch and not gathering.lost
    gathering.queue.extend(jobs[20:])
    assert [len(gathering._batch()) for _ in batch] == [1] * len(batch)
    for _ in range(_cluster.ATTEMPTS - 1):
        gathering._take(batch[:1], Died(), killed)
    assert gathering.lost == [batch[0][3]]
