"""goalward and Gymnasium: every world as an environment, and learners for other environments.

>>> import gymnasium
>>> import goalward.gym
>>> env = gymnasium.make("goalward/WindyGrid-v0", n=5, max_steps=200)
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(0)
>>> reward, terminated
(-0.2, False)

Importing this module registers the environments. Gymnasium can import it itself, too:
``gymnasium.make("goalward.gym:goalward/WindyGrid-v0")``.
"""

from __future__ import annotations

try:
    import gymnasium as _gymnasium
except ImportError as _error:
    raise ImportError("goalward.gym needs gymnasium: pip install 'goalward[gym]'") from _error

from goalward.gym._env import GoalwardEnv, make_env
from goalward.gym._learning import learn_env
from goalward.gym._registration import env_id, env_ids, register
from goalward.gym._results import EnvRun

__all__ = ["EnvRun", "GoalwardEnv", "env_id", "env_ids", "learn_env", "make_env", "register"]

del _gymnasium
register()
