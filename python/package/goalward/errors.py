"""The exceptions of goalward: what is wrong, where, and what to do about it.

Every one is a ``ValueError``. Its attribute ``hint`` says what can be done, and ``place`` names the
spot: the file and line, the model, state and action, the sum of a row.

>>> import goalward as gw
>>> try:
...     gw.Learner("lrr", gw.worlds.make("windy-grid"))
... except gw.SettingError as error:
...     print(error.hint)
did you mean lr?
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "FileError",
    "GoalwardError",
    "GoalwardWarning",
    "MisuseError",
    "ProblemError",
    "SettingError",
    "StudyError",
    "TooLargeError",
]


class GoalwardError(ValueError):
    """Something is wrong with what goalward was given."""

    hint: str | None
    """What can be done about it."""
    place: dict[str, Any]
    """Where it is: ``path``, ``line``, ``model``, ``state``, ``action``, ``sum`` and so on."""

    def __init__(
        self, message: str, hint: str | None = None, place: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message, hint, place)
        self.message = message
        self.hint = hint
        self.place = dict(place or {})

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class GoalwardWarning(UserWarning):
    """Something that a user should know of: models that explain nothing, unread rewards."""


class ProblemError(GoalwardError):
    """A problem that is none: a row that sums to 0.9, a goal that cannot be reached."""


class SettingError(GoalwardError):
    """A learner, a world or a parameter that does not exist, or a value that it cannot have."""


class MisuseError(GoalwardError):
    """A learner was told something that cannot have happened, or asked for what is not there."""


class FileError(GoalwardError):
    """A file that cannot be read or written, or that holds something else."""


class StudyError(GoalwardError):
    """A study that cannot be run."""


class TooLargeError(GoalwardError, MemoryError):
    """It would take more memory than there is."""
