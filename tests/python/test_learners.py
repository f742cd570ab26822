"""Learners follow scikit-learn's protocol, and check what they are given."""

import copy
import inspect
import itertools
import math
import pickle

import numpy as np
import pytest
import sklearn.base
import sklearn.pipeline

import phgs

LEARNERS = [
    phgs.Auto,
    phgs.ARGES,
    phgs.BOSS,
    phgs.GES,
    phgs.PHGS,
    phgs.PPC,
    phgs.PC,
    phgs.HillClimbing,
    phgs.Tabu,
    phgs.MMPC,
    phgs.HPC,
    phgs.FastIAMB,
    phgs.SIHitonPC,
    phgs.HitonPC,
    phgs.GetPC,
    phgs.GrowShrink,
    phgs.IAMB,
    phgs.InterIAMB,
    phgs.IAMBFDR,
    phgs.MMHC,
    phgs.H2PC,
    phgs.GSC,
    phgs.PEF,
    phgs.Hybrid,
]


@pytest.mark.parametrize("kind", LEARNERS)
def test_protocol(kind):
    made = kind(threads=1, progress=False)
    assert set(made.get_params()) == set(inspect.signature(kind).parameters)
    assert made.set_params(threads=2) is made
    assert made.threads == 2
    copied = sklearn.base.clone(made)
    assert copied is not made
    assert copied.get_params(deep=False) == made.get_params(deep=False)
    assert repr(copied) == f"{kind.__name__}(threads=2, progress=False)"
    assert kind.__doc__
    assert "Parameters" in kind.__doc__
    with pytest.raises(phgs.NotFittedError, match="call fit"):
        _ = made.cpdag_
    assert not hasattr(made, "result_")
    with pytest.raises(phgs.ParameterError, match="did you mean 'threads'"):
        made.set_params(thread=1)


def test_nested_parameters():
    made = phgs.Hybrid(restrict=phgs.PPC(alpha=0.01), init="hgi", maximize=phgs.Tabu())
    assert made.get_params()["restrict__alpha"] == 0.01
    made.set_params(restrict__alpha=0.02)
    assert made.restrict.alpha == 0.02
    copied = sklearn.base.clone(made)
    assert copied.restrict is not made.restrict
    assert copied.restrict.alpha == 0.02


def test_fit_leaves_attributes(chain):
    model = phgs.PHGS(progress=False).fit(chain)
    assert model.n_features_in_ == 4
    assert model.feature_names_in_ == ("a", "b", "c", "d")
    assert model.levels_["d"] in ((0, 1), (1, 0))
    assert model.dag_.is_dag
    assert model.score_ == model.result_.score.value
    assert model.complete_
    assert set(model.calls_) >= {"total"}
    assert set(model.seconds_) >= {"read", "total"}
    assert model.fit(chain, None).cpdag_ == model.cpdag_
    pipeline = sklearn.pipeline.make_pipeline(phgs.PC(progress=False))
    assert pipeline.fit(chain)[-1].cpdag_.n_variables == 4


def test_learn_leaves_the_learner_as_it_was(chain):
    made = phgs.PC(progress=False)
    assert made.learn(chain).cpdag.n_variables == 4
    assert not hasattr(made, "result_")


@pytest.mark.parametrize("way", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])
def test_learners_and_results_can_be_copied(chain, way):
    model = phgs.PHGS(progress=False, knowledge={"forbidden": [("a", "b")]}).fit(chain)
    other = way(model)
    assert other.cpdag_ == model.cpdag_
    assert other.result_.edges == model.result_.edges
    assert other.result_.separation("a", "c") == model.result_.separation("a", "c")
    assert repr(other) == repr(model)


BAD = [
    (phgs.PC, {"alpha": 0}, "alpha"),
    (phgs.PC, {"alpha": 1.0}, "alpha"),
    (phgs.PC, {"alpha": -0.1}, "between 0 and 1"),
    (phgs.PC, {"alpha": "0.05"}, "alpha: expected a number"),
    (phgs.PC, {"alpha": float("nan")}, "alpha"),
    (phgs.PC, {"min_alpha": 0.1}, "min_alpha.*below alpha"),
    (phgs.PHGS, {"min_alpha": 0.05}, "path_length=1"),
    (phgs.PC, {"path_length": 0}, "path_length"),
    (phgs.PC, {"max_conditioning_size": -1}, "max_conditioning_size"),
    (phgs.PC, {"max_conditioning_size": 1.5}, "whole number"),
    (phgs.PPC, {"max_clusters": 0}, "max_clusters"),
    (phgs.PPC, {"clusters": [0, 1]}, "2 labels for 4 columns"),
    (phgs.PPC, {"clusters": {"a": 0}}, "no label for 'b'"),
    (phgs.PPC, {"clusters": {"aa": 0, "a": 1}}, "unknown column 'aa'"),
    (phgs.PC, {"test": "chi2"}, "unknown value 'chi2'; known: 'g2', 'x2'"),
    (phgs.PC, {"degrees_of_freedom": "adj"}, "degrees_of_freedom"),
    (phgs.PC, {"minimum_sample": 0}, "minimum_sample"),
    (phgs.PC, {"threads": -1}, "threads"),
    (phgs.PC, {"threads": True}, "threads"),
    (phgs.PC, {"time_limit": 0}, "time_limit"),
    (phgs.PC, {"missing": "dorp"}, "did you mean 'drop'"),
    (phgs.PC, {"score": "bicc"}, "did you mean 'bic'"),
    (phgs.Tabu, {"penalty": -1}, "penalty"),
    (phgs.Tabu, {"score": "ebic", "gamma": -1}, "gamma"),
    (phgs.Tabu, {"score": "bdeu", "equivalent_sample_size": 0}, "equivalent_sample_size"),
    (phgs.Tabu, {"tabu_length": 0}, "tabu_length"),
    (phgs.Tabu, {"tabu_patience": -1}, "tabu_patience"),
    (phgs.Tabu, {"max_parents": -1}, "max_parents"),
    (phgs.Tabu, {"start": [("a", "b"), ("b", "a")]}, "no direction"),
    (phgs.Tabu, {"start": [("a", "b"), ("b", "c"), ("c", "a")]}, "directed cycle: a → b → c → a"),
    (phgs.Tabu, {"start": [("a", "q")]}, "unknown variable 'q'"),
    (phgs.HillClimbing, {"restarts": -1}, "restarts"),
    (phgs.PC, {"collider_rule": "conservativ"}, "did you mean .conservative."),
    (phgs.ARGES, {"collider_rule": "majority"}, "collider_rule: ARGES uses it only"),
    (phgs.GSC, {}, "skeleton"),
    (phgs.GES, {"schedule": "round"}, "did you mean 'rounds'"),
    (phgs.GES, {"forward": False, "backward": False, "turning": False}, "at least one"),
    (phgs.MMHC, {"init": "hig"}, "did you mean 'hgi'"),
    (phgs.PHGS, {"refine": "fre"}, "did you mean 'free'"),
    (phgs.Hybrid, {"restrict": "ppc"}, "phgs.HPC"),
    (phgs.Hybrid, {"restrict": phgs.Tabu()}, "Tabu learns no skeleton"),
    (phgs.Hybrid, {"restrict": phgs.HPC(), "select": phgs.Path()}, "PATH needs"),
    (phgs.Hybrid, {"maximize": "tabu"}, "phgs.Tabu"),
    (phgs.PC, {"knowledge": {"requird": []}}, "did you mean 'required'"),
    (phgs.PC, {"knowledge": {"required": [("a", "q")]}}, "unknown variable 'q'"),
    (phgs.PC, {"knowledge": {"required": [("a", "b")], "forbidden": [("a", "b")]}}, "required and forbidden"),
    (phgs.PC, {"knowledge": {"tiers": [["a"], ["a"]]}}, "two tiers"),
]


@pytest.mark.parametrize(("kind", "parameters", "match"), BAD)
def test_bad_parameters_name_themselves(chain, kind, parameters, match):
    with pytest.raises(ValueError, match=match):
        kind(**{"progress": False, **parameters}).fit(chain)


def test_unknown_methods_and_parameters(chain):
    with pytest.raises(phgs.ParameterError, match="did you mean 'phgs'"):
        phgs.learn(chain, "phsg")
    with pytest.raises(phgs.ParameterError, match="did you mean 'alpha'"):
        phgs.learn(chain, "pc", alhpa=0.1)
    with pytest.raises(TypeError):
        phgs.PC(0.05)


def test_max_parents_holds(alarm):
    for method in ("phgs", "hc", "tabu"):
        result = phgs.learn(alarm.table, method, max_parents=1, progress=False)
        assert max(len(result.dag.parents(name)) for name in result.variables) == 1


def test_hybrid_makes_the_named_methods(alarm):
    made = phgs.Hybrid(restrict=phgs.PPC(alpha=0.05), init="hgi", maximize=phgs.Tabu(), progress=False)
    named = phgs.PHGS(progress=False)
    a, b = made.learn(alarm.table), named.learn(alarm.table)
    assert (a.dag, a.score, a.calls) == (b.dag, b.score, b.calls)
    skeleton = phgs.Hybrid(restrict=phgs.PC(), init="oriented", progress=False).learn(alarm.table)
    assert skeleton.cpdag == phgs.PC(progress=False).learn(alarm.table).cpdag
    assert skeleton.dag is None
    free = phgs.Hybrid(restrict=None, init="empty", maximize=phgs.HillClimbing(), progress=False).learn(alarm.table)
    assert free.dag == phgs.HillClimbing(progress=False).learn(alarm.table).dag


def test_gsc_within_the_true_skeleton(alarm):
    result = phgs.GSC(skeleton=alarm.truth, init="hgi", progress=False).learn(alarm.table)
    assert result.cpdag.skeleton().n_edges <= 46
    assert phgs.compare(alarm.truth, result).false_positives == 0
    assert phgs.compare(alarm.truth, result).jaccard > 0.9


def test_a_search_is_never_worse_than_its_start(alarm):
    truth = phgs.score(alarm.table, alarm.truth).value
    result = phgs.HillClimbing(start=alarm.truth, progress=False).learn(alarm.table)
    assert result.score.value >= truth
    assert result.score.value == pytest.approx(phgs.score(alarm.table, result.dag).value, rel=1e-12)


def test_seeds(alarm):
    names = alarm.table.names[:12]
    data = {name: alarm.table.codes[i][:500] for i, name in enumerate(names)}
    made = [phgs.HillClimbing(restarts=3, seed=s, progress=False).learn(data) for s in (1, 1, 2)]
    assert made[0].dag == made[1].dag
    assert np.isfinite(made[2].score.value)


@pytest.mark.parametrize("rule", ["conservative", "majority", "max-p"])
def test_collider_rules(alarm, rule):
    """The rules change what is directed, never the skeleton, and undecided triples are unshielded."""
    base = phgs.learn(alarm.table, "pc", path_length=1, progress=False)
    found = phgs.learn(alarm.table, "pc", path_length=1, collider_rule=rule, progress=False)
    assert found.cpdag.skeleton() == base.cpdag.skeleton()
    assert found.calls["v_structures"] > 0
    assert found.calls["within"] == base.calls["within"]
    assert found.parameters["collider_rule"] == rule
    assert found.n_undecided == len(found.undecided) == found.to_dict()["undecided"]
    for x, centre, y in found.undecided:
        assert (x, centre) in found.cpdag
        assert (centre, y) in found.cpdag
        assert (x, y) not in found.cpdag
    assert (rule == "max-p") <= (not found.undecided)
    # The order of the columns changes nothing.
    order = np.random.default_rng(1).permutation(37)
    columns = {alarm.table.names[i]: alarm.table.codes[i] for i in order}
    other = phgs.learn(columns, "pc", path_length=1, collider_rule=rule, progress=False)
    assert {frozenset((t.x, t.y)) | {t.centre} for t in other.undecided} == {
        frozenset((t.x, t.y)) | {t.centre} for t in found.undecided
    }
    assert phgs.learn(alarm.table, "ppc", collider_rule=rule, progress=False).cpdag.n_edges > 30
    assert phgs.learn(alarm.table, "phgs", collider_rule=rule, progress=False).dag.is_dag


@pytest.mark.filterwarnings("ignore:only .* rows are in strata:phgs.PhgsWarning")
def test_a_majority_of_separating_sets_by_hand():
    """The rule's votes are those of single tests: x → z ← y where z is in fewer than half of the separating sets."""
    table = phgs.Network.load("asia").sample(3000, seed=5)
    result = phgs.PC(path_length=1, alpha=0.05, collider_rule="majority", progress=False).learn(table)
    skeleton = result.cpdag.skeleton()
    undecided = {(frozenset((t.x, t.y)), t.centre) for t in result.undecided}
    checked = 0
    for centre in skeleton.variables:
        around = skeleton.adjacent(centre)
        for x, y in itertools.combinations(around, 2):
            if (x, y) in skeleton:
                continue
            pools = [set(skeleton.adjacent(v)) - {x, y} for v in (x, y)]
            sets = {frozenset(s) for pool in pools for n in range(4) for s in itertools.combinations(sorted(pool), n)}
            separating = [s for s in sets if phgs.independence_test(table, x, y, sorted(s)).p_value > 0.05]
            share = sum(centre in s for s in separating) / len(separating) if separating else 0.5
            assert ((frozenset((x, y)), centre) in undecided) == (share == 0.5)
            if share > 0.5:
                assert not {(x, centre), (y, centre)} <= set(result.cpdag.directed)
            checked += 1
    assert checked


def test_extended_bic_is_bic_less_its_share_of_each_arc():
    data = {"x": [0, 0, 1, 1, 1], "y": [0, 0, 1, 1, 0], "z": [0, 1, 0, 1, 1]}
    arcs = [("x", "y"), ("z", "y")]
    bic, extended = phgs.score(data, arcs), phgs.score(data, arcs, "ebic", gamma=0.7)
    assert extended.value == pytest.approx(bic.value - 0.7 * 2 * math.log(3), rel=1e-12)
    assert phgs.score(data, arcs, "ebic", gamma=0).value == bic.value
    result = phgs.learn(data, "tabu", score="ebic", gamma=0.7, progress=False)
    assert result.score.name == "ebic"
    assert result.score.value == phgs.score(data, result, "ebic", gamma=0.7).value


def test_extended_bic_of_gaussian_data():
    matrix = [[1.0, 0.6], [0.6, 1.0]]
    data = phgs.gaussian_from_correlation(matrix, 100, ["x", "y"])
    bic, extended = phgs.score(data, [("x", "y")]), phgs.score(data, [("x", "y")], "ebic")
    assert extended.name == "gaussian-ebic"
    assert extended.value == pytest.approx(bic.value - 0.5 * math.log(2), rel=1e-12)
    result = phgs.learn(data, "ges", score="ebic", progress=False)
    assert (result.score.name, result.score.value) == ("gaussian-ebic", extended.value)


@pytest.mark.parametrize("kind", [phgs.MMPC, phgs.HPC, phgs.FastIAMB, phgs.SIHitonPC])
def test_one_neighbourhood_is_that_of_the_skeleton(alarm, kind):
    learner = kind(progress=False)
    whole = learner.learn(alarm.table)
    for target in ("HR", "CATECHOL", "LVFAILURE", "KINKEDTUBE"):
        found = learner.neighbourhood(alarm.table, target)
        assert found.names == whole.cpdag.adjacent(target)
        assert found.calls < whole.calls["total"] / 2
        for name, log_p, given in found.neighbours:
            row = next(row for row in whole.edges if {row.source, row.target} == {target, name})
            assert (log_p, given) == (row.log_p_value, row.weakest_set)
    assert "neighbours" in str(found)
    with pytest.raises(phgs.ParameterError, match="did you mean 'HRBP'"):
        learner.neighbourhood(alarm.table, "HRBPP")


def test_a_neighbourhood_keeps_knowledge_and_takes_other_data(alarm):
    learner = phgs.MMPC(knowledge={"required": [("HR", "ANAPHYLAXIS")], "forbidden_edges": [("HR", "CO")]})
    found = learner.neighbourhood(alarm.table, "HR")
    assert "ANAPHYLAXIS" in found.names
    assert "CO" not in found.names
    assert "ANAPHYLAXIS: required" in str(found)
    gaussian = phgs.sample_gaussian([("a", "b"), ("b", "c")], 1000, seed=1)
    assert phgs.HPC().neighbourhood(gaussian, "b").names == ("a", "c")
    table = phgs.Network.load("asia").sample(3000, seed=1).to_pandas()
    table.loc[::7, "tub"] = None
    missing = phgs.MMPC(missing="testwise")
    assert missing.neighbourhood(table, "bronc").names == missing.learn(table).cpdag.adjacent("bronc")
    with pytest.raises(phgs.ParameterError, match="time_limit"):
        phgs.MMPC(time_limit=3).neighbourhood(alarm.table, "HR")


@pytest.fixture(scope="module")
def asked():
    """Rows of a network in which greedy search is caught."""
    return phgs.Network.load("insurance").sample(1000, seed=1)


def test_effort_never_loses_score(asked):
    found = {effort: phgs.learn(asked, effort=effort, progress=False) for effort in ("quick", "normal", "thorough")}
    scores = [result.score.value for result in found.values()]
    assert scores == sorted(scores)
    assert scores[0] < scores[-1], "restarts leave what greedy search is caught in here"
    calls = [result.calls["refine"] for result in found.values()]
    assert calls == sorted(calls)
    assert phgs.learn(asked, progress=False).score == found["normal"].score
    assert [stage.name for stage in found["quick"].stages].count("refine") == 1
    assert [stage.name for stage in found["thorough"].stages].count("refine") == 3, "tabu search is last"
    again = phgs.learn(asked, effort="thorough", threads=3, progress=False)
    assert (again.dag, again.score, again.calls) == tuple(
        getattr(found["thorough"], name) for name in ("dag", "score", "calls")
    )


def test_the_last_search_is_tabu_search_where_columns_are_not_too_many():
    # Greedy search and the search among orders end lower here.
    data = phgs.Network.load("insurance").sample(5000, seed=3)
    result = phgs.learn(data, progress=False)
    orders = phgs.BOSS(narrowing=True, restarts=2 * 27, budget=40_000)
    before = phgs.learn(data, refine=[phgs.GES(schedule="interleaved"), orders], progress=False)
    assert result.score.value > before.score.value + 1e-6
    assert result.stages[-2].score == before.stages[-1].score
    wide = phgs.Network.load("alarm").tile(3, seed=1).sample(200, seed=1)
    assert [stage.name for stage in phgs.learn(wide, progress=False).stages].count("refine") == 3
    wider = phgs.as_table({f"x{i}": np.arange(20) // (1 + i % 7) % 2 for i in range(2001)}, warn=False)
    assert len(phgs.Auto().stages_for(wider).refine) == 2
    limited = phgs.learn(data, max_parents=1, max_iterations=3, progress=False)
    assert max(len(limited.dag.parents(name)) for name in limited.variables) <= 1


def test_a_variable_cut_loose_leaves_what_holds_a_search():
    """A variable that was made the child of its own effects, and its second cause joined to the first, stay so.

    Each change alone costs score. Of 25,000 rows the true class has the best score of the survey network.
    """
    network = phgs.Network.load("survey")
    data = network.sample(25_000, seed=1)
    start = [("O", "E"), ("R", "E"), ("E", "A"), ("S", "A"), ("E", "S"), ("O", "T"), ("R", "T")]
    options = {"turning": True, "start": start, "score": "sqnml", "progress": False}
    held = phgs.learn(data, "ges", schedule="interleaved", **options)
    found = phgs.learn(data, "ges", schedule="cut-loose", **options)
    assert phgs.compare(network, held).jaccard < 1
    assert found.cpdag == phgs.dag_to_cpdag(network)
    assert found.score.value > held.score.value


def test_variables_are_cut_loose_where_columns_are_many_but_not_too_many():
    def first(n_columns, **options):
        table = phgs.as_table({f"x{i}": np.arange(20) // (1 + i % 7) % 2 for i in range(n_columns)}, warn=False)
        return phgs.Auto(**options).stages_for(table).refine[0].as_core(table)

    assert first(100)["schedule"] == first(2001)["schedule"] == first(200, effort="quick")["schedule"] == "interleaved"
    for effort in ("normal", "thorough"):
        assert first(101, effort=effort)["schedule"] == first(2000, effort=effort)["schedule"] == "cut-loose"
    assert (first(100)["budget"], first(200)["budget"]) == (None, 20_000), "half a local score for each pair"


def test_effort_keeps_knowledge_limits_and_time(asked):
    names = asked.column_names
    known = {"forbidden": [(names[0], names[1]), (names[1], names[0])], "required": [(names[2], names[5])]}
    result = phgs.learn(asked, effort="thorough", knowledge=known, max_parents=2, progress=False)
    assert (names[2], names[5]) in result.dag.directed
    assert not {(names[0], names[1]), (names[1], names[0])} & set(result.dag.directed)
    assert max(len(result.dag.parents(name)) for name in names) <= 2
    hurried = phgs.learn(asked, effort="thorough", time_limit=0.05, progress=False)
    assert hurried.dag.is_dag


def test_effort_is_refused_where_it_says_nothing(asked):
    with pytest.raises(phgs.ParameterError, match="effort: 'thorough' says which search follows, and so does refine"):
        phgs.learn(asked, effort="thorough", refine="ges")
    with pytest.raises(phgs.ParameterError, match="effort"):
        phgs.learn(asked, effort="throrough")
    with pytest.raises(phgs.ParameterError, match="effort"):
        phgs.learn(asked, "tabu", effort="normal")
    with pytest.raises(phgs.ParameterError, match="budget"):
        phgs.BOSS(budget=-1).fit(asked)


def test_of_many_columns_few_pairs_are_scored(alarm):
    # Four independent copies of ALARM, each of other rows.
    rows, copies = 5_000, 4
    columns, arcs = {}, []
    for k in range(copies):
        own = slice(k * rows, (k + 1) * rows)
        columns |= {f"{n}{k}": c[own] for n, c in zip(alarm.table.names, alarm.table.codes, strict=True)}
        arcs += [(f"{a}{k}", f"{b}{k}") for a, b in phgs.as_dag(alarm.truth).directed]
    table = phgs.as_table(columns, warn=False)
    p = table.n_variables
    quick = phgs.learn(table, effort="quick", progress=False)
    # Without a screen, each variable is scored as a parent of each at least once.
    every = phgs.learn(table, refine=[phgs.GES(schedule="interleaved")], progress=False)
    assert every.calls["refine"] > p * (p - 1) > 3 * quick.calls["refine"]
    truth = phgs.dag_to_cpdag(phgs.as_dag(arcs, table.names))
    found, reference = (phgs.compare(truth, r, as_cpdags=False).jaccard for r in (quick, every))
    assert found >= reference - 0.01
    normal = phgs.learn(table, progress=False)
    assert normal.score.value >= quick.score.value
    assert normal.calls["refine"] < quick.calls["refine"] + 3 * p**2
    assert normal.cpdag == phgs.learn(table, progress=False, threads=1).cpdag


def test_the_score_of_the_default_is_that_of_the_type_of_data(asked):
    assert phgs.learn(asked, progress=False).parameters["score"] == "sqnml"
    gaussian = phgs.sample_gaussian([("a", "b"), ("b", "c")], 500, seed=1)
    result = phgs.learn(gaussian, progress=False)
    assert (result.score.name, result.parameters["penalty"]) == ("gaussian-ebic", 1.0)
    assert result.score.value == phgs.score(gaussian, result.dag, "ebic", penalty=1.0).value
    with pytest.raises(phgs.ParameterError, match="'sqnml' is for categories"):
        phgs.learn(gaussian, score="sqnml")


def test_the_default_is_the_composition_that_its_docstring_says(alarm):
    by_default = phgs.learn(alarm.table, progress=False)
    composed = phgs.PHGS(
        alpha=0.001,
        max_conditioning_size=2,
        degrees_of_freedom="adjusted",
        score="sqnml",
        gamma=1.0,
        # Two restarts for each variable, within as many scores as before; four for each pair of 100 variables.
        refine=[
            phgs.GES(schedule="interleaved"),
            phgs.BOSS(narrowing=True, restarts=74, restart_share=1, budget=40_000),
            "free",
        ],
        progress=False,
    ).learn(alarm.table)
    assert by_default.method == "auto"
    assert by_default.cpdag == composed.cpdag
    assert by_default.calls == composed.calls
    assert phgs.compare(alarm.truth, by_default).shd <= 2


@pytest.fixture(scope="module")
def survey():
    """A survey of a hundred questions of four answers, all of which measure three factors."""
    random = np.random.default_rng(3)
    factors = random.standard_normal((1500, 3))
    weights = random.uniform(0.5, 1.0, (3, 100)) * random.choice([-1, 1], (3, 100))
    answers = factors @ weights + random.standard_normal((1500, 100))
    cut = np.digitize((answers - answers.mean(0)) / answers.std(0), [-0.7, 0.0, 0.7])
    return phgs.as_table({f"q{i}": cut[:, i] for i in range(100)}, warn=False)


def test_tests_end_where_dependence_is_dense(survey):
    def conditional(result):
        return sum(result.calls.get(phase, 0) for phase in ("within", "between", "complete"))

    result = phgs.learn(survey, progress=False, threads=1)
    assert result.stages[0].name == "tests given up"
    # Blocks that have begun end: at most 32, of as many tests as a 64th of the limit.
    assert 4 * 100**2 <= conditional(result) <= 1.5 * 4 * 100**2
    without = phgs.learn(survey, "ges", schedule="interleaved", score="sqnml", progress=False)
    assert result.score.value >= without.score.value - 1e-6
    again = phgs.learn(survey, progress=False, threads=3)
    assert (again.dag, again.calls) == (result.dag, result.calls)
    # It is the search from the empty graph, and not another one.
    quick = phgs.learn(survey, effort="quick", progress=False)
    assert quick.cpdag == without.cpdag
    known = {"required": [("q0", "q1")], "forbidden": [("q0", "q2"), ("q2", "q0")]}
    kept = phgs.learn(survey, effort="quick", knowledge=known, max_parents=3, progress=False)
    assert ("q0", "q1") in kept.dag.directed
    assert max(len(kept.dag.parents(name)) for name in kept.variables) <= 3


def test_tests_do_not_end_early_elsewhere(alarm):
    names = [stage.name for stage in phgs.learn(alarm.table, progress=False).stages]
    assert "tests given up" not in names
    limited = phgs.learn(alarm.table, max_tests_per_pair=0, progress=False)
    assert limited.stages[0].name == "tests given up"
    with pytest.raises(phgs.ParameterError, match="max_tests_per_pair"):
        phgs.learn(alarm.table, max_tests_per_pair=-1)
