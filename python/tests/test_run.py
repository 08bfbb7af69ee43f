"""Runs: the same numbers as everywhere else, in threads, and stopped by Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import goalward as gw
from goalward._progress import Bar
from subjects import with_oracle

PROGRAM = os.environ.get("GOALWARD_PROGRAM")


@pytest.mark.skipif(
    PROGRAM is None, reason="GOALWARD_PROGRAM names the command line to compare with"
)
@pytest.mark.parametrize("learner", gw.learners.ids())
def test_the_command_line_gives_the_same_bits(learner: str) -> None:
    assert PROGRAM is not None
    name = with_oracle(learner)
    command = [PROGRAM, "learn", "windy-grid@n=3", "--learner", name, "--episodes", "30"]
    told = subprocess.run(
        [*command, "--seed", "7", "--max-steps", "3000", "--json", "--quiet"],
        check=True,
        capture_output=True,
    )
    expected = json.loads(told.stdout)
    problem = gw.worlds.make("windy-grid", n=3)
    run = gw.run(problem, name, episodes=30, seed=7, max_steps=3000)
    of_the_command = {"seconds", "interrupted", "episodes_asked"}
    assert set(expected) - of_the_command == set(run.result)
    for key, value in run.result.items():
        assert value == expected[key], key


class Mirror(gw.OwnLearner):
    """A learner in Python that asks a built-in one."""

    def __init__(self, problem: gw.Problem, seed: int) -> None:
        super().__init__(problem, seed)
        self.inner = gw.Learner("lr", problem, seed=seed)

    def act(self, state: int) -> int:
        return self.inner.act(state)

    def observe(self, state: int, action: int, cost: float, next_state: int) -> None:
        self.inner.observe(state, action, cost, next_state)

    def end_episode(self) -> None:
        self.inner.end_episode()


def test_a_learner_in_python_runs_like_any_other(grid: gw.Problem) -> None:
    both = gw.compare(grid, {"lr": "lr", "mine": Mirror}, episodes=30, seeds=[3, 5], threads=2)
    for ours, theirs in zip(both["mine"], both["lr"], strict=True):
        np.testing.assert_array_equal(ours.regret, theirs.regret)
        assert ours.learner == "mine"
    assert (
        gw.run(grid, Mirror(grid, 3), episodes=30, seed=3).total_regret
        == both["lr"][0].total_regret
    )


def test_what_a_learner_in_python_raises_is_raised(grid: gw.Problem) -> None:
    class Broken(gw.OwnLearner):
        def act(self, state: int) -> int:
            return 0

        def observe(self, state: int, action: int, cost: float, next_state: int) -> None:
            raise KeyError("broken")

    class Wrong(Broken):
        def act(self, state: int) -> int:
            return 99

    class Odd(Broken):
        def act(self, state: int) -> int:
            return "up"  # type: ignore[return-value]

    with pytest.raises(KeyError, match="broken"):
        gw.run(grid, Broken, episodes=5)
    with pytest.raises(KeyError, match="broken"):
        gw.compare(grid, [Broken, "lr"], episodes=5, seeds=2)
    with pytest.raises(gw.MisuseError, match="chose action 99"):
        gw.run(grid, Wrong, episodes=5)
    with pytest.raises(TypeError):
        gw.run(grid, Odd, episodes=5)


def test_threads_change_nothing(grid: gw.Problem) -> None:
    runs = [
        gw.compare(grid, ["lr", "psrl-mixture"], episodes=40, seeds=4, threads=threads)
        for threads in (1, 2, 7)
    ]
    for other in runs[1:]:
        for ours, theirs in zip(runs[0], other, strict=True):
            np.testing.assert_array_equal(ours.regret, theirs.regret)
            assert ours.result == theirs.result
    assert runs[0].seeds == [0, 1, 2, 3]
    with pytest.raises(KeyError, match="there are lr"):
        runs[0]["levis"]


def test_a_learner_goes_on_from_where_it_stands(grid: gw.Problem) -> None:
    learner = gw.Learner("lr", grid, seed=1)
    first = gw.run(grid, learner, episodes=20, seed=1)
    assert learner.episodes == 20 and first.total_regret == gw.run(grid, "lr", 20, 1).total_regret
    second = gw.run(grid, learner, episodes=20, seed=2)
    assert learner.episodes == 40
    assert learner.steps == first.result["steps"] + second.result["steps"]
    with pytest.raises(gw.MisuseError, match="another problem"):
        gw.run(gw.worlds.make("windy-grid", n=3), learner, episodes=1)
    assert learner.act(0) in range(4)


def test_a_cap_on_steps_truncates(grid: gw.Problem) -> None:
    run = gw.run(grid, "random", episodes=10**6, seed=1, max_steps=500)
    assert run.truncated and run.result["steps"] == 500 and run.episodes < 10**6
    assert gw.run(grid, "lr", episodes=0).cost.shape == (0,)


def test_results_as_tables_and_pictures(grid: gw.Problem) -> None:
    pytest.importorskip("pandas")
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    both = gw.compare(grid, ["lr", "random"], episodes=25, seeds=3)
    frame = both.to_pandas()
    assert list(frame.columns) == [
        "learner",
        "seed",
        "episode",
        "cost",
        "steps",
        "regret",
        "gap_regret",
    ]
    assert len(frame) == 2 * 3 * 25
    last = frame[frame.episode == 25].groupby("learner").regret.mean()
    for row in both.summary():
        assert row["regret"] == pytest.approx(last[row["learner"]])
        assert row["interval"][0] < row["regret"] < row["interval"][1]
    assert both.to_polars().shape == (150, 7)
    axes = both.plot()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["lr", "random"]
    run = both.runs[0]
    assert run.to_pandas().regret.iloc[-1] == run.regret[-1] == pytest.approx(run.total_regret)
    assert run.to_polars().shape == (25, 5)
    run.plot(quantity="cost")
    plt.close("all")
    assert "<table>" in both._repr_html_() and "mean regret" in both._repr_html_()
    assert "confidence set" in run._repr_html_()
    with pytest.raises(gw.SettingError, match="quantity"):
        run.plot(quantity="loss")


def test_the_bar_tells_how_far_it_is(
    grid: gw.Problem, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Bar("runs", 200, show=True) as bar:
        assert bar.tell is not None
        bar.tell(1)
        assert capsys.readouterr().err == ""  # quick work shows nothing
        bar.began -= 65.0
        bar.tell(50)
    assert "runs:  25% [#######---" in (told := capsys.readouterr().err)
    assert "50/200 in 01:05, 03:15 left" in told and told.endswith("\n")
    monkeypatch.setattr(Bar, "_tell", lambda bar, done: told_of.append(done))
    told_of: list[int] = []
    gw.run(grid, "random", episodes=100, progress=True)
    assert told_of[-1] == 100
    gw.run(grid, "random", episodes=10, progress=False)
    assert told_of[-1] == 100


LONG = """
import sys, time
import goalward as gw
problem = gw.worlds.make("windy-grid", n=30)
print("begin", flush=True)
try:
    gw.compare(problem, ["lr", "levis++@B=60"], episodes=10**6, seeds=4, progress=False)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def test_ctrl_c_stops_what_would_go_on_for_hours() -> None:
    child = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
    with child:
        stopped(child)


def stopped(child: subprocess.Popen[str]) -> None:
    assert child.stdout is not None
    assert child.stdout.readline() == "begin\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "stopped\n"
    child.wait(timeout=60)


def test_a_learner_that_runs_cannot_be_asked(grid: gw.Problem) -> None:
    learner = gw.Learner("random", grid)
    worker = threading.Thread(
        target=gw.run, args=(grid, learner, 10**9, 1), kwargs={"max_steps": 20_000_000}
    )
    worker.start()
    time.sleep(0.05)
    with pytest.raises(RuntimeError, match=r"running|borrowed"):
        for _ in range(10**6):
            learner.act(0)
    worker.join()
    assert learner.act(0) in range(4)
