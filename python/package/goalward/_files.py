"""Problems in files."""

from __future__ import annotations

import os
from typing import Any

from goalward import _goalward
from goalward._goalward import Problem

__all__ = ["load"]


def load(path: str | os.PathLike[str], **params: Any) -> Problem:
    """Load a problem or a model from a file: goalward's own, Storm's DRN or a Gymnasium table.

    A model takes ``goal``, ``cost`` and ``start``, and ``restart=True`` for second chances, as
    ``goalward solve`` does. Files may be packed with gzip.
    """
    content = os.fspath(path)
    return _goalward.open_path(content, **params)
