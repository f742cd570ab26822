"""Every option of every learner does something (row 38 of what users stumbled over)."""

import inspect

import pytest

import phgs

ROWS = 2000
ELSEWHERE = {
    "categories",
    "counts",
    "data_type",
    "kinds",
    "missing",
    "numbers",
    "order_from_data",
    "powers",
    "progress",
    "threads",
    "time_limit",
    "weights",
}
"""How a learner runs and reads data: see test_any_container, test_counts, test_gaussian, test_kinds, test_mixed,
test_running, test_testwise, test_weights."""

CHANGES = {
    "alpha": ({"min_alpha": 1e-9}, 1e-6),
    "backward": ({}, False),
    "budget": ({}, 500),
    "cig": ({}, "every pair"),
    "clusters": ({}, "three"),
    "collider_rule": ({}, "majority"),
    "degrees_of_freedom": ({}, "adjusted"),
    "effort": ({}, "quick"),
    "equivalent_sample_size": ({"score": "bdeu"}, 100),
    "forward": ({}, False),
    "gamma": ({"score": "ebic"}, 4),
    "growing": ({}, False),
    "incremental": ({}, True),
    "init": ({}, "hgi"),
    "knowledge": ({}, {"required": [("HR", "FIO2")]}),
    "max_clusters": ({}, 2),
    "max_conditioning_size": ({}, 1),
    "max_iterations": ({}, 3),
    "max_parents": ({}, 1),
    "max_tests_per_pair": ({}, 0),
    "maximize": ({}, phgs.HillClimbing()),
    "min_alpha": ({}, 0.01),
    "minimum_sample": ({}, 100),
    "narrowing": ({}, True),
    "path_length": ({}, 3),
    "penalty": ({}, 3.0),
    "perturbations": ({"restarts": 5}, 40),
    "refine": ({}, "free"),
    "restart_share": ({"restarts": 400}, 1),
    "restarts": ({}, 20),
    "restrict": ({}, phgs.MMPC()),
    "schedule": ({}, "interleaved"),
    "score": ({}, "bdeu"),
    "seed": ({"restarts": 3}, 7),
    "select": ({"restrict": phgs.PC()}, None),
    "skeleton": ({}, "every pair"),
    "start": ({}, "truth"),
    "tabu_length": ({"tabu_patience": 30}, 1),
    "tabu_patience": ({}, 2),
    "ties": ({}, "columns"),
    "test": ({}, "x2"),
    "turning": ({}, False),
}
"""Options that others need for it to matter, and another value of it."""

SPECIAL = {
    (phgs.Auto, "degrees_of_freedom"): ({}, "classical"),
    (phgs.Auto, "min_alpha"): ({"alpha": 0.05}, 0.01),
    (phgs.Auto, "refine"): ({}, "none"),
    (phgs.Auto, "penalty"): ({"score": "ebic"}, 3.0),
    (phgs.Auto, "seed"): ({}, 7),
    (phgs.GSC, "init"): ({"init": "empty"}, "hgi"),
    (phgs.GSC, "tabu_length"): ({"init": "empty", "tabu_patience": 30}, 1),
    (phgs.Hybrid, "init"): ({}, "empty"),
    **{
        (phgs.ARGES, name): ({"init": "hgi"}, CHANGES[name][1])
        for name in ("collider_rule", "min_alpha", "path_length")
    },
}

NEEDED = {
    phgs.GSC: {"skeleton": phgs.datasets.load_alarm().truth, "init": "hgi"},
    phgs.Hybrid: {"restrict": phgs.PC(), "maximize": phgs.Tabu()},
}
"""What a learner does not work without."""

KINDS = [make for make in vars(phgs).values() if isinstance(make, type) and issubclass(make, phgs.PC.__mro__[-2])]


def options_of(kind):
    return sorted(set(inspect.signature(kind).parameters) - ELSEWHERE)


@pytest.fixture(scope="module")
def table(alarm):
    return phgs.as_table({n: c[:ROWS] for n, c in zip(alarm.table.names, alarm.table.codes, strict=True)}, warn=False)


def outcome(kind, table, options):
    result = kind(progress=False, **options).learn(table)
    return result.cpdag, result.dag, result.score, result.calls, result.path


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in options_of(kind)])
def test_every_option_changes_the_outcome(alarm, table, kind, name):
    every = [(a, b) for i, a in enumerate(table.names) for b in table.names[i + 1 :]]
    values = {"three": [i % 3 for i in range(37)], "every pair": every, "truth": alarm.truth}
    base, value = SPECIAL.get((kind, name), CHANGES[name])
    base = NEEDED.get(kind, {}) | {given: base[given] for given in base if given in inspect.signature(kind).parameters}
    value = values.get(value, value) if isinstance(value, str) else value
    assert outcome(kind, table, base) != outcome(kind, table, {**base, name: value})


def test_the_number_of_threads_does_not(table):
    assert outcome(phgs.PHGS, table, {"threads": 1}) == outcome(phgs.PHGS, table, {"threads": 3})
