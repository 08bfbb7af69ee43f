"""Planning."""

from __future__ import annotations

import numpy as np
import pytest

import goalward as gw
from subjects import coin


def test_values_against_a_linear_solve(grid: gw.Problem) -> None:
    solution = gw.solve(grid)
    indptr, successors, kernel = grid.kernel()
    first = grid.first_pairs
    n = grid.n_states
    system, right = np.eye(n), np.zeros(n)
    for state in range(n):
        if state == grid.goal:
            continue
        pair = first[state] + solution.policy[state]
        row = slice(indptr[pair], indptr[pair + 1])
        system[state, successors[row]] -= kernel[row]
        right[state] = grid.cost(state, int(solution.policy[state]))
    system[:, grid.goal] = 0.0
    system[grid.goal, grid.goal] = 1.0
    np.testing.assert_allclose(solution.values, np.linalg.solve(system, right), rtol=1e-10)
    assert (solution.lower_values <= solution.values).all()
    assert (solution.values <= solution.upper_values).all()
    assert solution.b_star == solution.values.max()
    assert solution.certificate["checked"] and solution.certificate["width"] < 1e-9
    assert solution.q is not None
    np.testing.assert_allclose(np.nanmin(solution.q[:-1], axis=1), solution.values[:-1])


def test_objectives() -> None:
    p = np.zeros((4, 2, 4))
    p[0, 0, 3], p[0, 0, 2] = 0.25, 0.75
    p[0, 1, 1] = p[1, :, 3] = p[2, :, 2] = p[3, :, 3] = 1.0
    costs = np.array([[1.0, 5.0], [2.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    with pytest.raises(gw.ProblemError, match="unreachable"):
        gw.Problem.from_models([p], costs, 0, 3, theta=[1.0])
    p[2, 1] = [0, 0, 0, 1.0]
    problem = gw.Problem.from_models([p], costs, 0, 3, theta=[1.0])
    assert gw.solve(problem).value == pytest.approx(1.0)
    most = gw.solve(problem, "max")
    assert (most.value, most.b_star, most.t_star) == (np.inf, np.inf, np.inf)
    assert gw.solve(problem, "reach").value == pytest.approx(1.0)
    q = gw.solve(problem, "reach").q
    assert q is not None and q[:3] == pytest.approx(np.ones((3, 2))) and np.isnan(q[3]).all()
    with pytest.raises(gw.SettingError, match="objective"):
        gw.solve(problem, "least")
    with pytest.raises(gw.SettingError, match="precision"):
        gw.solve(problem, precision=0.0)


def test_a_coin() -> None:
    problem = gw.Problem.from_models([coin(0.25)], 2.0, 0, 1, theta=[1.0])
    for way in ("auto", "exact", "fast"):
        solution = gw.solve(problem, way=way, precision=1e-9)
        low, high = solution.interval
        assert low <= 8.0 <= high and solution.t_star == pytest.approx(4.0)
    assert "8" in repr(solution) and "<table>" in solution._repr_html_()
