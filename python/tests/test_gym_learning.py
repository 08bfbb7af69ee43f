"""Learners in Gymnasium environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_gym_problem import Listed, latest, pond

import goalward as gw

gymnasium = pytest.importorskip("gymnasium")
from gymnasium import spaces  # noqa: E402


class Acting(Listed):
    """An environment that does what its table says, and takes down what it was told to do."""

    def __init__(
        self, table: Any, start: Any = 0, *, cap: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(table, start, **kwargs)
        self.cap = cap
        self.told: list[tuple[int, int]] = []

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        first = int(self.np_random.choice(len(self.P), p=self.initial_state_distrib))
        self.s, self.steps = first + self.observation_space.start, 0
        return int(self.s), {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.told.append((int(self.s), int(action)))
        rows = self.P[self.s][action]
        drawn = int(self.np_random.choice(len(rows), p=[row[0] for row in rows]))
        _, self.s, reward, terminated = rows[drawn]
        self.steps += 1
        truncated = not terminated and self.cap is not None and self.steps >= self.cap
        return int(self.s), float(reward), terminated, truncated, {}


class Heard(gw.OwnLearner):
    """Takes the first action and takes down what it hears."""

    def __init__(self, problem: gw.Problem, seed: int) -> None:
        super().__init__(problem, seed)
        self.heard: list[Any] = []

    def act(self, state: int) -> int:
        return 0

    def observe(self, state: int, action: int, cost: float, next_state: int) -> None:
        self.heard.append((state, action, cost, next_state))

    def end_episode(self) -> None:
        self.heard.append("end")


@pytest.mark.parametrize("name", ["q-learning", "psrl-ssp@support=unknown"])
def test_cliff_walking_is_learnt(name: str) -> None:
    run = gw.learn_env(latest("CliffWalking"), name, 300, seed=1)
    assert run.success.all() and run.terminated.all() and not run.truncated.any()
    np.testing.assert_array_equal(run.reward, -run.cost)
    early, late = run.reward[:50].mean(), run.reward[-50:].mean()
    assert late > early / 2
    if name.startswith("psrl-ssp"):
        assert late == -13.0


def test_frozen_lake_is_learnt() -> None:
    env = latest("FrozenLake")
    run = gw.learn_env(env, "psrl-ssp", 2500, seed=1, penalty=20.0)
    # the best policy succeeds in three of four episodes, a random one in one of seventy
    assert run.success[:100].mean() < 0.5 < 0.6 < run.success[-1000:].mean()
    np.testing.assert_array_equal(run.success, run.reward == 1.0)


def test_a_known_model_has_nothing_to_learn() -> None:
    run = gw.learn_env(latest("CliffWalking"), "lr", 20, seed=1)
    assert (run.reward == -13.0).all()


def test_a_mixture_of_environments_is_learnt() -> None:
    rates = {"ice": 1 / 3, "firm": 1.0}
    envs = {name: latest("FrozenLake", success_rate=rate) for name, rate in rates.items()}
    problem = gw.Problem.from_gymnasium(envs, penalty=20.0)
    learner = gw.Learner("lr", problem, seed=1)
    before = np.diff(learner.intervals, axis=1)
    run = gw.learn_env(latest("FrozenLake", success_rate=0.6), learner, 300, seed=1)
    assert run.learner is learner and learner.violations == 0
    low, high = learner.intervals.T
    # 1/3 * 0.6 + 1 * 0.4 = 0.6
    assert (low <= [0.6, 0.4]).all() and (high >= [0.6, 0.4]).all()
    assert (np.diff(learner.intervals, axis=1) < before / 4).all()


def test_the_same_seed_is_the_same_run() -> None:
    def run(seed: int | None) -> gw.gym.EnvRun:
        return gw.learn_env(latest("CliffWalking"), "q-learning", 30, seed=seed)

    np.testing.assert_array_equal(run(3).cost, run(3).cost)
    assert (run(3).cost != run(4).cost).any()
    drawn = run(None)
    np.testing.assert_array_equal(run(drawn.seed).cost, drawn.cost)


def test_what_a_learner_hears_of_failures() -> None:
    env = Acting(pond())
    run = gw.learn_env(env, Heard, 20, seed=1)
    good, bad = (0, 0, 1.0, 1), (0, 0, 1.0, 0)
    expected: list[Any] = []
    for success in run.success:
        expected += [good, "end"] if success else [bad]
    assert run.learner.heard == expected
    assert 0 < run.success.sum() < 20 and run.terminated.all()
    assert (run.cost == 1.0).all()


def test_what_a_learner_hears_of_failures_with_a_penalty() -> None:
    run = gw.learn_env(Acting(pond()), Heard, 20, seed=1, penalty=9.0)
    expected: list[Any] = []
    for success in run.success:
        expected += [(0, 0, 1.0, 1), "end"] if success else [(0, 0, 1.0, 2), (2, 0, 9.0, 0)]
    if not run.success[-1]:
        expected.pop()  # the way back was not gone any more
    assert run.learner.heard == expected
    np.testing.assert_array_equal(run.cost, np.where(run.success, 1.0, 10.0))


def test_what_a_learner_hears_where_every_end_is_the_goal() -> None:
    run = gw.learn_env(Acting(pond()), Heard, 10, seed=1, failure="end")
    assert run.learner.heard == [(0, 0, 1.0, 1), "end"] * 10
    assert run.success.all()
    other = gw.learn_env(Acting(pond()), Heard, 10, seed=1, success=lambda s, r, info: True)
    assert other.learner.heard == run.learner.heard


def test_what_a_learner_hears_of_drawn_starts() -> None:
    table = {s: {0: [(1.0, 2, -1.0, True)]} for s in range(3)}
    run = gw.learn_env(Acting(table, [0.5, 0.5, 0.0]), Heard, 12, seed=1)
    assert run.problem.start == 3
    heard = run.learner.heard
    assert len(heard) == 36
    for draw, step, end in zip(heard[::3], heard[1::3], heard[2::3], strict=True):
        assert draw[:3] == (3, 0, 0.0) and draw[3] in (0, 1)
        assert step == (draw[3], 0, 1.0, 2) and end == "end"
    assert {draw[3] for draw in heard[::3]} == {0, 1}


def test_what_a_learner_hears_of_truncation() -> None:
    table = {0: {0: [(1.0, 1, -1.0, False)]}, 1: {0: [(1.0, 0, -1.0, False)]}, 2: {}}
    table[0][0] = [(0.999, 1, -1.0, False), (0.001, 2, -1.0, True)]
    run = gw.learn_env(Acting(table, cap=3), Heard, 2, seed=1)
    steps = [(0, 0, 1.0, 1), (1, 0, 1.0, 0), (0, 0, 1.0, 1), "end"]
    assert run.learner.heard == steps * 2
    assert run.truncated.all() and not run.terminated.any() and not run.success.any()


def test_a_run_ends_after_so_many_steps() -> None:
    run = gw.learn_env(latest("CliffWalking"), "lr", 100, seed=1, max_steps=30)
    assert run.steps.tolist() == [13, 13, 4] and run.truncated.tolist() == [False, False, True]
    assert gw.learn_env(latest("CliffWalking"), "lr", 0, seed=1).episodes == 0


def test_spaces_that_do_not_begin_at_0() -> None:
    table = {
        s + 5: {a + 3: [(p, n + 5, r, t) for p, n, r, t in rows] for a, rows in actions.items()}
        for s, actions in pond().items()
    }
    env = Acting(table, first=5)
    env.action_space = spaces.Discrete(1, start=3)
    run = gw.learn_env(env, Heard, 5, seed=1)
    assert {step[0] for step in run.learner.heard if step != "end"} == {0}
    assert set(env.told) == {(5, 3)}


def test_without_a_table_only_what_counts_can_learn() -> None:
    env = latest("CliffWalking")
    run = gw.learn_env(env, "q-learning", 300, seed=1, use_table=False, cost="1")
    assert run.problem.n_states == 49 and run.problem.goal == 48
    assert run.reward[-50:].mean() > run.reward[:50].mean()
    with pytest.raises(gw.SettingError, match="no model is known") as told:
        gw.learn_env(env, "lr", 10, use_table=False)
    assert "q-learning" in str(told.value.hint)
    with pytest.raises(gw.SettingError, match=r"no learner|there is no"):
        gw.learn_env(env, "nobody", 10, use_table=False)
    costs = np.full((48, 4), 2.0)
    dear = gw.learn_env(env, Heard, 1, seed=1, use_table=False, cost=costs, max_steps=5)
    assert [step[2] for step in dear.learner.heard[:5]] == [2.0] * 5


def test_with_a_table_learners_know_what_can_follow() -> None:
    walk = gymnasium.make("CliffWalking-v1")
    for learner, expected in (
        ("psrl-ssp", "known"),
        ("psrl-ssp@support=unknown", "unknown"),
        ("mvp+@B=20@t_star=20", "known"),
    ):
        run = gw.learn_env(walk, learner, episodes=0, seed=1)
        assert isinstance(run.learner, gw.Learner)
        assert run.learner.parameters["support"] == expected, learner
    for asked in ({"support": "unknown"}, {"use_table": False}, {"success": lambda *_: True}):
        run = gw.learn_env(walk, "psrl-ssp", episodes=0, seed=1, **asked)
        assert isinstance(run.learner, gw.Learner)
        assert run.learner.parameters["support"] == "unknown", asked
    assert gw.learn_env(walk, "q-learning", episodes=0, seed=1).label == "q-learning"


def test_rewards_that_nobody_reads_are_mentioned_once() -> None:
    two = {"actions": 2}
    pays = Acting({0: {0: [(1.0, 0, -3.0, False)], 1: [(1.0, 1, 5.0, True)]}, 1: {}}, **two)
    with pytest.warns(gw.GoalwardWarning, match="ignores rewards such as") as told:
        gw.learn_env(pays, "q-learning", episodes=20, seed=1, use_table=False)
    assert len(told) == 1 and told[0].filename == __file__
    # where that is meant, where costs are given, and where steps are what is paid: nothing is said
    for asked in (
        {"use_table": False, "cost": "1"},
        {"use_table": False, "cost": [[3.0, 1.0]] * 2},
        {"cost": "1"},
    ):
        gw.learn_env(pays, "q-learning", episodes=20, seed=1, **asked)
    walks = Acting({0: {0: [(1.0, 0, -0.2, False)], 1: [(1.0, 1, -0.2, True)]}, 1: {}}, **two)
    gw.learn_env(walks, "q-learning", episodes=20, seed=1, use_table=False)
    hides = Acting({0: {0: [(1.0, 0, 0.0, False)], 1: [(1.0, 1, 1.0, True)]}, 1: {}}, **two)
    with pytest.warns(gw.GoalwardWarning, match="rewards such as 0"):
        gw.learn_env(hides, "q-learning", episodes=20, seed=1, use_table=False)


def test_cost_without_a_table() -> None:
    env = latest("CliffWalking")
    for cost in ("reward", np.ones((3, 3)), "x"):
        with pytest.raises(gw.SettingError, match="cost"):
            gw.learn_env(env, "q-learning", 5, use_table=False, cost=cost)
    with pytest.raises(gw.SettingError, match="penalty"):
        gw.learn_env(env, "q-learning", 5, use_table=False, penalty=3.0)


def test_observations_that_are_no_numbers() -> None:
    run = gw.learn_env(gymnasium.make("Blackjack-v1"), "q-learning", 50, seed=1, cost="1")
    assert run.problem.n_states == 32 * 11 * 2 + 1 and run.success.all()
    won = gw.learn_env(
        gymnasium.make("Blackjack-v1"),
        "q-learning",
        50,
        seed=1,
        cost="1",
        success=lambda observation, reward, info: reward > 0,
    )
    np.testing.assert_array_equal(won.success, won.reward > 0)


class Line(gymnasium.Env):
    """A walk to the right, seen as a number between 0 and 1."""

    observation_space = spaces.Box(0.0, 1.0, (1,))
    action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.x = 0
        return np.array([0.0]), {}

    def step(self, action: int) -> Any:
        self.x = max(0, self.x + (1 if action else -1))
        return np.array([self.x / 4]), -1.0, self.x == 4, False, {}


def test_observations_become_states_by_a_function() -> None:
    run = gw.learn_env(
        Line(), "q-learning", 100, seed=1, state_of=lambda x: round(4 * float(x[0])), n_states=5
    )
    assert run.problem.n_states == 6 and run.steps[-20:].mean() < 8.0
    with pytest.raises(gw.SettingError, match="observation space is Box") as told:
        gw.learn_env(Line(), "q-learning", 10)
    assert "state_of=" in str(told.value.hint)
    with pytest.raises(gw.SettingError, match="observation space is Box"):
        gw.learn_env(Line(), "q-learning", 10, state_of=lambda x: 0)
    for wrong in (9, -1, 0.5, None, True):
        with pytest.raises(gw.MisuseError, match="an observation became"):
            gw.learn_env(Line(), "q-learning", 10, state_of=lambda x, w=wrong: w, n_states=5)


def test_actions_must_be_discrete() -> None:
    env = Line()
    env.action_space = spaces.Box(0.0, 1.0, (1,))
    with pytest.raises(gw.SettingError, match="action space"):
        gw.learn_env(env, "q-learning", 10, state_of=lambda x: 0, n_states=5)


def test_a_learner_for_a_problem_of_ones_own() -> None:
    # two guesses of how often the step fails
    problem = gw.Problem.from_gymnasium({"dry": Listed(pond(0.1)), "wet": Listed(pond(0.9))})
    learner = gw.Learner("lr", problem)
    run = gw.learn_env(Acting(pond(0.5)), learner, 400, seed=1)
    assert run.learner is learner and learner.episodes == run.success.sum()
    assert learner.theta == pytest.approx([0.5, 0.5], abs=0.1)
    again = gw.learn_env(Acting(pond(0.5)), learner, 10, seed=2)
    assert learner.steps == 410 and again.episodes == 10


def test_environments_of_goalward() -> None:
    env = gymnasium.make("goalward.gym:goalward/WindyGrid-v0", n=3)
    run = gw.learn_env(env, "lr", 100, seed=1)
    assert run.problem is env.unwrapped.problem and run.success.all()
    assert run.learner.violations == 0 and run.learner.theta is not None
    np.testing.assert_allclose(run.cost, -run.reward, rtol=1e-12)
    counted = gw.learn_env(env, "q-learning", 100, seed=1, use_table=False)
    assert counted.problem.n_states == 10


def test_misuse_is_refused() -> None:
    env = latest("CliffWalking")
    for wrong in ({"episodes": -1}, {"episodes": 1.5}, {"seed": -1}, {"max_steps": 0}):
        with pytest.raises(gw.SettingError):
            gw.learn_env(env, "lr", **{"episodes": 3, **wrong})
    with pytest.raises(gw.SettingError, match="'restart' or 'end'"):
        gw.learn_env(env, "lr", 3, failure="lost")
    with pytest.raises(gw.SettingError, match="no Gymnasium environment"):
        gw.learn_env("CliffWalking-v1", "lr", 3)
    with pytest.raises(gw.SettingError, match=r"did you mean|there is no"):
        gw.learn_env(env, "lrr", 3)
    with pytest.raises(gw.SettingError):
        gw.learn_env(env, "lr", 3, colour="red")
    learner = gw.Learner("lr", gw.Problem.from_gymnasium(env))
    with pytest.raises(gw.SettingError, match="takes no settings"):
        gw.learn_env(env, learner, 3, delta=0.1)
    small = gw.Learner("lr", gw.Problem.from_gymnasium(Listed(pond())))
    with pytest.raises(gw.MisuseError, match="made for Problem"):
        gw.learn_env(env, small, 3, success=lambda *_: True)
    # the learner's goal is where the environment begins
    wrong = gw.Learner("q-learning", gw.Problem.from_gymnasium(Listed(pond(), 0)))
    with pytest.raises(gw.MisuseError, match="goes on in state 1"):
        gw.learn_env(Acting({**pond(), 1: pond()[0]}, 1), wrong, 3, success=lambda *_: True)


class Strange(gymnasium.Env):  # type: ignore[type-arg]
    """Says and pays what no environment should."""

    action_space = spaces.Discrete(2)

    def __init__(self, space: Any, sees: Any, pays: Any = -1.0) -> None:
        self.observation_space = space
        self.sees, self.pays = sees, pays

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self.observation_space.sample() * 0, {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        return self.sees, self.pays, False, False, {}


@pytest.mark.parametrize(
    ("space", "sees", "pays"),
    [
        (spaces.Discrete(3), 1.5, -1.0),
        (spaces.Discrete(3), None, -1.0),
        (spaces.MultiDiscrete([3, 2]), np.array([1.5, 0.0]), -1.0),
        (spaces.MultiDiscrete([3, 2]), np.array([1, 2]), -1.0),
        (spaces.Discrete(3), 1, float("nan")),
        (spaces.Discrete(3), 1, 1j),
    ],
)
def test_what_an_environment_cannot_say_is_refused(space: Any, sees: Any, pays: Any) -> None:
    with pytest.raises(gw.MisuseError, match=r"observation|reward"):
        gw.learn_env(Strange(space, sees, pays), "q-learning", 3, seed=1, max_steps=50)


def test_a_learner_of_another_problem_is_refused() -> None:
    for mine, other in ((3, 4), (4, 3)):
        env = gymnasium.make("goalward/WindyGrid-v0", n=mine)
        learner = gw.Learner("q-learning", gw.worlds.make("windy-grid", n=other))
        with pytest.raises(gw.MisuseError, match="made for Problem"):
            gw.learn_env(env, learner, 3)
    lake = gymnasium.make("FrozenLake-v1", map_name="4x4")
    large = gymnasium.make("FrozenLake-v1", map_name="8x8")
    with pytest.raises(gw.MisuseError, match="16 to 18 states"):
        gw.learn_env(lake, gw.Learner("q-learning", gw.Problem.from_gymnasium(large)), 3)


def test_a_result_has_columns_a_table_and_a_figure() -> None:
    run = gw.learn_env(latest("CliffWalking"), "q-learning", 50, seed=1)
    columns = run.columns()
    assert list(columns) == [
        "episode",
        "cost",
        "steps",
        "reward",
        "terminated",
        "truncated",
        "success",
    ]
    assert all(len(column) == 50 for column in columns.values())
    assert run.total_reward == -run.total_cost == run.reward.sum()
    assert run.mean("reward", 10)[-1] == pytest.approx(run.reward[-10:].mean())
    assert run.mean("reward", 10)[2] == pytest.approx(run.reward[:3].mean())
    assert run.mean("reward", 1).tolist() == run.reward.tolist()
    for wrong in ({"quantity": "regret"}, {"window": 0}):
        with pytest.raises(gw.SettingError):
            run.mean(**wrong)
    assert "CliffWalking" in repr(run) and "<table>" in run._repr_html_()
    assert run.to_pandas().shape == (50, 7) if pytest.importorskip("pandas") else True
    assert run.to_polars().shape == (50, 7) if pytest.importorskip("polars") else True
    pytest.importorskip("matplotlib").use("Agg")
    axes = run.plot(window=5)
    assert axes.get_ylabel() == "reward, mean over 5 episodes"
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(run.reward[-5:].mean())
