"""The learners that come with goalward.

>>> import goalward as gw
>>> "lr" in gw.learners.ids()
True
>>> gw.learners.describe("lr")["needs"]
[]
"""

from __future__ import annotations

from typing import Any

from goalward import _goalward
from goalward.errors import SettingError

__all__ = ["describe", "ids"]


def ids() -> list[str]:
    """The ids of all learners."""
    return [entry["id"] for entry in _goalward.learners_json()]


def describe(learner: str) -> dict[str, Any]:
    """What there is to say of a learner: reference, setting, needs, guarantee, parameters."""
    for entry in _goalward.learners_json():
        if entry["id"] == learner:
            return entry
    raise SettingError(f"there is no learner {learner!r}; there are {', '.join(ids())}")
