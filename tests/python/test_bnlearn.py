"""Searches and scores beside bnlearn's, on the rows from which bnlearn learned (tests/data/reference)."""

import csv
from functools import cache
from pathlib import Path

import pytest

import phgs

FOLDER = Path(__file__).parent.parent / "data" / "reference"
NETWORKS = ("asia", "child", "alarm", "insurance", "hailfinder")


@cache
def data(network):
    return phgs.as_table(str(FOLDER / "data" / f"{network}.parquet"), warn=False)


@cache
def edges(network, method):
    with (FOLDER / "arcs.csv").open(newline="") as file:
        found = {(r["from"], r["to"]) for r in csv.DictReader(file) if (r["network"], r["method"]) == (network, method)}
    assert found
    return found


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("make", [phgs.HillClimbing, phgs.Tabu])
def test_searches_return_bnlearns_graphs_when_columns_break_ties(network, make):
    learner = make(ties="columns", progress=False)
    assert set(learner.learn(data(network)).dag.directed) == edges(network, learner.method)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(("skeleton", "hybrid"), [("mmpc", "mmhc"), ("hpc", "h2pc")])
def test_a_composition_on_bnlearns_skeleton_returns_its_hybrid(network, skeleton, hybrid):
    pairs = sorted({tuple(sorted(pair)) for pair in edges(network, skeleton)})
    search = phgs.HillClimbing(ties="columns")
    made = phgs.Hybrid(restrict=pairs, select=None, init="empty", maximize=search, progress=False)
    assert set(made.learn(data(network)).dag.directed) == edges(network, hybrid)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("make", [phgs.HillClimbing, phgs.Tabu])
def test_looking_ahead_never_ends_below_bnlearns_score(network, make):
    learner = make(progress=False)
    theirs = phgs.Graph(data(network).names, sorted(edges(network, learner.method)))
    assert learner.learn(data(network)).score.value >= phgs.score(data(network), theirs).value - 1e-6


def scored():
    with (FOLDER / "bic.csv").open(newline="") as file:
        return [(row["network"], row["method"], float(row["bic"])) for row in csv.DictReader(file)]


@pytest.mark.parametrize(("network", "method", "bic"), scored())
def test_graphs_of_other_packages_have_the_bic_that_bnlearn_computed(network, method, bic):
    graph = phgs.Graph(data(network).names, sorted(edges(network, method)))
    assert phgs.score(data(network), graph).value == pytest.approx(bic, abs=5.1e-4)


@pytest.mark.parametrize("make", [phgs.HillClimbing, phgs.Tabu])
def test_an_unknown_rule_for_ties_is_refused(make):
    with pytest.raises(phgs.ParameterError, match="ties"):
        make(ties="random").learn(data("asia"))
