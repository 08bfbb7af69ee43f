"""Tables of Gymnasium environments as problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import goalward as gw

gymnasium = pytest.importorskip("gymnasium")
from gymnasium import spaces  # noqa: E402

Rows = dict[int, dict[int, list[tuple[float, int, float, bool]]]]


def latest(name: str, **params: Any) -> Any:
    """The newest version of an environment that is registered."""
    versions = [spec for spec in gymnasium.envs.registry.values() if spec.name == name]
    return gymnasium.make(max(versions, key=lambda spec: spec.version).id, **params)


class Listed(gymnasium.Env):
    """An environment with a table."""

    def __init__(self, table: Any, start: Any = 0, *, first: int = 0, actions: int = 1) -> None:
        self.P = table
        n = len(table)
        self.observation_space = spaces.Discrete(n, start=first)
        self.action_space = spaces.Discrete(actions)
        if start is not None:
            self.initial_state_distrib = np.zeros(n) if np.ndim(start) == 0 else np.array(start)
            if np.ndim(start) == 0:
                self.initial_state_distrib[start] = 1.0


def solved_by_hand(env: Any, ends: str, cost: str) -> float:
    """The optimal expected cost by value iteration on the table itself.

    `ends` is what an end with less than the highest reward means.
    """
    table = env.unwrapped.P
    initial = np.asarray(env.unwrapped.initial_state_distrib)
    final = [r for s in table for a in table[s] for _, n, r, t in table[s][a] if t and n != s]
    best = max(final)
    values = np.zeros(len(table))
    start = 0.0
    for _ in range(20_000):
        new = np.full(len(table), np.inf)
        for s in table:
            for a in table[s]:
                total = 0.0
                for p, n, r, t in table[s][a]:
                    paid = 1.0 if cost == "1" else -r
                    if t:
                        paid += start if r < best and ends == "restart" else 0.0
                    else:
                        paid += values[n]
                    total += p * paid
                new[s] = min(new[s], total)
        moved = np.abs(new - values).max()
        values, start = new, float(initial @ new)
        if moved < 1e-10:
            break
    return start


@pytest.mark.parametrize("failure", ["restart", "end"])
@pytest.mark.parametrize("slippery", [True, False])
@pytest.mark.parametrize("size", ["4x4", "8x8"])
def test_frozen_lake(size: str, slippery: bool, failure: str) -> None:
    env = latest("FrozenLake", map_name=size, is_slippery=slippery)
    problem = gw.Problem.from_gymnasium(env, failure=failure)
    assert problem.n_states == env.observation_space.n and problem.n_actions == 4
    assert problem.start == 0 and problem.dim == 1
    assert problem.notes == ["rewards include positive ones (up to 1): every step costs 1 instead"]
    assert gw.solve(problem).value == pytest.approx(solved_by_hand(env, failure, "1"), rel=1e-7)
    if failure == "restart":
        assert problem.goal == problem.n_states - 1


@pytest.mark.parametrize("slippery", [True, False])
def test_cliff_walking(slippery: bool) -> None:
    env = latest("CliffWalking", is_slippery=slippery)
    problem = gw.Problem.from_gymnasium(env)
    assert (problem.n_states, problem.start, problem.goal) == (48, 36, 47)
    by_hand = solved_by_hand(env, "restart", "reward")
    assert gw.solve(problem).value == pytest.approx(by_hand, rel=1e-7)
    # to the right of the start is the cliff; on slippery ground a step goes up or down as often
    assert problem.cost(36, 1) == pytest.approx(34.0 if slippery else 100.0)
    assert gw.Problem.from_gymnasium(env, cost="1").cost(36, 1) == 1.0


def test_taxi_starts_are_drawn_and_its_goal_is_added() -> None:
    env = latest("Taxi")
    problem = gw.Problem.from_gymnasium(env)
    # states where passengers are delivered are also driven through, so the goal is a new state
    assert (problem.n_states, problem.goal, problem.start) == (502, 500, 501)
    assert problem.state_names[problem.start] == "start"
    assert problem.cost(problem.start, 0) == 0.0
    assert gw.solve(problem).value == pytest.approx(13.07, abs=1e-9)
    # every step but the last costs 1, and the last pays what the goal is worth
    short = gw.Problem.from_gymnasium(env, cost="shortfall")
    assert gw.solve(short).value == pytest.approx(12.07, abs=1e-9)
    one = gw.Problem.from_gymnasium(env, start=314)
    assert one.start == 314 and one.n_states == 501


def test_the_same_as_the_file_that_the_command_line_reads(tmp_path: Path) -> None:
    env = latest("FrozenLake", map_name="8x8")
    start = env.unwrapped.initial_state_distrib.tolist()
    path = tmp_path / "lake.json"
    path.write_text(json.dumps({**env.unwrapped.P, "initial_distribution": start}))
    read = gw.load(path, restart=True)
    made = gw.Problem.from_gymnasium(env)
    assert gw.solve(read).value == gw.solve(made).value
    np.testing.assert_array_equal(gw.solve(read).values, gw.solve(made).values)


def test_wrappers_do_not_matter() -> None:
    env = latest("FrozenLake")
    assert env is not env.unwrapped
    values = [gw.solve(gw.Problem.from_gymnasium(one)).value for one in (env, env.unwrapped)]
    assert values[0] == values[1]


def pond(fall: float = 0.25) -> Rows:
    """A step to the goal, or into a hole."""
    return {
        0: {0: [(1.0 - fall, 1, 1.0, True), (fall, 2, 0.0, True)]},
        1: {0: [(1.0, 1, 0.0, True)]},
        2: {0: [(1.0, 2, 0.0, True)]},
    }


def test_what_failure_means() -> None:
    env = Listed(pond())
    assert gw.solve(gw.Problem.from_gymnasium(env)).value == pytest.approx(4 / 3)
    assert gw.solve(gw.Problem.from_gymnasium(env, failure="end")).value == 1.0
    lost = gw.Problem.from_gymnasium(env, failure="lost")
    assert gw.solve(lost, "reach").reach_probability == pytest.approx(0.75)
    assert gw.solve(lost).value == np.inf
    dear = gw.Problem.from_gymnasium(env, penalty=9.0)
    # x = 1 + (9 + x) / 4
    assert gw.solve(dear).value == pytest.approx(13 / 3)
    assert dear.actions(2) == ["0"] and dear.cost(2, 0) == 9.0
    with pytest.raises(gw.SettingError, match="failure="):
        gw.Problem.from_gymnasium(env, failure="again")
    with pytest.raises(gw.SettingError, match="no way back"):
        gw.Problem.from_gymnasium(env, failure="end", penalty=1.0)
    for penalty in (-1.0, float("nan"), float("inf")):
        with pytest.raises(gw.SettingError, match="penalty="):
            gw.Problem.from_gymnasium(env, penalty=penalty)


def test_failures_in_states_where_play_goes_on() -> None:
    # state 1 is passed through, and an episode may also fail there
    table = {
        0: {0: [(0.5, 1, 0.0, False), (0.5, 1, -1.0, True)]},
        1: {0: [(1.0, 2, 0.0, True)]},
        2: {0: [(1.0, 2, 0.0, True)]},
    }
    plain = gw.Problem.from_gymnasium(Listed(table), cost="1")
    # x = 1 + x/2 + 1/2
    assert gw.solve(plain).value == pytest.approx(3.0)
    dear = gw.Problem.from_gymnasium(Listed(table), cost="1", penalty=2.0)
    assert (dear.n_states, dear.goal) == (4, 2)
    # x = 1 + (x + 2)/2 + 1/2
    assert gw.solve(dear).value == pytest.approx(5.0)


def test_several_goals_and_states_keep_their_numbers() -> None:
    table = {
        0: {0: [(1.0, 1, 1.0, True)], 1: [(1.0, 3, 0.0, False)]},
        1: {0: [(1.0, 1, 0.0, True)], 1: [(1.0, 1, 0.0, True)]},
        2: {0: [(1.0, 2, 0.0, True)], 1: [(1.0, 2, 0.0, True)]},
        3: {0: [(1.0, 2, 1.0, True)], 1: [(1.0, 0, 0.0, False)]},
    }
    problem = gw.Problem.from_gymnasium(Listed(table, actions=2))
    assert (problem.n_states, problem.start, problem.goal) == (4, 0, 1)
    following, _ = problem.successors(3, 0)
    assert following.tolist() == [1]
    assert problem.successors(0, 1)[0].tolist() == [3]


def test_a_goal_by_its_observation() -> None:
    table = {
        0: {0: [(1.0, 1, 5.0, True)], 1: [(1.0, 2, 1.0, True)]},
        1: {0: [(1.0, 1, 0.0, True)], 1: [(1.0, 1, 0.0, True)]},
        2: {0: [(1.0, 2, 0.0, True)], 1: [(1.0, 2, 0.0, True)]},
    }
    assert gw.Problem.from_gymnasium(Listed(table, actions=2)).goal == 1
    assert gw.Problem.from_gymnasium(Listed(table, actions=2), goal=2).goal == 2
    both = gw.Problem.from_gymnasium(Listed(table, actions=2), goal=[1, 2])
    assert [both.successors(0, a)[0].tolist() for a in (0, 1)] == [[1], [1]]
    for goal in (3, -1, "x", 1.5, True):
        with pytest.raises(gw.SettingError, match="goal"):
            gw.Problem.from_gymnasium(Listed(table, actions=2), goal=goal)
    with pytest.raises(gw.ProblemError, match="no transition"):
        gw.Problem.from_gymnasium(Listed(table, actions=2), goal=0)


def test_ends_that_may_be_success_or_failure() -> None:
    table = {0: {0: [(0.5, 1, -1.0, True), (0.5, 1, -2.0, True)]}, 1: {}}
    with pytest.raises(gw.ProblemError, match=r"state 1 with different rewards \(-2, -1\)") as told:
        gw.Problem.from_gymnasium(Listed(table))
    assert told.value.place == {"state": 1} and "goal=1" in str(told.value.hint)
    for choice in ({"goal": 1}, {"failure": "end"}):
        assert gw.solve(gw.Problem.from_gymnasium(Listed(table), **choice)).value == 1.5


def test_spaces_that_do_not_begin_at_0() -> None:
    table = {
        s + 5: {a: [(p, n + 5, r, t) for p, n, r, t in rows] for a, rows in actions.items()}
        for s, actions in pond().items()
    }
    problem = gw.Problem.from_gymnasium(Listed(table, first=5))
    assert problem.n_states == 3 and problem.goal == 1
    assert gw.Problem.from_gymnasium(Listed(table, start=None, first=5), start=5).start == 0


def test_costs() -> None:
    env = Listed(pond())
    costs = np.full((3, 1), 2.0)
    assert gw.solve(gw.Problem.from_gymnasium(env, cost=costs)).value == pytest.approx(8 / 3)
    assert gw.solve(gw.Problem.from_gymnasium(env, cost=1)).value == pytest.approx(4 / 3)
    assert gw.solve(gw.Problem.from_gymnasium(env, cost="shortfall")).value == 0.0
    with pytest.raises(gw.ProblemError, match=r"P\[0\]\[0\] pays 0.75") as told:
        gw.Problem.from_gymnasium(env, cost="reward")
    assert told.value.place == {"state": 0, "action": 0}
    for cost in ("rewards", np.ones((2, 2)), np.full((3, 1), -1.0), np.full((3, 1), np.nan), ["x"]):
        with pytest.raises(gw.SettingError, match="cost"):
            gw.Problem.from_gymnasium(env, cost=cost)
    with pytest.raises(gw.ProblemError, match="shortfall"):
        gw.Problem.from_gymnasium(latest("CliffWalking"), cost="shortfall")


def replaced(row: Any) -> Any:
    table: Any = pond()
    table[0][0] = row
    return table


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([(0.5, 1, 1.0, True)], "sum to 0.5"),
        ([(0.5, 1, 1.0, True), (0.6, 2, 0.0, True)], "sum to 1.1"),
        ([(1.0, 1, 1.0)], "transition 0 is"),
        ([(1.0, 1, 1.0, True, {})], "transition 0 is"),
        ([(1.0, 1, float("nan"), True)], "reward of nan"),
        ([(1.0, 1, float("inf"), True)], "reward of inf"),
        ([(float("nan"), 1, 1.0, True)], "probability nan"),
        ([(-0.5, 1, 1.0, True), (1.5, 2, 1.0, True)], "probability -0.5"),
        ([(1.0, 7, 1.0, True)], "next state 7 does not exist"),
        ([(1.0, -1, 1.0, True)], "next state -1 does not exist"),
        ([(1.0, 0.5, 1.0, True)], "no state"),
        ([(1.0, None, 1.0, True)], "no numbers"),
        (["abcd"], "no numbers"),
        ([], "sum to 0"),
        (7, "expected a list"),
        ("rows", "expected a list"),
    ],
)
def test_a_table_that_is_wrong_says_where(row: Any, said: str) -> None:
    with pytest.raises(gw.ProblemError, match=said) as told:
        gw.Problem.from_gymnasium(Listed(replaced(row)))
    assert "P[0][0]" in str(told.value)
    assert (told.value.place["state"], told.value.place["action"]) == (0, 0)


@pytest.mark.parametrize(
    ("env", "said"),
    [
        (lambda: "FrozenLake-v1", "no Gymnasium environment"),
        (lambda: 7, "no Gymnasium environment"),
        (lambda: gymnasium.make("CartPole-v1"), "observation space is Box"),
        (lambda: Listed({0: {0: []}}, None), "sum to 0"),
        (lambda: Listed({0: {}, 1: {}}), "no transition of P ends"),
        (lambda: Listed({0: {0: [(1.0, 0, 0.0, False)]}}), "no transition of P ends"),
        (lambda: Listed(pond(), None), "where episodes start"),
        (lambda: Listed(pond(), [0.5, 0.0, 0.0]), "initial_state_distrib sums to 0.5"),
        (lambda: Listed(pond(), [1.0, 0.0]), "initial_state_distrib has 2 entries"),
        (lambda: Listed(pond(), actions=2), "has no action 1"),
        (lambda: Listed({0: {0: [(1.0, 1, 0.0, True)], 1: []}, 1: {}}), "no action 1"),
        (lambda: Listed({0: {}, 4: {}}), "no state 4"),
        (lambda: Listed([7, 8]), "expected a dictionary"),
        (lambda: [], "no environment"),
    ],
)
def test_an_environment_that_is_no_problem(env: Any, said: str) -> None:
    with pytest.raises(gw.ProblemError, match=said):
        gw.Problem.from_gymnasium(env())


def test_an_environment_without_a_table_names_what_to_do() -> None:
    with pytest.raises(gw.ProblemError, match="no table of transitions") as told:
        env = Listed(pond())
        env.P = None
        gw.Problem.from_gymnasium(env)
    assert "learn_env" in str(told.value.hint)
    for start in (9, -1, "x", 1.5, True):
        with pytest.raises(gw.SettingError, match="start"):
            gw.Problem.from_gymnasium(Listed(pond()), start=start)


def test_rows_that_are_a_little_off_are_rescaled_and_said_so() -> None:
    table = pond()
    table[0][0][0] = (0.750001, 1, 1.0, True)
    problem = gw.Problem.from_gymnasium(Listed(table))
    assert any("sum" in note or "rescaled" in note for note in problem.notes)


def test_several_environments_are_candidate_models() -> None:
    rates = {"ice": 1 / 3, "firm": 1.0}
    envs = {name: latest("FrozenLake", success_rate=rate) for name, rate in rates.items()}
    problem = gw.Problem.from_gymnasium(envs, penalty=10.0)
    assert problem.dim == 2 and problem.model_names == ["ice", "firm"] and problem.theta is None
    half = gw.Problem.from_gymnasium(latest("FrozenLake", success_rate=2 / 3), penalty=10.0)
    mixed = problem.with_theta(np.array([0.5, 0.5]))
    assert gw.solve(mixed).value == pytest.approx(gw.solve(half).value, rel=1e-9)
    by_number = gw.Problem.from_gymnasium(list(envs.values()))
    assert by_number.model_names == ["0", "1"]


def test_environments_that_make_no_mixture() -> None:
    with pytest.raises(gw.ProblemError, match="other states"):
        gw.Problem.from_gymnasium([latest("FrozenLake"), latest("CliffWalking")])
    with pytest.raises(gw.ProblemError, match="costs something else"):
        gw.Problem.from_gymnasium(
            [latest("CliffWalking", is_slippery=slippery) for slippery in (True, False)]
        )
    with pytest.raises(gw.ProblemError, match="a mixture already"):
        gw.Problem.from_gymnasium([gymnasium.make("goalward.gym:goalward/WindyGrid-v0")] * 2)


def test_an_environment_of_goalward_is_its_own_problem() -> None:
    env = gymnasium.make("goalward.gym:goalward/WindyGrid-v0", n=3)
    assert gw.Problem.from_gymnasium(env) is env.unwrapped.problem
