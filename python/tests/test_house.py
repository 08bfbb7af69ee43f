"""The rules of the house for Python: short files, short lines, no learner's id in the code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import goalward as gw

PYTHON = Path(__file__).resolve().parents[1]
FILES = sorted(
    path
    for folder in ("package", "tests", "benches")
    for path in (PYTHON / folder).rglob("*.py*")
    if path.suffix in (".py", ".pyi")
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PYTHON)))
def test_files_are_short_and_lines_too(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) <= 600
    long = [number for number, line in enumerate(lines, 1) if len(line) > 100]
    assert not long, f"lines of more than 100 columns: {long}"


def test_no_id_of_a_learner_stands_in_the_package() -> None:
    ids = set(gw.learners.ids())
    found = []
    for path in FILES:
        if "package" not in path.parts:
            continue
        tree = ast.parse(path.read_text())
        texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
        found += [(path.name, node.lineno, node.value) for node in texts if node.value in ids]
    assert not found


def test_everything_public_is_documented() -> None:
    for name in gw.__all__:
        thing = getattr(gw, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            public = {key: value for key, value in vars(thing).items() if not key.startswith("_")}
            for key, value in public.items():
                if callable(value) or isinstance(value, (property, staticmethod)):
                    assert value.__doc__, f"{name}.{key}"
