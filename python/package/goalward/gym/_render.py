"""Environments as text and as pictures, drawn with numpy alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goalward import _goalward
from goalward._goalward import Problem
from goalward.errors import GoalwardError, SettingError

if TYPE_CHECKING:
    from goalward.gym._env import _Rows

__all__ = ["Picture"]

Pixels = NDArray[np.uint8]
Reals = NDArray[np.float64]

FLOOR, LINE, WALL = (246, 243, 236), (222, 216, 203), (73, 80, 92)
PIT, START, GOAL = (58, 110, 165), (206, 224, 240), (38, 143, 91)
AGENT, RIM, ARROW, TIE = (226, 88, 46), (255, 255, 255), (70, 78, 90), (168, 174, 184)
DEAR = (166, 124, 176)
"""The floor where values are highest, if values are shown."""

SIZE = 640
"""About how many pixels the longer side has."""
LARGEST, SMALLEST = 56, 2
"""The pixels of a cell."""
SAME = 1e-9
"""Costs this close together, relative to them or to 1, are the same."""
PLACE = re.compile(r"\((\d+),\s*(\d+)\)")


@dataclass(frozen=True)
class Layout:
    """Where states lie."""

    rows: int
    columns: int
    cells: NDArray[np.int64]
    """Row and column of each state; -1 for one that lies nowhere."""
    is_grid: bool
    """Whether cells are places; else they only list the states."""
    named: NDArray[np.bool_]
    """Which states have a cell by their name."""

    @staticmethod
    def of(problem: Problem) -> Layout:
        """Of a grid; by the places in names, where several states share a cell; else a list."""
        found = _goalward.grid_layout(problem)
        if found is not None:
            rows, columns, places = found
            cells = np.array([(-1, -1) if place is None else place for place in places])
            named = cells[:, 0] >= 0
            rows = _completed(problem, rows, columns, cells)
            return Layout(rows, columns, cells, True, named)
        matches = [PLACE.search(name) for name in problem.state_names]
        if sum(match is not None for match in matches) > 0.8 * len(matches):
            cells = np.array([(-1, -1) if m is None else (int(m[1]), int(m[2])) for m in matches])
            rows, columns = (cells.max(axis=0) + 1).tolist()
            if rows * columns <= 10_000:
                return Layout(rows, columns, cells, True, cells[:, 0] >= 0)
        columns = int(np.ceil(np.sqrt(1.6 * problem.n_states)))
        rows = -(-problem.n_states // columns)
        numbers = np.arange(problem.n_states)
        cells = np.stack([numbers // columns, numbers % columns], axis=1)
        return Layout(rows, columns, cells, False, np.ones(len(cells), dtype=np.bool_))


def _completed(problem: Problem, rows: int, columns: int, cells: NDArray[np.int64]) -> int:
    """Gives cells to states whose names have none, and tells how many rows there are then.

    The start takes the first cell that is free and the goal the last, in a new row if need be.
    """
    taken = {(int(row), int(column)) for row, column in cells}
    lacking = np.flatnonzero(cells[:, 0] < 0).tolist()
    free = [(r, c) for r in range(rows) for c in range(columns) if (r, c) not in taken]
    if len(free) < len(lacking):
        free += [(rows, c) for c in range(columns)]
        rows += 1
    if problem.goal in lacking:
        cells[problem.goal] = free.pop()
        lacking.remove(problem.goal)
    lacking.sort(key=lambda state: (state != problem.start, state))
    for state, cell in zip(lacking, free, strict=False):
        cells[state] = cell
    return rows


class Picture:
    """What a problem looks like: the ground is drawn once, the traveller on top of it."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.layout = Layout.of(problem)
        self.cell = max(SMALLEST, min(LARGEST, SIZE // max(self.layout.rows, self.layout.columns)))
        self._pits: NDArray[np.bool_] | None = None
        self._ground: Pixels | None = None
        self._arrows: list[tuple[int, float, float, bool]] = []
        """State, rows down, columns to the right, and whether the policy takes it."""
        self._values: Reals | None = None

    @property
    def pits(self) -> NDArray[np.bool_]:
        """States that lead nowhere, or that are never entered: holes of a lake."""
        if self._pits is None:
            self._pits = _pits(self.problem)
        return self._pits

    def _cell(self, state: int) -> tuple[int, int] | None:
        row, column = self.layout.cells[state].tolist()
        return None if row < 0 else (row, column)

    def text(self, state: int, action: int | None, steps: int, cost: float) -> str:
        """The grid in letters, or the name of the state; below it what has happened."""
        did = ""
        if action is not None:
            did = f"step {steps}, cost {cost:g} so far: "
        here = f"{did}now at {self.problem.state_names[state]}"
        if not self.layout.is_grid or self._cell(state) is None:
            return here + "\n"
        letters = np.full((self.layout.rows, self.layout.columns), "#")
        for s, (row, column) in enumerate(self.layout.cells.tolist()):
            if row >= 0 and self.layout.named[s]:
                letters[row, column] = "O" if self.pits[s] else "."
        for s, letter in ((self.problem.start, "S"), (self.problem.goal, "G"), (state, "@")):
            cell = self._cell(s)
            if cell is not None:
                letters[cell] = letter
        return "\n".join(" ".join(row) for row in letters.tolist()) + f"\n{here}\n"

    def show(
        self,
        rows: _Rows,
        first: NDArray[np.int64],
        policy: ArrayLike | None,
        values: ArrayLike | None,
        q: ArrayLike | None,
    ) -> None:
        """Arrows and shades from now on."""
        self._arrows, self._ground = [], None
        self._values = None if values is None else _each(values, self.problem, "values")
        if policy is None:
            return
        chosen = _each(policy, self.problem, "policy").astype(np.int64)
        costs = self._costs(q)
        shown = self._shown()
        for s in (states[0] for states in shown.values() if len(states) == 1):
            own = int(first[s + 1]) - int(first[s])
            if not 0 <= chosen[s] < own or self.pits[s] or s == self.problem.goal:
                continue
            actions = [a for a in _as_good(costs, s, own, int(chosen[s])) if a != chosen[s]]
            names = self.problem.actions(s)
            for a in [*actions, int(chosen[s])]:
                way = _goalward.direction(names[a]) or self._mean(rows, int(first[s]) + a, s)
                self._arrows.append((s, *way, a == chosen[s]))

    def _costs(self, q: ArrayLike | None) -> Reals | None:
        """What every action costs: as given, or by planning; None without a finite cost."""
        if q is None:
            try:
                found: Reals | None = _goalward.solve(self.problem, "min", None, "auto")["q"]
            except GoalwardError:
                return None
            return found
        given = np.asarray(q, dtype=np.float64)
        shape = (self.problem.n_states, self.problem.n_actions)
        if given.shape != shape:
            raise SettingError(
                f"q: expected {shape[0]} x {shape[1]} numbers, for each state and action, "
                f"not an array of shape {given.shape}"
            )
        return given

    def _mean(self, rows: _Rows, pair: int, state: int) -> tuple[float, float]:
        """Where an action leads on average."""
        following, prob = rows.of(pair)
        cells = self.layout.cells
        seen = cells[following, 0] >= 0
        shift = prob[seen] @ (cells[following[seen]] - cells[state])
        return float(shift[0]), float(shift[1])

    def pixels(self, state: int) -> Pixels:
        """The picture with the traveller in a state."""
        if self._ground is None:
            self._ground = self._drawn()
        picture = self._ground.copy()
        cell = self._cell(state)
        if cell is not None:
            tile = self._tile(picture, cell)
            x, y = _grid(self.cell)
            far = np.hypot(x, y)
            _paint(tile, far - 0.62, RIM)
            _paint(tile, far - 0.52, AGENT)
        return picture

    def _tile(self, picture: Pixels, cell: tuple[int, int]) -> Pixels:
        top, left = cell[0] * self.cell + 1, cell[1] * self.cell + 1
        return picture[top : top + self.cell, left : left + self.cell]

    def _drawn(self) -> Pixels:
        layout, size = self.layout, self.cell
        picture = np.empty((layout.rows * size + 2, layout.columns * size + 2, 3), dtype=np.uint8)
        picture[:] = WALL if layout.is_grid else RIM
        x, y = _grid(size)
        square = np.maximum(abs(x), abs(y))
        shades = _shades(self._values)
        # several states may share a cell: it is shown once
        for cell, states in self._shown().items():
            tile = self._tile(picture, cell)
            if size >= 6:
                tile[:] = LINE
            ground = START if self.problem.start in states else FLOOR
            if shades is not None and self.problem.goal not in states:
                ground = _blend(ground, DEAR, float(np.mean(shades[states])))
            _paint(tile, square - (0.94 if size >= 6 else 2.0), ground)
            if self.pits[states].all() and self.problem.goal not in states:
                _paint(tile, np.hypot(x, y) - 0.72, PIT)
        for s, down, right, taken in self._arrows if size >= 12 else []:
            place = self._cell(s)
            if place is not None:
                _arrow(self._tile(picture, place), x, y, down, right, ARROW if taken else TIE)
        goal = self._cell(self.problem.goal)
        if goal is not None:
            self._flag(self._tile(picture, goal), x, y)
        return picture

    def _shown(self) -> dict[tuple[int, int], list[int]]:
        """The states in every cell; a cell that no name has is shown for the start and the goal."""
        shown: dict[tuple[int, int], list[int]] = {}
        for s, (row, column) in enumerate(self.layout.cells.tolist()):
            named = self.layout.named[s] or s in (self.problem.start, self.problem.goal)
            if row >= 0 and named:
                shown.setdefault((row, column), []).append(s)
        return shown

    def _flag(self, tile: Pixels, x: Reals, y: Reals) -> None:
        if self.cell < 12:
            tile[:] = GOAL
            return
        _paint(tile, np.maximum(abs(x), abs(y)) - 0.94, _blend(FLOOR, GOAL, 0.22))
        _paint(tile, np.maximum(abs(x + 0.42) - 0.05, abs(y) - 0.66), WALL)
        # the cloth narrows to the right
        cloth = np.maximum.reduce([-0.40 - x, x - 0.55, abs(y + 0.32) - 0.34 * (0.55 - x) / 0.95])
        _paint(tile, cloth, GOAL)


def _grid(size: int) -> tuple[Reals, Reals]:
    """The middle of every pixel of a cell, from -1 to 1 each way."""
    middles = (np.arange(size) + 0.5) * 2.0 / size - 1.0
    return np.broadcast_to(middles, (size, size)), np.broadcast_to(middles[:, None], (size, size))


def _paint(tile: Pixels, distance: Reals, colour: tuple[int, int, int]) -> None:
    """Fill where the distance to a shape is negative, with soft edges one pixel wide."""
    cover = np.clip(0.5 - distance * len(tile) / 2.0, 0.0, 1.0)[..., None]
    tile[:] = np.rint(tile * (1.0 - cover) + np.array(colour) * cover).astype(np.uint8)


def _arrow(
    tile: Pixels, x: Reals, y: Reals, down: float, right: float, ink: tuple[int, int, int]
) -> None:
    """An arrow from the middle of a cell; a dot if it points nowhere."""
    length = float(np.hypot(down, right))
    if length < 0.05:
        _paint(tile, np.hypot(x, y) - 0.12, ink)
        return
    along = (x * right + y * down) / length
    across = abs(x * down - y * right) / length
    _paint(tile, np.maximum(abs(along - 0.24) - 0.30, across - 0.07), ink)
    _paint(tile, np.maximum(0.40 - along, across - 0.62 * (0.80 - along)), ink)


def _as_good(costs: Reals | None, state: int, own: int, chosen: int) -> list[int]:
    """The actions that cost as little as the best one, if the chosen one does."""
    of_state = None if costs is None else costs[state, :own]
    if of_state is None or not np.isfinite(of_state[chosen]):
        return [chosen]
    least = float(np.nanmin(of_state))
    good = of_state <= least + SAME * max(abs(least), 1.0)
    return np.flatnonzero(good).tolist() if good[chosen] else [chosen]


def _blend(
    one: tuple[int, int, int], other: tuple[int, int, int], share: float
) -> tuple[int, int, int]:
    mixed = [round(a + (b - a) * share) for a, b in zip(one, other, strict=True)]
    return mixed[0], mixed[1], mixed[2]


def _shades(values: Reals | None) -> Reals | None:
    """From 0 for the lowest value to almost 1 for the highest."""
    if values is None:
        return None
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return np.zeros_like(values)
    span = float(finite.max() - finite.min()) or 1.0
    shades: Reals = 0.85 * np.clip((values - finite.min()) / span, 0.0, 1.0)
    return np.where(np.isfinite(shades), shades, 0.85)


def _each(numbers: ArrayLike, problem: Problem, what: str) -> Reals:
    array = np.asarray(numbers, dtype=np.float64)
    if array.shape != (problem.n_states,):
        raise SettingError(
            f"{what}: expected one number for each of {problem.n_states} states, "
            f"not an array of shape {array.shape}"
        )
    return array


def _pits(problem: Problem) -> NDArray[np.bool_]:
    indptr, following, prob = problem.kernel()
    pairs_of = np.diff(problem.first_pairs).astype(np.int64)
    lengths = np.diff(indptr).astype(np.int64)
    source = np.repeat(np.repeat(np.arange(problem.n_states), pairs_of), lengths)
    source, following = source[prob > 0.0], following[prob > 0.0].astype(np.int64)
    met = _closed(problem.n_states, problem.start, source, following)
    hopeful = _closed(problem.n_states, problem.goal, following, source)
    return ~(met & hopeful)


def _closed(
    states: int, first: int, source: NDArray[np.int64], target: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """What can be reached over the arcs."""
    order = np.argsort(source, kind="stable")
    targets = target[order]
    starts = np.searchsorted(source[order], np.arange(states + 1))
    seen = np.zeros(states, dtype=np.bool_)
    seen[first] = True
    queue = [first]
    while queue:
        s = queue.pop()
        for following in targets[starts[s] : starts[s + 1]].tolist():
            if not seen[following]:
                seen[following] = True
                queue.append(following)
    return seen
