"""Figures with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from goalward._goalward import mean_interval
from goalward.errors import SettingError
from goalward.results import COLUMNS, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["axes", "draw", "finished"]

NAMES = {
    "regret": "regret",
    "gap_regret": "gap regret",
    "cost": "cost of the episode",
    "steps": "steps of the episode",
}


def draw(runs: Sequence[Run], ax: Axes | None, quantity: str) -> Axes:
    """Draw the mean of a column for each learner, with a band where there are several seeds."""
    if quantity not in COLUMNS:
        raise SettingError(f"quantity={quantity!r}: expected {', '.join(COLUMNS)}")
    ax = axes(ax)
    for label in dict.fromkeys(run.label for run in runs):
        curves = [
            np.asarray(getattr(run, quantity), dtype=float) for run in runs if run.label == label
        ]
        length = min(map(len, curves))
        if length == 0:
            continue
        every = np.stack([curve[:length] for curve in curves])
        episodes = np.arange(1, length + 1)
        # a figure has no more than a few hundred columns of dots to show
        shown = np.unique(np.linspace(0, length - 1, min(length, 400)).astype(int))
        [line] = ax.plot(episodes[shown], every.mean(axis=0)[shown], label=label, linewidth=1.8)
        if len(curves) > 1:
            band = np.array([mean_interval(every[:, k].tolist()) for k in shown])
            ax.fill_between(
                episodes[shown],
                band[:, 0],
                band[:, 1],
                color=line.get_color(),
                alpha=0.18,
                linewidth=0,
            )
    return finished(ax, runs[0].problem.name, NAMES[quantity])


def axes(ax: Axes | None) -> Axes:
    """The axes to draw on, new ones if none are given."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'goalward[plot]'") from error
    if ax is None:
        _, ax = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
    return ax


def finished(ax: Axes, title: str, quantity: str) -> Axes:
    """Labels, grid and legend of curves over episodes."""
    ax.set_xlabel("episode")
    ax.set_ylabel(quantity)
    ax.set_title(title)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.legend(frameon=False)
    return ax
