"""The ids under which Gymnasium knows the worlds."""

from __future__ import annotations

import gymnasium
from gymnasium.envs.registration import registry

from goalward import worlds

__all__ = ["env_id", "env_ids", "register"]


def env_id(world: str) -> str:
    """The id of a world's environment.

    >>> env_id("windy-grid")
    'goalward/WindyGrid-v0'
    >>> env_id("psrl-random-mdp")
    'goalward/PsrlRandomMdp-v0'
    """
    return f"goalward/{''.join(word.capitalize() for word in world.split('-'))}-v0"


def env_ids() -> list[str]:
    """The ids of all environments, in the order of the worlds."""
    return [env_id(world) for world in worlds.ids()]


def register() -> None:
    """Register every world that is not registered yet; importing `goalward.gym` does it."""
    for world in worlds.ids():
        if env_id(world) not in registry:
            gymnasium.register(
                id=env_id(world),
                entry_point="goalward.gym:GoalwardEnv",
                kwargs={"world": world},
            )
