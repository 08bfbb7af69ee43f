"""Tries an installed wheel: imports it, learns, plans, and says how long the import takes."""

import statistics
import subprocess
import sys
import time

import goalward as gw


def seconds(code: str) -> float:
    """The time of a fresh interpreter, the median of several."""
    spent = []
    for _ in range(9):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        spent.append(time.perf_counter() - began)
    return statistics.median(spent)


problem = gw.worlds.make("windy-grid", n=3)
run = gw.run(problem, "lr", episodes=50, seed=1)
assert run.episodes == 50 and gw.solve(problem).certificate["checked"]
learner = gw.Learner("lr", problem)
learner.observe(0, learner.act(0), None, 1)

numpy, both = seconds("import numpy"), seconds("import numpy, goalward")
print(
    f"Python {sys.version.split()[0]}: "
    f"import takes {both - numpy:.3f} s beyond numpy's {numpy:.3f} s"
)
assert both - numpy < 0.15, "the import takes too long"
