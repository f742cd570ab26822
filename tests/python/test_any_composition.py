"""Random compositions of stages, under random knowledge and limits: every stage keeps all of them."""

import itertools
import re

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import phgs
from conftest import EXAMPLES, examples
from test_any_knowledge import NAMES, ORDERED, TABLE, knowledge, most_parents, satisfiable
from test_knowledge import broken

LIMITS = st.sampled_from([None, None, 1, 2, 3])


@st.composite
def searches(draw, order=True):
    """Return a search with options of its own."""
    kinds = [phgs.Tabu, phgs.HillClimbing, phgs.GES] + [phgs.BOSS] * order
    kind = draw(st.sampled_from(kinds))
    options = {"max_parents": draw(LIMITS)}
    if kind is phgs.Tabu:
        options |= {"tabu_patience": 5}
    if kind is phgs.HillClimbing:
        options |= {"restarts": draw(st.integers(0, 1)), "perturbations": 3}
    if kind is phgs.GES:
        options |= {"schedule": draw(st.sampled_from(["phases", "interleaved", "cut-loose", "extended"]))}
    return kind(**options)


@st.composite
def compositions(draw):
    pairs = draw(st.lists(st.sampled_from(ORDERED), unique=True, max_size=12))
    learners = [
        phgs.PC(alpha=0.05),
        phgs.PC(collider_rule="majority"),
        phgs.PPC(max_clusters=2),
        phgs.MMPC(),
        phgs.HPC(),
        phgs.PEF(max_clusters=2),
        phgs.IAMB(),
    ]
    restrict = draw(st.sampled_from([None, *learners, pairs]))
    place = {name: i for i, name in enumerate(draw(st.permutations(NAMES)))}
    start = [
        (a, b) for a, b in draw(st.lists(st.sampled_from(ORDERED), unique=True, max_size=10)) if place[a] < place[b]
    ]
    inits = ["empty", start] if restrict is None else ["empty", "hgi", "oriented", start]
    refinements = st.one_of(st.sampled_from(["free", "growing", "ges", "xges", "boss"]), searches())
    return phgs.Hybrid(
        restrict=restrict,
        select=draw(st.sampled_from(["restrict", None])),
        init=draw(st.sampled_from(inits)),
        maximize=draw(st.one_of(st.none(), searches(order=restrict is None))),
        refine=draw(st.lists(refinements, max_size=2)),
        max_parents=draw(LIMITS),
        time_limit=draw(st.sampled_from([None, None, 1e-9, 1e-3])),
        progress=False,
        threads=2,
    )


def limits(composition):
    """Return the limits of parents of all searches, in order; each is no higher than that of the composition."""
    whole = composition.max_parents
    searched = composition.maximize
    inherited = whole if searched is None or searched.max_parents is None else searched.max_parents
    found = [] if searched is None else [searched.max_parents]
    found += [inherited if isinstance(r, str) else r.max_parents for r in composition.refine]
    return [min((x for x in (whole, own) if x is not None), default=None) for own in found] or [whole]


@pytest.mark.timeout(120 + 2 * EXAMPLES)
@pytest.mark.filterwarnings("ignore:the graph that is given as:phgs.errors.PhgsWarning")
@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])
@given(knowledge(), compositions())
def test_every_result_keeps_limits_and_knowledge(known, composition):
    composition.knowledge = known
    within = limits(composition)
    tightest = min((limit for limit in within if limit is not None), default=None)
    try:
        result = composition.learn(TABLE)
    except phgs.KnowledgeError:
        assert not satisfiable(known)
        event("contradictory")
        return
    except phgs.ParameterError as error:
        said = str(error)
    else:
        said = None
    if said is not None:
        assert said.startswith("max_parents")
        assert re.search(r"variable \d", said) is None
        given_start = not isinstance(composition.init, str) and "start graph" in said
        no_search = composition.init == "oriented" and composition.maximize is None and not composition.refine
        assert no_search or given_start or not satisfiable(known, tightest)
        event("refused")
        return
    event("complete" if result.complete else "cut short")
    assert broken(result.cpdag, known) == []
    if result.dag is not None:
        assert broken(result.dag, known) == []
        assert within[-1] is None or most_parents(result.dag) <= within[-1]
    elif within[-1] is not None and result.extendable:
        assert most_parents(phgs.cpdag_to_dag(result.cpdag)) <= within[-1]


@given(knowledge(), st.sampled_from(["hc", "ges", "phgs", "pc"]), st.integers(0, 99))
@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.too_slow])
def test_every_consensus_keeps_knowledge(known, method, seed):
    if not satisfiable(known):
        return
    learner = phgs.learner(method)
    learner.set_params(knowledge=known, progress=False, threads=1)
    found = phgs.bootstrap(learner, TABLE, n=4, seed=seed, progress=False)
    for threshold, kind in itertools.product([0.25, 0.5, 1.0], ["majority", "dag", "cpdag"]):
        graph = found.consensus(threshold, kind)
        assert phgs.Graph(NAMES, graph.directed).is_dag
        arcs = set(graph.directed)
        # A required edge may have other directions than the required arc only where replicates leave it out.
        wrong = [item for item in broken(graph, known) if item in known.forbidden or item in arcs]
        assert wrong == []
        for a, b in graph.directed:
            share = found.pair(a, b)
            assert share.x_to_y + share.undirected > 0
