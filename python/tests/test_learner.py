"""Learners in a loop of one's own."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import goalward as gw
from subjects import with_oracle


def drive(
    learner: gw.Learner, problem: gw.Problem, steps: int, seed: int, state: int | None = None
) -> tuple[list[int], int]:
    """Drive a learner in a simulation of our own; the actions, and where it ended."""
    rng = np.random.default_rng(seed)
    indptr, successors, kernel = problem.kernel()
    first = problem.first_pairs
    state = problem.start if state is None else state
    actions = []
    for _ in range(steps):
        action = learner.act(state)
        actions.append(action)
        pair = first[state] + action
        row = slice(indptr[pair], indptr[pair + 1])
        following = int(rng.choice(successors[row], p=kernel[row] / kernel[row].sum()))
        learner.observe(state, action, problem.cost(state, action), following)
        state = following
        if state == problem.goal:
            learner.end_episode()
            state = problem.start
    return actions, state


@pytest.mark.parametrize("learner", gw.learners.ids())
def test_every_learner_is_saved_copied_and_pickled(
    learner: str, grid: gw.Problem, tmp_path: Path
) -> None:
    original = gw.Learner(with_oracle(learner), grid, seed=5, episodes=50)
    _, state = drive(original, grid, 60, 1)
    path = tmp_path / "run.learner"
    original.save(path)
    others = [
        copy.copy(original),
        copy.deepcopy(original),
        pickle.loads(pickle.dumps(original)),
        gw.Learner.load(path, grid),
    ]
    expected = drive(original, grid, 60, 2, state)
    for other in others:
        assert drive(other, grid, 60, 2, state) == expected


def test_regret_is_certified_without_a_truth(grid: gw.Problem) -> None:
    learner = gw.Learner("lr", grid, seed=3)
    assert learner.regret_certified == 0.0
    drive(learner, grid, 200, 4)
    certified = learner.regret_certified
    assert certified is not None and certified > 0.0
    assert copy.copy(learner).regret_certified == certified
    # nothing is proved of one that does not learn
    assert gw.Learner("random", grid).regret_certified is None


def test_what_a_learner_shows(grid: gw.Problem) -> None:
    learner = gw.Learner("lr", grid, delta=0.05, seed=3)
    drive(learner, grid, 300, 1)
    assert grid.theta is not None
    assert learner.theta is not None and learner.theta.shape == (5,)
    assert learner.intervals is not None
    low, high = learner.intervals.T
    assert (low <= grid.theta + 1e-9).all() and (grid.theta <= high + 1e-9).all()
    solution = gw.solve(grid)
    assert learner.values is not None and learner.q is not None and learner.policy is not None
    assert (learner.values <= solution.values + 1e-9).all()
    assert learner.policy[grid.goal] == -1
    np.testing.assert_allclose(np.nanmin(learner.q[:-1], axis=1), learner.values[:-1], rtol=1e-6)
    confidence = learner.confidence_set
    assert confidence is not None and confidence.kind == "likelihood"
    assert confidence.contains(grid.theta) and confidence.margin(list(grid.theta)) > 0
    direction = np.eye(5)[0]
    ends = confidence.interval(direction)
    assert ends is not None and ends[0] <= grid.theta[0] <= ends[1]
    assert confidence.width(direction) == ends[1] - ends[0]
    assert learner.parameters["delta"] == 0.05
    assert learner.guarantee is not None and learner.guarantee["holds"] == "unknown"
    assert learner.steps == 300 and learner.plans > 1 and learner.violations == 0
    assert "steps=300" in repr(learner)


def test_steps_need_not_follow_what_was_said(grid: gw.Problem) -> None:
    learner = gw.Learner("lr", grid)
    learner.observe(4, 1, None, 5)
    learner.observe(0, 2, grid.cost(0, 2), 3)
    assert learner.steps == 2


def test_a_step_that_no_model_allows_is_noted(grid: gw.Problem) -> None:
    learner = gw.Learner("lr", grid)
    with pytest.warns(gw.GoalwardWarning):
        learner.observe(0, 0, None, 8)
    assert learner.violations == 1
    [surprise] = learner.surprises
    assert (surprise["state"], surprise["action"], surprise["next"]) == (0, 0, 8)


def test_settings_come_as_words_or_behind_the_id(grid: gw.Problem) -> None:
    one = gw.Learner("levis++@B=3@lambda=0.5", grid)
    other = gw.Learner("levis++", grid, B=3.0, lambda_=0.5)
    assert one.parameters == other.parameters
    assert gw.Learner(None, grid).id == "guarded" and gw.Learner(None, grid, B=3).id == "levis++lr"
    with pytest.raises(gw.SettingError, match="twice"):
        gw.Learner("levis++@B=3", grid, B=4)


def test_a_saved_learner_belongs_to_its_problem(tmp_path: Path, grid: gw.Problem) -> None:
    path = tmp_path / "run.learner"
    gw.Learner("lr", grid).save(path)
    with pytest.raises(gw.FileError, match="another problem"):
        gw.Learner.load(path, gw.worlds.make("windy-grid", n=4))
    content = json.loads(path.read_text())
    content["spec"]["seed"] += 1
    path.write_text(json.dumps(content))
    with pytest.raises(gw.FileError, match="checksum"):
        gw.Learner.load(path, grid)


def test_a_learner_says_whether_any_mixture_explains_the_data(grid: gw.Problem) -> None:
    learner = gw.Learner("lr", grid, seed=1, misfit_level=0.05)
    drive(learner, grid, 100, 1)
    misfit = learner.misfit
    assert misfit is not None
    assert (misfit["status"], misfit["alpha"], misfit["step"]) == ("none", 0.05, None)
    assert misfit["text"].startswith("no evidence")
    assert gw.Learner("random", grid).misfit is None


@pytest.mark.parametrize("on_misfit", ["warn", "stop", "tabular"])
def test_what_to_do_when_the_models_are_wrong(on_misfit: str, grid: gw.Problem) -> None:
    learner = gw.Learner("lr", grid, seed=1, on_misfit=on_misfit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gw.GoalwardWarning)
        learner.observe(0, 0, None, grid.goal)  # no model allows that
    for one in (learner, pickle.loads(pickle.dumps(learner))):
        misfit = one.misfit
        assert misfit is not None and misfit["status"] == "rejected" and misfit["step"] == 1
        guarantee = one.guarantee
        assert guarantee is not None and guarantee["holds"] == "no"
        assert ("fallback" in one.parameters) == (on_misfit == "tabular")
        if on_misfit == "stop":
            with pytest.raises(gw.MisuseError, match="since step 1"):
                one.act(0)
        else:
            assert one.act(0) in range(4)


def test_what_is_said_of_misfit_is_judged(grid: gw.Problem) -> None:
    with pytest.raises(gw.GoalwardError, match="warn, stop or tabular"):
        gw.Learner("lr", grid, on_misfit="perhaps")
    with pytest.raises(gw.GoalwardError, match="misfit_level"):
        gw.Learner("lr", grid, misfit_level=1.0)
    run = gw.run(grid, "lr", episodes=5, on_misfit="stop", misfit_level=0.2)
    assert run.misfit is not None and run.misfit["alpha"] == 0.2
    with pytest.raises(gw.SettingError, match="not told here"):
        gw.run(grid, gw.Learner("lr", grid), episodes=5, on_misfit="stop")
