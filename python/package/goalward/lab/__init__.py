"""The lab: questions in files, many runs, statistics, figures and a report.

A study file says which learners run on which worlds with which seeds, and what is asked of it.
``run`` does what ``goalward study run`` does, and the records are the same bytes:

>>> import goalward as gw, tempfile
>>> folder = tempfile.mkdtemp()
>>> study = gw.lab.new(f"{folder}/mine.toml")
>>> results = gw.lab.run(study, out=f"{folder}/mine", quick=True)
>>> sorted(results.findings["runs"])
['done', 'failed', 'planned']
>>> results.runs["regret"].shape == results.runs["seed"].shape
True

With ``client=`` the runs go to a Dask cluster. Learners that are written in Python cannot be part
of a study, because a study must be the same wherever it runs: ``goalward.compare`` runs them.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goalward import _goalward
from goalward._progress import Bar
from goalward._replay import Replay, replay
from goalward._running import _count, _seeds
from goalward.errors import SettingError, StudyError
from goalward.lab._results import Results, Status

if TYPE_CHECKING:
    from distributed import Client

__all__ = [
    "Replay",
    "Results",
    "Status",
    "load",
    "merge",
    "new",
    "replay",
    "report",
    "run",
    "status",
    "studies",
]

SAVE_EVERY = 10.0
"""Seconds after which a run that is under way is saved, as the command line does it."""


def run(
    study: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    quick: bool = False,
    seeds: int | Iterable[int] | None = None,
    client: Client | None = None,
    threads: int | None = None,
    force: bool = False,
    retry: bool = False,
    progress: bool | None = None,
) -> Results:
    """Run a study, or go on with one: every job that is not finished yet.

    ``study`` is a study file, or the name of a study that comes with goalward (``studies()``). The
    records, figures and the report go to ``out``, which is ``out/NAME`` unless you say. ``quick``
    runs the small version that the file describes. ``seeds`` takes other seeds than the file's.
    ``force`` removes results of another question from the folder, ``retry`` tries jobs again that
    failed.

    Without a ``client`` the jobs run here, on ``threads`` threads. Ctrl-C saves those under way
    within half a second, and the same call goes on. With a ``client`` of Dask they run on its
    cluster, and a worker that dies loses nothing.

    >>> import goalward as gw, tempfile
    >>> results = gw.lab.run("demo", quick=True, out=tempfile.mkdtemp())
    >>> results.complete, results.report.name
    (True, 'report.html')
    """
    name, is_file = _named(study)
    if client is not None and threads is not None:
        raise SettingError(
            "threads: the workers of the cluster say how many there are",
            "make the cluster with as many as you want: LocalCluster(n_workers=2, ...)",
        )
    cores = os.cpu_count() or 1 if threads is None else _count(threads, "threads", 1)
    numbers = None if seeds is None else _seeds(seeds)
    opened = _open(name, is_file, quick, numbers, cores)
    path = Path(opened.default_folder(quick) if out is None else os.fspath(out))
    folder = opened.claim(str(path), force)
    try:
        left, _, failed = folder.left(retry)
        with Bar("episodes", sum(episodes for _, _, episodes, _ in left), progress) as bar:
            if client is None:
                jobs = [job for job, *_ in left]
                failed += folder.run(jobs, cores, SAVE_EVERY, bar.tell)[1]
            else:
                from goalward.lab._cluster import run_on

                failed += run_on(client, opened, folder, left, bar.tell)
        folder.present()
    finally:
        folder.close()
    if failed:
        message = (
            f"{failed} runs failed: `failed` of the results says why; retry=True tries them again"
        )
        warnings.warn(message, stacklevel=2)
    return Results(path)


def studies() -> list[dict[str, Any]]:
    """The studies that come with goalward: name, title, and how many runs they are.

    >>> import goalward as gw
    >>> "demo" in [study["name"] for study in gw.lab.studies()]
    True
    """
    return _goalward.studies()


def new(path: str | os.PathLike[str]) -> Path:
    """Write a commented study file to begin with; the file."""
    path = Path(path)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(_goalward.study_starter())
    except FileExistsError:
        message = f"{path}: there is such a file already"
        raise StudyError(message, "name another one, or remove it", {"path": str(path)}) from None
    return path


def status(folder: str | os.PathLike[str]) -> Status:
    """How far the study in a folder is, also while it runs."""
    now = _goalward.study_status(os.fspath(folder))
    return Status(**{**now, "changes": tuple(now["changes"])})


def report(folder: str | os.PathLike[str], study: str | os.PathLike[str] | None = None) -> Results:
    """Make summary, figures and report again from the records, without running anything.

    Titles, labels, figures and questions are those of the study file, if you give one.
    """
    _goalward.study_report(os.fspath(folder), None if study is None else _named(study)[0])
    return Results(folder)


def merge(parts: Sequence[str | os.PathLike[str]], folder: str | os.PathLike[str]) -> Results:
    """Put parts of a study together that were run with ``goalward study run --shard``."""
    _goalward.study_merge([os.fspath(part) for part in parts], os.fspath(folder))
    return report(folder)


def load(folder: str | os.PathLike[str]) -> Results:
    """The results in a folder, as far as the study is done."""
    results = Results(folder)
    _goalward.study_status(str(results.folder))  # an error if it is no folder of a study
    return results


def _named(study: Any) -> tuple[str, bool]:
    """The name of a study, and whether it is a path."""
    if isinstance(study, os.PathLike):
        return str(os.fspath(study)), True
    if not isinstance(study, str):
        raise SettingError(
            f"study: expected a study file or the name of a study, not {study!r}",
            "gw.lab.new('mine.toml') writes a file to begin with; learners that are written in "
            "Python cannot be part of a study, goalward.compare runs them",
        )
    if "\n" in study:
        raise SettingError(
            "study: expected a study file, not its text", "write it to a file, and give its path"
        )
    return study, False


def _open(
    name: str, is_file: bool, quick: bool, seeds: list[int] | None, threads: int
) -> _goalward.Study:
    try:
        return _goalward.open_study(name, is_file, quick, seeds, threads)
    except StudyError as error:
        if str(error.place.get("key", "")).startswith("learners") and error.hint is None:
            hint = "goalward.compare runs learners that are written in Python; a study cannot"
            raise StudyError(error.message, hint, error.place) from None
        raise
