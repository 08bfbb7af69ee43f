"""What runs in Gymnasium environments come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from goalward._frames import Frames
from goalward._goalward import Learner, Problem
from goalward._html import table
from goalward._own import OwnLearner
from goalward.errors import SettingError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EnvRun"]

COLUMNS = ("cost", "steps", "reward", "terminated", "truncated", "success")
"""What is known of each episode."""


class EnvRun(Frames):
    """A run of a learner in an environment: numbers for each of its episodes, as arrays.

    There is no regret: what the best policy would have paid is not known here.
    """

    env: str
    """The id of the environment, or its class."""
    problem: Problem
    """What the learner took it for."""
    learner: Learner | OwnLearner
    """The learner as it stands now; it can go on."""
    label: str
    """What the learner is called."""
    seed: int
    """The seed of the environment and of the learner."""
    cost: NDArray[np.float64]
    """What each episode cost, as the problem counts."""
    steps: NDArray[np.int64]
    """How many steps each took."""
    reward: NDArray[np.float64]
    """The sum of its rewards, as the environment counts."""
    terminated: NDArray[np.bool_]
    """Whether it came to an end of its own."""
    truncated: NDArray[np.bool_]
    """Whether it was cut off."""
    success: NDArray[np.bool_]
    """Whether it reached the goal."""

    def __init__(
        self,
        learner: Learner | OwnLearner,
        problem: Problem,
        env: str,
        label: str,
        seed: int,
        columns: list[NDArray[Any]],
    ) -> None:
        self.learner, self.problem, self.env = learner, problem, env
        self.label, self.seed = label, seed
        self.cost, self.steps, self.reward = columns[:3]
        self.terminated, self.truncated, self.success = columns[3:]

    @property
    def episodes(self) -> int:
        """How many episodes there were."""
        return len(self.cost)

    @property
    def total_cost(self) -> float:
        """What all of it cost."""
        return float(self.cost.sum())

    @property
    def total_reward(self) -> float:
        """The sum of all rewards."""
        return float(self.reward.sum())

    @property
    def misfit(self) -> dict[str, Any] | None:
        """Whether any mixture of the models explains the data; None if the learner ignores them."""
        return self.learner.misfit if isinstance(self.learner, Learner) else None

    @property
    def stopped(self) -> str | None:
        """``"misfit"`` if the run ended because the data reject every mixture; None otherwise."""
        return self.learner.stopped if isinstance(self.learner, Learner) else None

    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns, one entry for each episode, the episodes from 1."""
        numbers: dict[str, NDArray[Any]] = {"episode": np.arange(1, self.episodes + 1)}
        return numbers | {name: getattr(self, name) for name in COLUMNS}

    def mean(self, quantity: str = "reward", window: int = 100) -> NDArray[np.float64]:
        """The mean of a column over the last ``window`` episodes, at each episode."""
        if quantity not in COLUMNS:
            raise SettingError(f"quantity={quantity!r}: expected {', '.join(COLUMNS)}")
        if window < 1:
            raise SettingError(f"window={window}: it must be at least 1")
        total = np.concatenate([[0.0], np.cumsum(getattr(self, quantity), dtype=np.float64)])
        last = np.arange(1, self.episodes + 1)
        first = np.maximum(last - window, 0)
        means: NDArray[np.float64] = (total[last] - total[first]) / (last - first)
        return means

    def plot(self, ax: Axes | None = None, *, quantity: str = "reward", window: int = 100) -> Axes:
        """Draw the mean of a column over the last ``window`` episodes with matplotlib."""
        from goalward._plots import axes, finished

        means = self.mean(quantity, window)
        ax = axes(ax)
        ax.plot(np.arange(1, self.episodes + 1), means, label=self.label, linewidth=1.8)
        title = quantity if window == 1 else f"{quantity}, mean over {window} episodes"
        return finished(ax, self.env, title)

    def __repr__(self) -> str:
        return (
            f"EnvRun({self.label!r} in {self.env!r}, seed={self.seed}, episodes={self.episodes}, "
            f"reward={self.total_reward:.6g})"
        )

    def _repr_html_(self) -> str:
        rows = [
            ("environment", self.env),
            ("seed", self.seed),
            ("episodes", self.episodes),
            ("reached the goal", int(self.success.sum())),
            ("truncated", int(self.truncated.sum())),
            ("steps", int(self.steps.sum())),
            ("cost", f"{self.total_cost:.6g}"),
            ("reward", f"{self.total_reward:.6g}"),
        ]
        if self.misfit is not None:
            rows.append(("misfit", self.misfit["text"]))
        return table(["", self.label], rows)
