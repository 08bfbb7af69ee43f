"""What must not happen in Python: a panic, a crash, or an error that does not say where."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import goalward as gw
from subjects import coin

COIN = coin(0.5)
NAN = float("nan")


def models(
    *arrays: Any, costs: Any = 1.0, start: Any = 0, goal: Any = 1, **more: Any
) -> gw.Problem:
    return gw.Problem.from_models(list(arrays), costs, start, goal, **more)


def changed(at: tuple[int, ...], value: float) -> np.ndarray:
    array = COIN.copy()
    array[at] = value
    return array


def broken(**parts: np.ndarray) -> sp.csr_array:
    """A sparse matrix whose parts do not fit together."""
    matrix = sp.csr_array(COIN.reshape(2, 2))
    for name, part in parts.items():
        object.__setattr__(matrix, name, part)
    return matrix


PROBLEMS: dict[str, Callable[[], Any]] = {
    "no models": lambda: models(),
    "one model, not in a list": lambda: gw.Problem.from_models(COIN, 1.0, 0, 1),
    "one sparse model, not in a list": lambda: gw.Problem.from_models(
        sp.csr_array(COIN.reshape(2, 2)), 1.0, 0, 1
    ),
    "two dimensions": lambda: models(np.eye(2)),
    "not square": lambda: models(np.ones((2, 1, 3)) / 3),
    "empty": lambda: models(np.ones((0, 0, 0))),
    "no actions": lambda: models(np.ones((2, 0, 2))),
    "text": lambda: models(np.array([["a"]])),
    "objects": lambda: models(np.array([[None]])),
    "complex": lambda: models(COIN.astype(complex)),
    "complex and sparse": lambda: models(sp.csr_array(COIN.reshape(2, 2) * (1 + 1j))),
    "a complex matrix for each action": lambda: models([sp.csr_array(COIN[:, 0] * (1 + 1j))]),
    "complex costs": lambda: models(COIN, costs=[[1 + 1j], [0]]),
    "complex theta": lambda: models(COIN, COIN, theta=[0.5 + 1j, 0.5]),
    "masked": lambda: models(np.ma.masked_equal(COIN, 0.0)),
    "masked rows": lambda: models([np.ma.masked_equal(row, 0.0) for row in COIN]),
    "masked costs": lambda: models(COIN, costs=np.ma.masked_equal([[1.0], [0.0]], 0.0)),
    "masked theta": lambda: models(COIN, COIN, theta=np.ma.masked_equal([0.5, 0.5], 0.5)),
    "masked actions": lambda: models(COIN, available=np.ma.masked_equal([[True], [False]], False)),
    "sparse costs": lambda: models(COIN, costs=sp.csr_array(np.ones((2, 1)))),
    "masked features": lambda: gw.Problem.from_features(
        np.ma.masked_equal(COIN[..., np.newaxis], 0.0), 1.0, 0, 1
    ),
    "ragged": lambda: models([[1.0], [1.0, 2.0]]),
    "other shapes": lambda: models(COIN, np.ones((3, 1, 3)) / 3),
    "negative": lambda: models(changed((0, 0, 0), -0.5)),
    "nan": lambda: models(changed((0, 0, 0), NAN)),
    "infinite": lambda: models(changed((0, 0, 0), np.inf)),
    "sum too large": lambda: models(changed((0, 0, 0), 0.7)),
    "sum too small": lambda: models(changed((0, 0, 0), 0.2)),
    "half precision": lambda: models(np.full((2, 1, 2), 1 / 3).astype(np.float16)),
    "goal not absorbing": lambda: models(changed((1, 0, 0), 1.0)),
    "goal out of reach": lambda: models(np.array([[[1.0, 0.0]], [[0.0, 1.0]]])),
    "start beyond": lambda: models(COIN, start=2),
    "start below": lambda: models(COIN, start=-1),
    "start is a fraction": lambda: models(COIN, start=0.5),
    "start is nothing": lambda: models(COIN, start=None),
    "goal by a name that is none": lambda: models(COIN, goal="home"),
    "costs of another shape": lambda: models(COIN, costs=np.ones((3, 3))),
    "costs with nan": lambda: models(COIN, costs=[[NAN], [0.0]]),
    "costs below zero": lambda: models(COIN, costs=-1.0),
    "costs that are text": lambda: models(COIN, costs="dear"),
    "costs beyond all": lambda: models(COIN, costs=1e200),
    "too few names of states": lambda: models(COIN, state_names=["a"]),
    "too few names of models": lambda: models(COIN, COIN, model_names=["a"]),
    "names of models twice": lambda: models(COIN, COIN, model_names=["a", "a"]),
    "too many names of actions": lambda: models(COIN, action_names=["a", "b", "c"]),
    "available of another shape": lambda: models(COIN, available=np.ones((3, 1), bool)),
    "available is no flag": lambda: models(COIN, available=np.ones((2, 1))),
    "nothing available": lambda: models(COIN, available=np.zeros((2, 1), bool)),
    "theta too long": lambda: models(COIN, theta=[0.5, 0.5]),
    "theta below zero": lambda: models(COIN, coin(0.9), theta=[1.5, -0.5]),
    "theta nan": lambda: models(COIN, theta=[NAN]),
    "sparse with too few rows": lambda: models(sp.csr_array(np.ones((3, 2)))),
    "sparse with a wrong indptr": lambda: models(broken(indptr=np.array([0, 5, 3], np.int32))),
    "sparse with a short indptr": lambda: models(broken(indptr=np.array([0], np.int32))),
    "sparse with indices beyond": lambda: models(broken(indices=np.array([0, 9, 1], np.int32))),
    "sparse with indices below": lambda: models(broken(indices=np.array([0, -1, 1], np.int32))),
    "sparse with too few numbers": lambda: models(broken(data=np.array([1.0]))),
    "sparse by action, not square": lambda: models([sp.csr_array(np.ones((2, 3)))]),
    "features of three dimensions": lambda: gw.Problem.from_features(COIN, 1.0, 0, 1),
    "features with nan": lambda: gw.Problem.from_features(np.full((2, 1, 2, 2), NAN), 1.0, 0, 1),
    "features that are nothing": lambda: gw.Problem.from_features(
        np.zeros((2, 1, 2, 2)), 1.0, 0, 1
    ),
    "facts of another length": lambda: gw.Problem.from_features(
        COIN[..., None], 1.0, 0, 1, facts=[([1.0, 2.0], 0.0)]
    ),
    "facts that leave nothing": lambda: gw.Problem.from_features(
        COIN[..., None], 1.0, 0, 1, facts=[([1.0], 0.5)]
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_that_is_none(name: str) -> None:
    with pytest.raises(gw.ProblemError) as caught:
        PROBLEMS[name]()
    assert len(str(caught.value)) > 10


def learner(grid: gw.Problem) -> gw.Learner:
    learner = gw.Learner("lr", grid, seed=1)
    learner.observe(0, 0, None, 1)
    return learner


HUGE = 10**30
CALLS: dict[str, tuple[Callable[[gw.Learner], Any], type[Exception]]] = {
    "act beyond": (lambda it: it.act(9), gw.MisuseError),
    "act below": (lambda it: it.act(-1), gw.MisuseError),
    "act at the goal": (lambda it: it.act(8), gw.MisuseError),
    "act far beyond": (lambda it: it.act(HUGE), gw.MisuseError),
    "act on a fraction": (lambda it: it.act(0.5), TypeError),
    "act on nothing": (lambda it: it.act(None), TypeError),
    "act on a list": (lambda it: it.act([0]), TypeError),
    "act on a flag": (lambda it: it.act(True), TypeError),
    "act on a name": (lambda it: it.act("nowhere"), gw.MisuseError),
    "act on bytes": (lambda it: it.act(b"0"), TypeError),
    "act without a state": (lambda it: it.act(), TypeError),
    "observe a state beyond": (lambda it: it.observe(99, 0, 0.2, 1), gw.MisuseError),
    "observe an action beyond": (lambda it: it.observe(0, 99, 0.2, 1), gw.MisuseError),
    "observe an action beyond, free": (lambda it: it.observe(0, 99, None, 1), gw.MisuseError),
    "observe an action by no name": (lambda it: it.observe(0, "fly", None, 1), gw.MisuseError),
    "observe a next state beyond": (lambda it: it.observe(0, 0, None, 99), gw.MisuseError),
    "observe from the goal": (lambda it: it.observe(8, 0, 0.0, 1), gw.MisuseError),
    "observe nan": (lambda it: it.observe(0, 0, NAN, 1), gw.MisuseError),
    "observe infinity": (lambda it: it.observe(0, 0, float("inf"), 1), gw.MisuseError),
    "observe another cost": (lambda it: it.observe(0, 0, 0.7, 1), gw.MisuseError),
    "observe text": (lambda it: it.observe(0, 0, "dear", 1), TypeError),
    "observe too little": (lambda it: it.observe(0, 0), TypeError),
    "ask a set for nan": (lambda it: it.confidence_set.contains([NAN] * 5), gw.MisuseError),
    "observe a complex cost": (lambda it: it.observe(0, 0, np.complex128(0.2), 1), TypeError),
    "ask a set for complex numbers": (
        lambda it: it.confidence_set.margin([0.2 + 1j, 0.2, 0.2, 0.2, 0.2]),
        gw.ProblemError,
    ),
    "ask a set for masked numbers": (
        lambda it: it.confidence_set.interval(np.ma.masked_equal([1, 0, 0, 0, 0], 0)),
        gw.ProblemError,
    ),
    "ask a set for two": (lambda it: it.confidence_set.margin([0.5, 0.5]), gw.MisuseError),
    "ask a set for text": (lambda it: it.confidence_set.interval("up"), ValueError),
    "ask a set for a table": (lambda it: it.confidence_set.width(np.eye(5)), gw.MisuseError),
    "load nothing": (lambda it: gw.Learner.load("none.learner", it.problem), gw.FileError),
    "load a folder": (lambda it: gw.Learner.load(".", it.problem), gw.FileError),
    "save nowhere": (lambda it: it.save("/none/there"), gw.FileError),
    "write an attribute": (lambda it: setattr(it, "steps", 5), AttributeError),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_cannot_be_leaves_the_learner_as_it_was(name: str, grid: gw.Problem) -> None:
    it = learner(grid)
    before = it.__reduce__()[1][1]
    call, kind = CALLS[name]
    with pytest.raises(kind):
        call(it)
    assert it.__reduce__()[1][1] == before


def test_other_calls_that_cannot_be(grid: gw.Problem, tmp_path: Path) -> None:
    refused: list[tuple[Callable[[], Any], type[Exception]]] = [
        (lambda: gw.Learner("lrr", grid), gw.SettingError),
        (lambda: gw.Learner("", grid), gw.SettingError),
        (lambda: gw.Learner("lr@", grid), gw.SettingError),
        (lambda: gw.Learner("lr", grid, delta=0.0), gw.SettingError),
        (lambda: gw.Learner("lr", grid, delta=NAN), gw.SettingError),
        (lambda: gw.Learner("lr", grid, delta=[1]), TypeError),
        (lambda: gw.Learner("lr", grid, speed=3), gw.SettingError),
        (lambda: gw.Learner("lr", grid, seed=-1), OverflowError),
        (lambda: gw.Learner("lr", "grid"), TypeError),
        (lambda: gw.Learner("levis++", grid), gw.SettingError),
        (lambda: gw.Learner("levis++", grid.with_theta(None), B="oracle"), gw.SettingError),
        (lambda: gw.Problem(), TypeError),
        (lambda: gw.worlds.make("windy-gird"), gw.SettingError),
        (lambda: gw.worlds.make("windy-grid", n=-1), gw.SettingError),
        (lambda: gw.worlds.make("windy-grid", m=3), gw.SettingError),
        (lambda: gw.worlds.describe("nowhere"), gw.SettingError),
        (lambda: gw.learners.describe("nobody"), gw.SettingError),
        (lambda: gw.load(tmp_path), gw.FileError),
        (lambda: gw.load(5), TypeError),
        (lambda: grid.save(tmp_path), gw.FileError),
        (lambda: grid.actions(99), gw.MisuseError),
        (lambda: grid.cost(0, 99), gw.MisuseError),
        (lambda: grid.successors("x", 0), gw.MisuseError),
        (lambda: grid.with_theta([1.0]), gw.ProblemError),
        (lambda: grid.with_theta("a"), ValueError),
        (lambda: gw.run(grid, "lrr"), gw.SettingError),
        (lambda: gw.run(grid, 5), gw.MisuseError),
        (lambda: gw.run(grid, object), TypeError),
        (lambda: gw.run("grid", "lr"), TypeError),
        (lambda: gw.run(grid, "lr", episodes=-1), gw.SettingError),
        (lambda: gw.run(grid, "lr", episodes=1.5), gw.SettingError),
        (lambda: gw.run(grid, "lr", seed=2**70), gw.SettingError),
        (lambda: gw.run(grid, gw.Learner("lr", grid), delta=0.1), gw.SettingError),
        (lambda: gw.run(grid.with_theta(None), "lr"), gw.ProblemError),
        (lambda: gw.compare(grid, []), gw.SettingError),
        (lambda: gw.compare(grid, "lr"), gw.SettingError),
        (lambda: gw.compare(grid, ["lr", "lr"]), gw.SettingError),
        (lambda: gw.compare(grid, [gw.Learner("lr", grid)]), gw.MisuseError),
        (lambda: gw.compare(grid, ["lr"], seeds=0), gw.SettingError),
        (lambda: gw.compare(grid, ["lr"], seeds=[1, 1]), gw.SettingError),
        (lambda: gw.compare(grid, ["lr"], threads=0), gw.SettingError),
        (lambda: gw.solve(grid.with_theta(None)), gw.ProblemError),
        (lambda: gw.solve(grid, way="slow"), gw.SettingError),
        (lambda: gw.solve(None), TypeError),
        (lambda: gw.OwnLearner(grid, 0), TypeError),
    ]
    for number, (call, kind) in enumerate(refused):
        try:
            call()
        except kind as error:
            assert str(error), number
        except BaseException as error:
            pytest.fail(f"call {number}: {type(error).__name__}: {error}, not {kind.__name__}")
        else:
            pytest.fail(f"call {number} was taken")


def test_many_threads_on_one_learner(grid: gw.Problem) -> None:
    it = gw.Learner("lr", grid)
    wrong: list[BaseException] = []

    def hammer() -> None:
        for _ in range(300):
            try:
                it.observe(0, it.act(0), None, 1)
                _ = it.values, it.theta, it.intervals
            except RuntimeError:
                pass  # another thread has it
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=hammer) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and it.steps > 0
