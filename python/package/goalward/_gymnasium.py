"""Gymnasium environments with a table of transitions as problems.

A toy-text environment lists its transitions in ``env.unwrapped.P``. Here that table becomes a
problem with a goal. **States and actions keep their numbers**: observation ``o`` of the environment
is state ``o - observation_space.start`` of the problem, and so with actions. What has to be added
comes behind them: a goal, a state for what is lost, a state that draws where an episode starts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goalward import _goalward
from goalward._goalward import Problem
from goalward._models import plain
from goalward.errors import FileError, GoalwardError, ProblemError, SettingError

__all__ = ["Ends", "Table", "env_name", "from_gymnasium"]

FAILURES = ("restart", "end", "lost")
"""What an end without success may mean."""
TOLERANCE = 1e-5
"""Probabilities that sum to 1 within this are divided by their sum."""
COLUMNS = ["state", "action", "prob", "next_state", "reward", "terminated"]


def from_gymnasium(
    env: Any,
    *,
    failure: str = "restart",
    cost: str | float | ArrayLike | None = None,
    start: int | str | None = None,
    goal: int | Iterable[int] | None = None,
    penalty: float = 0.0,
) -> Problem:
    """A problem from a Gymnasium environment with a table `P` of transitions, as FrozenLake,
    CliffWalking and Taxi have one. Several environments, as a list or by name in a dictionary, are
    candidate models: the truth is some mixture of them.

    States and actions keep their numbers: observation `o` is state `o - observation_space.start`.
    What is added comes behind them: a goal if no state can be it, and a state that draws the
    start if several are possible.

    An episode that terminates with the highest reward of all that terminate has reached the goal;
    `goal`, an observation or several, says otherwise. What terminates elsewhere has failed.
    `failure` says what that means: `"restart"` goes back to the start, at the step's own cost;
    `"end"` takes every end for the goal; `"lost"` is never left again, and can be planned with but
    not learnt in. With a `penalty` the way back to the start is a step of its own, from the state
    of the failure, and costs so much. A high one makes the best policy the one that fails least.

    `cost` is `"reward"` (minus the reward, averaged over next states), `"1"` (each step costs 1),
    `"shortfall"` (what the rewards fall short of the one at the goal), or an array of states and
    actions. Left out, it is the reward if none is positive, else 1. `start` is an observation;
    left out, episodes start as the environment starts them.

    >>> import gymnasium, goalward as gw
    >>> problem = gw.Problem.from_gymnasium(gymnasium.make("CliffWalking-v1"))
    >>> problem.n_states, problem.start, problem.goal
    (48, 36, 47)
    >>> gw.solve(problem).values[problem.start].item()
    13.0
    """
    if isinstance(env, Mapping | Sequence) and not isinstance(env, str):
        goal = list(goal) if isinstance(goal, Iterable) else goal
        each = env.values() if isinstance(env, Mapping) else env
        made = [
            from_gymnasium(one, failure=failure, cost=cost, start=start, goal=goal, penalty=penalty)
            for one in each
        ]
        return _mixture(made, [str(name) for name in env] if isinstance(env, Mapping) else None)
    own = getattr(_unwrapped(env), "problem", None)
    if isinstance(own, Problem):
        return own
    table = Table.of(env)
    return table.problem(table.ends(failure, goal), cost, start, penalty)


@dataclass(frozen=True)
class Ends:
    """How the transitions of a table end an episode, and what that means."""

    table: Table
    failure: str
    live: NDArray[np.bool_]
    """The states where play can go on: others are only entered as an episode ends."""
    success: NDArray[np.bool_]
    """The rows of the table that reach the goal."""
    failed: NDArray[np.bool_]
    """The rows that end an episode otherwise."""
    goals: NDArray[np.int64]
    """Where successful rows lead."""


@dataclass(frozen=True)
class Table:
    """The table of an environment, one entry of every array for each possible transition."""

    name: str
    n_states: int
    n_actions: int
    first_state: int
    """The observation that is state 0."""
    first_action: int
    """The action that is action 0."""
    state: NDArray[np.int64]
    action: NDArray[np.int64]
    prob: NDArray[np.float64]
    next: NDArray[np.int64]
    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    initial: NDArray[np.float64] | None
    """How often an episode starts in each state."""

    @staticmethod
    def of(env: Any) -> Table:
        """Reads the table of an environment, wrapped or not, and checks every number in it."""
        bare = _unwrapped(env)
        name = env_name(env)
        n_states, first_state = _discrete(bare, "observation_space", name)
        n_actions, first_action = _discrete(bare, "action_space", name)
        listed = getattr(bare, "P", None)
        if listed is None:
            raise ProblemError(
                f"{name} has no table of transitions `P`, as toy-text environments have one",
                "gw.learn_env learns in it with a tabular learner, which needs no table",
            )
        rows: list[tuple[int, int, float, int, float, bool]] = []
        for s, actions in _by_number(listed, n_states, first_state, f"{name}: P", "state"):
            place = f"{name}: P[{s + first_state}]"
            of_state = list(_by_number(actions, n_actions, first_action, place, "action"))
            for a, outcomes in of_state:
                where = f"{place}[{a + first_action}]"
                rows.extend((s, a, *row) for row in _outcomes(outcomes, where, s, a))
            missing = sorted(set(range(n_actions)) - {a for a, _ in of_state})
            if of_state and missing:
                raise ProblemError(
                    f"{place} has no action {missing[0] + first_action}, "
                    f"and the action space has {n_actions}",
                    "list every action of a state; one that does nothing stays where it is",
                    {"state": s, "action": missing[0]},
                )
        kept = [(*row[:3], row[3] - first_state, *row[4:]) for row in rows if row[2] > 0.0]
        columns = zip(*kept, strict=True) if kept else ((),) * 6
        state, action, prob, following, reward, terminated = columns
        table = Table(
            name,
            n_states,
            n_actions,
            first_state,
            first_action,
            np.array(state, dtype=np.int64),
            np.array(action, dtype=np.int64),
            np.array(prob, dtype=np.float64),
            np.array(following, dtype=np.int64),
            np.array(reward, dtype=np.float64),
            np.array(terminated, dtype=np.bool_),
            _initial(bare, n_states, name),
        )
        table._check_successors()
        return table

    def _check_successors(self) -> None:
        wrong = np.flatnonzero((self.next < 0) | (self.next >= self.n_states))
        if wrong.size:
            i = int(wrong[0])
            raise ProblemError(
                f"{self._place(i)}: next state {self.next[i] + self.first_state} does not exist, "
                f"there are {self.n_states}",
                None,
                {"state": int(self.state[i]), "action": int(self.action[i])},
            )

    def _place(self, row: int) -> str:
        state, action = self.state[row] + self.first_state, self.action[row] + self.first_action
        return f"{self.name}: P[{state}][{action}]"

    def _live(self) -> NDArray[np.bool_]:
        """The states where play can go on.

        That is a state that no ending transition names, one where episodes start, and where a
        transition that does not end anything leads from such a state. The rows of other states are
        never played, and decide nothing: tables often let the goal end in itself.
        """
        live = np.ones(self.n_states, dtype=np.bool_)
        live[self.next[self.terminated]] = False
        if self.initial is not None:
            live[self.initial > 0.0] = True
        goes_on = ~self.terminated
        while True:
            reached = live.copy()
            reached[self.next[goes_on & live[self.state]]] = True
            if (reached == live).all():
                return live
            live = reached

    def ends(self, failure: str = "restart", goal: int | Iterable[int] | None = None) -> Ends:
        """Tells success from failure."""
        if failure not in FAILURES:
            known = ", ".join(map(repr, FAILURES))
            raise SettingError(f"failure={failure!r}: expected one of {known}")
        live = self._live()
        ending = self.terminated & live[self.state]
        if not ending.any():
            raise ProblemError(
                f"{self.name}: no transition of P ends an episode, so there is no goal"
            )
        if goal is not None:
            success = ending & np.isin(self.next, self._goals(goal))
            if not success.any():
                raise ProblemError(f"{self.name}: no transition of P ends an episode in {goal!r}")
        elif failure == "end":
            success = ending
        else:
            success = ending & (self.reward == self.reward[ending].max())
        failed = ending & ~success
        if failure == "end":
            success, failed = ending, np.zeros_like(ending)
        both = np.intersect1d(self.next[success], self.next[failed])
        if both.size:
            rewards = np.unique(self.reward[ending & (self.next == both[0])])
            shown = ", ".join(f"{reward:g}" for reward in rewards[:4])
            state = int(both[0]) + self.first_state
            raise ProblemError(
                f"{self.name}: episodes end in state {state} with different rewards "
                f"({shown}): is that success or failure?",
                f"goal={state} says that it is success, failure='end' takes every end for success",
                {"state": int(both[0])},
            )
        return Ends(self, failure, live, success, failed, np.unique(self.next[success]))

    def _goals(self, goal: int | Iterable[int]) -> NDArray[np.int64]:
        goals = [goal] if not isinstance(goal, Iterable) else list(goal)
        for one in goals:
            if isinstance(one, bool) or not hasattr(one, "__index__"):
                raise SettingError(f"goal: expected an observation or several, not {one!r}")
            if not 0 <= int(one) - self.first_state < self.n_states:
                raise SettingError(f"goal: {self.name} has no observation {one}")
        return np.array([int(one) - self.first_state for one in goals], dtype=np.int64)

    def problem(
        self,
        ends: Ends,
        cost: str | float | ArrayLike | None = None,
        start: int | str | None = None,
        penalty: float = 0.0,
    ) -> Problem:
        """The problem in which ends are what they were told to be."""
        back = self._penalty(ends, penalty)
        reward, asked = self._rewards(ends, cost)
        played = ends.live[self.state]
        if back > 0.0:
            if asked == "1" or (asked is None and bool((reward[played] > 0.0).any())):
                reward = np.full_like(reward, -1.0)
            asked = "reward"
        begin, initial = self._start(start)
        goal, lost = self._added(ends)
        following = np.where(ends.success, goal, self.next)
        following = np.where(ends.failed & ends.live[self.next], lost, following)
        columns = (self.state, self.action, self.prob, following, reward)
        rows = [
            [int(s), int(a), float(p), int(n), float(r), False]
            for s, a, p, n, r in zip(*(column[played] for column in columns), strict=True)
        ]
        # these are entered only as an episode ends
        states = max(lost, int(following[played].max()) + 1)
        starts = [(int(s), initial[s]) for s in np.flatnonzero(initial)]
        starts = starts if begin == "all" else [(int(begin), 1.0)]
        for s in [*np.flatnonzero(~ends.live).tolist(), *range(lost, states)]:
            if s == goal:
                continue
            if s in ends.goals:
                rows.append([s, 0, 1.0, goal, 0.0, False])
            elif back > 0.0:
                rows.extend([s, 0, p, n, -back, False] for n, p in starts)
            else:
                rows.append([s, 0, 1.0, s, -1.0, False])
        params: dict[str, Any] = {"goal": str(goal), "cost": asked, "start": begin}
        if ends.failure == "restart":
            params["restart"] = True
        content = {
            "env": self.name,
            "n_states": states,
            "n_actions": self.n_actions,
            "initial_distribution": initial,
            "columns": COLUMNS,
            "transitions": rows,
        }
        return _opened(json.dumps(content).encode(), f"gymnasium:{self.name}", params)

    def _added(self, ends: Ends) -> tuple[int, int]:
        """The goal, and the state of failures in states where play can go on.

        A goal that is entered in no other way stays where it is; else it is added. Of several goals
        the first stands for all.
        """
        own = not ends.live[ends.goals].any()
        return (int(ends.goals[0]), self.n_states) if own else (self.n_states, self.n_states + 1)

    def fallen(self, ends: Ends, state: int) -> int:
        """The state of the problem in which an episode that fails in a state ends."""
        return self._added(ends)[1] if ends.live[state] else state

    def _start(self, start: int | str | None) -> tuple[str, list[float]]:
        """What the reader is told of the start."""
        initial = [] if self.initial is None else self.initial.tolist()
        if start is None or start == "all":
            if not initial:
                raise ProblemError(
                    f"{self.name} does not say where episodes start (`initial_state_distrib`)",
                    "start=... says it",
                )
            return "all", initial
        if isinstance(start, (str, bool)) or not hasattr(start, "__index__"):
            raise SettingError(f"start={start!r}: expected an observation, or 'all'")
        number = int(start) - self.first_state
        if not 0 <= number < self.n_states:
            raise SettingError(f"start: {self.name} has no observation {start}")
        return str(number), initial

    def _rewards(
        self, ends: Ends, cost: str | float | ArrayLike | None
    ) -> tuple[NDArray[np.float64], str | None]:
        """The rewards whose negatives are the costs, and what the reader is told of them."""
        played = ends.live[self.state]
        if cost is None or isinstance(cost, str):
            if cost == "shortfall":
                return self._checked(self._shortfall(ends), played), "reward"
            if cost not in (None, "reward", "1"):
                raise SettingError(
                    f"cost={cost!r}: expected 'reward', '1', 'shortfall' or an array of costs"
                )
            checked = self._checked(self.reward, played) if cost == "reward" else self.reward
            return checked, cost
        try:
            costs = np.asarray(plain(cost, "cost", SettingError), dtype=np.float64)
            costs = np.broadcast_to(costs, (self.n_states, self.n_actions))
        except (TypeError, ValueError):
            raise SettingError(
                f"cost: expected one number for each of {self.n_states} states and "
                f"{self.n_actions} actions"
            ) from None
        given = costs[self.state, self.action]
        if not (np.isfinite(given) & (given >= 0.0)).all():
            raise SettingError("cost: a cost is finite and not negative")
        if (given == 1.0).all():
            return self.reward, "1"
        return -given, "reward"

    def _penalty(self, ends: Ends, penalty: float) -> float:
        if isinstance(penalty, bool) or not isinstance(penalty, int | float | np.number):
            raise SettingError(f"penalty={penalty!r}: expected a number")
        if not 0.0 <= float(penalty) < np.inf:
            raise SettingError(f"penalty={penalty!r}: expected a finite number, not below 0")
        if penalty and ends.failure != "restart":
            raise SettingError(f"penalty: failure={ends.failure!r} has no way back to pay for")
        return float(penalty)

    def _shortfall(self, ends: Ends) -> NDArray[np.float64]:
        paid = np.unique(self.reward[ends.success])
        if len(paid) > 1 or paid[0] <= 0.0:
            shown = ", ".join(f"{reward:g}" for reward in paid[:4])
            raise ProblemError(
                f"{self.name}: cost='shortfall' needs one positive reward at the goal, not {shown}"
            )
        return self.reward - np.where(ends.success, paid[0], 0.0)

    def _checked(
        self, reward: NDArray[np.float64], played: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """The same, if no action pays on average: a cost cannot be negative."""
        pairs = self.state * self.n_actions + self.action
        mean = np.bincount(pairs, self.prob * reward * played, self.n_states * self.n_actions)
        pays = np.flatnonzero(mean > 0.0)
        if pays.size:
            s, a = divmod(int(pays[0]), self.n_actions)
            raise ProblemError(
                f"{self.name}: P[{s + self.first_state}][{a + self.first_action}] pays "
                f"{mean[pays[0]]:g} on average, and a cost cannot be negative",
                "cost='1' counts steps; cost='shortfall' counts what rewards fall short of the one "
                "at the goal, if no other is positive",
                {"state": s, "action": a},
            )
        return reward


def _opened(content: bytes, name: str, params: dict[str, Any]) -> Problem:
    try:
        return _goalward.open_bytes(content, name, params)
    except FileError as error:  # there is no file that the user knows of
        raise ProblemError(error.message, error.hint, error.place) from None


def _unwrapped(env: Any) -> Any:
    if not hasattr(env, "unwrapped"):
        raise ProblemError(f"{type(env).__name__} is no Gymnasium environment")
    return env.unwrapped


def env_name(env: Any) -> str:
    """The id of an environment, or its class."""
    spec = getattr(env, "spec", None)
    return str(getattr(spec, "id", None) or type(env.unwrapped).__name__)


def _discrete(env: Any, which: str, name: str) -> tuple[int, int]:
    """The size of a space, and its first element."""
    try:
        from gymnasium.spaces import Discrete
    except ImportError as error:
        raise ImportError("this needs gymnasium: pip install 'goalward[gym]'") from error

    space = getattr(env, which, None)
    if not isinstance(space, Discrete):
        what = which.replace("_", " ")
        raise ProblemError(
            f"{name}: the {what} is {space}, and it must be Discrete",
            "gw.learn_env takes state_of=, which makes states of observations",
        )
    return int(space.n), int(space.start)


def _by_number(listed: Any, n: int, first: int, place: str, what: str) -> Iterable[tuple[int, Any]]:
    """What a dictionary or a list has for each number, counted from 0."""
    if isinstance(listed, Mapping):
        entries: Iterable[tuple[Any, Any]] = listed.items()
    elif isinstance(listed, (Sequence, np.ndarray)) and not isinstance(listed, str):
        entries = ((number + first, entry) for number, entry in enumerate(listed))
    else:
        raise ProblemError(f"{place}: expected a dictionary by {what}, not {_kind(listed)}")
    for number, entry in entries:
        if not hasattr(number, "__index__") or not 0 <= int(number) - first < n:
            raise ProblemError(f"{place}: there is no {what} {number!r}, the space has {n}")
        yield int(number) - first, entry


def _outcomes(
    outcomes: Any, where: str, state: int, action: int
) -> list[tuple[float, int, float, bool]]:
    """The outcomes of an action, checked."""

    def refused(what: str, **place: Any) -> ProblemError:
        return ProblemError(f"{where}: {what}", None, {"state": state, "action": action, **place})

    if not isinstance(outcomes, (Sequence, np.ndarray)) or isinstance(outcomes, str):
        raise refused(f"expected a list of transitions, not {_kind(outcomes)}")
    rows = []
    for number, row in enumerate(outcomes):
        if not isinstance(row, (Sequence, np.ndarray)) or len(row) != 4:
            raise refused(
                f"transition {number} is {row!r}, and it must be "
                "(probability, next state, reward, terminated)"
            )
        try:
            prob, reward, terminated = float(row[0]), float(row[2]), bool(row[3])
            following = int(row[1])
        except (TypeError, ValueError):
            raise refused(f"transition {number} is {row!r}: these are no numbers") from None
        if following != row[1]:
            raise refused(f"transition {number} leads to {row[1]!r}, which is no state")
        if not 0.0 <= prob <= 1.0 + TOLERANCE:
            raise refused(f"transition {number} has probability {prob:g}", probability=prob)
        if not np.isfinite(reward):
            raise refused(f"transition {number} pays a reward of {reward:g}")
        rows.append((prob, following, reward, terminated))
    total = sum(row[0] for row in rows)
    if abs(total - 1.0) > TOLERANCE:
        raise refused(f"the probabilities sum to {total:.9g}, not to 1", sum=total)
    return rows


def _kind(value: Any) -> str:
    return type(value).__name__


def _initial(env: Any, n_states: int, name: str) -> NDArray[np.float64] | None:
    given = getattr(env, "initial_state_distrib", None)
    if given is None:
        return None
    try:
        initial = np.asarray(given, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise ProblemError(f"{name}: initial_state_distrib has no numbers") from None
    if len(initial) != n_states:
        raise ProblemError(
            f"{name}: initial_state_distrib has {len(initial)} entries for {n_states} states"
        )
    if not (initial >= 0.0).all() or abs(initial.sum() - 1.0) > TOLERANCE:
        raise ProblemError(f"{name}: initial_state_distrib sums to {initial.sum():g}, not to 1")
    return initial


def _mixture(problems: list[Problem], names: list[str] | None) -> Problem:
    """Problems over the same states and actions as candidate models of one."""
    if not problems:
        raise ProblemError("there is no environment", "give at least one")
    first = problems[0]
    if len(problems) == 1 and names is None:
        return first
    width = first.n_actions
    counts = np.diff(first.first_pairs)
    costs = np.nan_to_num(first.costs, nan=1.0)
    blocks = []
    for number, problem in enumerate(problems):
        called = names[number] if names else number
        if (problem.start, problem.goal) != (first.start, first.goal) or not np.array_equal(
            np.diff(problem.first_pairs), counts
        ):
            raise ProblemError(
                f"environment {called} has other states, actions, starts or ends than the first",
                "candidate models are about the same states and actions",
            )
        if not np.allclose(np.nan_to_num(problem.costs, nan=1.0), costs, rtol=1e-9, atol=1e-12):
            raise ProblemError(
                f"environment {called}: a step costs something else than in the first",
                "cost='1' counts steps and ignores rewards",
            )
        if problem.dim != 1:
            raise ProblemError(f"environment {called} is a mixture already")
        indptr, following, prob = problem.kernel()
        lengths = np.zeros((problem.n_states, width), dtype=np.int64)
        lengths[np.arange(width) < counts[:, np.newaxis]] = np.diff(indptr)
        rows = np.concatenate([[0], np.cumsum(lengths.reshape(-1))])
        blocks.append([(rows, following.astype(np.int64), prob)])
    try:
        return _goalward.problem_from_models(
            blocks,
            np.ascontiguousarray(costs),
            np.ascontiguousarray(np.arange(width) < counts[:, np.newaxis]),
            {
                "name": first.name,
                "start": first.start,
                "goal": first.goal,
                "state_names": first.state_names,
                "action_names": None,
                "model_names": names,
                "theta": None,
            },
        )
    except GoalwardError as error:
        error.message = f"the environments make no mixture: {error.message}"
        raise
