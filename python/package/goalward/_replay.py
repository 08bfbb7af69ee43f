"""The replay of a run: one page that shows it episode by episode."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any

from goalward import _goalward
from goalward._goalward import Problem
from goalward._progress import Bar
from goalward._running import _count
from goalward.errors import FileError, SettingError

__all__ = ["Replay", "replay"]


class Replay:
    """A run as a page: the path of every episode, and what the learner believed then.

    A notebook shows it; ``save`` writes it to a file that opens in any browser, offline.
    """

    html: str
    """The page."""

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, over another page and nothing else; the file."""
        path = Path(path)
        if path.exists() and not path.read_bytes()[:16].lower().startswith(b"<!doctype html"):
            message = f"{path}: this is no HTML page, and would be overwritten"
            raise FileError(message, "name another file", {"path": str(path)})
        path.write_text(self.html, encoding="utf-8")
        return path

    def __repr__(self) -> str:
        return f"Replay({len(self.html)} characters of HTML; save(path) writes it to a file)"

    def _repr_html_(self) -> str:
        return (
            '<iframe style="width:100%;height:46em;border:0" title="replay of a run" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )


def replay(
    problem: Problem,
    learner: str | None = None,
    episodes: int = 200,
    seed: int = 0,
    path: str | os.PathLike[str] | None = None,
    *,
    max_steps: int | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Replay:
    """Run a learner and show the run: its paths, values, policy and confidence set.

    It is the run of ``goalward.run`` with the same seed. ``learner`` is an id, with or without
    settings, or None for the recommended one. With a ``path`` the page is written there, too.

    >>> import goalward as gw
    >>> page = gw.replay(gw.worlds.make("windy-grid", n=3), "lr", episodes=5)
    >>> page.html[:15].lower()
    '<!doctype html>'
    """
    if learner is None:
        learner = _goalward.recommended(**settings)
    if not isinstance(learner, str):
        raise SettingError(
            f"learner: expected an id, not {learner!r}", "a replay shows the learners of goalward"
        )
    _count(episodes, "episodes", 1)
    _count(seed, "seed", 0)
    with Bar("episodes", episodes, progress) as bar:
        page = Replay(
            _goalward.replay_page(problem, learner, episodes, seed, max_steps, bar.tell, settings)
        )
    if path is not None:
        page.save(path)
    return page
