"""The examples in docstrings, and those in the documents."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import goalward as gw

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["goalward", *(f"goalward.{m.name}" for m in pkgutil.iter_modules(gw.__path__))]
DOCUMENTS = ["README.md", "python/README.md", "docs/python.md"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0


@pytest.mark.parametrize("kind", [gw.Problem, gw.Learner, gw.ConfidenceSet])
def test_docstrings_of_compiled_classes(kind: type) -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    examples = 0
    for name in [None, *vars(kind)]:
        text = (kind if name is None else getattr(kind, name)).__doc__ or ""
        test = parser.get_doctest(text, {}, f"{kind.__name__}.{name}", None, 0)
        examples += len(test.examples)
        assert runner.run(test).failed == 0
        if name is not None and not name.startswith("_"):
            assert text, f"{kind.__name__}.{name} has no docstring"
    assert examples > 0


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    # what needs Gymnasium is in test_gym_docs
    text, _, _ = (ROOT / name).read_text().partition("\n## Gymnasium\n")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    known: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, name, "exec"), known)
