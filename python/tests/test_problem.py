"""Problems from arrays and files."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import goalward as gw
from subjects import coin


def random_models(
    rng: np.random.Generator, count: int, states: int, actions: int
) -> list[np.ndarray]:
    """Models with some zeros whose last state is the goal."""
    models = []
    for _ in range(count):
        p = rng.random((states, actions, states)) * (rng.random((states, actions, states)) < 0.5)
        p[:, :, -1] += 0.1
        p /= p.sum(axis=2, keepdims=True)
        p[-1] = 0.0
        p[-1, :, -1] = 1.0
        models.append(p)
    return models


def features(problem: gw.Problem) -> np.ndarray:
    """All features as one dense array by pair, next state and model."""
    indptr, successors, phi = problem.features()
    dense = np.zeros((problem.n_pairs, problem.n_states, problem.dim))
    for pair in range(problem.n_pairs):
        rows = slice(indptr[pair], indptr[pair + 1])
        dense[pair, successors[rows]] = phi[rows]
    return dense


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_and_sparse_models_are_the_same(dtype: type) -> None:
    rng = np.random.default_rng(1)
    models = [p.astype(dtype) for p in random_models(rng, 3, 6, 2)]
    costs = rng.random((6, 2))
    flat = [p.reshape(12, 6) for p in models]
    ways = {
        "dense": models,
        "fortran": [np.asfortranarray(p) for p in models],
        "csr": [sp.csr_array(p) for p in flat],
        "csr matrix": [sp.csr_matrix(p) for p in flat],
        "csc": [sp.csc_array(p) for p in flat],
        "coo": [sp.coo_array(p) for p in flat],
        "by action": [[sp.csr_array(p[:, a]) for a in range(2)] for p in models],
    }
    wide = sp.csr_array(flat[0])
    wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
    ways["csr with long indices"] = [wide, *ways["csr"][1:]]
    expected = np.stack([p[:-1].reshape(10, 6) for p in models], axis=2)
    for name, way in ways.items():
        problem = gw.Problem.from_models(way, costs, 0, 5)
        got = features(problem)
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=0, err_msg=name)
        if dtype == np.float64:
            # but for rows that were off by rounding the numbers are the user's own
            assert np.abs(got - expected).max() <= 1e-15, name
        np.testing.assert_array_equal(problem.costs[:-1], costs[:-1])
        assert np.isnan(problem.costs[-1]).all()


def test_entries_that_stand_twice_add_up() -> None:
    twice = sp.coo_array(([0.5, 0.25, 0.25, 1.0], ([0, 0, 0, 1], [0, 1, 1, 1])), shape=(2, 2))
    problem = gw.Problem.from_models([twice], 1.0, 0, 1)
    successors, phi = problem.successors(0, 0)
    assert successors.tolist() == [0, 1] and phi.tolist() == [[0.5], [0.5]]


def test_rows_that_are_off_by_little_are_rescaled_and_it_is_said() -> None:
    off = coin(0.5)
    off[0, 0, 0] += 5e-6
    problem = gw.Problem.from_models([off, coin(0.9)], 1.0, 0, 1)
    assert "divided by its sum" in problem.notes[0] and "1.000005" in problem.notes[0]
    _, phi = problem.successors(0, 0)
    np.testing.assert_allclose(phi.sum(axis=0), 1.0, rtol=0, atol=1e-15)


def test_rows_that_are_off_by_more_are_refused_with_their_place() -> None:
    models = random_models(np.random.default_rng(2), 3, 5, 2)
    models[1][3, 1, 0] += 0.01
    with pytest.raises(gw.ProblemError) as caught:
        gw.Problem.from_models(models, 1.0, 0, 4, model_names=["a", "b", "c"])
    assert caught.value.place == {"model": "b", "state": "3", "action": "1"}
    assert "sums to 1.01" in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_costs_of_next_states_are_averaged_where_models_agree() -> None:
    costs = np.zeros((2, 1, 2))
    costs[0, 0] = [3.0, 3.0]
    problem = gw.Problem.from_models([coin(0.5), coin(0.9)], costs, 0, 1)
    assert problem.cost(0, 0) == 3.0
    costs[0, 0] = [3.0, 1.0]
    with pytest.raises(gw.ProblemError, match=r"model 0 expects a cost of 2.*model 1") as caught:
        gw.Problem.from_models([coin(0.5), coin(0.9)], costs, 0, 1)
    assert "one step later" in (caught.value.hint or "")


def test_actions_that_are_not_available_are_left_out() -> None:
    p = np.zeros((3, 2, 3))
    p[0, 1, 1] = p[1, 0, 2] = p[1, 1, 0] = 1.0
    there = np.array([[False, True], [True, True], [False, False]])
    problem = gw.Problem.from_models(
        [p], 1.0, 0, 2, available=there, action_names=["left", "right"]
    )
    assert problem.actions(0) == ["right"] and problem.actions(1) == ["left", "right"]
    assert problem.actions(2) == []
    with pytest.raises(gw.ProblemError, match="state 0, action 0: the row sums to 0"):
        gw.Problem.from_models([p], 1.0, 0, 2)


def test_names_are_used_everywhere() -> None:
    problem = gw.Problem.from_models(
        {"sun": coin(0.5), "rain": coin(0.9)},
        1.0,
        "home",
        "work",
        state_names=["home", "work"],
        action_names=["drive"],
    )
    assert problem.model_names == ["sun", "rain"]
    assert problem.start == 0 and problem.goal == 1 and problem.state("work") == 1
    learner = gw.Learner("lr", problem)
    assert learner.act("home") == 0
    learner.observe("home", "drive", 1.0, "work")
    with pytest.raises(gw.MisuseError, match='there is no state "park"'):
        learner.act("park")
    with pytest.raises(gw.MisuseError, match="no action"):
        learner.observe("home", "walk", 1.0, "work")
    assert learner.steps == 1


def test_features_are_the_general_form(coins: gw.Problem) -> None:
    phi = np.zeros((2, 1, 2, 2))
    phi[0, 0, 0], phi[0, 0, 1] = [0.5, 0.1], [0.5, 0.9]
    facts = [([-1.0, 0.0], 0.0), ([0.0, -1.0], 0.0)]
    problem = gw.Problem.from_features(phi, 1.0, 0, 1, facts=facts, theta=[0.25, 0.75])
    np.testing.assert_allclose(features(problem), features(coins), atol=1e-15)
    assert gw.solve(problem).value == pytest.approx(1.0 / 0.8, rel=1e-12)
    with pytest.raises(gw.ProblemError, match="theta is outside B"):
        gw.Problem.from_features(phi, 1.0, 0, 1, theta=[0.5, 0.6])


def test_a_problem_survives_files_pickle_and_copies(tmp_path: Path, grid: gw.Problem) -> None:
    path = tmp_path / "grid.json"
    grid.save(path)
    for other in (gw.load(path), pickle.loads(pickle.dumps(grid)), copy.deepcopy(grid)):
        for ours, theirs in zip(grid.features(), other.features(), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert other.theta is not None and grid.theta is not None
        np.testing.assert_array_equal(other.theta, grid.theta)
        run = gw.run(other, "lr", episodes=20, seed=4)
        assert run.total_regret == gw.run(grid, "lr", episodes=20, seed=4).total_regret


def test_every_file_format_loads() -> None:
    examples = Path(__file__).resolve().parents[2] / "examples"
    drn = gw.load(examples / "sunny.drn")
    assert drn.dim == 1 and gw.solve(drn).certificate["checked"]
    table = gw.load(examples / "pond.json", restart=True)
    assert table.n_states > 1
    with pytest.raises(gw.FileError) as caught:
        gw.load(examples / "sunny.drn", goal="nowhere")
    assert "nowhere" in str(caught.value) and str(examples) in caught.value.place["path"]
    with pytest.raises(gw.FileError, match="No such file"):
        gw.load(examples / "none.drn")


def test_theta_can_be_given_later(coins: gw.Problem) -> None:
    without = coins.with_theta(None)
    assert without.theta is None
    with pytest.raises(gw.ProblemError, match="no theta"):
        gw.solve(without)
    assert gw.solve(without.with_theta([1.0, 0.0])).value == pytest.approx(2.0, rel=1e-12)


def test_arrays_that_are_shown_cannot_be_written_to(grid: gw.Problem) -> None:
    solution = gw.solve(grid)
    assert solution.q is not None
    for array in (solution.values, solution.q, solution.policy, grid.costs):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    learner = gw.Learner("lr", grid)
    assert learner.values is learner.values and learner.q is learner.q
    before = learner.values
    while not learner.observe(0, 0, None, 1):
        pass
    assert learner.values is not before
