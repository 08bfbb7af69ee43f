"""What the tests share."""

from __future__ import annotations

import signal

import pytest

import goalward as gw
from subjects import coin

# what is started in the background has Ctrl-C switched off: its tests would wait for ever
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def grid() -> gw.Problem:
    """A small grid in five winds."""
    return gw.worlds.make("windy-grid", n=3)


@pytest.fixture
def coins() -> gw.Problem:
    """Two coins, of which the truth is a mixture."""
    return gw.Problem.from_models(
        {"fair": coin(0.5), "biased": coin(0.9)}, 1.0, 0, 1, theta=[0.25, 0.75]
    )
