"""Logs that many tests share."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

import starope as so

SOURCE = Path(os.environ.get("STAROPE_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("STAROPE_BUILD_DIR", SOURCE / "build"))

Array = NDArray[Any]
Columns = dict[str, Array]
Policy = Callable[[Array], Array]
T = TypeVar("T")


def known(value: T | None) -> T:
    """What may be missing, where it must not be."""
    assert value is not None
    return value


@pytest.fixture(scope="session")
def cartpole() -> so.Dataset:
    return so.simulate("cartpole", episodes=60, seed=3)


@pytest.fixture()
def columns(cartpole: so.Dataset) -> Columns:
    """Plain columns of the canonical table."""
    return cartpole._table()


@pytest.fixture()
def small() -> Columns:
    """Three episodes that a person can compute: 2, 1 and 3 steps."""
    return {
        "episode": np.array([7, 7, 8, 9, 9, 9]),
        "state": np.array([0, 1, 0, 0, 1, 1]),
        "action": np.array([0, 1, 1, 0, 0, 1]),
        "reward": np.array([1.0, 2.0, 4.0, 0.5, 0.25, 8.0]),
        "behavior_prob": np.full(6, 0.5),
        "target_prob": np.array([0.75, 0.25, 0.25, 0.75, 0.75, 0.25]),
    }


def near(value: Any) -> Any:
    """All but what the order of sums leaves."""
    return pytest.approx(value, rel=1e-12, abs=0.0)
