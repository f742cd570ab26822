"""Time limits and Ctrl-C within tests of subsets, on data that keep every learner busy for ever.

Seconds are those of the process, so that a busy machine does not matter.
"""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import phgs

LIMIT = 0.3
LATE = 0.5


def hub(n_children, n_rows):
    """A variable with many children, which are independent given it."""
    rng = np.random.default_rng(1)
    parent = rng.integers(0, 2, n_rows)
    columns = {"hub": parent}
    for child in range(n_children):
        noise = rng.random(n_rows) < 0.25
        columns[f"child{child}"] = np.where(noise, rng.integers(0, 3, n_rows), parent + child % 2)
    columns["other"] = rng.integers(0, 2, n_rows)
    return columns


def large_hub(n_children, n_rows):
    """A variable with binary children that depend on it whatever is given, as long as strata have rows."""
    rng = np.random.default_rng(4)
    parent = rng.integers(0, 2, n_rows)
    columns = {"hub": parent}
    for child in range(n_children):
        columns[f"child{child}"] = np.where(rng.random(n_rows) < 0.1, rng.integers(0, 2, n_rows), parent)
    return columns


def survey(n_questions, n_rows):
    """Questions that all measure the same few factors, on a scale from 1 to 4."""
    rng = np.random.default_rng(2)
    factors = rng.normal(size=(n_rows, 3))
    columns = {}
    for question in range(n_questions):
        values = factors @ rng.dirichlet(np.ones(3)) + 0.5 * rng.normal(size=n_rows)
        columns[f"q{question}"] = np.digitize(values, np.quantile(values, [0.25, 0.5, 0.75]))
    return columns


def identifiers(n_columns, n_rows, n_states):
    """Columns of thousands of states: each test takes milliseconds."""
    rng = np.random.default_rng(3)
    parent = rng.integers(0, n_states, n_rows)
    columns = {"parent": parent}
    for column in range(n_columns):
        keep = rng.random(n_rows) < 0.9
        columns[f"copy{column}"] = np.where(keep, parent, rng.integers(0, n_states, n_rows))
    return columns


DATA = {
    "hub": phgs.as_table(hub(24, 2000), warn=False),
    "large hub": phgs.as_table(large_hub(24, 20_000), warn=False),
    "survey": phgs.as_table(survey(100, 2449), warn=False),
    "identifiers": phgs.as_table(identifiers(40, 20_000, 4000), warn=False),
}
LOCAL = ["mmpc", "hpc", "fast-iamb", "si-hiton-pc", "hiton-pc", "getpc", "gs", "iamb", "inter-iamb", "iamb-fdr"]
CASES = [
    *[
        ("hub", "pc", {"collider_rule": rule, "max_conditioning_size": 12})
        for rule in ("majority", "conservative", "max-p")
    ],
    ("hub", "ppc", {"collider_rule": "majority", "max_conditioning_size": 12, "path_length": 1}),
    ("hub", "pef", {"max_conditioning_size": 8, "alpha": 1e-9}),
    *[("large hub", method, {"max_conditioning_size": None, "degrees_of_freedom": "adjusted"}) for method in LOCAL],
    *[("survey", method, {"max_conditioning_size": None}) for method in LOCAL],
    *[("survey", method, {"max_conditioning_size": None, "path_length": 1}) for method in ("pc", "ppc")],
    *[("identifiers", method, {"degrees_of_freedom": "adjusted"}) for method in ("pc", "ppc", *LOCAL)],
]
NAMES = [f"{data}, {method}, {options.get('collider_rule', 'default rule')}" for data, method, options in CASES]


def learn(data, method, options, **more):
    return phgs.learn(DATA[data], method, **{"alpha": 0.05, **options, **more}, threads=1, progress=False)


@pytest.mark.parametrize(("data", "method", "options"), CASES, ids=NAMES)
def test_time_limits_are_kept(data, method, options):
    start = time.process_time()
    result = learn(data, method, options, time_limit=LIMIT)
    took = time.process_time() - start
    assert took < LIMIT + LATE
    assert took < LIMIT or not result.complete


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("data", "method", "options"), CASES, ids=NAMES)
def test_ctrl_c_ends_tests(data, method, options):
    sent = []

    def send():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(LIMIT, send)
    timer.start()
    try:
        learn(data, method, options)
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        assert time.process_time() - sent[0] < 1.0
