"""Data that tests share."""

import os

import numpy as np
import pytest
from hypothesis import settings

import phgs

# The same examples each time, and few of them. `PHGS_EXAMPLES=1000` looks at that many, others each time;
# `pytest --hypothesis-profile long` too.
EXAMPLES = int(os.environ.get("PHGS_EXAMPLES", "0"))
"""Number of examples that was asked for; 0: the few of the default."""


def examples(default):
    """Return the number of examples of a test that needs other than the default: as many more as were asked for."""
    return max(1, default * EXAMPLES // 60) if EXAMPLES else default


settings.register_profile("quick", max_examples=EXAMPLES or 60, derandomize=not EXAMPLES, deadline=None, database=None)
settings.register_profile("long", max_examples=1000, deadline=None, database=None)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def alarm():
    return phgs.datasets.load_alarm()


@pytest.fixture
def chain():
    """Return 2,000 rows of a → b → c, with d on its own."""
    return make_chain()


def make_chain(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, n)
    b = np.where(rng.random(n) < 0.8, a, rng.integers(0, 3, n))
    c = np.where(rng.random(n) < 0.8, b, rng.integers(0, 3, n))
    return {"a": a, "b": b, "c": c, "d": rng.integers(0, 2, n)}
