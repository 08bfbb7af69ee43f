"""Fits of logged transitions, and truths that are no mixture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import goalward as gw


def logged(problem: gw.Problem, steps: int, seed: int) -> list[list[int]]:
    """Random steps: states, actions and where they led."""
    rng = np.random.default_rng(seed)
    indptr, successors, kernel = problem.kernel()
    first, state = problem.first_pairs, problem.start
    rows: list[list[int]] = [[], [], []]
    for _ in range(steps):
        action = int(rng.integers(first[state + 1] - first[state]))
        pair = first[state] + action
        row = slice(indptr[pair], indptr[pair + 1])
        after = int(rng.choice(successors[row], p=kernel[row] / kernel[row].sum()))
        for column, entry in zip(rows, (state, action, after), strict=True):
            column.append(entry)
        state = problem.start if after == problem.goal else after
    return rows


def test_intervals_have_the_weights() -> None:
    problem = gw.worlds.make("windy-grid", n=3)
    found = gw.fit(problem, *logged(problem, 2000, 1))
    assert problem.theta is not None and found.rows == 2000
    assert (found.intervals[:, 0] <= problem.theta).all()
    assert (problem.theta <= found.intervals[:, 1]).all()
    assert found.misfit["status"] == "none" and not found.hidden.any()
    best = gw.solve(problem)
    known = gw.fit(problem, *logged(problem, 2000, 1), policy=best.policy)
    low, high = known.value_interval
    assert low <= best.value <= high and known.policy is None
    assert "Fit('windy-grid'" in repr(found) and "calm" in found._repr_html_()


def test_what_cannot_be_is_refused() -> None:
    problem = gw.worlds.make("windy-grid", n=3)
    with pytest.raises(gw.GoalwardError, match=r"action\[1\]"):
        gw.fit(problem, [0, 1], [0, 9], [1, 4])
    with pytest.raises(gw.GoalwardError, match="goal"):
        gw.fit(problem, [problem.goal], [0], [1])
    with pytest.raises(gw.MisuseError, match="lengths"):
        gw.fit(problem, [0, 1], [0], [1])
    with pytest.raises(gw.MisuseError, match="whole numbers"):
        gw.fit(problem, [0.5], [0], [1])
    with pytest.raises(gw.MisuseError, match="policy: 99 entries for 9 states"):
        gw.fit(problem, [0], [0], [1], policy=[0] * 99)
    with pytest.raises(gw.MisuseError, match="masked"):
        gw.fit(problem, np.ma.masked_equal([0, 1], 1), [0, 0], [1, 1])
    with pytest.raises(gw.MisuseError, match="real numbers"):
        gw.fit(problem, [0], [0], [1], policy=np.zeros(9) * 1j)
    with pytest.raises(gw.GoalwardError, match="delta"):
        gw.fit(problem, [0], [0], [1], delta=2.0)


def test_a_kernel_that_is_no_mixture(tmp_path: Path) -> None:
    problem = gw.worlds.make("windy-grid", n=3, reversed=0.3)
    assert problem.theta is None
    found = gw.fit(problem, *logged(problem, 4000, 2))
    assert found.misfit["status"] == "rejected"
    coin = gw.worlds.make("windy-grid", n=2)
    rows = [(s, a, coin.goal, 1.0) for s in range(3) for a in range(4)]
    sure = coin.with_kernel(rows)
    assert sure.theta is None and gw.solve(sure).value == pytest.approx(0.2)
    with pytest.raises(gw.GoalwardError, match=r"sums to 0\.5"):
        coin.with_kernel([(0, 0, 1, 0.5), *rows[1:]])
