"""What runs come to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from goalward._frames import Frames
from goalward._goalward import Problem
from goalward._html import table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Comparison", "Run"]

COLUMNS = ("cost", "steps", "regret", "gap_regret")
"""What is known of each episode."""


class Run(Frames):
    """One run of a learner: numbers for each episode as arrays, and what it came to."""

    problem: Problem
    """Where it ran."""
    label: str
    """What it is called in a comparison."""
    learner: str
    """The learner's id."""
    seed: int
    """The seed of the world's luck and of the learner's own."""
    cost: NDArray[np.float64]
    """What each episode cost."""
    steps: NDArray[np.int64]
    """How many steps each took."""
    regret: NDArray[np.float64]
    """The cost of all episodes so far less what the optimal policy pays on average."""
    gap_regret: NDArray[np.float64]
    """The sum of Q*(s,a) - V*(s) so far: the same mean as the regret, far less noise."""
    theta: NDArray[np.float64] | None
    """The estimate of theta at the end; None from a learner that makes none."""
    truncated: bool
    """Whether a limit on steps ended it in the middle of an episode."""
    result: dict[str, Any]
    """Everything, as ``goalward learn --json`` says it."""
    seconds: float
    """How long it took."""

    def __init__(self, problem: Problem, ran: dict[str, Any]) -> None:
        self.problem = problem
        self.label = ran["label"]
        self.result = ran["result"]
        self.learner = self.result["learner"]
        self.seed = self.result["seed"]
        self.cost = ran["cost"]
        self.steps = ran["steps"]
        self.regret = ran["regret"]
        self.gap_regret = ran["gap_regret"]
        theta = self.result["theta_hat"]
        self.theta = None if theta is None else np.asarray(theta, dtype=np.float64)
        self.truncated = self.result["truncated"]
        self.seconds = ran["seconds"]

    @property
    def episodes(self) -> int:
        """How many episodes were finished."""
        return int(self.result["episodes"])

    @property
    def total_cost(self) -> float:
        """What all of it cost."""
        return float(self.result["total_cost"])

    @property
    def total_regret(self) -> float:
        """The regret of the whole run."""
        return float(self.result["regret"])

    @property
    def guarantee(self) -> dict[str, Any] | None:
        """What is proved of the learner, with every condition checked against the truth."""
        guarantee: dict[str, Any] | None = self.result["guarantee"]
        return guarantee

    @property
    def regret_certified(self) -> float | None:
        """What the regret over finished episodes is at most, by the plans' own values.

        None where nothing is certified. ``total_regret`` also has an episode that was cut off.
        """
        certified = self.result["regret_certified"]
        return None if certified is None else float(certified)

    @property
    def misfit(self) -> dict[str, Any] | None:
        """Whether any mixture of the models explains the data; None if the learner ignores them.

        ``"status"`` is ``"none"``, ``"evidence"`` or ``"rejected"``, ``"text"`` the same in a line,
        ``"where"`` the states and actions that the models explain least.
        """
        misfit: dict[str, Any] | None = self.result["misfit"]
        return misfit

    @property
    def stopped(self) -> str | None:
        """``"misfit"`` if the run ended because the data reject every mixture; None otherwise."""
        stopped: str | None = self.result.get("stopped")
        return stopped

    @property
    def intervals(self) -> NDArray[np.float64] | None:
        """An interval for every entry of theta, as rows of two numbers."""
        ends = self.result.get("theta_interval")
        if ends is None:
            return None
        low_high = [(None, None) if pair is None else pair for pair in ends]
        return np.array(
            [
                (-np.inf if low is None else low, np.inf if high is None else high)
                for low, high in low_high
            ]
        )

    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns, one number for each episode, the episodes from 1."""
        numbers: dict[str, NDArray[Any]] = {"episode": np.arange(1, len(self.cost) + 1)}
        return numbers | {name: getattr(self, name) for name in COLUMNS}

    def plot(self, ax: Axes | None = None, *, quantity: str = "regret") -> Axes:
        """Draw a column over the episodes with matplotlib."""
        from goalward._plots import draw

        return draw([self], ax, quantity)

    def __repr__(self) -> str:
        return (
            f"Run({self.label!r} on {self.problem.name!r}, seed={self.seed}, "
            f"episodes={self.episodes}, regret={self.total_regret:.6g})"
        )

    def _repr_html_(self) -> str:
        rows = [
            ("problem", self.problem.name),
            ("seed", self.seed),
            ("episodes", self.episodes),
            ("steps", self.result["steps"]),
            ("cost", f"{self.total_cost:.6g}"),
            ("regret", f"{self.total_regret:.6g}"),
            ("plans", self.result["planner_calls"]),
            ("confidence set", self.result["radius"] or "none"),
            ("guarantee", _holds(self.guarantee)),
        ]
        if self.misfit is not None:
            rows.append(("misfit", self.misfit["text"]))
        return table(["", self.label], rows)


def _holds(guarantee: dict[str, Any] | None) -> str:
    return "none" if guarantee is None else f"holds: {guarantee['holds']}"


def _rejected(run: Run) -> bool:
    return run.misfit is not None and run.misfit["status"] == "rejected"


class Comparison(Frames):
    """Runs of several learners with the same seeds, which met the same luck."""

    problem: Problem
    """Where they ran."""
    runs: list[Run]
    """All runs: learner by learner, seed by seed."""

    def __init__(self, problem: Problem, runs: list[Run]) -> None:
        self.problem = problem
        self.runs = runs

    @property
    def labels(self) -> list[str]:
        """What the learners are called, in their order."""
        return list(dict.fromkeys(run.label for run in self.runs))

    @property
    def seeds(self) -> list[int]:
        """The seeds, in their order."""
        return list(dict.fromkeys(run.seed for run in self.runs))

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, label: str) -> list[Run]:
        """All runs of a learner."""
        runs = [run for run in self.runs if run.label == label]
        if not runs:
            raise KeyError(f"{label!r}; there are {', '.join(self.labels)}")
        return runs

    def summary(self) -> list[dict[str, Any]]:
        """For each learner the mean regret over the seeds, with its 95 % interval.

        The interval is Student's; it is None with a single seed. ``rejected`` counts the runs whose
        data reject every mixture of the models, ``stopped`` those that ended there.
        """
        from goalward._goalward import mean_interval

        rows = []
        for label in self.labels:
            runs = self[label]
            regrets = [run.total_regret for run in runs]
            rows.append(
                {
                    "learner": label,
                    "runs": len(runs),
                    "regret": float(np.mean(regrets)),
                    "interval": mean_interval(regrets),
                    "cost": float(np.mean([run.total_cost for run in runs])),
                    "truncated": sum(run.truncated for run in runs),
                    "rejected": sum(_rejected(run) for run in runs),
                    "stopped": sum(run.stopped is not None for run in runs),
                    "confidence_set": runs[0].result["radius"],
                    "guarantee": _holds(runs[0].guarantee),
                }
            )
        return rows

    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns of all runs, one number for each episode."""
        repeated = {
            "learner": np.repeat(
                [run.label for run in self.runs], [len(r.cost) for r in self.runs]
            ),
            "seed": np.repeat([run.seed for run in self.runs], [len(r.cost) for r in self.runs]),
        }
        own = [run.columns() for run in self.runs]
        return repeated | {
            name: np.concatenate([columns[name] for columns in own])
            for name in ("episode", *COLUMNS)
        }

    def plot(self, ax: Axes | None = None, *, quantity: str = "regret") -> Axes:
        """Draw the mean of a column over the episodes, with a band for its 95 % interval."""
        from goalward._plots import draw

        return draw(self.runs, ax, quantity)

    def __repr__(self) -> str:
        means = ", ".join(f"{row['learner']}: {row['regret']:.4g}" for row in self.summary())
        return f"Comparison({self.problem.name!r}, {len(self.seeds)} seeds, mean regret {means})"

    def _repr_html_(self) -> str:
        rows = []
        for row in self.summary():
            ends = row["interval"]
            interval = "" if ends is None else f"[{ends[0]:.4g}, {ends[1]:.4g}]"
            kind = row["confidence_set"] or "none"
            rows.append((row["learner"], f"{row['regret']:.4g}", interval, kind, row["guarantee"]))
        head = ["learner", "mean regret", "95 % interval", "confidence set", "guarantee"]
        return table(head, rows)
