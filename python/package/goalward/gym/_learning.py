"""Learners in Gymnasium environments."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goalward import learners
from goalward._goalward import Learner, Problem
from goalward._gymnasium import FAILURES, Ends, Table, env_name, from_gymnasium
from goalward._own import GUARD, Guarded, OwnLearner, _made
from goalward._progress import Bar
from goalward._running import (
    LearnerLike,
    _count,
    _label,
    _told_of_misfit,
)
from goalward.errors import GoalwardWarning, MisuseError, SettingError
from goalward.gym._results import EnvRun
from goalward.gym._spaces import numbering, problem_of_spaces, size

__all__ = ["learn_env"]

SUPPORT = "support"
"""The parameter of learners that count: whether they look at what can follow."""

StateOf = Callable[[Any], int]
Success = Callable[[Any, float, dict[str, Any]], bool]


def learn_env(
    env: Any,
    learner: LearnerLike,
    episodes: int = 1000,
    *,
    seed: int | None = None,
    max_steps: int | None = None,
    failure: str = "restart",
    cost: str | float | ArrayLike | None = None,
    start: int | str | None = None,
    goal: int | Iterable[int] | None = None,
    penalty: float = 0.0,
    success: Success | None = None,
    state_of: StateOf | None = None,
    n_states: int | None = None,
    use_table: bool = True,
    on_misfit: str | None = None,
    misfit_level: float | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> EnvRun:
    """Let a learner act in a Gymnasium environment for a number of its episodes.

    ``learner`` is a `Learner` or an own learner, made for a problem of yours; or an id such as
    ``"lr"`` or ``"q-learning"`` (further settings are keyword arguments), or a class of your own,
    which may be `Guarded`. For an id or a class the problem is made here:

    * from the environment's table ``P``, if it has one, with `Problem.from_gymnasium`, which takes
      ``failure``, ``cost``, ``start``, ``goal`` and ``penalty``. A learner of mixtures then knows
      all there is to know. Learners that count transitions look at the table only to see what is
      possible (``support=known``, unless ``support`` or ``success`` says otherwise).
    * Otherwise, and with ``use_table=False``, from the spaces alone: every state may follow every
      action, each step costs 1 or what ``cost`` says, an array of states and actions. Only learners
      that count transitions, and those without a model, have something to learn from there. What
      the environment pays is not known beforehand, and no learner is told. If that is more than
      the same negative reward for every step there is a ``GoalwardWarning``, unless ``cost`` was
      given (``"1"`` says that steps count).

    Observations are numbers of states, in the order of their space. ``state_of`` makes a number of
    any other observation, and ``n_states`` says how many there are.

    When an episode terminates, the goal was reached, or the episode failed. ``success(observation,
    reward, info)`` says which; without it, the table tells (as `Problem.from_gymnasium` says), and
    without a table every end is a success. ``failure="restart"`` takes a failure for a step back to
    the start, ``"end"`` for a success. An episode that the environment truncates teaches its steps
    and nothing else.

    ``on_misfit`` and ``misfit_level`` are those of `goalward.run`, for a learner that is made here.

    ``max_steps`` limits the steps of the whole run. ``seed`` seeds the environment and the
    learner; if it is None one is drawn, which the result names.

    >>> import gymnasium, goalward as gw
    >>> env = gymnasium.make("CliffWalking-v1")
    >>> run = gw.learn_env(env, "q-learning", episodes=200, seed=1)
    >>> run.reward.shape
    (200,)
    """
    _count(episodes, "episodes", 0)
    if failure not in FAILURES[:2]:
        hint = "failure='lost' can be planned with, but not learnt in: no step leads back"
        raise SettingError(f"failure={failure!r}: expected 'restart' or 'end'", hint)
    seed = secrets.randbits(32) if seed is None else _count(seed, "seed", 0)
    limit = None if max_steps is None else _count(max_steps, "max_steps", 1)
    _told_of_misfit(learner, on_misfit, misfit_level)
    label = _label(learner, settings)
    if not hasattr(env, "unwrapped"):
        raise SettingError(f"env: {type(env).__name__} is no Gymnasium environment")
    if isinstance(learner, Guarded) and isinstance(learner.inner, OwnLearner):
        learner = learner(learner.inner.problem, seed)
    told = _Told(failure, cost, start, goal, penalty, success, state_of, n_states, use_table)
    first = env.reset(seed=seed)
    problem, failures, is_known = _problem(env, learner, told, first[0])
    if isinstance(learner, str):
        # what a user calls success may be an end that the table does not have
        if is_known and success is None:
            settings = _at_ease(learner, settings)
        label = _label(learner, settings)
        who = Learner(
            learner,
            problem,
            episodes=max(episodes, 1),
            seed=seed,
            on_misfit=on_misfit,
            misfit_level=misfit_level,
            **settings,
        )
    else:
        who = _made(learner, problem, seed)
    counts_steps = not is_known and cost is None
    return _Loop(env, who, _Bridge(env, problem, failures, told), counts_steps).run(
        first[0], episodes, limit, seed, label, progress
    )


@dataclass(frozen=True)
class _Told:
    """What the user said of the environment."""

    failure: str
    cost: str | float | ArrayLike | None
    start: int | str | None
    goal: int | Iterable[int] | None
    penalty: float
    success: Success | None
    state_of: StateOf | None
    n_states: int | None
    use_table: bool


def _problem(
    env: Any, learner: LearnerLike, told: _Told, first: Any
) -> tuple[Problem, Ends | None, bool]:
    """The problem of a run, how to tell success from failure, and whether it says what can happen.

    Without a way to tell, every end is a success.
    """
    own = getattr(env.unwrapped, "problem", None)
    is_own = isinstance(own, Problem)
    has_table = not is_own and getattr(env.unwrapped, "P", None) is not None
    table = Table.of(env) if has_table and told.state_of is None else None
    is_made = isinstance(learner, Learner | OwnLearner)
    failures = None
    if table is not None and (told.success is None or (told.use_table and not is_made)):
        failures = table.ends(told.failure, told.goal)
    if isinstance(learner, Learner | OwnLearner):
        _fits(learner.problem, env, own if is_own else None, table, told)
        return learner.problem, failures, True
    if is_own and told.use_table:
        return from_gymnasium(env), None, True
    if failures is not None and told.use_table:
        problem = failures.table.problem(failures, told.cost, told.start, told.penalty)
        return problem, failures, True
    if told.penalty:
        raise SettingError("penalty: only an environment with a table has a state to pay it in")
    _without_models(GUARD if isinstance(learner, Guarded) else learner)
    states = size(env.observation_space, told.n_states if told.state_of else None, "observation")
    begin = told.state_of or numbering(env.observation_space, "observation")
    actions = size(env.action_space, None, "action")
    at = _state_in(begin(first), states)
    return problem_of_spaces(env, states, actions, at, told.cost), failures, False


def _fits(
    problem: Problem, env: Any, own: Problem | None, table: Table | None, told: _Told
) -> None:
    """Refuse a learner whose problem has other states or actions than the environment."""
    actions = size(env.action_space, None, "action")
    least, most = (0, problem.n_states) if own is None else (own.n_states, own.n_states)
    if own is None and (told.state_of is None or told.n_states is not None):
        seen = told.n_states if told.state_of is not None else None
        least = size(env.observation_space, seen, "observation")
        # with a table no more is added than a goal, and a state that draws the start
        most = problem.n_states if table is None else least + 2
    if least <= problem.n_states <= most and problem.n_actions <= actions:
        return
    states = f"{least}" if least == most else f"{least} to {most}" if table else f"at least {least}"
    raise MisuseError(
        f"the learner was made for {problem!r}; the environment has {states} states "
        f"and {actions} actions",
        "make the learner for a problem with the environment's states and actions",
    )


def _without_models(learner: LearnerLike) -> None:
    """Refuse a learner that has nothing to learn where there are no models."""
    if not isinstance(learner, str):
        return
    entry = learners.describe(learner.split("@")[0])
    if entry["family"] in ("tabular", "baseline"):
        return
    ids = [one for one in learners.ids() if learners.describe(one)["family"] == "tabular"]
    raise SettingError(
        f"{entry['id']} learns which mixture of known models is true, and here no model is known",
        f"give a Learner for a problem with your models, or one that counts: {', '.join(ids)}",
    )


def _at_ease(learner: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Tells a learner that nothing follows but what the problem lists, if it takes that."""
    entry = learners.describe(learner.split("@")[0])
    takes = any(parameter["name"] == SUPPORT for parameter in entry["parameters"])
    is_free = takes and f"@{SUPPORT}=" not in _label(learner, settings)
    return settings | {SUPPORT: "known"} if is_free else settings


def _state_in(state: Any, states: int) -> int:
    if isinstance(state, bool) or not hasattr(state, "__index__"):
        raise MisuseError(f"an observation became {state!r}, and a state is a whole number")
    if not 0 <= int(state) < states:
        raise MisuseError(f"an observation became state {state}, and there are {states} states")
    return int(state)


class _Bridge:
    """What the environment says in the words of the problem."""

    def __init__(self, env: Any, problem: Problem, failures: Ends | None, told: _Told) -> None:
        self.problem = problem
        self.failures = failures
        self.success = told.success
        is_plain = told.state_of is None
        self._number = told.state_of or numbering(env.observation_space, "observation")
        self.first_action = int(getattr(env.action_space, "start", 0))
        seen = size(env.observation_space, None, "observation") if is_plain else told.n_states
        # where episodes start is drawn by a state of its own, which is never observed
        self.draws = seen is not None and problem.start >= seen and problem.start != problem.goal
        size(env.action_space, None, "action")

    def state(self, observation: Any) -> int:
        return _state_in(self._number(observation), self.problem.n_states)

    def action(self, action: int) -> int:
        return action + self.first_action

    def succeeded(self, observation: Any, reward: float, info: dict[str, Any]) -> bool:
        if self.success is not None:
            return bool(self.success(observation, reward, info))
        return self.failures is None or self.state(observation) in self.failures.goals

    def after_failure(self, state: int, action: int, observation: Any) -> int:
        """Where a failure leads: to a state of its own, if the problem has one, or to the start."""
        fallen = self.state(observation)
        if self.failures is not None:
            fallen = self.failures.table.fallen(self.failures, fallen)
        following, _ = self.problem.successors(state, action)
        return fallen if fallen in following and fallen != self.problem.goal else self.problem.start


class _Loop:
    """One run."""

    def __init__(
        self, env: Any, learner: Learner | OwnLearner, bridge: _Bridge, counts_steps: bool
    ) -> None:
        self.env = env
        self.counts_steps = counts_steps
        """Whether a step costs 1 because no cost was given."""
        self.every_step: float | None = None
        """What every step has paid so far."""
        self.learner = learner
        self.bridge = bridge
        self.costs = bridge.problem.costs
        self.rows: list[tuple[float, int, float, bool, bool, bool]] = []
        self.from_state: int | None = None
        """Where the learner waits to be put back to where an episode starts."""

    def run(
        self,
        first: Any,
        episodes: int,
        limit: int | None,
        seed: int,
        label: str,
        progress: bool | None,
    ) -> EnvRun:
        observation, steps = first, 0
        with Bar("episodes", episodes, progress) as bar:
            for episode in range(episodes):
                if limit is not None and steps >= limit:
                    break
                if episode > 0:
                    observation, _ = self.env.reset()
                if self._stopped():
                    break
                left = None if limit is None else limit - steps
                self.rows.append(self._episode(observation, left))
                steps += self.rows[-1][1]
                if bar.tell is not None:
                    bar.tell(episode + 1)
        columns = zip(*self.rows, strict=True) if self.rows else [()] * 6
        kinds = (np.float64, np.int64, np.float64, np.bool_, np.bool_, np.bool_)
        arrays: list[NDArray[Any]] = [
            np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)
        ]
        return EnvRun(self.learner, self.bridge.problem, env_name(self.env), label, seed, arrays)

    def _stopped(self) -> bool:
        return isinstance(self.learner, Learner) and self.learner.stopped is not None

    def _look_at(self, paid: float) -> None:
        """Warn once if rewards say more than that steps count."""
        if self.every_step is None and paid < 0.0:
            self.every_step = paid
        if paid == self.every_step:
            return
        self.counts_steps = False
        warnings.warn(
            f"{env_name(self.env)}: the learner counts steps, which cost 1 each here, and ignores "
            f"rewards such as {paid:g}; cost= says what steps cost, cost='1' that they count",
            GoalwardWarning,
            stacklevel=5,
        )

    def _observe(self, state: int, action: int, following: int) -> float:
        cost = float(self.costs[state, action])
        self.learner.observe(state, action, cost, following)
        return cost

    def _episode(
        self, observation: Any, limit: int | None
    ) -> tuple[float, int, float, bool, bool, bool]:
        """Cost, steps, reward, and whether it terminated, was truncated, succeeded."""
        learner, bridge, problem = self.learner, self.bridge, self.bridge.problem
        cost, reward, steps = 0.0, 0.0, 0
        state = bridge.state(observation)
        before = problem.start if bridge.draws and self.from_state is None else self.from_state
        if before is not None and before != state:
            self._observe(before, learner.act(before), state)
        self.from_state = None
        while True:
            if self._stopped():
                learner.end_episode()
                return cost, steps, reward, False, True, False
            if state == problem.goal:
                raise MisuseError(
                    f"the environment goes on in state {state}, which is the problem's goal"
                )
            action = learner.act(state)
            observation, paid, terminated, truncated, info = self.env.step(bridge.action(action))
            steps += 1
            if np.iscomplexobj(paid) or not np.isfinite(paid):
                raise MisuseError(f"the environment's reward is {paid!r} after action {action}")
            reward += float(paid)
            if self.counts_steps:
                self._look_at(float(paid))
            succeeded = bool(terminated) and bridge.succeeded(observation, float(paid), info)
            if succeeded:
                following = problem.goal
            elif terminated:
                following = bridge.after_failure(state, action, observation)
            else:
                following = bridge.state(observation)
            cost += self._observe(state, action, following)
            state = following
            cut = not terminated and (bool(truncated) or (limit is not None and steps >= limit))
            if succeeded or cut:
                learner.end_episode()
            if terminated and not succeeded and (bridge.draws or following != problem.start):
                # the way back is one more step, and belongs to the episode that failed
                self.from_state = following
                cost += float(self.costs[following, 0])
            if terminated or cut:
                return cost, steps, reward, bool(terminated), cut, succeeded
