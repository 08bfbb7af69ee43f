"""Spaces of Gymnasium as numbers of states and actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from goalward._goalward import Problem
from goalward._gymnasium import env_name
from goalward._models import plain
from goalward._running import _count
from goalward.errors import MisuseError, SettingError

__all__ = ["numbering", "problem_of_spaces", "size"]

MOST = 20_000_000
"""States times actions times states: with more the arrays would fill the memory."""


def size(space: Any, given: int | None, what: str) -> int:
    """How many elements a space has.

    >>> size(spaces.Tuple([spaces.Discrete(3), spaces.Discrete(2)]), None, "observation")
    6
    """
    if given is not None:
        return _count(given, "n_states", 1)
    if isinstance(space, spaces.Discrete):
        return int(space.n)
    if what == "action":
        raise SettingError(f"the action space is {space}, and it must be Discrete")
    if isinstance(space, spaces.MultiDiscrete):
        return int(np.prod(space.nvec))
    if isinstance(space, spaces.MultiBinary):
        return 1 << int(np.prod(space.shape))
    if isinstance(space, spaces.Tuple):
        return int(np.prod([size(part, None, what) for part in space]))
    raise SettingError(
        f"the observation space is {space}, which has no numbers",
        "give state_of=, a function that makes a number of an observation, and n_states=",
    )


def numbering(space: Any, what: str) -> Callable[[Any], int]:
    """The number of an element within its space.

    >>> number = numbering(spaces.Tuple([spaces.Discrete(3), spaces.Discrete(2)]), "observation")
    >>> number((2, 1))
    5
    """
    size(space, None, what)
    if isinstance(space, spaces.Discrete):
        first = int(space.start)
        return lambda element: int(_whole(element, 1)[0]) - first
    if isinstance(space, spaces.Tuple):
        parts = [(numbering(part, what), size(part, None, what)) for part in space]

        def of_tuple(element: Any) -> int:
            number = 0
            for (of, count), entry in zip(parts, element, strict=True):
                number = number * count + of(entry)
            return number

        return of_tuple
    first = getattr(space, "start", 0)
    shape = space.nvec.reshape(-1) if isinstance(space, spaces.MultiDiscrete) else None
    if shape is None:
        shape = np.full(int(np.prod(space.shape)), 2)

    def of_array(element: Any) -> int:
        entries = _whole(element, len(shape)) - first
        if not ((entries >= 0) & (entries < shape)).all():
            raise MisuseError(f"the observation {element!r} is none of {space}")
        return int(np.ravel_multi_index(tuple(entries), tuple(shape)))

    return of_array


def _whole(element: Any, count: int) -> NDArray[np.int64]:
    """`count` whole numbers: others would become the next smaller ones."""
    entries = np.asarray(element).reshape(-1)
    if entries.dtype.kind not in "iub" or len(entries) != count:
        raise MisuseError(f"the observation {element!r} is not made of {count} whole numbers")
    return entries.astype(np.int64)


def problem_of_spaces(
    env: Any, states: int, actions: int, start: int, cost: str | float | ArrayLike | None
) -> Problem:
    """A problem that says nothing: any state may follow any action. The goal comes last."""
    if (states + 1) ** 2 * actions > MOST:
        raise SettingError(
            f"{states} states and {actions} actions: an array of all next states is too large",
            "make a problem that says which states can follow, and give a Learner for it",
        )
    if isinstance(cost, str) and cost != "1":
        raise SettingError(
            f"cost={cost!r}: without a table the rewards of an environment are not known",
            "give an array of costs, by state and action",
        )
    try:
        given = 1.0 if cost is None else plain(cost, "cost", SettingError)
        paid = np.asarray(given, dtype=np.float64)
        costs = np.ones((states + 1, actions))
        costs[:states] = paid if paid.ndim != 1 else paid[:, np.newaxis]
    except SettingError:
        raise
    except (TypeError, ValueError):
        raise SettingError(
            f"cost: expected a number for each of {states} states and {actions} actions"
        ) from None
    model = np.full((states + 1, actions, states + 1), 1.0 / (states + 1))
    model[states] = 0.0  # nothing follows the goal
    return Problem.from_models([model], costs, start, states, name=env_name(env))
