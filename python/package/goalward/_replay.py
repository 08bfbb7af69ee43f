"""The replay of a run: a page that shows it episode by episode."""

from __future__ import annotations

import os
from html import escape
from typing import Any

from goalward import _goalward
from goalward._goalward import Problem
from goalward._progress import Bar
from goalward._running import _count, _with_settings
from goalward.errors import SettingError

__all__ = ["Replay", "replay"]


class Replay:
    """A page with the paths of a run, the learner's values and policy, and its confidence set.

    It is one file that needs nothing else. A notebook shows it in a frame.
    """

    html: str
    """The page."""
    height: int
    """How many pixels it takes in a notebook."""

    def __init__(self, html: str, height: int = 720) -> None:
        self.html = html
        self.height = height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, for a browser."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"Replay({len(self.html)} characters of HTML; save it and open it in a browser)"

    def _repr_html_(self) -> str:
        style = "width:100%;border:1px solid #ddd"
        page = escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" style="{style}" height="{self.height}"></iframe>'


def replay(
    problem: Problem,
    learner: str,
    episodes: int = 100,
    seed: int = 0,
    *,
    max_steps: int | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Replay:
    """Run a learner as `run` does, and make the page that ``goalward learn --replay`` makes.

    >>> import goalward as gw
    >>> page = gw.replay(gw.worlds.make("windy-grid", n=3), "lr", episodes=10, seed=1)
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    """
    _count(episodes, "episodes", 1)
    _count(seed, "seed", 0)
    text = _with_settings(learner, settings)
    if not isinstance(text, str):
        raise SettingError(
            f"learner: expected an id, not {type(learner).__name__}",
            "a replay is made of a run from its beginning",
        )
    with Bar("episodes", episodes, progress) as bar:
        page = _goalward.replay_page(problem, text, episodes, seed, max_steps, bar.tell)
    return Replay(page)
