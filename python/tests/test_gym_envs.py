"""Worlds as Gymnasium environments."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import goalward as gw

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

SMALL: dict[str, dict[str, Any]] = {
    "hard-instance": {"dim": 4, "b_star": 2.0, "delta": 0.3},
    "corridor": {"length": 4},
    "windy-grid": {"n": 3, "wind": 0.2},
    "random-mixture": {"states": 6, "seed": 3},
    "ladder": {"rungs": 3},
    "min-lower-bound": {"dim": 2, "episodes": 50},
    "rosenberg": {"states": 4},
    "psrl-random-mdp": {"states": 4, "seed": 2},
    "psrl-gridworld": {"rows": 2, "columns": 3},
    "river-swim": {"length": 4},
    "cliff": {"rows": 3, "columns": 5},
    "frozen-lake": {"map": "8x8", "restart": True},
    "delivery": {"n": 3},
    "taxi": {"row": 1, "rain": 0.5},
    "racetrack": {"wet": 0.3},
    "shortcut": {"open": 0.5},
    "low-rank": {"states": 5},
}
"""Parameters that are not the defaults, for every world."""


def camel(world: str) -> str:
    return f"goalward/{''.join(part.capitalize() for part in world.split('-'))}-v0"


def test_every_world_is_registered() -> None:
    assert gw.gym.env_ids() == [camel(world) for world in gw.worlds.ids()]
    registered = set(gymnasium.envs.registry)
    assert set(gw.gym.env_ids()) <= registered
    assert set(SMALL) == set(gw.worlds.ids())


def test_gymnasium_finds_the_environments_by_the_module() -> None:
    code = (
        "import gymnasium\n"
        "env = gymnasium.make('goalward.gym:goalward/WindyGrid-v0', n=3)\n"
        "assert env.reset(seed=1)[0] == 0 and env.unwrapped.problem.n_states == 9\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("with_parameters", [False, True], ids=["default", "parameters"])
@pytest.mark.parametrize("world", gw.worlds.ids())
def test_check_env_finds_nothing(world: str, with_parameters: bool) -> None:
    params = SMALL[world] if with_parameters else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for mode in (None, "ansi", "rgb_array"):
            env = gymnasium.make(camel(world), render_mode=mode, **params)
            check_env(env.unwrapped)
            env.close()


@pytest.mark.parametrize("world", gw.worlds.ids())
def test_parameters_are_those_of_the_world(world: str) -> None:
    env = gymnasium.make(camel(world), **SMALL[world]).unwrapped
    problem = gw.worlds.make(world, **SMALL[world])
    assert env.problem.state_names == problem.state_names
    assert env.observation_space.n == problem.n_states
    assert env.action_space.n == problem.n_actions
    np.testing.assert_array_equal(env.problem.theta, problem.theta)
    assert env.initial_state_distrib[problem.start] == env.initial_state_distrib.sum() == 1.0


@pytest.mark.parametrize("world", ["windy-grid", "rosenberg", "cliff", "river-swim", "delivery"])
def test_the_table_is_what_steps_do_and_the_problem_says(world: str) -> None:
    env = gymnasium.make(camel(world)).unwrapped
    problem = env.problem
    indptr, following, prob = problem.kernel()
    first = problem.first_pairs
    dearest = np.nanmax(problem.costs)
    for s in range(problem.n_states):
        own = len(problem.actions(s))
        for a in range(problem.n_actions):
            rows = env.P[s][a]
            assert sum(row[0] for row in rows) == pytest.approx(1.0, abs=1e-12)
            if s == problem.goal:
                assert rows == [(1.0, s, 0.0, True)]
            elif a >= own:
                assert rows == [(1.0, s, -dearest, False)]
            else:
                pair = int(first[s]) + a
                row = slice(int(indptr[pair]), int(indptr[pair + 1]))
                expected = {int(n): p for n, p in zip(following[row], prob[row], strict=True) if p}
                assert {n: p for p, n, _, _ in rows} == expected
                assert all(r == -problem.cost(s, a) for _, _, r, _ in rows)
                assert all(t == (n == problem.goal) for _, n, _, t in rows)
    # the same optimum by the table as by the problem
    table = gw.Problem.from_gymnasium(_Listed(env), failure="end")
    assert gw.solve(table).value == pytest.approx(gw.solve(problem).value, rel=1e-9)


class _Listed(gymnasium.Env):
    """An environment of which nothing is known but its table."""

    def __init__(self, env: Any) -> None:
        self.P, self.initial_state_distrib = env.P, env.initial_state_distrib
        self.observation_space, self.action_space = env.observation_space, env.action_space


def test_steps_follow_the_probabilities() -> None:
    env = gymnasium.make("goalward/WindyGrid-v0", n=3).unwrapped
    seen = np.zeros(env.problem.n_states)
    env.reset(seed=5)
    for _ in range(20_000):
        env.s = 4
        seen[env.step(1)[0]] += 1
    expected = np.zeros_like(seen)
    for p, n, _, _ in env.P[4][1]:
        expected[n] += p
    assert seen[expected == 0.0].sum() == 0
    # five standard deviations
    assert np.all(
        abs(seen / 20_000 - expected) <= 5.0 * np.sqrt(expected * (1 - expected) / 20_000)
    )


def played(env: Any, seed: int, policy: Any) -> list[tuple[Any, ...]]:
    steps = []
    observation, _ = env.reset(seed=seed)
    while True:
        result = env.step(policy(observation))
        steps.append(result[:4])
        observation = result[0]
        if result[2] or result[3]:
            return steps


def test_the_same_seed_is_the_same_episode() -> None:
    env = gymnasium.make("goalward/WindyGrid-v0")
    assert played(env, 7, lambda s: s % 4) == played(env, 7, lambda s: s % 4)
    assert played(env, 7, lambda s: s % 4) != played(env, 8, lambda s: s % 4)


def test_an_episode_ends_at_the_goal_or_at_the_cap() -> None:
    env = gymnasium.make("goalward/WindyGrid-v0", n=3, max_steps=40)
    best = gw.solve(env.unwrapped.problem).policy
    steps = played(env, 1, lambda s: int(best[s]))
    assert steps[-1][2] and not steps[-1][3] and steps[-1][0] == env.unwrapped.problem.goal
    assert not any(terminated or truncated for _, _, terminated, truncated in steps[:-1])
    # into the wall, for ever
    env = gymnasium.make("goalward/Cliff-v0", max_steps=10)
    steps = played(env, 1, lambda s: 2)
    assert len(steps) == 10 and steps[-1][3] and not steps[-1][2]
    assert gymnasium.make("goalward/Cliff-v0").unwrapped.max_steps == 1000
    assert gymnasium.make("goalward/Taxi-v0").unwrapped.max_steps == 20 * 501


def test_the_goal_is_left_no_more() -> None:
    env = gymnasium.make("goalward/Shortcut-v0").unwrapped
    env.reset(seed=1)
    env.s = env.problem.goal
    assert env.step(0)[:4] == (env.problem.goal, 0.0, True, False)
    assert env.cost == 0.0


def test_an_action_that_a_state_lacks_stays_at_the_dearest_cost() -> None:
    env = gymnasium.make("goalward/Rosenberg-v0").unwrapped
    _, info = env.reset(seed=1)
    assert info["action_mask"].tolist() == [1, 0, 0, 0]
    observation, reward, terminated, truncated, info = env.step(3)
    assert observation == env.problem.start and not terminated and not truncated
    assert reward == -np.nanmax(env.problem.costs)
    assert info["action_mask"].dtype == np.int8
    assert env.action_mask(env.problem.goal).tolist() == [0, 0, 0, 0]


def test_misuse_is_refused() -> None:
    with pytest.raises(gw.SettingError, match="no parameter"):
        gymnasium.make("goalward/WindyGrid-v0", size=3)
    with pytest.raises(gw.SettingError, match="max_steps"):
        gymnasium.make("goalward/WindyGrid-v0", max_steps=0)
    with pytest.raises(gw.SettingError, match="render_mode"):
        gw.gym.GoalwardEnv("windy-grid", render_mode="film")
    with pytest.raises(gw.SettingError, match="takes no parameters"):
        gw.gym.GoalwardEnv(gw.worlds.make("windy-grid"), n=3)
    with pytest.raises(gw.SettingError, match="expected a Problem"):
        gw.gym.make_env("windy-grid")
    env = gw.gym.GoalwardEnv("windy-grid")
    env.reset(seed=1)
    for action in (4, -1, 1.5, None, "right"):
        with pytest.raises(gw.MisuseError, match="no action"):
            env.step(action)
    with pytest.warns(UserWarning, match="render mode"):
        assert env.render() is None


def test_a_problem_of_ones_own_is_an_environment(coins: gw.Problem) -> None:
    env = gw.gym.make_env(coins, max_steps=20, render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    assert env.unwrapped.problem is coins and env.unwrapped.max_steps == 20
    assert [p for p, *_ in env.unwrapped.P[0][0]] == pytest.approx([0.2, 0.8])
    with pytest.raises(gw.GoalwardError):
        gw.gym.make_env(coins.with_theta(None))


def test_text_shows_a_grid_and_names_a_state() -> None:
    env = gymnasium.make("goalward/FrozenLake-v0", render_mode="ansi", restart=True)
    env.reset(seed=1)
    assert env.render() == "@ . . .\n. O . O\n. . . O\nO . . G\nnow at (0,0)\n"
    env = gymnasium.make("goalward/Cliff-v0", render_mode="ansi", rows=3, columns=4)
    env.reset(seed=1)
    assert env.render().splitlines()[:3] == [". . . .", ". . . .", "@ # # G"]
    env.step(2)
    assert env.render().splitlines()[-1] == "step 1, cost 1 so far: now at start"
    env = gymnasium.make("goalward/Ladder-v0", render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == "now at ground\n"


def test_pictures_show_where_it_is() -> None:
    env = gymnasium.make("goalward/WindyGrid-v0", n=3, render_mode="rgb_array").unwrapped
    env.reset(seed=1)
    at_start = env.render()
    assert at_start.dtype == np.uint8 and at_start.shape == (3 * 56 + 2, 3 * 56 + 2, 3)
    env.s = 4
    moved = env.render()
    changed = np.argwhere((at_start != moved).any(axis=2))
    cells = {((row - 1) // 56, (column - 1) // 56) for row, column in changed.tolist()}
    assert cells == {(0, 0), (1, 1)}
    middle = moved[1 + 56 + 28, 1 + 56 + 28]
    assert middle.tolist() == [226, 88, 46]


def test_pictures_show_policies_and_values() -> None:
    env = gymnasium.make("goalward/WindyGrid-v0", render_mode="rgb_array").unwrapped
    env.reset(seed=1)
    plain = env.render()
    solution = gw.solve(env.problem)
    env.show(policy=solution.policy)
    arrows = env.render()
    env.show(policy=solution.policy, values=solution.values)
    shaded = env.render()
    assert (plain != arrows).any() and (arrows != shaded).any()
    env.show()
    np.testing.assert_array_equal(env.render(), plain)
    with pytest.raises(gw.SettingError, match="policy"):
        env.show(policy=[0, 1])


def ink(
    env: gw.gym.GoalwardEnv, cell: tuple[int, int], colour: tuple[int, int, int]
) -> tuple[float, float] | None:
    """Where a colour lies in a cell on average, down and right of its middle; None: nowhere."""
    size = env._drawn().cell
    top, left = (1 + size * place for place in cell)
    tile = env.render()[top : top + size, left : left + size]
    places = np.argwhere((tile == colour).all(axis=2))
    if len(places) == 0:
        return None
    down, right = places.mean(axis=0) - (size - 1) / 2
    return float(down), float(right)


def drawn(world: str, **params: object) -> gw.gym.GoalwardEnv:
    env = gymnasium.make(f"goalward/{world}-v0", render_mode="rgb_array", **params).unwrapped
    env.reset(seed=1)
    return env


ARROW, TIE, FLAG, PIT = (70, 78, 90), (168, 174, 184), (38, 143, 91), (58, 110, 165)
WAYS = {"right": (0, 1), "down": (1, 0), "left": (0, -1), "up": (-1, 0)}


@pytest.mark.parametrize("world", ["FrozenLake", "WindyGrid", "Delivery", "Cliff"])
def test_arrows_point_as_the_names_of_actions_say(world: str) -> None:
    env = drawn(world)
    names = env.problem.actions(env.problem.start)
    for action, name in enumerate(names):
        policy = np.full(env.problem.n_states, action)
        env.show(policy=policy, q=np.arange(4.0) * np.ones((env.problem.n_states, 1)))
        cell = (0, 1)  # slippery ice at the upper edge leads down on average, wherever one goes
        middle, expected = ink(env, cell, ARROW), np.array(WAYS[name])
        assert middle is not None
        assert np.dot(middle, expected) > 5.0, name
        assert abs(np.dot(middle, expected[::-1])) < 0.3 * np.dot(middle, expected), name


def test_arrows_as_good_as_the_policys_are_pale() -> None:
    env = drawn("WindyGrid", n=3)
    q = np.array([[1.0, 1.0, 2.0, 3.0]] * 9)
    env.show(policy=np.zeros(9), q=q)
    taken, other = ink(env, (0, 1), ARROW), ink(env, (0, 1), TIE)
    assert taken is not None and other is not None and taken[1] > 5.0 and other[0] > 5.0
    env.show(policy=np.full(9, 2), q=q)
    assert ink(env, (0, 1), TIE) is None, "what is not best has no equals"
    solution = gw.solve(env.problem)
    env.show(policy=solution.policy)
    env.s = env.problem.goal  # where the traveller hides no arrow
    pale = [s for s in range(8) if ink(env, (s // 3, s % 3), TIE) is not None]
    assert solution.q is not None
    assert pale == [s for s in range(8) if np.sum(solution.q[s] <= solution.q[s].min() + 1e-9) > 1]
    assert pale
    with pytest.raises(gw.SettingError, match="9 x 4 numbers"):
        env.show(policy=solution.policy, q=[1.0])


def test_start_goal_and_holes_lie_on_the_map() -> None:
    lake = drawn("FrozenLake", restart=True)
    solution = gw.solve(lake.problem)
    lake.show(policy=solution.policy, values=solution.values)
    picture = lake.render()
    holes = [(1, 1), (1, 3), (2, 3), (3, 0)]
    blue = [
        (row, column)
        for row in range(4)
        for column in range(4)
        if tuple(picture[56 * row + 28, 56 * column + 28].tolist()) == PIT
    ]
    assert blue == holes
    for world, rows, columns in (("Delivery", 5, 5), ("Cliff", 4, 12)):
        env = drawn(world)
        picture = env.render()
        cell = (picture.shape[0] - 2) // rows
        assert (picture.shape[1] - 2) // columns == cell
        flags = np.argwhere((picture == FLAG).all(axis=2)) // cell
        assert np.unique(flags, axis=0).tolist() == [[rows - 1, columns - 1]]
        agent = np.argwhere((picture == (226, 88, 46)).all(axis=2)) // cell
        assert np.unique(agent, axis=0).tolist() == [[0, 0] if world == "Delivery" else [3, 0]]


def test_vectors_of_environments() -> None:
    both = gymnasium.make_vec("goalward/WindyGrid-v0", num_envs=2, n=3)
    observations, _ = both.reset(seed=1)
    assert observations.tolist() == [0, 0]
    _, rewards, *_ = both.step(np.array([0, 1]))
    assert (rewards < 0.0).all()
    both.close()
