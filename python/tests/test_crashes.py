"""A process ends, forks and asks from several threads without a crash: a sample of the soak."""

from __future__ import annotations

import signal
import threading
from types import FrameType

import numpy as np
import pytest

import crashes
import goalward as gw


@pytest.mark.parametrize("work", ["run", "compare", "solve", "study", "observe", "own"])
def test_the_interpreter_ends_while_daemon_threads_work(work: str) -> None:
    assert not crashes.ended(work, "the last line", threads=2)


@pytest.mark.parametrize("end", list(crashes.ENDS)[1:])
def test_it_ends_in_any_way(end: str) -> None:
    assert not crashes.ended("run", end)


def test_it_waits_for_a_call_of_a_learner_in_python() -> None:
    assert not crashes.ended(crashes.LONG, "the last line")


@pytest.mark.parametrize("destroy", [False, True])
def test_an_interpreter_within_another_ends(destroy: bool) -> None:
    assert not crashes.nested(destroy)


@pytest.mark.parametrize("way", crashes.FORKS)
def test_a_forked_child_works(way: str) -> None:
    assert not crashes.forked(way, used=True)


def test_everything_is_asked_while_another_thread_observes() -> None:
    assert not crashes.readers(5)


def test_a_signal_handler_that_asks_the_learner_at_work_is_told_so() -> None:
    problem = gw.worlds.make("windy-grid", n=60)
    learner = gw.Learner("lr", problem)
    said: list[str] = []

    def asks(_number: int, _frame: FrameType | None) -> None:
        try:
            learner.plans  # noqa: B018
        except RuntimeError as error:
            said.append(str(error))

    before = signal.signal(signal.SIGALRM, asks)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        for _ in range(100):
            learner = gw.Learner("lr", problem)
            learner.values  # noqa: B018
            if said:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert "in this very thread" in said[0]


def test_two_threads_that_observe_share_a_learner() -> None:
    learner = gw.Learner("q-learning", gw.worlds.make("windy-grid", n=3))
    cost = learner.problem.cost(0, 0)
    following = int(learner.problem.successors(0, 0)[0][0])

    def observes() -> None:
        for _ in range(500):
            learner.observe(0, 0, cost, following)

    threads = [threading.Thread(target=observes) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert learner.steps == 1000


CUT = {
    "solve": lambda: gw.solve(gw.worlds.make("windy-grid", n=400)),
    "run": lambda: gw.run(gw.worlds.make("windy-grid", n=400), "lr", episodes=10),
    "plan": lambda: gw.Learner("lr", gw.worlds.make("windy-grid", n=400)).values,
    "make": lambda: gw.worlds.make("windy-grid", n=1000),
}


@pytest.mark.parametrize("call", CUT)
def test_ctrl_c_ends_a_long_call(call: str) -> None:
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            CUT[call]()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def test_a_plan_that_was_cut_off_is_made_later() -> None:
    problem = gw.worlds.make("windy-grid", n=300)
    cut, whole = gw.Learner("lr", problem), gw.Learner("lr", problem)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            cut.act(problem.start)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert cut.plans == 0
    assert cut.act(problem.start) == whole.act(problem.start)
    assert (cut.values == whole.values).all() and cut.plans == 1


def test_arrays_that_change_while_they_are_read_are_no_panic() -> None:
    array = np.zeros((60, 4, 60))
    array[:, :, 59] = 1.0
    over = threading.Event()

    def write() -> None:
        while not over.is_set():
            array[:, :, 59] = 0.5
            array[:, :, 58] = 0.5
            array[:, :, 58] = 0.0
            array[:, :, 59] = 1.0

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(300):
            try:
                gw.Problem.from_models([array, array], 1.0, 0, 59)
            except gw.ProblemError:
                continue
    finally:
        over.set()
        writer.join()
