"""A problem whose truth is known as a Gymnasium environment."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import ArrayLike, NDArray

from goalward import worlds
from goalward._goalward import Problem
from goalward._running import _count
from goalward.errors import MisuseError, SettingError
from goalward.gym._render import Picture

__all__ = ["GoalwardEnv", "make_env"]

Transitions = dict[int, dict[int, list[tuple[float, int, float, bool]]]]

LEAST_CAP = 1000
"""The least default of `max_steps`."""


class GoalwardEnv(gymnasium.Env[Any, Any]):
    """A world of goalward, or a problem of yours, as an environment.

    * An observation is the number of a state, an action the number of an action.
    * The reward is minus the cost of the step. An episode is ``terminated`` at the goal, and
      ``truncated`` after ``max_steps`` steps (without it, after 20 for each state, at least 1000).
    * ``info["action_mask"]`` has a 1 for every action that the state has. An action that it does
      not have stays where it is, and costs as much as the dearest action of the problem.
    * ``P`` lists the transitions as toy-text environments do, ``initial_state_distrib`` says where
      episodes start, and ``problem`` is the problem itself.
    * ``render_mode`` is ``"ansi"`` (text) or ``"rgb_array"`` (a picture). Grids are drawn as grids.

    >>> import goalward.gym
    >>> env = goalward.gym.GoalwardEnv("windy-grid", n=3, max_steps=50)
    >>> env.observation_space, env.action_space
    (Discrete(9), Discrete(4))
    >>> env.reset(seed=1)[0] == env.problem.start
    True
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    problem: Problem
    """What the environment is made of."""
    max_steps: int
    """The most steps of an episode."""
    s: int
    """The state that it is in."""
    lastaction: int | None
    """The action that led there; None at the start."""
    steps: int
    """The steps of this episode so far."""
    cost: float
    """What they cost."""

    def __init__(
        self,
        world: str | Problem,
        *,
        max_steps: int | None = None,
        render_mode: str | None = None,
        **params: Any,
    ) -> None:
        if isinstance(world, Problem):
            if params:
                names = ", ".join(params)
                raise SettingError(f"a problem that is made takes no parameters: {names}")
            self.problem = world
        else:
            self.problem = worlds.make(world, **params)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            known = ", ".join(map(repr, self.metadata["render_modes"]))
            raise SettingError(f"render_mode={render_mode!r}: expected {known} or None")
        self.render_mode = render_mode
        states = self.problem.n_states
        self.max_steps = _cap(max_steps, states)
        self.observation_space = spaces.Discrete(states)
        self.action_space = spaces.Discrete(self.problem.n_actions)
        self._first = self.problem.first_pairs.astype(np.int64)
        self._own = np.diff(self._first)
        self._own[self.problem.goal] = 0
        costs = self.problem.costs
        self._costs = np.where(np.isnan(costs), np.nanmax(costs), costs)
        self._rows = _Rows(self.problem)
        self._goal = self.problem.goal
        self._picture: Picture | None = None
        self._begin()

    def _begin(self) -> None:
        self.s, self.lastaction, self.steps, self.cost = self.problem.start, None, 0, 0.0

    @property
    def initial_state_distrib(self) -> NDArray[np.float64]:
        """Where episodes start, as toy-text environments say it."""
        start = np.zeros(self.problem.n_states)
        start[self.problem.start] = 1.0
        return start

    @cached_property
    def P(self) -> Transitions:
        """For each state and action the list of (probability, next state, reward, terminated)."""
        goal, table = self._goal, {}
        for s in range(self.problem.n_states):
            table[s] = {a: self._outcomes(s, a) for a in range(self.problem.n_actions)}
        table[goal] = {a: [(1.0, goal, 0.0, True)] for a in range(self.problem.n_actions)}
        return table

    def _outcomes(self, s: int, a: int) -> list[tuple[float, int, float, bool]]:
        reward = -float(self._costs[s, a])
        if a >= self._own[s]:
            return [(1.0, s, reward, False)]
        return [
            (float(p), int(following), reward, int(following) == self._goal)
            for following, p in zip(*self._rows.of(int(self._first[s]) + a), strict=True)
        ]

    def action_mask(self, state: int | None = None) -> NDArray[np.int8]:
        """A 1 for each action that a state has, for this state if none is given."""
        s = self.s if state is None else state
        mask: NDArray[np.int8] = (np.arange(self.problem.n_actions) < self._own[s]).astype(np.int8)
        return mask

    def _info(self, prob: float) -> dict[str, Any]:
        return {"prob": prob, "action_mask": self.action_mask()}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Begin an episode at the start. The same seed brings the same luck."""
        super().reset(seed=seed)
        self._begin()
        return self.s, self._info(1.0)

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Take an action. After the goal nothing happens any more."""
        if not self.action_space.contains(action):
            raise MisuseError(f"there is no action {action!r}: there are {self.problem.n_actions}")
        a = int(action)
        if self.s == self._goal:
            return self.s, 0.0, True, False, self._info(1.0)
        cost, prob = float(self._costs[self.s, a]), 1.0
        if a < self._own[self.s]:
            self.s, prob = self._rows.draw(int(self._first[self.s]) + a, self.np_random)
        self.lastaction = a
        self.steps += 1
        self.cost += cost
        terminated = self.s == self._goal
        truncated = not terminated and self.steps >= self.max_steps
        return self.s, -cost, terminated, truncated, self._info(prob)

    def show(
        self,
        *,
        policy: ArrayLike | None = None,
        values: ArrayLike | None = None,
        q: ArrayLike | None = None,
    ) -> None:
        """Draw arrows of a policy and shades of values into pictures of a grid from now on.

        Policy and values have a number for each state, as ``Learner.policy``, ``Learner.values``
        and those of a ``Solution``. An arrow points as the name of its action says, and to where
        the action leads on average if the name says nothing. Pale arrows are actions as good as the
        one that the policy takes: by ``q``, a number for each state and action as ``Learner.q``, or
        by the optimal costs of this environment. A cell that several states share has no arrow.
        Without arguments pictures are plain again.
        """
        self._drawn().show(self._rows, self._first, policy, values, q)

    def _drawn(self) -> Picture:
        if self._picture is None:
            self._picture = Picture(self.problem)
        return self._picture

    def render(self) -> Any:
        """The text or the picture of where it is; None without a render mode."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() draws nothing without a render mode: make the environment with "
                "render_mode='ansi' or 'rgb_array'"
            )
            return None
        if self.render_mode == "ansi":
            return self._drawn().text(self.s, self.lastaction, self.steps, self.cost)
        return self._drawn().pixels(self.s)

    def __repr__(self) -> str:
        return f"<GoalwardEnv<{self.problem.name}>>"


class _Rows:
    """The transitions that can happen, with what is needed to draw one."""

    def __init__(self, problem: Problem) -> None:
        indptr, following, prob = problem.kernel()
        possible = prob > 0.0
        kept = np.concatenate([[0], np.cumsum(possible)])
        self.indptr = kept[indptr]
        self.following = following[possible].astype(np.int64)
        self.prob = prob[possible]

    def of(self, pair: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The successors of a pair, and their probabilities."""
        row = slice(self.indptr[pair], self.indptr[pair + 1])
        return self.following[row], self.prob[row]

    def draw(self, pair: int, luck: np.random.Generator) -> tuple[int, float]:
        """A successor, and how likely it was."""
        following, prob = self.of(pair)
        drawn = int(np.searchsorted(np.cumsum(prob), luck.random(), side="right"))
        drawn = min(drawn, len(following) - 1)  # what the sum lacks of 1
        return int(following[drawn]), float(prob[drawn])


def _cap(max_steps: int | None, states: int) -> int:
    if max_steps is None:
        return max(LEAST_CAP, 20 * states)
    return _count(max_steps, "max_steps", 1)


def make_env(
    problem: Problem, *, max_steps: int | None = None, render_mode: str | None = None
) -> gymnasium.Env[Any, Any]:
    """Make an environment of a problem of yours, as `gymnasium.make` makes one of a world.

    The problem must have a theta, which is how the environment behaves.

    >>> import numpy as np, goalward as gw
    >>> fast, slow = np.zeros((2, 1, 2)), np.zeros((2, 1, 2))
    >>> fast[0, 0], slow[0, 0] = [0.1, 0.9], [0.8, 0.2]
    >>> fast[1, 0, 1] = slow[1, 0, 1] = 1.0
    >>> problem = gw.Problem.from_models([fast, slow], 1.0, 0, 1, theta=[0.5, 0.5])
    >>> env = gw.gym.make_env(problem)
    >>> env.reset(seed=0)[0]
    0
    """
    if not isinstance(problem, Problem):
        raise SettingError(f"make_env: expected a Problem, not {type(problem).__name__}")
    kwargs = {"world": problem, "max_steps": max_steps}
    spec = EnvSpec("goalward/Problem-v0", entry_point="goalward.gym:GoalwardEnv", kwargs=kwargs)
    return gymnasium.make(spec, render_mode=render_mode)
