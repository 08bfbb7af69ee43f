"""The examples in Python print what those in Rust print."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROGRAM = os.environ.get("GOALWARD_PROGRAM")


@pytest.mark.parametrize("path", sorted((EXAMPLES / "python").glob("*.py")), ids=lambda p: p.stem)
def test_examples(path: Path) -> None:
    ours = subprocess.run([sys.executable, path], check=True, capture_output=True, text=True).stdout
    assert ours
    rust = Path(PROGRAM).parent / path.stem if PROGRAM else None
    if rust is None or not rust.exists():
        pytest.skip("the example in Rust is not built")
    theirs = subprocess.run([rust], check=True, capture_output=True, text=True).stdout
    assert theirs.startswith(ours)
