"""What a study came to."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from goalward import _goalward
from goalward._html import table as html_table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["Results", "Status"]

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Status:
    """How far a study is."""

    study: str
    """Its name."""
    jobs: int
    """All jobs."""
    finished: int
    """Those that are finished."""
    failed: int
    """Those that failed."""
    under_way: int
    """Those that are saved half-way."""
    cpu_seconds: float
    """CPU time of the finished ones."""
    rate: float | None
    """Jobs finished in an hour, over the last ones."""
    eta: float | None
    """Seconds until the rest is done at that rate."""
    last: int | None
    """Seconds since the last job was finished."""
    changes: tuple[str, ...] = ()
    """What the study's file asks since it changed, and no record answers."""


class Results:
    """The records of a study in its folder, and what they say.

    ``runs``, ``episodes``, ``plans`` and ``probes`` are the tables of the records, as arrays by the
    names of their columns, job by job. A number that is missing is NaN, a text None.
    """

    folder: Path
    """Where everything is."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    @cached_property
    def runs(self) -> Columns:
        """One row for each run: what it came to."""
        return _goalward.study_columns(str(self.folder), "runs")

    @cached_property
    def episodes(self) -> Columns:
        """Cost and regret over the episodes, as thinned."""
        return _goalward.study_columns(str(self.folder), "episodes")

    @cached_property
    def plans(self) -> Columns:
        """Planning calls."""
        return _goalward.study_columns(str(self.folder), "plans")

    @cached_property
    def probes(self) -> Columns:
        """What the learners knew of theta."""
        return _goalward.study_columns(str(self.folder), "probes")

    def to_pandas(self, table: str = "runs") -> pd.DataFrame:
        """A table of the records as pandas reads it from the Parquet files."""
        import pandas as pd

        paths = _goalward.study_paths(str(self.folder), table)
        if not paths:
            return pd.DataFrame(_goalward.study_columns(str(self.folder), table))
        read: Any = pd.read_parquet  # takes several files, though its types do not say so
        frame: pd.DataFrame = read([str(path) for path in paths])
        return frame

    def to_polars(self, table: str = "runs") -> pl.DataFrame:
        """A table of the records as polars reads it from the Parquet files."""
        import polars as pl

        paths = _goalward.study_paths(str(self.folder), table)
        if not paths:
            return pl.DataFrame(_goalward.study_columns(str(self.folder), table))
        return pl.read_parquet([str(path) for path in paths])

    @cached_property
    def _said(self) -> dict[str, Any]:
        return _goalward.study_read(str(self.folder))

    @property
    def name(self) -> str:
        """The study's name."""
        return str(self._said["name"])

    @property
    def summary(self) -> str:
        """The answer as Markdown: tables and sentences."""
        return str(self._said["summary"])

    @property
    def findings(self) -> dict[str, Any]:
        """The answer as ``goalward study run --json`` says it."""
        findings: dict[str, Any] = self._said["findings"]
        return findings

    @property
    def complete(self) -> bool:
        """Whether every run is there."""
        return bool(self._said["complete"])

    @property
    def failed(self) -> list[dict[str, Any]]:
        """Runs that failed: ``world``, ``learner``, ``seed`` and ``reason``."""
        failed: list[dict[str, Any]] = self._said["failed"]
        return failed

    @property
    def report(self) -> Path:
        """The report: one HTML file to open and to send around."""
        return self.folder / "report.html"

    @property
    def figures(self) -> list[Path]:
        """The figures, as files."""
        return sorted((self.folder / "figures").glob("*.*"))

    def __repr__(self) -> str:
        runs = self.findings["runs"]
        done = f"{runs['done']} of {runs['planned']} runs"
        return f"Results({self.name!r}, {done}, {str(self.folder)!r})"

    def _repr_html_(self) -> str:
        runs = self.findings["runs"]
        rows = [
            ("runs", f"{runs['done']} of {runs['planned']}"),
            ("failed", runs["failed"]),
            ("report", self.report),
        ]
        title = str(self._said["title"])
        picture = next((path for path in self.figures if path.suffix == ".png"), None)
        shown = ""
        if picture is not None:
            content = base64.b64encode(picture.read_bytes()).decode("ascii")
            shown = f'<img style="max-width:40em" alt="" src="data:image/png;base64,{content}">'
        return f"{html_table(['', title], rows)}<pre>{escape(self._said['text'])}</pre>{shown}"
