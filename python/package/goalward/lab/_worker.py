"""What a worker of a cluster does: runs jobs of a study, and gives their files back.

A worker shares nothing with the others but the network. A study travels as a parcel, with the files
of its worlds, and is opened once in each process. Jobs are pure: one that was lost with its worker
is run again somewhere else, and its records are the same bytes.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goalward import _goalward

__all__ = ["Files", "Parcel", "Refused", "build", "hold", "work"]

Files = tuple[bytes, dict[str, bytes]]
"""Of a job: its manifest, and its tables by name."""

NEVER = 1e9
"""Seconds after which a run is saved on its way: what a worker saves dies with it."""

KEPT = 4
"""The most studies that stay open in a process."""


@dataclass(frozen=True)
class Parcel:
    """A study packed for another machine."""

    digest: str
    """What tells it from others."""
    build: tuple[str, str]
    """Version and commit of goalward where it comes from."""
    head: str
    """The question."""
    files: dict[str, bytes]
    """The files of its worlds, by their paths."""


@dataclass(frozen=True)
class Refused:
    """A worker of another build does nothing."""

    build: tuple[str, str]
    """Its version and commit."""


def build() -> tuple[str, str]:
    """Version and commit of goalward here."""
    return _goalward.build()


def hold(parcel: Parcel) -> Parcel:
    """A task that has a parcel as its result, so that the cluster can make it again."""
    return parcel


def work(parcel: Parcel, jobs: list[str]) -> dict[str, Files] | Refused:
    """Runs jobs one after the other; the files of each."""
    if parcel.build != build():
        return Refused(build())
    opened = _opened(parcel)
    opened.folder.run(jobs, 1, NEVER, _wanted())
    files = {job: opened.folder.release(job) for job in jobs}
    return {job: found for job, found in files.items() if found is not None}


class _Open:
    """A study that is open in this process, with a folder for the jobs under way."""

    def __init__(self, parcel: Parcel) -> None:
        directory = _directory()
        path = Path(tempfile.mkdtemp(prefix="goalward-", dir=directory))
        clear = weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)
        # a worker clears its own directory at its end
        clear.atexit = directory is None
        study = _goalward.unpack_study(parcel.head, parcel.files, str(path / "worlds"))
        self.folder = study.claim(str(path / "study"), False)


_lock = threading.Lock()
_open: dict[str, _Open] = {}


def _forked() -> None:
    """In a child no thread is opening a study, though one of its parent was."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def _opened(parcel: Parcel) -> _Open:
    # under the lock: several threads of a worker ask at once, and one of them opens
    with _lock:
        opened = _open.pop(parcel.digest, None) or _Open(parcel)
        _open[parcel.digest] = opened
        while len(_open) > KEPT:
            _open.pop(next(iter(_open)))
        return opened


def _worker() -> Any:
    """The worker whose task this is; None outside a cluster."""
    try:
        from distributed import get_worker

        return get_worker()
    except (ImportError, ValueError):
        return None


def _directory() -> str | None:
    """Where a worker keeps its files: its nanny clears up after one that was killed."""
    worker = _worker()
    return None if worker is None else str(worker.local_directory)


def _wanted() -> Callable[[int], None] | None:
    """What stops the work when its task was cancelled; Dask itself waits for it to end."""
    worker = _worker()
    if worker is None:
        return None
    from distributed import Reschedule

    key = worker.get_current_task()

    def look(_: int) -> None:
        task = worker.state.tasks.get(key)
        if task is not None and task.state == "cancelled":
            # a task that is wanted after all is run again
            raise Reschedule()

    return look
