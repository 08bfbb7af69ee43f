"""`cargo xtask soak dask [KILLS]`: a study on two workers, which are killed again and again.

Exit code 1 if any Parquet file differs from those of a run in this process.
"""

from __future__ import annotations

import logging
import os
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import dask
from distributed import Client, LocalCluster, Status

import goalward as gw

STUDY = """
title = "Workers die"
seeds = 20
worlds = [
  { name = "windy-grid@n=4", episodes = 4000 },
  { name = "mine.json", episodes = 3000 },
  { name = "hard-instance@dim=2", episodes = 20 },
]
learners = ["lr", "levis++lr@B=oracle", "random"]
"""


def tables(folder: Path) -> dict[str, bytes]:
    """All Parquet files of a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("*/*.parquet")}


def started(nanny: Any) -> bool:
    """Whether a worker is there, and its nanny knows it."""
    process = nanny.process
    return nanny.status is Status.running and process and process.status is Status.running


class Killer(threading.Thread):
    """Kills a worker process now and then, as a machine does that loses power."""

    def __init__(self, cluster: LocalCluster, most: int, luck: random.Random) -> None:
        super().__init__(daemon=True)
        self.cluster = cluster
        self.most = most
        self.luck = luck
        self.kills = 0
        self.over = threading.Event()

    def run(self) -> None:
        """Until it is told that it is over."""
        while self.kills < self.most and not self.over.wait(self.luck.uniform(0.3, 3.0)):
            nannies: list[Any] = list(self.cluster.workers.values())
            # a process that is killed while it starts is not started again
            up = [nanny for nanny in nannies if started(nanny)]
            if up:
                os.kill(self.luck.choice(up).pid, signal.SIGKILL)
                self.kills += 1


def timed(study: Path, out: Path, client: Client | None, cores: int) -> float:
    """Runs the study; the seconds that it took."""
    began = time.monotonic()
    threads = cores if client is None else None
    gw.lab.run(study, out=out, client=client, threads=threads, progress=False)
    return time.monotonic() - began


def main() -> int:
    """The exit code."""
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    luck = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        gw.worlds.make("hard-instance", dim=3).save(place / "mine.json")
        study = place / "study.toml"
        study.write_text(STUDY)
        print(f"one thread here: {timed(study, place / 'one', None, 1):.1f} s")
        print(f"two threads here: {timed(study, place / 'two', None, 2):.1f} s")
        wanted = tables(place / "one")
        different = tables(place / "two") != wanted
        # a worker that is killed twice in 15 seconds would not come back
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"})
        cluster = LocalCluster(
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            silence_logs=logging.ERROR,  # each kill is a warning
        )
        with cluster, Client(cluster) as client:
            print(f"two workers: {timed(study, place / 'workers', client, 2):.1f} s")
            different |= tables(place / "workers") != wanted
            killed = studies = 0
            while killed < kills:
                out = place / f"killed-{studies}"
                killer = Killer(cluster, kills - killed, luck)
                killer.start()
                seconds = timed(study, out, client, 2)
                killer.over.set()
                killer.join()
                same = tables(out) == wanted
                print(
                    f"two workers, {killer.kills} kills: {seconds:.1f} s, "
                    f"{len(wanted)} files {'the same' if same else 'DIFFER'}",
                    flush=True,
                )
                different |= not same
                killed += killer.kills
                studies += 1
    print(
        f"{killed} kills, {studies} studies came to their end, "
        f"bytes {'DIFFER' if different else 'the same'}"
    )
    return int(different)


if __name__ == "__main__":
    sys.exit(main())
