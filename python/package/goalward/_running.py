"""Running learners in simulated worlds."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goalward import _goalward
from goalward._goalward import Learner, Problem
from goalward._own import GUARD, Guarded, OwnLearner, _made, _name
from goalward._progress import Bar
from goalward.errors import GoalwardWarning, MisuseError, SettingError
from goalward.results import Comparison, Run, _rejected

__all__ = ["compare", "run"]

LearnerLike = str | Learner | OwnLearner | type[OwnLearner] | Guarded


def run(
    problem: Problem,
    learner: LearnerLike | None = None,
    episodes: int = 1000,
    seed: int = 0,
    *,
    max_steps: int | None = None,
    on_misfit: str | None = None,
    misfit_level: float | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Run:
    """Let a learner act in a problem whose theta is known, and see what it pays.

    ``learner`` is an id with or without settings, such as ``"levis++@B=3"``; further settings are
    keyword arguments. It may also be a ``Learner``, which goes on from where it stands, a class of
    your own, or one that is ``Guarded``. None takes the one that is recommended. The same seed
    gives the same run as ``goalward learn``, bit for bit.

    ``on_misfit`` says what happens when the data reject every mixture of the models at the level
    ``misfit_level`` (0.01): ``"warn"``, as usual, goes on and gives a ``GoalwardWarning`` at the
    end, ``"stop"`` ends the run, ``"tabular"`` goes on with a learner that ignores the models. A
    ``Learner`` has been told when it was made.

    >>> import goalward as gw
    >>> result = gw.run(gw.worlds.make("windy-grid", n=3), "lr", episodes=20, seed=3)
    >>> result.episodes, result.truncated
    (20, False)
    >>> result.misfit["status"]
    'none'
    """
    _told_of_misfit(learner, on_misfit, misfit_level)
    learner = learner or _goalward.recommended(**settings)
    label = _label(learner, settings)
    _count(episodes, "episodes", 0)
    _count(seed, "seed", 0)
    job = (label, problem, _made(learner, problem, seed), seed)
    with Bar("episodes", episodes, progress) as bar:
        vigilance = (on_misfit, misfit_level)
        [ran] = _goalward.run_jobs([job], episodes, max_steps, 1, bar.tell, vigilance, settings)
    run = Run(problem, ran)
    _warn_of_misfit([run])
    return run


def compare(
    problem: Problem,
    learners: Sequence[LearnerLike] | Mapping[str, LearnerLike],
    episodes: int = 1000,
    seeds: int | Iterable[int] = 10,
    *,
    max_steps: int | None = None,
    on_misfit: str | None = None,
    misfit_level: float | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Run several learners on the same luck, in threads, and compare what they pay.

    ``seeds`` is their number, or which they are. A mapping gives the learners names of your own.
    Learners in Python are classes, made anew for each seed. ``on_misfit`` and ``misfit_level`` are
    those of ``run``. Ctrl-C stops within half a second.

    >>> import goalward as gw
    >>> problem = gw.worlds.make("windy-grid", n=3)
    >>> both = gw.compare(problem, ["lr", "random"], episodes=20, seeds=3)
    >>> both.labels
    ['lr', 'random']
    """
    named = _named(learners)
    numbers = _seeds(seeds)
    _count(episodes, "episodes", 1)
    jobs = [
        (label, problem, _made(learner, problem, seed), seed)
        for label, learner in named.items()
        for seed in numbers
    ]
    threads = _count(threads, "threads", 1) if threads is not None else os.cpu_count() or 1
    with Bar("episodes", episodes * len(jobs), progress) as bar:
        vigilance = (on_misfit, misfit_level)
        ran = _goalward.run_jobs(jobs, episodes, max_steps, threads, bar.tell, vigilance)
    runs = [Run(problem, one) for one in ran]
    _warn_of_misfit(runs)
    return Comparison(problem, runs)


def _told_of_misfit(learner: Any, on_misfit: str | None, misfit_level: float | None) -> None:
    """Refuse to tell a learner that is made what to do when its models are wrong."""
    if not isinstance(learner, str | None) and (on_misfit, misfit_level) != (None, None):
        raise SettingError(
            f"{_label(learner)} is not told here what to do on misfit",
            "give it to Learner(...) or Guarded(...), which watch their models",
        )


def _warn_of_misfit(runs: Sequence[Run]) -> None:
    """Say once that the data reject every mixture, unless something else was to be done then."""
    done = [run.stopped is not None or "fallback" in run.result["parameters"] for run in runs]
    rejected = [run for run, done in zip(runs, done) if _rejected(run) and not done]
    if not rejected:
        return
    first = rejected[0]
    where = f" in {len(rejected)} of {len(runs)} runs; {first.label}, seed {first.seed}"
    text = first.misfit["text"] if first.misfit else ""
    warnings.warn(
        f"no mixture of the models explains the data{where if len(runs) > 1 else ''}: {text}",
        GoalwardWarning,
        stacklevel=3,
    )


def _named(learners: Sequence[LearnerLike] | Mapping[str, LearnerLike]) -> dict[str, LearnerLike]:
    if isinstance(learners, str):
        raise SettingError("learners: expected a list", f"write [{learners!r}]")
    if not isinstance(learners, Mapping):
        named = {_label(learner): learner for learner in learners}
        if len(named) < len(learners):
            raise SettingError(
                "learners: two have the same name", "give them names: {'mine': ..., 'other': ...}"
            )
        learners = named
    if not learners:
        raise SettingError("learners: there must be at least one")
    for learner in learners.values():
        kept = learner.inner if isinstance(learner, Guarded) else learner
        if not isinstance(kept, str | type):
            raise MisuseError(
                f"{_label(learner)} would run several times, and has a state",
                "give its id with settings, or the class of your own learner",
            )
    return dict(learners)


def _label(learner: LearnerLike, settings: Mapping[str, Any] | None = None) -> str:
    """The name of a learner, with settings behind its id as the command line writes them."""
    given = {k.removesuffix("_"): v for k, v in (settings or {}).items() if v is not None}
    if isinstance(learner, str):
        texts = {k: str(v).lower() if isinstance(v, bool) else v for k, v in given.items()}
        return learner + "".join(f"@{key}={text}" for key, text in texts.items())
    if isinstance(learner, Guarded):
        own = _label(GUARD, {"inner": _name(learner.inner), **learner.settings})
    else:
        own = learner.id if isinstance(learner, Learner) else _name(learner)
    if given:
        raise SettingError(f"{own} takes no settings here: {', '.join(given)}")
    return own


def _count(number: Any, what: str, least: int) -> int:
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise SettingError(f"{what}: expected a whole number, not {number!r}")
    if int(number) < least or int(number) >= 2**64:
        raise SettingError(f"{what}={number}: it must be at least {least} and below 2^64")
    return int(number)


def _seeds(seeds: int | Iterable[int]) -> list[int]:
    """Seeds by their number, or one by one."""
    numbers = list(range(_count(seeds, "seeds", 1))) if isinstance(seeds, int) else list(seeds)
    for number in numbers:
        _count(number, "seeds", 0)
    if not numbers or len(set(numbers)) < len(numbers):
        raise SettingError("seeds: there must be at least one, and no two alike")
    return numbers
