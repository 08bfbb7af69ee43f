"""Learn the cheapest way to a goal while finding out how the world moves.

You have several candidate models of a system, and the truth is a mixture of them. goalward reaches
the goal cheaply while it finds out which mixture it is, with guarantees.

>>> import goalward as gw
>>> problem = gw.worlds.make("windy-grid", n=3)
>>> result = gw.run(problem, "lr", episodes=50, seed=1)
>>> result.regret.shape
(50,)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goalward import _hook, learners, worlds
from goalward._files import load
from goalward._fitting import Fit, fit
from goalward._goalward import ConfidenceSet, Learner, Problem
from goalward._goalward import version as _version
from goalward._gymnasium import from_gymnasium as _from_gymnasium
from goalward._models import from_features as _from_features
from goalward._models import from_models as _from_models
from goalward._own import Guarded, OwnLearner
from goalward._replay import Replay, replay
from goalward._running import compare, run
from goalward._solving import Solution, solve
from goalward.errors import (
    FileError,
    GoalwardError,
    GoalwardWarning,
    MisuseError,
    ProblemError,
    SettingError,
    StudyError,
    TooLargeError,
)
from goalward.results import Comparison, Run

if TYPE_CHECKING:
    from goalward import gym, lab
    from goalward.gym import learn_env

__version__ = _version()

# the class is compiled; what makes a problem of a user's objects is written in Python
for _make in (_from_models, _from_features, _from_gymnasium):
    setattr(Problem, _make.__name__, staticmethod(_make))

__all__ = [
    "Comparison",
    "ConfidenceSet",
    "FileError",
    "Fit",
    "GoalwardError",
    "GoalwardWarning",
    "Guarded",
    "Learner",
    "MisuseError",
    "OwnLearner",
    "Problem",
    "ProblemError",
    "Replay",
    "Run",
    "SettingError",
    "Solution",
    "StudyError",
    "TooLargeError",
    "compare",
    "fit",
    "gym",
    "lab",
    "learn_env",
    "learners",
    "load",
    "replay",
    "run",
    "solve",
    "worlds",
]


def __getattr__(name: str) -> Any:
    """What needs more than numpy is imported when it is asked for."""
    import importlib

    if name in ("gym", "lab"):
        return importlib.import_module(f"goalward.{name}")
    if name == "learn_env":
        return importlib.import_module("goalward.gym").learn_env
    raise AttributeError(f"module 'goalward' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_hook.install()
