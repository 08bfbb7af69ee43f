"""What the tests are tried on: a coin, and learners with what they must know."""

from __future__ import annotations

import numpy as np

import goalward as gw


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
