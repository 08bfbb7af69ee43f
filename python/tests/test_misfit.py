"""Models that explain nothing: the warning, and what happens then."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import goalward as gw
from subjects import coin

ALARM = "no mixture of the models explains the data"


def against_the_models() -> gw.Problem:
    """A coin that never shows heads at first, while both models say that it does."""
    models = {"fair": coin(0.6), "biased": coin(0.9)}
    problem = gw.Problem.from_models(models, 1.0, 0, 1)
    return problem.with_kernel([(0, 0, 0, 0.95), (0, 0, 1, 0.05)])


def test_the_step_that_rejects_every_mixture_warns_once(grid: gw.Problem) -> None:
    learner = gw.Learner("lr", grid, seed=1)
    with pytest.warns(gw.GoalwardWarning, match=f"{ALARM}: rejected at step 1") as told:
        learner.observe(0, 0, None, grid.goal)  # no model allows that
    assert len(told) == 1 and told[0].filename == __file__
    assert learner.steps == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner.observe(0, 0, None, grid.goal)
        again = pickle.loads(pickle.dumps(learner))
        again.observe(0, 0, None, grid.goal)
    assert again.steps == 3


def test_a_warning_that_is_an_error_leaves_the_step_counted(grid: gw.Problem) -> None:
    learner = gw.Learner("lr", grid, seed=1)
    with warnings.catch_warnings(), pytest.raises(gw.GoalwardWarning):
        warnings.simplefilter("error")
        learner.observe(0, 0, None, grid.goal)
    assert learner.steps == 1 and learner.act(0) in range(4)


@pytest.mark.parametrize("on_misfit", ["stop", "tabular"])
def test_who_asked_for_something_else_is_not_warned(on_misfit: str, grid: gw.Problem) -> None:
    learner = gw.Learner("lr", grid, seed=1, on_misfit=on_misfit)
    assert learner.stopped is None
    learner.observe(0, 0, None, grid.goal)
    assert learner.stopped == ("misfit" if on_misfit == "stop" else None)


def test_a_run_says_it_and_does_as_told() -> None:
    problem = against_the_models()
    with pytest.warns(gw.GoalwardWarning, match=ALARM) as told:
        run = gw.run(problem, "lr", episodes=30, seed=1)
    assert len(told) == 1 and told[0].filename == __file__
    assert run.misfit is not None and run.misfit["status"] == "rejected" and run.stopped is None
    assert run.misfit["text"] in run._repr_html_()
    stopped = gw.run(problem, "lr", episodes=30, seed=1, on_misfit="stop")
    assert stopped.stopped == "misfit" and stopped.result["steps"] < run.result["steps"]
    gone_on = gw.run(problem, "lr", episodes=30, seed=1, on_misfit="tabular")
    assert gone_on.stopped is None and "fallback" in gone_on.result["parameters"]


def test_a_comparison_says_it_once_and_counts() -> None:
    problem = against_the_models()
    with pytest.warns(gw.GoalwardWarning, match="in 2 of 4 runs") as told:
        both = gw.compare(problem, ["lr", "random"], episodes=30, seeds=2)
    assert len(told) == 1
    assert [(row["rejected"], row["stopped"]) for row in both.summary()] == [(2, 0), (0, 0)]
    both = gw.compare(problem, ["lr", "random"], episodes=30, seeds=2, on_misfit="stop")
    assert [(row["rejected"], row["stopped"]) for row in both.summary()] == [(2, 2), (0, 0)]
    sharp = gw.compare(problem, ["lr"], episodes=1, seeds=1, misfit_level=1e-300)
    assert sharp.runs[0].misfit is not None and sharp.runs[0].misfit["alpha"] == 1e-300
    with pytest.raises(gw.GoalwardError, match="warn, stop or tabular"):
        gw.compare(problem, ["lr"], episodes=1, seeds=1, on_misfit="perhaps")


def test_an_environment_that_is_none_of_the_models() -> None:
    gymnasium = pytest.importorskip("gymnasium")

    def table(heads: float) -> dict[int, object]:
        flip = [(1.0 - heads, 0, -1.0, False), (heads, 1, -1.0, True)]
        return {0: {0: flip}, 1: {0: [(1.0, 1, 0.0, True)]}}

    class Coin(gymnasium.Env):  # type: ignore[misc, name-defined]
        observation_space = gymnasium.spaces.Discrete(2)
        action_space = gymnasium.spaces.Discrete(1)
        initial_state_distrib = np.array([1.0, 0.0])
        P = table(0.9)

        def reset(self, *, seed: int | None = None, options: object = None) -> tuple[int, dict]:
            super().reset(seed=seed)
            return 0, {}

        def step(self, action: int) -> tuple[int, float, bool, bool, dict]:
            there = bool(self.np_random.random() < 0.05)
            return int(there), -1.0, there, False, {}

    with pytest.warns(gw.GoalwardWarning, match=ALARM) as told:
        run = gw.learn_env(Coin(), "lr", episodes=10, seed=1)
    assert len(told) == 1 and run.misfit is not None and run.misfit["status"] == "rejected"
    assert run.stopped is None and run.misfit["text"] in run._repr_html_()
    stopped = gw.learn_env(Coin(), "lr", episodes=10, seed=1, on_misfit="stop")
    assert stopped.stopped == "misfit" and stopped.steps.sum() < run.steps.sum()
    gone_on = gw.learn_env(Coin(), "lr", episodes=10, seed=1, on_misfit="tabular")
    assert gone_on.stopped is None and "fallback" in gone_on.learner.parameters
    with pytest.raises(gw.SettingError, match="not told here"):
        gw.learn_env(Coin(), stopped.learner, episodes=1, on_misfit="stop")


def test_a_saved_learner_does_not_warn_anew(grid: gw.Problem, tmp_path: Path) -> None:
    learner = gw.Learner("lr", grid, seed=1)
    with pytest.warns(gw.GoalwardWarning):
        learner.observe(0, 0, None, grid.goal)
    learner.save(tmp_path / "learner")
    gw.Learner.load(tmp_path / "learner", grid).observe(0, 0, None, grid.goal)
