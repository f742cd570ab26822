"""Gaussian searches beside what other packages learned from the same data (tests/data/peers)."""

import csv
from pathlib import Path

import numpy as np
import pytest

import phgs

FOLDER = Path(__file__).parent.parent / "data" / "peers"
ROWS = 5000
CASES = ("sparse", "medium", "dense")


def correlations(case):
    return phgs.gaussian_from_correlation(np.loadtxt(FOLDER / f"{case}.csv", delimiter=","), ROWS)


def arcs(case, method):
    with (FOLDER / "graphs.csv").open(newline="") as file:
        found = {
            (int(r["from"]), int(r["to"])) for r in csv.DictReader(file) if (r["case"], r["method"]) == (case, method)
        }
    assert found
    return found


def score(table, found):
    both = {(a, b) for a, b in found if (b, a) in found}
    graph = phgs.Graph(table.names, sorted(found - both), sorted(pair for pair in both if pair[0] < pair[1]))
    return phgs.score(table, graph).value


@pytest.mark.parametrize("case", CASES)
def test_pc_finds_the_skeleton_of_causal_learn(case):
    result = phgs.learn(correlations(case), "pc", alpha=0.01, path_length=1, max_conditioning_size=None, progress=False)
    graph = result.cpdag
    found = {tuple(sorted(edge)) for edge in (*graph.directed, *graph.undirected)}
    assert found == arcs(case, "causal-learn pc")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("method", "turning"), [("ges", True), ("causal-learn ges", False)])
def test_ges_scores_as_high_as_theirs(case, method, turning):
    table = correlations(case)
    result = phgs.learn(table, "ges", turning=turning, progress=False)
    assert result.score.value >= score(table, arcs(case, method)) - 1e-6


@pytest.mark.parametrize("case", CASES)
def test_a_composition_scores_as_high_as_the_extended_search_of_xges(case):
    table = correlations(case)
    search = phgs.Tabu(ties="association")
    learner = phgs.Hybrid(init="empty", maximize=search, refine=[phgs.BOSS(growing=False), "ges"], progress=False)
    assert learner.learn(table).score.value >= score(table, arcs(case, "xges")) - 1e-6


@pytest.mark.parametrize("case", CASES)
def test_tabu_and_then_the_extended_search_score_as_high_as_xges(case):
    table = correlations(case)
    learner = phgs.Hybrid(init="empty", maximize=phgs.Tabu(), refine="xges", progress=False)
    assert learner.learn(table).score.value >= score(table, arcs(case, "xges")) - 1e-6
