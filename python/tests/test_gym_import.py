"""The environments are there once goalward and Gymnasium are imported, in either order."""

from __future__ import annotations

import subprocess
import sys

import pytest

MAKE = "env = gymnasium.make('goalward/WindyGrid-v0', n=4); assert env.reset(seed=1)[0] == 0"


@pytest.mark.parametrize(
    "before",
    [
        "import goalward, gymnasium",
        "import gymnasium, goalward",
        "import goalward; import gymnasium.spaces; import gymnasium",
        "import goalward.gym, gymnasium",
        "import goalward, importlib; gymnasium = importlib.import_module('gymnasium')",
    ],
)
def test_the_order_of_imports_does_not_matter(before: str) -> None:
    subprocess.run([sys.executable, "-c", f"{before}\n{MAKE}"], check=True)


def test_goalward_alone_imports_nothing_heavy() -> None:
    heavy = ["gymnasium", "pandas", "polars", "matplotlib", "distributed", "scipy"]
    code = f"import sys, goalward; print([name for name in {heavy} if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout == "[]\n"


def test_without_gymnasium_goalward_works() -> None:
    code = """
import sys
sys.modules["gymnasium"] = None
try:
    import goalward
    goalward.gym
except ImportError as error:
    assert "goalward[gym]" in str(error), error
else:
    raise AssertionError("there is no gymnasium")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
