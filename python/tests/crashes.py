"""Processes that end, fork, and ask a learner from several threads while work is under way."""

from __future__ import annotations

import subprocess
import sys

__all__ = ["ENDS", "FORKS", "WORK", "ended", "forked", "nested", "readers"]

HANG = 120
"""Seconds after which a process hangs: they take a few."""

WORK = {
    "run": "gw.run(grid, 'lr', episodes=10**9)",
    "compare": "gw.compare(grid, ['lr', 'random'], episodes=10**9, seeds=2, threads=2)",
    "solve": "gw.solve(wide)",
    "study": "gw.lab.run('demo', out=tempfile.mkdtemp(dir=here))",
    "observe": "loop(gw.Learner('lr', wide))",
    "own": "gw.run(grid, Right, episodes=10**9)",
    "fit": "gw.fit(wide, [0] * 1000, [0] * 1000, [0] * 1000)",
    "build": "gw.worlds.make('windy-grid', n=30)",
    "models": "gw.Problem.from_models([dense, dense], 1.0, 0, 299)",
    "pickle": "pickle.dumps(gw.Learner('lr', wide))",
}
"""What a thread does over and over while the interpreter ends."""

LONG = "gw.run(grid, Long, episodes=1)"
"""A call of a learner in Python that takes longer than other threads are waited for."""

ENDS = {
    "the last line": ("pass", 0),
    "sys.exit": ("sys.exit(3)", 3),
    "an exception": ("raise KeyError", 1),
    "os._exit": ("os._exit(4)", 4),
}
"""How a process ends, and its exit code."""

PRELUDE = """
import atexit, os, pickle, sys, tempfile, threading, time
import numpy as np

begun, over = [], []

def count():
    until = time.monotonic() + 20
    while len(over) < len(begun) and time.monotonic() < until:
        time.sleep(0.01)
    print(len(begun) - len(over), "never heard of it")

# runs after what goalward does at the end
atexit.register(count)
import goalward as gw

here = tempfile.mkdtemp()
grid, wide = gw.worlds.make("windy-grid", n=3), gw.worlds.make("windy-grid", n=40)
dense = np.zeros((300, 4, 300))
dense[:, :, 299] = 1.0

class Slow:
    # the interpreter takes a while to end: threads have the time to come back to it
    def __del__(self, sleep=time.sleep):
        sleep(0.2)

slow = Slow()

def loop(learner):
    problem = learner.problem
    while True:
        action = learner.act(problem.start)
        cost = problem.cost(problem.start, action)
        learner.observe(problem.start, action, cost, problem.start)

class Right(gw.OwnLearner):
    def act(self, state):
        return 0
    def observe(self, state, action, cost, following):
        pass

class Long(Right):
    def act(self, state, sleep=time.sleep):
        sleep(8)
        return 0
"""

DAEMONS = """
def work():
    begun.append(1)
    try:
        while True:
            {work}
    finally:
        over.append(1)

for _ in range({threads}):
    threading.Thread(target=work, daemon=True).start()
time.sleep({delay})
{end}
"""

FORKS = {
    "os.fork": """
child = os.fork()
if child == 0:
    {work}
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
    "a fork that ends as Python does": """
child = os.fork()
if child == 0:
    {work}
    sys.exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
    "a pool": """
import multiprocessing
def task(_):
    {work}
with multiprocessing.get_context("fork").Pool(2) as pool:
    pool.map(task, range(4))
""",
    "a fork of a fork": """
for _ in range(2):
    child = os.fork()
    if child > 0:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os._exit(code)
    {work}
os._exit(0)
""",
    "a fork while threads work": """
for _ in range(2):
    threading.Thread(target=lambda: gw.run(grid, "lr", episodes=10**9), daemon=True).start()
    threading.Thread(target=loop, args=(gw.Learner("lr", wide),), daemon=True).start()
time.sleep(0.3)
child = os.fork()
if child == 0:
    {work}
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
}
"""How a process forks; what the child does comes in place of {work}."""

CHILD = (
    "gw.solve(wide); gw.run(grid, 'lr', episodes=20); "
    "gw.compare(grid, ['lr', 'random'], episodes=20, seeds=2, threads=3); "
    "gw.Learner('lr', wide).values; gw.worlds.make('windy-grid', n=30)"
)
"""What a forked child does: all that uses threads."""


def _process(script: str, code: int = 0, hang: float = HANG, prelude: str = PRELUDE) -> str:
    """What went wrong in a process of its own, or an empty text."""
    command = [sys.executable, "-X", "faulthandler", "-W", "ignore", "-c", prelude + script]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=hang)
    except subprocess.TimeoutExpired:
        return "it hangs"
    for sign in ("panicked", "PanicException", "Fatal Python error"):
        if sign in done.stderr:
            return done.stderr
    told = [line for line in done.stdout.splitlines() if line.endswith("never heard of it")]
    if any(not line.startswith("0 ") for line in told):
        return f"threads were not told: {done.stdout}"
    return "" if done.returncode == code else f"exit code {done.returncode}: {done.stderr}"


def ended(work: str, end: str, threads: int = 1, delay: float = 0.3) -> str:
    """What goes wrong when the interpreter ends while threads work."""
    code, expected = ENDS[end]
    script = DAEMONS.format(work=WORK.get(work, work), threads=threads, delay=delay, end=code)
    return _process(script, expected)


def forked(way: str, used: bool) -> str:
    """What goes wrong in a child that was forked before or after its parent worked."""
    first = "gw.solve(wide)\n" if used else ""
    return _process(first + FORKS[way].format(work=CHILD))


NESTED = """
import sys
code = "import goalward as gw; gw.run(gw.worlds.make('windy-grid', n=3), 'lr', episodes=20)"
if sys.version_info >= (3, 13):
    import _interpreters
    inner = _interpreters.create("legacy")
    wrong = _interpreters.run_string(inner, code)
else:
    import _xxsubinterpreters as _interpreters
    inner = _interpreters.create(isolated=False)
    wrong = _interpreters.run_string(inner, code)
if wrong is not None:
    sys.exit(f"it fails in an interpreter within another: {{wrong}}")
if {destroy}:
    _interpreters.destroy(inner)
"""


def nested(destroy: bool) -> str:
    """What goes wrong if only an interpreter within another uses goalward."""
    return _process(NESTED.format(destroy=destroy), prelude="")


READERS = """
learner = gw.Learner("lr", gw.worlds.make("windy-grid", n=12))
names = [name for name in dir(learner) if not name.startswith("_")]
names = [name for name in names if name not in ("save", "load", "act", "observe", "end_episode")]
ways = [lambda name=name: getattr(learner, name) for name in names]
ways += [lambda: pickle.dumps(learner), lambda: repr(learner), lambda: learner.act(0)]
ways += [lambda: learner.__copy__(), lambda: learner.save(os.path.join(here, "saved"))]
ways += [lambda: learner.confidence_set.kind, lambda: learner.confidence_set.contains([0.2] * 5)]
ways += [lambda: learner.confidence_sets, learner.end_episode]
ways += [lambda: learner.confidence_set.interval([1, 0, 0, 0, 0])]
threading.Thread(target=loop, args=(learner,), daemon=True).start()
for _ in range({reads}):
    for way in ways:
        way()
"""


def readers(reads: int) -> str:
    """What goes wrong when everything is asked of a learner while another thread observes."""
    return _process(READERS.format(reads=reads), hang=HANG + reads)
