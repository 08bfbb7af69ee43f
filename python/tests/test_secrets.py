"""What a learner in Python is handed, and what it is not."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import goalward as gw

SEEN: list[gw.Problem] = []


class Spy(gw.OwnLearner):
    """Keeps its problem where the tests find it."""

    def __init__(self, problem: gw.Problem, seed: int) -> None:
        super().__init__(problem, seed)
        SEEN.append(problem)

    def act(self, state: int) -> int:
        return 0

    def observe(self, state: int, action: int, cost: float, next_state: int) -> None:
        pass


def knows_nothing(problem: gw.Problem) -> None:
    assert problem.theta is None and "theta unknown" in repr(problem)
    assert "theta=" not in problem.world
    for one in (problem, pickle.loads(pickle.dumps(problem))):
        ways: list[Any] = [
            one.kernel,
            lambda one=one: gw.solve(one),
            lambda one=one: gw.run(one, "random", episodes=1, max_steps=1),
            lambda one=one: gw.Learner("levis++@B=oracle", one),
            lambda one=one: gw.Learner("optimal", one),
        ]
        for way in ways:
            with pytest.raises(gw.GoalwardError):
                way()
    assert gw.Learner("lr", problem).act(problem.start) >= 0, "a learner of the registry within"


def test_a_learner_in_python_is_not_handed_the_truth() -> None:
    theta = [0.5, 0.2, 0.3]
    problem = gw.worlds.make("delivery", n=3, theta=",".join(map(str, theta)))
    kernel = [
        (s, a, problem.goal, 1.0)
        for s in range(problem.n_states)
        for a in range(len(problem.actions(s)))
        if s != problem.goal
    ]
    for truth in (problem, problem.with_theta(theta), problem.with_kernel(kernel)):
        SEEN.clear()
        gw.run(truth, Spy, episodes=1, max_steps=3)
        gw.compare(truth, [Spy], episodes=1, seeds=2, max_steps=3, threads=1)
        gw.run(truth, gw.Guarded(Spy, on_misfit="stop"), episodes=1, max_steps=3)
        assert len(SEEN) == 4
        knows_nothing(SEEN[0])
        knows_nothing(SEEN[3])


def test_nor_is_one_in_an_environment() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    SEEN.clear()
    env = gymnasium.make("goalward/Delivery-v0", n=3, max_steps=5)
    gw.learn_env(env, Spy, episodes=1, seed=1)
    knows_nothing(SEEN[0])


def test_what_it_is_handed_is_the_problem_otherwise(grid: gw.Problem) -> None:
    SEEN.clear()
    gw.run(grid, Spy, episodes=1, max_steps=3)
    for of_all, of_mine in zip(grid.features(), SEEN[0].features()):
        np.testing.assert_array_equal(of_all, of_mine)
    np.testing.assert_array_equal(grid.costs, SEEN[0].costs)
    assert SEEN[0].state_names == grid.state_names and SEEN[0].actions(0) == grid.actions(0)
    assert (SEEN[0].start, SEEN[0].goal, SEEN[0].name) == (grid.start, grid.goal, grid.name)
