"""The notebooks are run, and say what they said when they were written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def said(cell: Any) -> tuple[str, list[str], int]:
    """The text that a cell printed, its tables, and the number of its figures."""
    outputs = cell.get("outputs", [])
    text = "".join(out.text for out in outputs if out.output_type == "stream")
    data = [out.data for out in outputs if "data" in out]
    tables = [one["text/html"] for one in data if "text/html" in one]
    return text, tables, sum("image/png" in one for one in data)


def test_there_are_two() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["paper_figure", "three_forecasts"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_says_the_same(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    kept = nbformat.read(path, as_version=4)
    fresh = nbformat.read(path, as_version=4)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    place = {"metadata": {"path": os.fspath(tmp_path)}}
    nbclient.NotebookClient(fresh, timeout=120, kernel_name="python3", resources=place).execute()
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    now = [cell for cell in fresh.cells if cell.cell_type == "code"]
    assert [said(cell) for cell in now] == [said(cell) for cell in code]
    assert sum(said(cell)[2] for cell in code) >= 1, "no figure is kept"
