"""Registers goalward's environments with Gymnasium as soon as both are imported.

Gymnasium takes longer to import than all of goalward, and many users never need it. So goalward
does not import it: it waits for another import.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["install"]

NAME = "gymnasium"


class _Loader(importlib.abc.Loader):
    """Loads a module as another loader does, and registers the environments after it."""

    def __init__(self, inner: importlib.abc.Loader) -> None:
        self.inner = inner

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self.inner
        module.__loader__ = self.inner
        self.inner.exec_module(module)
        importlib.import_module("goalward.gym")


class _Finder(importlib.abc.MetaPathFinder):
    """Finds Gymnasium where it is, once."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != NAME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def install() -> None:
    """Register the environments now if Gymnasium is there, otherwise when it comes."""
    if NAME in sys.modules:
        importlib.import_module("goalward.gym")
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
