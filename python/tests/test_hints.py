"""What errors advise can be done where they appear."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import goalward as gw


def lost() -> np.ndarray:
    """The goal, and a state that is never left."""
    model = np.zeros((3, 2, 3))
    model[0, 0, 1] = model[0, 1, 2] = model[1, :, 1] = 1.0
    return model


def hint_of(call: object) -> str:
    with pytest.raises(gw.GoalwardError) as caught:
        call()  # type: ignore[operator]
    return caught.value.hint or ""


def test_a_restart_is_advised_where_there_is_one() -> None:
    lake = gw.worlds.make("frozen-lake")
    hint = hint_of(lambda: gw.run(lake, "random", episodes=1))
    assert "restart=True (worlds.make, load)" in hint and "restart=true" not in hint
    assert 'failure="restart" (from_gymnasium)' in hint
    assert gw.solve(gw.worlds.make("frozen-lake", restart=True)).value < np.inf
    for make in (gw.Problem.from_models, gw.Problem.from_features):
        given = [lost()] if make is gw.Problem.from_models else lost()[..., np.newaxis]
        hint = hint_of(lambda make=make, given=given: make(given, 1.0, 0, 2))
        assert "restart" not in hint and "give them an action that leads on" in hint


def test_no_hint_speaks_of_the_command_line(tmp_path: Path, grid: gw.Problem) -> None:
    """Calls that go wrong in ways that the command line has flags for."""
    pond = Path(__file__).resolve().parents[2] / "examples" / "pond.json"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    (tmp_path / "study.toml").write_text(
        'name = "one"\nepisodes = 2\nseeds = 1\nlearners = ["random"]\nworlds = ["windy-grid"]\n'
    )
    unknown = grid.with_theta(None)
    calls = [
        lambda: gw.Learner("levis++", grid),
        lambda: gw.Learner("levis+++", grid),
        lambda: gw.Learner("lr", grid, delat=0.1),
        lambda: gw.Learner("lr", grid, delta=2),
        lambda: gw.solve(unknown),
        lambda: gw.run(unknown, "lr"),
        lambda: gw.worlds.make("windy-gird"),
        lambda: gw.worlds.make("windy-grid", m=3),
        lambda: gw.load(pond),
        lambda: gw.load(pond, cost="none"),
        lambda: gw.load(tmp_path / "none.json"),
        lambda: gw.solve(gw.load(pond)),
        lambda: gw.Learner("lr", gw.load(pond)),
        lambda: gw.lab.run(tmp_path / "study.toml", out=tmp_path / "mine"),
    ]
    for call in calls:
        try:
            call()
        except gw.GoalwardError as error:
            said = str(error)
            assert not re.search(r"(^|\s)--[a-z]|goalward [a-z]+ [A-Z]|restart=true", said), said
    hint = hint_of(lambda: gw.solve(unknown))
    assert "Problem.with_theta" in hint
    assert gw.solve(unknown.with_theta(grid.theta)).value > 0.0
