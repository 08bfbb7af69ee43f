"""Tries an installed wheel: imports it, learns, plans, and says how long the import takes."""

import subprocess
import sys
import time

import goalward as gw


def seconds(codes: list[str]) -> list[float]:
    """The least times of fresh interpreters, in turn: other processes only add to them."""
    least = [float("inf")] * len(codes)
    for _ in range(12):
        for number, code in enumerate(codes):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            least[number] = min(least[number], time.perf_counter() - began)
    return least


problem = gw.worlds.make("windy-grid", n=3)
run = gw.run(problem, "lr", episodes=50, seed=1)
assert run.episodes == 50 and gw.solve(problem).certificate["checked"]
learner = gw.Learner("lr", problem)
learner.observe(0, learner.act(0), None, 1)

numpy, both = seconds(["import numpy", "import numpy, goalward"])
print(
    f"Python {sys.version.split()[0]}: "
    f"import takes {both - numpy:.3f} s beyond numpy's {numpy:.3f} s"
)
assert both - numpy < 0.15, "the import takes too long"
