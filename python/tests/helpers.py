"""What the tests share."""

from __future__ import annotations

import goalward as gw
import numpy as np


def coin(heads: float) -> np.ndarray:
    """One action, which reaches the goal with this probability."""
    return np.array([[[1.0 - heads, heads]], [[0.0, 1.0]]])


def with_oracle(learner: str) -> str:
    """A learner that asks the simulation for what it must know."""
    asked = [
        parameter["name"]
        for parameter in gw.learners.describe(learner)["parameters"]
        if {"const": "oracle"} in parameter["schema"].get("anyOf", [])
    ]
    return learner + "".join(f"@{name}=oracle" for name in asked)
