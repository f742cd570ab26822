"""Data that tests share."""

import importlib
import os
import signal
import warnings

import numpy as np
import pytest
from hypothesis import settings

import phgs

# The same examples each time, and few of them. `PHGS_EXAMPLES=1000` looks at that many, others each time;
# `pytest --hypothesis-profile long` too. So many take longer than a test may: add `--timeout 0`.
EXAMPLES = int(os.environ.get("PHGS_EXAMPLES", "0"))
"""Number of examples that was asked for; 0: the few of the default."""


def examples(default):
    """Return the number of examples of a test that needs other than the default: as many more as were asked for."""
    return max(1, default * EXAMPLES // 60) if EXAMPLES else default


settings.register_profile("quick", max_examples=EXAMPLES or 60, derandomize=not EXAMPLES, deadline=None, database=None)
settings.register_profile("long", max_examples=1000, deadline=None, database=None)
settings.load_profile("quick")


def pytest_addoption(parser):
    parser.addoption(
        "--extras",
        action="store_true",
        help="fail, rather than skip, where a package that a test exports to is missing",
    )


@pytest.fixture(autouse=True, scope="session")
def ctrl_c():
    """Let Ctrl-C interrupt, as on a terminal: what a shell starts in the background ignores it, and its children do."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def package(request):
    """Import a package that is in the environment of `make test-extras` only; without it the test is skipped."""

    def load(name):
        # Their imports warn, and pyagrum's ends the process when a warning is an error.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if request.config.getoption("--extras"):
                return importlib.import_module(name)
            return pytest.importorskip(name)

    return load


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
