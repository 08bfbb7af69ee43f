"""Learners that are written in Python, alone or under guard."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from goalward import _goalward
from goalward._goalward import Learner, Problem
from goalward.errors import MisuseError, SettingError

__all__ = ["Guarded", "OwnLearner"]

GUARD: str = next(
    entry["id"]
    for entry in _goalward.learners_json()
    if any(parameter["name"] == "inner" for parameter in entry["parameters"])
)
"""The learner that guards an inner one."""


class OwnLearner(ABC):
    """The base of a learner of your own: write ``act`` and ``observe``.

    Every function that takes a learner takes the class: it is made anew for each run, with the
    problem, which lacks its truth, and the run's seed. States and actions are numbers. What you
    draw at random should come from the seed.

    >>> import random
    >>> import goalward as gw
    >>> class Coin(gw.OwnLearner):
    ...     def __init__(self, problem, seed):
    ...         super().__init__(problem, seed)
    ...         self.luck = random.Random(seed)
    ...     def act(self, state):
    ...         return self.luck.randrange(len(self.problem.actions(state)))
    ...     def observe(self, state, action, cost, next_state):
    ...         pass
    >>> problem = gw.worlds.make("windy-grid", n=3)
    >>> gw.run(problem, Coin, episodes=5, seed=1).episodes
    5
    """

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem = problem
        self.seed = seed

    @abstractmethod
    def act(self, state: int) -> int:
        """Choose an action of a state that is not the goal."""

    @abstractmethod
    def observe(self, state: int, action: int, cost: float, next_state: int) -> object:
        """Learn from a step."""

    def end_episode(self) -> None:
        """Hear that the goal was reached."""


class Guarded:
    """A learner of your own under guard: any policy with the regret theorem of ``lr``.

    It plays as long as its certified bill stays within a budget, and ``lr`` plays where it does
    not. It sees every step, those of ``lr`` too. ``inner`` is its class, made anew for each run, or
    an object for a single run. Settings are those of the learner ``guarded``, such as ``budget``,
    ``kappa`` and ``delta``, and ``on_misfit`` and ``misfit_level`` of `goalward.Learner`.

    ``run``, ``compare`` and ``learn_env`` take it like a class. The ``guard`` of a result has the
    books. Called with a problem and a seed it makes a `goalward.Learner` for a loop of your own,
    which cannot be saved.

    >>> import goalward as gw
    >>> class North(gw.OwnLearner):
    ...     def act(self, state):
    ...         return 0
    ...     def observe(self, state, action, cost, next_state):
    ...         pass
    >>> problem = gw.worlds.make("windy-grid", n=3)
    >>> run = gw.run(problem, gw.Guarded(North, budget=1), episodes=50, seed=1)
    >>> guard = run.result["guard"]
    >>> guard["inner"], len(guard["handovers"]) <= guard["inner_episodes"] < guard["episodes"]
    ('North', True)
    """

    def __init__(self, inner: OwnLearner | type[OwnLearner], **settings: Any) -> None:
        if isinstance(inner, str | Learner):
            name = inner.replace("@", ":") if isinstance(inner, str) else "ID"
            raise SettingError(
                "Guarded takes a learner of your own, not a built-in one",
                f'write "{GUARD}@inner={name}"',
            )
        if isinstance(inner, Guarded):
            raise SettingError(
                "a guard within a guard guards nothing", "give it the learner within"
            )
        if not hasattr(inner, "act") or not hasattr(inner, "observe"):
            raise MisuseError(
                f"{_name(inner)} is no learner: it has no methods act and observe",
                "goalward.OwnLearner is the base of one",
            )
        self.inner = inner
        self.settings = settings

    def __call__(self, problem: Problem, seed: int) -> Learner:
        """Make one for a problem, whose truth the inner learner does not see."""
        learner = Learner(GUARD, problem, seed=seed, inner="proposals", **self.settings)
        learner._follow(_made(self.inner, problem, seed), _name(self.inner))
        return learner


def _name(learner: Any) -> str:
    kind = learner if isinstance(learner, type) else type(learner)
    return str(getattr(learner, "label", kind.__name__))


def _made(learner: Any, problem: Problem, seed: int) -> Any:
    """A learner for a run, of a class or a guard."""
    if isinstance(learner, Guarded):
        return learner(problem, seed)
    return learner(problem._for_learners(), seed) if isinstance(learner, type) else learner
