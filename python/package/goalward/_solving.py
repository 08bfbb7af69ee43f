"""Planning on known models, with certified bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalward import _goalward
from goalward._goalward import Problem
from goalward._html import table

__all__ = ["Solution", "solve"]


class Solution:
    """Optimal values with a proof: ``lower_values <= V <= upper_values`` in every state."""

    problem: Problem
    """What was solved."""
    objective: str
    """``min``, ``max`` or ``reach``."""
    value: float
    """The value of the start."""
    interval: tuple[float, float]
    """A certified interval for it."""
    values: NDArray[np.float64]
    """The value of every state."""
    lower_values: NDArray[np.float64]
    """A certified lower bound in every state."""
    upper_values: NDArray[np.float64]
    """A certified upper bound in every state."""
    q: NDArray[np.float64] | None
    """The value of every action, by state: a probability for ``reach``. NaN where there is none."""
    policy: NDArray[np.int64]
    """An action that attains the value; -1 at the goal and where the goal is lost."""
    steps: NDArray[np.float64]
    """The expected number of steps of the policy, by state; empty for ``reach``."""
    b_star: float
    """The largest value of a state from which the goal can be reached."""
    t_star: float
    """The largest expected number of steps."""
    reach_probability: float
    """The greatest probability of reaching the goal from the start."""
    lost: NDArray[np.int64]
    """The states from which the goal cannot be reached for sure."""
    certificate: dict[str, Any]
    """The widest relative interval, and what an independent check of all bounds found.

    ``checked_by`` says how. Each inequality of the proof is checked. Bounds that are too close
    together for that must agree with wider bounds whose inequalities were checked.
    """

    def __init__(self, problem: Problem, objective: str, found: dict[str, Any]) -> None:
        self.problem = problem
        self.objective = objective
        self.value = found["value"]
        self.interval = (found["lower"], found["upper"])
        for name in ("values", "lower_values", "upper_values", "q", "policy", "steps"):
            setattr(self, name, found[name])
        for name in ("b_star", "t_star", "reach_probability", "lost"):
            setattr(self, name, found[name])
        flaw = found["flaw"]
        self.certificate = {
            "width": found["width"],
            "checked": flaw is None,
            "checked_by": found["checked_by"],
            "flaw": flaw,
        }

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Solution({self.problem.name!r}, objective={self.objective!r}, "
            f"value={self.value:.10g}, interval=[{low!r}, {high!r}])"
        )

    def _repr_html_(self) -> str:
        low, high = self.interval
        rows = [
            ("value of the start", f"{self.value:.10g}"),
            ("certified interval", f"[{low!r}, {high!r}]"),
            ("B*", f"{self.b_star:.6g}"),
            ("T*", f"{self.t_star:.6g}"),
            ("independent check", "passed" if self.certificate["checked"] else "failed"),
        ]
        return table(["", self.problem.name], rows)


def solve(
    problem: Problem,
    objective: str = "min",
    *,
    precision: float | None = None,
    way: str = "auto",
) -> Solution:
    """Solve a problem whose theta is known, with certified bounds on every value.

    ``objective`` is ``min`` (the least cost to the goal), ``max`` (the greatest) or ``reach`` (the
    greatest probability of reaching it). ``way`` is ``exact`` (to the last digit), ``fast`` (made
    for size) or ``auto``.

    >>> import goalward as gw
    >>> solution = gw.solve(gw.worlds.make("windy-grid", n=3))
    >>> low, high = solution.interval
    >>> low <= solution.value <= high and solution.certificate["checked"]
    True
    """
    found = _goalward.solve(problem, objective, precision, way)
    return Solution(problem, objective, found)
