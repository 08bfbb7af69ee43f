"""A policy of the user's own under guard."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import goalward as gw


class Turning(gw.OwnLearner):
    """Turns with every step that it hears of, and takes all of them down."""

    def __init__(self, problem: gw.Problem, seed: int) -> None:
        super().__init__(problem, seed)
        self.heard: list[Any] = []

    def act(self, state: int) -> int:
        return (state + len(self.heard)) % len(self.problem.actions(state))

    def observe(self, state: int, action: int, cost: float, next_state: int) -> None:
        self.heard.append((state, action, cost, next_state))

    def end_episode(self) -> None:
        self.heard.append("end")


class Proposing(Turning):
    """The same by hand: its actions are proposed to a guard."""

    def __init__(self, problem: gw.Problem, seed: int) -> None:
        super().__init__(problem, seed)
        self.guarded = gw.Learner("guarded", problem, seed=seed, inner="proposals", budget=1)

    def act(self, state: int) -> int:
        return self.guarded.act(state, proposal=super().act(state))

    def observe(self, state: int, action: int, cost: float, next_state: int) -> None:
        super().observe(state, action, cost, next_state)
        self.guarded.observe(state, action, cost, next_state)

    def end_episode(self) -> None:
        super().end_episode()
        self.guarded.end_episode()


def test_proposals_are_taken_or_not() -> None:
    problem = gw.worlds.make("windy-grid", n=3)
    learner = gw.Learner("guarded", problem, inner="proposals")
    assert learner.player is None
    # nothing is known before the first plan, which comes with the first action
    assert learner.lower_bound(0) == 0.0
    assert learner.act(0, proposal="down") == 1
    bound = learner.lower_bound(0)
    assert bound is not None and 0 < bound < 3
    assert learner.player == "inner"
    learner.observe(0, "down", None, 3)
    with pytest.raises(gw.errors.GoalwardError):
        learner.act(3, proposal=17)
    # nothing is proposed: lr plays to the goal, and later proposals are ignored
    learner.act(3)
    learner.act(3, proposal=0)
    guard = learner.guard
    assert learner.player == "outer" and guard is not None
    assert guard["handovers"][0]["state"] == 3 and guard["inner"] == "proposals"


def test_other_learners_take_no_proposals() -> None:
    learner = gw.Learner("lr", gw.worlds.make("windy-grid", n=3))
    with pytest.raises(gw.errors.MisuseError, match="guarded@inner=proposals"):
        learner.act(0, proposal=0)
    assert learner.player is None and learner.guard is None


def test_a_run_says_who_played() -> None:
    run = gw.run(gw.worlds.make("windy-grid", n=3), "guarded@inner=random", episodes=60, seed=1)
    guard = run.result["guard"]
    assert 0 < len(guard["handovers"]) <= guard["inner_episodes"] < guard["episodes"] == 60


def test_an_own_learner_is_guarded_like_its_proposals(grid: gw.Problem) -> None:
    ours, theirs = Turning(grid, 3), Proposing(grid, 3)
    run = gw.run(grid, gw.Guarded(ours, budget=1), episodes=60, seed=3)
    by_hand = gw.run(grid, theirs, episodes=60, seed=3)
    np.testing.assert_array_equal(run.cost, by_hand.cost)
    # whoever acted, it saw every step
    assert ours.heard == theirs.heard and ours.heard.count("end") == 60
    guard = run.result["guard"]
    assert 0 < len(guard["handovers"]) <= guard["inner_episodes"] < 60
    assert theirs.guarded.guard == guard | {"inner": "proposals"}
    assert guard["inner"] == run.result["parameters"]["inner"] == "Turning"
    assert run.regret_certified is not None and run.guarantee is not None


def test_guarded_classes_are_compared(grid: gw.Problem) -> None:
    guarded = [gw.Guarded(Turning, budget=budget) for budget in (1, 3)]
    both = gw.compare(grid, guarded, episodes=30, seeds=[3, 4], threads=2)
    assert both.labels == [f"guarded@inner=Turning@budget={budget}" for budget in (1, 3)]
    for run, seed in zip(both[both.labels[0]], (3, 4), strict=True):
        alone = gw.run(grid, guarded[0], episodes=30, seed=seed)
        assert run.result == alone.result
    with pytest.raises(gw.MisuseError, match="has a state"):
        gw.compare(grid, [gw.Guarded(Turning(grid, 0))], episodes=1)


def test_it_makes_a_learner_for_a_loop(grid: gw.Problem, tmp_path: Path) -> None:
    ours = Turning(grid, 1)
    learner = gw.Guarded(ours)(grid, 1)
    assert repr(learner).startswith('Learner("guarded@inner=Turning"')
    first = gw.run(grid, learner, episodes=20, seed=1)
    assert learner.steps == len(ours.heard) - 20 == first.result["steps"]
    assert learner.act(grid.start) in range(4) and learner.player is not None
    for save in (pickle.dumps, copy.copy, lambda one: one.save(tmp_path / "saved")):
        with pytest.raises(gw.FileError, match="is not saved"):
            save(learner)


def test_one_in_an_environment() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("goalward/WindyGrid-v0", n=3)
    run = gw.learn_env(env, gw.Guarded(Turning), episodes=30, seed=1)
    assert run.label == "guarded@inner=Turning"
    assert isinstance(run.learner, gw.Learner) and run.learner.guard is not None
    assert run.learner.guard["episodes"] == 30
    # an object has a problem
    ours = Turning(env.unwrapped.problem, 1)
    again = gw.learn_env(env, gw.Guarded(ours), episodes=30, seed=1)
    np.testing.assert_array_equal(run.cost, again.cost)
    assert again.problem is ours.problem
    with pytest.raises(gw.SettingError, match="no model is known"):
        gw.learn_env(gymnasium.make("CliffWalking-v1"), gw.Guarded(Turning), use_table=False)


@pytest.mark.parametrize("method", ["act", "observe", "end_episode"])
def test_what_the_inner_learner_raises_is_raised(grid: gw.Problem, method: str) -> None:
    faults = [KeyError("broken")]

    class Broken(Turning):
        pass

    def fail(one: Turning, *given: Any) -> Any:
        if faults:
            raise faults[0]
        return getattr(Turning, method)(one, *given)

    setattr(Broken, method, fail)
    with pytest.raises(KeyError, match="broken"):
        gw.run(grid, gw.Guarded(Broken), episodes=5)
    with pytest.raises(KeyError, match="broken"):
        gw.compare(grid, {"mine": gw.Guarded(Broken), "lr": "lr"}, episodes=5, seeds=2, threads=2)
    learner = gw.Guarded(Broken)(grid, 0)
    with pytest.raises(KeyError, match="broken"):
        learner.observe(0, learner.act(0), None, 0)
        learner.end_episode()
    # it goes on once the fault is gone
    faults.clear()
    learner.observe(0, learner.act(0), None, 0)
    learner.end_episode()
    assert gw.run(grid, learner, episodes=5).episodes == 5


def test_what_cannot_be_guarded_is_refused(grid: gw.Problem) -> None:
    class Wrong(Turning):
        def act(self, state: int) -> int:
            return 99

    guarded: Any = gw.Guarded
    refused: list[tuple[Any, Any, str]] = [
        (
            gw.SettingError,
            lambda: guarded("q-learning@alpha=1"),
            "guarded@inner=q-learning:alpha=1",
        ),
        (gw.SettingError, lambda: guarded(gw.Learner("lr", grid)), "guarded@inner=ID"),
        (gw.SettingError, lambda: guarded(guarded(Turning)), "guards nothing"),
        (gw.MisuseError, lambda: guarded(object()), "object is no learner"),
        (gw.SettingError, lambda: gw.run(grid, gw.Guarded(Turning, budgt=1)), "budgt"),
        (gw.SettingError, lambda: gw.run(grid, gw.Guarded(Turning, budget=-1)), "budget"),
        (gw.SettingError, lambda: gw.run(grid, gw.Guarded(Turning), kappa=1), "no settings here"),
        (gw.SettingError, lambda: gw.run(grid, gw.Guarded(Turning), on_misfit="stop"), "Guarded"),
        (gw.MisuseError, lambda: gw.run(grid, gw.Guarded(Wrong), episodes=5), "chose action 99"),
    ]
    for error, call, what in refused:
        with pytest.raises(error, match=what):
            call()
    assert gw.Guarded(Turning, on_misfit="stop")(grid, 0).stopped is None
