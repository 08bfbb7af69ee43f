"""Jobs of a study on a Dask cluster.

Every job that is not finished becomes part of a task. What comes back is checked and written into
the study's folder at once, so nothing that was done is ever lost. Dask runs the tasks of a worker
that died again. Tiny jobs travel together: as many as take about a second.
"""

from __future__ import annotations

import json
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from goalward import _goalward
from goalward.errors import SettingError, StudyError
from goalward.lab._worker import Files, Parcel, Refused, build, hold, work

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["run_on"]

Job = tuple[str, int, int, str]
"""Of a job: its hash, the number of its world and learner, its episodes, and what it is called."""

SECONDS = 1.0
"""A task of several jobs takes about so long: that much is lost with a worker."""
MOST = 256
"""The most jobs of a task."""
FIRST, AHEAD = 16, 256
"""The tasks under way while nothing is known of the jobs, and afterwards. More than the
workers need, so that a cluster that adapts sees what there is to do."""
ATTEMPTS = 3
"""A job whose workers died is sent so often. Dask tries several workers each time."""


def run_on(
    client: Client,
    study: _goalward.Study,
    folder: _goalward.StudyFolder,
    jobs: list[Job],
    tell: Callable[[int], None] | None,
) -> int:
    """Run jobs on a cluster and keep their files; how many failed."""
    if not jobs:
        return 0
    _check(client)
    head, files = study.pack()
    token = uuid.uuid4().hex
    parcel = Parcel(token, build(), head, files)
    gathering = _Gathering(client, folder, jobs, f"goalward-{token}")
    try:
        gathering.all(parcel, tell)
    finally:
        gathering.cancel()
    if gathering.lost:
        names = ", ".join(gathering.lost[:3])
        raise StudyError(
            f"{len(gathering.lost)} runs were lost with every worker that tried them: {names}",
            "perhaps they need more memory than a worker has; all others are done, and the same "
            "call tries these again",
        )
    return gathering.failed


def _check(client: Any) -> None:
    """Whether this is a client, and its workers have this build of goalward."""
    from distributed import Client

    if not isinstance(client, Client):
        raise SettingError(
            f"client: expected a client of Dask, not {client!r}",
            "distributed.Client(cluster) makes one",
        )
    if client.asynchronous:
        raise SettingError(
            "client: this one is asynchronous", "make a plain one: distributed.Client(cluster)"
        )
    answers: dict[str, Any] = client.run(build, on_error="return")
    for address, answer in answers.items():
        if isinstance(answer, ImportError | AttributeError):
            raise StudyError(
                f"worker {address} has no goalward that could run a study: {answer}",
                "install the same wheel for every worker",
            ) from answer
        # a worker that is gone by now does no harm
        if not isinstance(answer, BaseException) and tuple(answer) != build():
            raise _another(address, tuple(answer))


def _another(where: str, theirs: tuple[str, ...]) -> StudyError:
    ours = build()
    return StudyError(
        f"{where} has goalward {theirs[0]} (commit {theirs[1]}); "
        f"this is {ours[0]} (commit {ours[1]})",
        "install the same wheel everywhere: results of one study come from one build",
    )


class _Gathering:
    """Sends jobs, and keeps what comes back."""

    failed: int = 0
    """Jobs that failed, as a run does that cannot be built."""
    lost: list[str]
    """What jobs are called that no worker survived."""

    def __init__(
        self, client: Client, folder: _goalward.StudyFolder, jobs: list[Job], name: str
    ) -> None:
        self.client: Any = client
        self.folder = folder
        self.name = name
        self.jobs = {job[0]: job for job in jobs}
        self.queue = deque(jobs)
        self.lost = []
        self.done = 0
        self.came = 0
        self.sent = 0
        self.attempts: dict[str, int] = {}
        self.times: dict[int, tuple[float, int]] = {}
        """Of each world and learner: seconds, and runs that took them."""
        self.under_way: dict[Any, list[Job]] = {}
        self.threads = 1
        self.parcel: Any = None
        """What the cluster knows of the study, and how often that was told."""
        self.parcels = 0
        self.asked = float("-inf")

    def all(self, parcel: Parcel, tell: Callable[[int], None] | None) -> None:
        """Every job, until nothing is left."""
        import distributed

        as_completed: Any = distributed.as_completed
        self.content = parcel
        coming = as_completed(self._send(), with_results=True, raise_errors=False)
        for future, answer in coming:
            batch = self.under_way.pop(future)
            self._take(batch, future, answer)
            future.release()
            coming.update(self._send())
            if tell is not None:
                tell(self.done)

    def cancel(self) -> None:
        """Cancels the tasks under way."""
        rest = list(self.under_way)
        self.under_way.clear()
        if rest and self.client.status == "running":
            self.client.cancel(rest, force=True)

    def _pack(self) -> None:
        """Makes the parcel known to the cluster; a restart of the cluster forgets it."""
        if self.parcel is not None and self.parcel.status in ("pending", "finished"):
            return
        self.parcels += 1
        with warnings.catch_warnings():
            # a large world is sent once, and that is all right
            warnings.filterwarnings("ignore", "Sending large graph")
            key = (f"{self.name}-parcel", self.parcels)
            self.parcel = self.client.submit(hold, self.content, key=key, pure=False)

    def _send(self) -> list[Any]:
        """Tasks for the workers, as far as enough are not under way already."""
        self._pack()
        if time.monotonic() > self.asked + 1.0:
            self.asked = time.monotonic()
            self.threads = max(1, sum(self.client.nthreads().values()))
        most = max(4 * self.threads, FIRST if self.came < FIRST else AHEAD)
        new = []
        while self.queue and len(self.under_way) < most:
            batch = self._batch()
            self.sent += 1
            future = self.client.submit(
                work,
                self.parcel,
                [job[0] for job in batch],
                # many of one group, which need little: Dask keeps them back until a worker is
                # free. What waits at a worker counts as killed with it, though it never began.
                key=(self.name, self.sent),
                pure=False,
                retries=2,
            )
            self.under_way[future] = batch
            new.append(future)
        return new

    def _batch(self) -> list[Job]:
        """The next job, and others after it if they are all known to be tiny."""
        batch = [self.queue.popleft()]
        seconds = self._seconds(batch[0])
        # the last ones are for all workers alike
        most = min(MOST, len(self.queue) // (2 * self.threads))
        while self.queue and len(batch) < most:
            seconds += self._seconds(self.queue[0])
            if seconds > SECONDS:
                break
            batch.append(self.queue.popleft())
        return batch

    def _seconds(self, job: Job) -> float:
        """How long a job takes, going by others of its kind; for ever if nothing is known."""
        seconds, runs = self.times.get(job[1], (float("inf"), 1))
        return float("inf") if self._tried(job) else seconds / runs

    def _tried(self, job: Job) -> bool:
        """Whether workers died of it, or of one that travelled with it."""
        return job[0] in self.attempts

    def _take(self, batch: list[Job], future: Any, answer: Any) -> None:
        if future.status == "finished":
            if isinstance(answer, Refused):
                raise _another("a worker", answer.build)
            self._keep(batch, answer)
            return
        from distributed import KilledWorker

        error = answer[1] if isinstance(answer, tuple) else answer
        if future.status == "error" and not isinstance(error, KilledWorker):
            if isinstance(error, ImportError):
                raise StudyError(
                    f"a worker cannot run a study: {error}",
                    "install the same wheel for every worker",
                ) from error
            raise error
        if future.status == "cancelled":
            # the whole cluster was restarted
            self.queue.extend(batch)
            return
        for job in batch:
            self.attempts[job[0]] = self.attempts.get(job[0], 0) + 1
            if self.attempts[job[0]] < ATTEMPTS:
                self.queue.append(job)
            else:
                self.lost.append(job[3])

    def _keep(self, batch: Iterable[Job], answer: dict[str, Files]) -> None:
        for hash_, cell, episodes, called in batch:
            if hash_ not in answer:
                raise StudyError(f"{called}: nothing came back from the worker")
            manifest, tables = answer[hash_]
            self.folder.adopt("a worker", hash_, manifest, tables)
            about = json.loads(manifest)
            self.failed += about["error"] is not None
            seconds, runs = self.times.get(cell, (0.0, 0))
            self.times[cell] = (seconds + about["times"]["wall"], runs + 1)
            self.done += episodes
            self.came += 1
