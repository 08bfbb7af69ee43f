"""The examples of docs/python.md on Gymnasium."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
MODULES = ["_env", "_learning", "_registration", "_render", "_results", "_spaces"]


def test_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, text = PAGE.read_text().partition("\n## Gymnasium\n")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    known: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), known)
    assert "the probabilities sum to 0.5" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["", *(f".{module}" for module in MODULES)])
def test_docstrings(name: str) -> None:
    module = importlib.import_module(f"goalward.gym{name}")
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0
