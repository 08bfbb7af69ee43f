"""What Python costs over Rust, as ratios and differences measured in one run.

Called by ``cargo xtask bench python``, which gives the figures of the Rust builder in
GOALWARD_REFERENCE. With ``--json`` the rows are printed for programs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sp

import goalward as gw

STATES, ACTIONS, MODELS = 100_000, 4, 10


def status(key: str) -> float:
    """A line of /proc/self/status, in MB."""
    with open("/proc/self/status") as lines:
        return next(float(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith(key))


def step_overhead(learner: str) -> dict[str, float | str]:
    """Microseconds of act and observe from Python over those of a run in Rust."""
    problem = gw.worlds.make("windy-grid", n=5)
    episodes = 500
    rust = min(gw.run(problem, learner, episodes, seed=1, progress=False).seconds for _ in range(5))
    steps = gw.run(problem, learner, episodes, seed=1, progress=False).result["steps"]

    class Recorded(gw.OwnLearner):
        """Takes down what a run goes through."""

        taken: list[tuple[int, int, float, int]] = []

        def __init__(self, problem: gw.Problem, seed: int) -> None:
            super().__init__(problem, seed)
            self.inner = gw.Learner(learner, problem, seed=seed, episodes=episodes)

        def act(self, state: int) -> int:
            return self.inner.act(state)

        def observe(self, state: int, action: int, cost: float, next_state: int) -> None:
            self.taken.append((state, action, cost, next_state))
            self.inner.observe(state, action, cost, next_state)

        def end_episode(self) -> None:
            self.inner.end_episode()

    gw.run(problem, Recorded, episodes, seed=1, progress=False)
    goal, best = problem.goal, float("inf")
    for _ in range(5):
        own = gw.Learner(learner, problem, seed=1, episodes=episodes)
        began = time.perf_counter()
        for state, action, cost, following in Recorded.taken:
            own.act(state)
            own.observe(state, action, cost, following)
            if following == goal:
                own.end_episode()
        best = min(best, time.perf_counter() - began)
    return {
        "case": f"act and observe, {learner}",
        "rust_us": 1e6 * rust / steps,
        "python_us": 1e6 * best / steps,
        "overhead_us": 1e6 * (best - rust) / steps,
    }


def threads() -> dict[str, float | str]:
    """How much sooner two threads are done than one."""
    problem = gw.worlds.make("windy-grid", n=6)
    times = {}
    for count in (1, 2):
        began = time.perf_counter()
        gw.compare(problem, ["lr"], 1000, 16, threads=count, progress=False)
        times[count] = time.perf_counter() - began
    return {
        "case": "compare on two threads",
        "one_s": times[1],
        "two_s": times[2],
        "ratio": times[1] / times[2],
    }


def model(m: int) -> sp.csr_array:
    """The models of crates/goalward/benches/arrays.rs."""
    pair = np.arange((STATES - 1) * ACTIONS)
    s, a = pair // ACTIONS, pair % ACTIONS
    columns = [np.minimum(s + 1 + a, STATES - 1), (s + 2 + a) % STATES, (s + 3 + a) % STATES]
    columns += [(s + 10 + (m + j + a) % 7) % STATES for j in (3, 4)]
    indices = np.stack(columns, axis=1).astype(np.int32).reshape(-1)
    first = 0.2 + 0.02 * m
    data = np.tile([first, 0.2, 0.2, 0.2, 0.4 - first], len(pair))
    ends = np.minimum(np.arange(STATES * ACTIONS + 1) * 5, len(data)).astype(np.int32)
    return sp.csr_array((data, indices, ends), shape=(STATES * ACTIONS, STATES))


def arrays() -> dict[str, float | str]:
    """Building from ten sparse models, against the Rust builder on the same ones."""
    [rust] = json.loads(os.environ["GOALWARD_REFERENCE"])["rows"]
    models = [model(m) for m in range(MODELS)]
    before = status("VmRSS:")
    with open("/proc/self/clear_refs", "w") as peak:
        peak.write("5")
    best = float("inf")
    for number in range(3):
        began = time.perf_counter()
        problem = gw.Problem.from_models(models, 1.0, 0, STATES - 1)
        best = min(best, time.perf_counter() - began)
        if number == 0:
            extra = status("VmHWM:") - before
        del problem
    return {
        "case": "from ten sparse models",
        "rust_s": rust["build_s"],
        "python_s": best,
        "time_ratio": best / rust["build_s"],
        "rust_mb": rust["extra_mb"],
        "python_mb": extra,
        "memory_ratio": extra / rust["extra_mb"],
    }


def importing() -> dict[str, float | str]:
    """How long the import takes beyond numpy's."""

    def seconds(code: str) -> float:
        spent = []
        for _ in range(15):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            spent.append(time.perf_counter() - began)
        return sorted(spent)[len(spent) // 2]

    numpy, both = seconds("import numpy"), seconds("import numpy, goalward")
    return {"case": "import", "numpy_s": numpy, "beyond_s": both - numpy}


rows = []
for measure in [
    *(lambda learner=learner: step_overhead(learner) for learner in ("random", "lr")),
    threads,
    arrays,
    importing,
]:
    row = measure()
    rows.append(row)
    numbers = ", ".join(f"{key} {value:.4g}" for key, value in row.items() if key != "case")
    print(
        f"{row['case']}: {numbers}",
        file=sys.stderr if "--json" in sys.argv else sys.stdout,
        flush=True,
    )
if "--json" in sys.argv:
    print(json.dumps({"bench": "python", "rows": rows}))
