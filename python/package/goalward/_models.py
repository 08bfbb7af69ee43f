"""Arrays of a user as a problem: checked for their shapes here, for their numbers in Rust."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goalward import _goalward
from goalward._goalward import Problem
from goalward.errors import ProblemError

Names = Sequence[str]
Block = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def from_models(
    models: Sequence[Any],
    costs: ArrayLike,
    start: int | str,
    goal: int | str,
    *,
    state_names: Names | None = None,
    action_names: Names | Sequence[Names] | None = None,
    model_names: Names | None = None,
    theta: ArrayLike | None = None,
    available: ArrayLike | None = None,
    name: str = "mixture",
) -> Problem:
    """A problem from candidate models over the same states and actions: the truth is a mixture.

    Each model is an array P[s, a, s'] of float64 or float32, a scipy sparse matrix with a row for
    each s * actions + a, or one such matrix for each action. `models` may be a dictionary, whose
    keys are the names. `costs` is one number, or has one for each state and action, or for each
    next state, too. What the goal costs is not looked at.

    Rows that sum to 1 within 1e-5 are divided by their sums, and `notes` says so. `available`
    says which actions a state has; actions are then numbered within their state. `theta` are the
    true weights, where they are known: simulations and planning need them.

    >>> import numpy as np, goalward as gw
    >>> fast = np.array([[[0.1, 0.9]], [[0.0, 1.0]]])
    >>> slow = np.array([[[0.8, 0.2]], [[0.0, 1.0]]])
    >>> problem = gw.Problem.from_models([fast, slow], costs=1.0, start=0, goal=1)
    >>> problem.dim, problem.n_states
    (2, 2)
    """
    models, model_names = _named_models(models, model_names)
    held: list[Any] = []
    shape: tuple[int, int] | None = None
    asked = _floats(costs, "costs")
    for number, model in enumerate(models):
        called = model_names[number] if model_names and number < len(model_names) else number
        array, own = _model(model, f"model {called}")
        if shape is not None and own != shape:
            raise ProblemError(
                f"model {called} has {own[0]} states and {own[1]} actions, "
                f"and the models before it {shape[0]} and {shape[1]}"
            )
        shape = own
        held.append(array)
    if shape is None:
        raise ProblemError("there is no model", "give at least one, better two")
    states, _ = shape
    there = _available(available, shape)
    names = None if state_names is None else [str(name) for name in state_names]
    return _goalward.problem_from_models(
        held,
        _full_costs(asked, shape),
        there,
        {
            "name": name,
            "start": _state(start, "start", names, states),
            "goal": _state(goal, "goal", names, states),
            "state_names": names,
            "action_names": _action_names(
                action_names, there, _state(goal, "goal", names, states), available is not None
            ),
            "model_names": model_names,
            "theta": None if theta is None else numbers(theta, "theta"),
        },
    )


def _named_models(models: Sequence[Any], names: Names | None) -> tuple[list[Any], list[str] | None]:
    """The models, whether they come as a list, as an array of them, or by name in a dictionary."""
    if isinstance(models, dict):
        if names is not None:
            raise ProblemError("model_names: the models have names already, as keys")
        return list(models.values()), [str(key) for key in models]
    if isinstance(models, np.ndarray) and models.ndim == 3:
        raise ProblemError(
            "models: one array of three dimensions is one model", "write [P] for a single model"
        )
    if _is_sparse(models):
        raise ProblemError("models: one sparse matrix is one model", "write [P] for a single model")
    return list(models), None if names is None else [str(name) for name in names]


def _is_sparse(model: Any) -> bool:
    return hasattr(model, "tocsr") and hasattr(model, "nnz")


def _model(model: Any, called: str) -> tuple[Any, tuple[int, int]]:
    """A model as Rust reads it, with the numbers of its states and actions."""
    if _is_sparse(model):
        rows, states = model.shape
        if states == 0 or rows % states:
            raise ProblemError(
                f"{called}: a sparse matrix of {rows} rows and {states} columns",
                "give one row for each state and action, in the order s * actions + a",
            )
        return [_block(model, called)], (states, rows // states)
    if isinstance(model, Sequence) and len(model) > 0 and all(map(_is_sparse, model)):
        states = model[0].shape[1]
        for action, matrix in enumerate(model):
            if matrix.shape != (states, states):
                raise ProblemError(
                    f"{called}, action {action}: a matrix of shape {matrix.shape}, "
                    f"and it must be ({states}, {states})"
                )
        blocks = [_block(matrix, f"{called}, action {a}") for a, matrix in enumerate(model)]
        return blocks, (states, len(blocks))
    array = _real(model, called)
    if array.ndim != 3 or array.shape[0] != array.shape[2] or 0 in array.shape:
        raise ProblemError(
            f"{called}: an array of shape {array.shape}, "
            "and P[s, a, s'] has (states, actions, states)"
        )
    return np.ascontiguousarray(array), (array.shape[0], array.shape[1])


def plain(
    array: Any, called: str, error: Callable[[str, str], Exception] = ProblemError
) -> NDArray[Any]:
    """An array of which nothing was left out: numpy would drop masks and imaginary parts."""
    if _is_sparse(array):
        raise error(f"{called}: a sparse matrix is no array", "matrix.toarray() is one")
    if _is_masked(array):
        hint = "say what its masked entries are: array.filled(0.0)"
        raise error(f"{called}: a masked array has entries that are no numbers", hint)
    made = np.asarray(array)
    if made.dtype.kind == "c":
        hint = "array.real, if the imaginary parts mean nothing"
        raise error(f"{called}: expected real numbers, not {made.dtype}", hint)
    return made


def _is_masked(array: Any) -> bool:
    if isinstance(array, list | tuple):
        return any(map(_is_masked, array))
    return isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array)


def _real(array: Any, called: str) -> NDArray[Any]:
    """An array of float64 or float32; others become float64."""
    try:
        real = plain(array, called)
        if real.dtype not in (np.float64, np.float32):
            real = real.astype(np.float64, casting="safe" if real.dtype.kind in "biuf" else "no")
    except ProblemError:
        raise
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{called}: expected an array of numbers ({error})") from None
    return real


def _block(matrix: Any, called: str) -> Block:
    """A sparse matrix in compressed rows, without a copy where it is in that form already."""
    rows = matrix.tocsr()
    kind = np.promote_types(rows.indptr.dtype, rows.indices.dtype)
    indptr, indices = (np.ascontiguousarray(array, kind) for array in (rows.indptr, rows.indices))
    return indptr, indices, np.ascontiguousarray(_real(rows.data, called))


def _full_costs(costs: NDArray[np.float64], shape: tuple[int, int]) -> NDArray[np.float64]:
    """Costs for each state and action, or for each next state, too."""
    states, actions = shape
    if costs.ndim == 1 and costs.shape == (states,):
        costs = costs[:, np.newaxis]
    if costs.ndim == 3 and costs.shape == (states, actions, states):
        return np.ascontiguousarray(costs)
    if costs.ndim <= 2:
        try:
            return np.ascontiguousarray(np.broadcast_to(costs, shape))
        except ValueError:
            pass
    raise ProblemError(
        f"costs: an array of shape {costs.shape} for {states} states and {actions} actions",
        "give one number; or one for each state, for each state and action, or for each next state",
    )


def _available(available: ArrayLike | None, shape: tuple[int, int]) -> NDArray[np.bool_]:
    if available is None:
        return np.ones(shape, dtype=np.bool_)
    there = plain(available, "available")
    if there.dtype != np.bool_ or there.shape != shape:
        raise ProblemError(
            f"available: {there.dtype} of shape {there.shape}, and it must be bool of shape {shape}"
        )
    return np.ascontiguousarray(there)


def _state(state: int | str, what: str, names: list[str] | None, states: int) -> int:
    if isinstance(state, str):
        if names is None or state not in names:
            raise ProblemError(f"{what}: there is no state {state!r}", "state_names has the names")
        return names.index(state)
    try:
        number = int(np.asarray(state).astype(np.int64, casting="safe"))
    except (TypeError, ValueError):
        raise ProblemError(f"{what}: expected a state's number or name, not {state!r}") from None
    if not 0 <= number < states:
        raise ProblemError(f"{what}: state {number} does not exist, there are {states} states")
    return number


def _action_names(
    names: Names | Sequence[Names] | None, there: NDArray[np.bool_], goal: int, some: bool
) -> list[list[str]] | None:
    """Names of each state's own actions, from names of columns or of each state's columns."""
    states, actions = there.shape
    if names is None:
        if not some:
            return None
        names = [str(column) for column in range(actions)]
    if len(names) == actions and all(isinstance(name, str) for name in names):
        rows: list[list[str]] = [[str(name) for name in names]] * states
    elif len(names) == states and not any(isinstance(row, str) for row in names):
        rows = [[str(name) for name in row] for row in names]
    else:
        raise ProblemError(
            f"action_names: {len(names)} entries for {states} states of {actions} actions",
            "give one name for each action, or one list for each state",
        )
    named: list[list[str]] = []
    for state, row in enumerate(rows):
        if state == goal:
            named.append([])
        elif len(row) == actions:
            own = zip(row, there[state], strict=True)
            named.append([name for name, is_there in own if is_there])
        else:
            named.append(row)
    return named


def numbers(numbers: ArrayLike, what: str) -> list[float]:
    """Numbers one after the other."""
    return [float(x) for x in _floats(numbers, what).reshape(-1)]


def _floats(numbers: ArrayLike, what: str) -> NDArray[np.float64]:
    try:
        return np.asarray(plain(numbers, what), dtype=np.float64)
    except ProblemError:
        raise
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{what}: expected numbers ({error})") from None


def from_features(
    features: ArrayLike,
    costs: ArrayLike,
    start: int | str,
    goal: int | str,
    *,
    facts: Sequence[tuple[ArrayLike, float]] | None = None,
    state_names: Names | None = None,
    action_names: Names | Sequence[Names] | None = None,
    theta: ArrayLike | None = None,
    available: ArrayLike | None = None,
    name: str = "features",
) -> Problem:
    """A problem from features phi[s, a, s'] of dim numbers each: P(s'|s, a) is their product with
    an unknown theta. `facts` are known facts (a, b): the sum of a[i] * theta[i] is at most b.

    >>> import numpy as np, goalward as gw
    >>> phi = np.zeros((2, 1, 2, 2))
    >>> phi[0, 0, 0] = [0.5, 0.0]
    >>> phi[0, 0, 1] = [0.5, 1.0]
    >>> gw.Problem.from_features(phi, costs=1.0, start=0, goal=1).dim
    2
    """
    phi = np.asarray(_real(features, "features"), dtype=np.float64)
    if phi.ndim != 4 or phi.shape[0] != phi.shape[2] or 0 in phi.shape:
        raise ProblemError(
            f"features: an array of shape {phi.shape}, "
            "and phi[s, a, s'] has (states, actions, states, dim)"
        )
    shape = (phi.shape[0], phi.shape[1])
    there = _available(available, shape)
    names = None if state_names is None else [str(name) for name in state_names]
    end = _state(goal, "goal", names, shape[0])
    full = _full_costs(_floats(costs, "costs"), shape)
    if full.ndim == 3:
        raise ProblemError("costs: with features they are for each state and action")
    taken = there.copy()
    taken[end] = False
    local = np.cumsum(taken, axis=1) - 1
    rows = np.argwhere((phi != 0).any(axis=3) & taken[:, :, np.newaxis])
    state, action, following = rows.T
    return _goalward.problem_from_features(
        np.concatenate([[0], np.cumsum(taken.sum(axis=1))]).tolist(),
        full[taken].tolist(),
        np.ascontiguousarray(np.stack([state, local[state, action], following], axis=1), np.int64),
        np.ascontiguousarray(phi[state, action, following]),
        [(numbers(a, "facts"), float(b)) for a, b in (() if facts is None else facts)],
        {
            "name": name,
            "start": _state(start, "start", names, shape[0]),
            "goal": end,
            "state_names": names,
            "action_names": _action_names(action_names, there, end, available is not None),
            "model_names": None,
            "theta": None if theta is None else numbers(theta, "theta"),
        },
    )
