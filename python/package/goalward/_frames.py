"""Columns as tables of pandas and polars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["Frames"]


class Frames:
    """Results with columns."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns, one entry for each episode."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """The columns as a pandas table."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    def to_polars(self) -> pl.DataFrame:
        """The columns as a polars table."""
        import polars as pl

        return pl.DataFrame(self.columns())
