"""A progress bar on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType

__all__ = ["Bar"]

WIDTH = 30
"""How many characters the bar has."""


class Bar:
    """A bar that moves while work is under way.

    It appears after half a second, so that quick work shows nothing.

    >>> with Bar("runs", 10, show=False) as bar:
    ...     bar.tell is None
    True
    """

    def __init__(self, what: str, total: int, show: bool | None = None) -> None:
        self.what = what
        self.total = total
        self.show = sys.stderr.isatty() if show is None else show
        self.began = time.monotonic()
        self.drawn = False

    @property
    def tell(self) -> Callable[[int], None] | None:
        """What is called with the number of units that are done; None if it is not shown."""
        return self._tell if self.show else None

    def _tell(self, done: int) -> None:
        spent = time.monotonic() - self.began
        if spent < 0.5 and not self.drawn:
            return
        self.drawn = True
        share = min(done / self.total, 1.0) if self.total else 1.0
        filled = int(share * WIDTH)
        bar = "#" * filled + "-" * (WIDTH - filled)
        left = spent * (1.0 - share) / share if share > 0.0 else float("nan")
        rest = f", {_clock(left)} left" if share > 0.0 and done < self.total else ""
        count = f"{done}/{self.total} in {_clock(spent)}{rest}"
        print(
            f"\r{self.what}: {share:4.0%} [{bar}] {count}\x1b[K",
            end="",
            file=sys.stderr,
            flush=True,
        )

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.drawn:
            print(file=sys.stderr)


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"
