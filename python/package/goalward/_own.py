"""Learners that are written in Python."""

from __future__ import annotations

from abc import ABC, abstractmethod

from goalward._goalward import Problem

__all__ = ["OwnLearner"]


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
