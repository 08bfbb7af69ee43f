"""The worlds that come with goalward.

>>> import goalward as gw
>>> problem = gw.worlds.make("windy-grid", n=3)
>>> problem.n_states
9
"""

from __future__ import annotations

from typing import Any

from goalward import _goalward
from goalward._goalward import Problem
from goalward.errors import SettingError

__all__ = ["describe", "ids", "make"]


def make(world: str, **params: Any) -> Problem:
    """Make a built-in world by its id, such as ``windy-grid`` or ``windy-grid@n=3``.

    Further parameters are keyword arguments. ``describe(world)`` lists them.
    """
    if world.split("@")[0].strip() not in ids():
        known = ", ".join(ids())
        raise SettingError(f"there is no world {world!r}; there are {known}", "use load for a file")
    return _goalward.open_world(world, **params)


def ids() -> list[str]:
    """The ids of all built-in worlds."""
    return [entry["id"] for entry in _goalward.worlds_json()]


def describe(world: str) -> dict[str, Any]:
    """What there is to say of a world: its title, its reference and its parameters."""
    for entry in _goalward.worlds_json():
        if entry["id"] == world:
            return entry
    raise SettingError(f"there is no world {world!r}; there are {', '.join(ids())}")
