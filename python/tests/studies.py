"""A small study, for the tests of the lab."""

from __future__ import annotations

from pathlib import Path

import goalward as gw

STUDY = """
title = "Small"
episodes = 30
seeds = 2
worlds = ["windy-grid@n=3", "mine.json"]
learners = ["lr", "random", "psrl-ssp"]
figures = []
"""


def write_study(folder: Path, text: str = STUDY) -> Path:
    """A study file, and beside it the world that it reads from a file."""
    gw.worlds.make("hard-instance", dim=2).save(folder / "mine.json")
    path = folder / "small.toml"
    path.write_text(text)
    return path


def tables(folder: Path) -> dict[str, bytes]:
    """All Parquet files of a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("*/*.parquet")}
