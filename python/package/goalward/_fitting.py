"""The mixture from logged transitions, with valid intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goalward import _goalward
from goalward._goalward import Problem
from goalward._html import table
from goalward._models import plain
from goalward.errors import MisuseError

__all__ = ["Fit", "fit"]


class Fit:
    """What a log says: which mixtures explain it, and what a policy costs."""

    problem: Problem
    """Whose models are mixed."""
    delta: float
    """The probability with which an interval may be wrong."""
    rows: int
    """The transitions of the log."""
    weights: NDArray[np.float64]
    """The mixture of greatest likelihood."""
    intervals: NDArray[np.float64]
    """A lower and an upper end for each weight; all hold at once, at all times."""
    hidden: NDArray[np.bool_]
    """The weights that transitions cannot tell, however many there are."""
    contradiction: bool
    """Whether the data contradict every mixture: no interval means anything then."""
    misfit: dict[str, Any]
    """Whether any mixture explains the data."""
    impossible_rows: int
    """How many transitions no model allows. They are left out of the weights."""
    impossible: list[dict[str, Any]]
    """The first few different ones."""
    policy: NDArray[np.int64] | None
    """The best policy of the fitted mixture, if no other was given and if there is one."""
    value: float
    """What the policy costs from the start with the fitted mixture; NaN if there is no policy."""
    value_interval: tuple[float, float]
    """What it costs at least and at most, if every state has weights of its own in the set."""
    trapped: list[int]
    """States that the policy may never leave, for all that is known."""

    def __init__(self, problem: Problem, delta: float, found: dict[str, Any]) -> None:
        self.problem = problem
        self.delta = delta
        for name in ("rows", "contradiction", "misfit", "impossible_rows", "impossible"):
            setattr(self, name, found[name])
        weights = found["weights"]
        self.weights = np.array([one["weight"] for one in weights], dtype=np.float64)
        low = [-np.inf if one["low"] is None else one["low"] for one in weights]
        high = [np.inf if one["high"] is None else one["high"] for one in weights]
        self.intervals = np.array([low, high], dtype=np.float64).T.copy()
        self.hidden = np.array([one["hidden"] for one in weights], dtype=np.bool_)
        policy = found["policy"]
        self.policy = None if policy is None else np.asarray(policy, dtype=np.int64)
        fitted, least, most, trapped = found["value"] or (np.nan, np.nan, np.nan, [])
        self.value, self.value_interval, self.trapped = fitted, (least, most), list(trapped)

    def __repr__(self) -> str:
        low, high = self.value_interval
        return (
            f"Fit({self.problem.name!r}, rows={self.rows}, "
            f"value={self.value:.6g} in [{low:.6g}, {high:.6g}], misfit={self.misfit['status']!r})"
        )

    def _repr_html_(self) -> str:
        names = self.problem.model_names
        rows = [
            (name, f"{weight:.4g} in [{low:.4g}, {high:.4g}]")
            for name, weight, (low, high) in zip(names, self.weights, self.intervals, strict=True)
        ]
        rows.append(("misfit", str(self.misfit["text"])))
        return table(["model", f"weight, from {self.rows} rows"], rows)


def fit(
    problem: Problem,
    states: ArrayLike,
    actions: ArrayLike,
    nexts: ArrayLike,
    *,
    delta: float = 0.01,
    policy: ArrayLike | None = None,
) -> Fit:
    """Estimate the mixture from logged transitions, by number and in the order of time.

    The intervals hold with probability 1 - ``delta`` for data gathered by any policy, if no row was
    left out because of what came of it. ``policy`` has an action for every state, and -1 where
    there is none; its cost is bounded. Without one that is the best policy of the fitted mixture.

    >>> import goalward as gw
    >>> problem = gw.worlds.make("windy-grid", n=3)
    >>> found = gw.fit(problem, [0, 1, 4], [0, 1, 1], [1, 4, 7])
    >>> found.rows, found.weights.shape, found.misfit["status"]
    (3, (5,), 'none')
    >>> low, high = found.value_interval
    >>> low <= found.value <= high
    True
    """
    given = {"states": states, "actions": actions, "nexts": nexts}
    numbers = [_numbers(array, name) for name, array in given.items()]
    chosen = None if policy is None else _numbers(policy, "policy")
    if chosen is not None and len(chosen) != problem.n_states:
        raise MisuseError(
            f"policy: {len(chosen)} entries for {problem.n_states} states",
            "give an action for every state, and -1 where there is none",
        )
    found = _goalward.fit(problem, numbers[0], numbers[1], numbers[2], delta, chosen)
    return Fit(problem, delta, found)


def _numbers(array: ArrayLike, name: str) -> NDArray[np.int64]:
    """Whole numbers, one after the other."""
    given = plain(array, name, MisuseError)
    if given.ndim != 1 or not (np.issubdtype(given.dtype, np.integer) or given.size == 0):
        raise MisuseError(
            f"{name}: expected one dimension of whole numbers, "
            f"not {given.dtype} of shape {given.shape}"
        )
    return np.ascontiguousarray(given, dtype=np.int64)
