"""A policy of the user's own under guard."""

from __future__ import annotations

import pytest

import goalward as gw


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
