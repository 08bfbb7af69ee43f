"""Replays from Python."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import goalward as gw


def data(page: gw.Replay) -> dict[str, Any]:
    """What the page draws."""
    island = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.S)
    assert island is not None
    shown: dict[str, Any] = json.loads(island[1])
    return shown


def test_a_replay_shows_the_run(grid: gw.Problem, tmp_path: Path) -> None:
    page = gw.replay(grid, "lr", episodes=15, seed=3, delta=0.05)
    assert page.html.startswith("<!DOCTYPE html>")
    shown = data(page)
    run = gw.run(grid, "lr", 15, 3, delta=0.05)
    assert [frame["steps"] for frame in shown["frames"]] == run.steps.tolist()
    assert shown["frames"][-1]["path"][-1] == grid.goal
    path = tmp_path / "replay.html"
    page.save(path)
    assert path.read_text(encoding="utf-8") == page.html
    assert page._repr_html_().startswith("<iframe") and "HTML" in repr(page)


def test_misuse_is_refused(grid: gw.Problem) -> None:
    with pytest.raises(gw.SettingError, match="expected an id"):
        gw.replay(grid, gw.Learner("lr", grid), episodes=3)
    with pytest.raises(gw.SettingError, match="episodes"):
        gw.replay(grid, "lr", episodes=0)
    with pytest.raises(gw.SettingError):
        gw.replay(grid, "nobody", episodes=3)
    with pytest.raises(gw.GoalwardError):
        gw.replay(grid.with_theta(None), "lr", episodes=3)


def test_a_run_that_is_cut_off_is_shown_as_far_as_it_went(grid: gw.Problem) -> None:
    page = gw.replay(grid, "lr", episodes=100, seed=1, max_steps=20)
    frames = data(page)["frames"]
    assert sum(frame["steps"] for frame in frames) == 20
    assert frames[-1]["finished"] == ("The last episode was not finished." not in page.html)
