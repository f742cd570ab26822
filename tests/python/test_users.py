"""What users of other packages asked for or stumbled over, row by row: where each is tested.

Files that end in ``.rs`` are the core's, in tests/core unless they begin with src. Rows that have a theme of their own
are in the module of that theme; what is left is here.

| row | wish | proven by |
|---|---|---|
| 1 | no information is no dependence | test_graphs: test_tables_without…; here: test_a_test_without… |
| 2 | levels fixed by column, rule named | counting.rs: strata_and_degrees_of_freedom…; here: test_levels_are_fixed… |
| 3 | rows and strata that count | here: test_rows_and_strata_that_count_are_told |
| 4 | the decision is p > alpha | here: test_the_decision_is_p_above_alpha |
| 5 | no continuity correction | here: test_two_by_two_tables_have_no_continuity_correction |
| 6 | constant and repeated conditioners | test_graphs: test_tables…; independence.rs: a_constant_conditioner… |
| 7 | huge conditioning sets | independence.rs: huge_sets_neither_overflow_nor_exhaust_memory |
| 8 | least-sample rule, and its count | independence.rs: the_least_sample_rule…; here: test_the_least_sample_rule… |
| 9 | singular Gaussian data | test_gaussian: test_copies_and_combinations_are_named |
| 10 | tests of one's own, named in results | test_own_test; here: test_levels_are_fixed_by_column_and_the_rule_has… |
| 11 | which alpha | test_results: test_what_a_result_says; here: test_the_levels_that_path_looked_at_are_in_the… |
| 12 | order of columns (stable PC) | skeleton.rs: the_order_of_columns… |
| 13 | columns permuted and renamed | test_running: test_column_order_does_not_change…, test_names_change_nothing |
| 14 | cap of the conditioning set | test_own_test: test_no_test_is_above_the_cap |
| 15 | separating sets only from tests | skeleton.rs: equals_the_plain_reference…; test_any_knowledge |
| 16 | p-values and sets behind edges | test_results: test_edges_and_separations_are_explained |
| 17 | separators from earlier tiers | here: test_a_chain_over_three_tiers_loses_its_long_edge |
| 18 | blankets, targets | orient/class.rs: blankets…; local.rs: one_target…; test_graphs: test_markov_blankets |
| 19 | every rule of Meek | src/orient/meek.rs; orient/class.rs |
| 20 | isolated nodes | test_results: test_isolated_nodes_are_everywhere; test_any_frame |
| 21 | no cycles; a DAG or why not | orient/colliders.rs: conflicts_never…; test_any_frame; here: test_graphs… |
| 22 | no bidirected edges, conflicts listed | here: test_conflicts_are_named_and_no_edge_points_both_ways |
| 23 | extension or what stands in its way | orient/class.rs: extension_succeeds_exactly…; test_graphs: test_what… |
| 24 | collider rules by name | orient/colliders.rs: all_collider_rules… |
| 25 | all DAGs of a class, conversions | orient/class.rs; test_graphs: test_round_trips_on_random_dags |
| 26 | required edges appear | here: test_a_required_edge_that_the_data_do_not_show_is_there |
| 27 | contradictions are refused | test_knowledge: test_contradictions…; test_any_knowledge |
| 28 | no constraint is broken | test_knowledge: test_no_output_breaks_random_knowledge; test_any_knowledge |
| 29 | forbidding invents no collider | test_knowledge: test_a_forbidden_pair_invents_no_collider |
| 30 | forbidden pairs are not tested | test_own_test: test_what_knowledge…; here: test_forbidden_pairs… |
| 31 | one kind of knowledge everywhere | test_knowledge: test_requiring_an_edge_that_is_there_changes_nothing_else |
| 32 | empty knowledge is none | here: test_empty_knowledge_is_no_knowledge |
| 33 | what BIC is | here: test_bic_by_hand |
| 34 | BDeu's closed form | score.rs: bdeu_and_k2_are_their_closed_forms |
| 35 | score of any graph | test_graphs: test_any_graph_can_be_scored |
| 36 | ties of equivalent graphs | score.rs: equivalent_dags_tie_exactly |
| 37 | hill-climbing is hill-climbing | search.rs: every_move_is_that_of_a_plain_search |
| 38 | options count, examples run | test_options: test_every_option…, test_the_number_of…; test_docs |
| 39 | tabu ends, never below its start | search.rs: promises_hold; test_learners: test_a_search_is_never… |
| 40 | GES is GES | src/search/ges/tests.rs; ges.rs; test_any_frame |
| 41–43 | labels of any type; constants | test_input |
| 44 | identifiers | test_identifiers |
| 45–48 | names, repeated names, floats, missing values | test_input |
| 49 | test-wise deletion, missing as a level | test_testwise; test_input: test_missing_values_are_counted_by_column |
| 50 | many rows | here: test_tabu_search_on_many_rows |
| 51 | many columns, few rows | here: test_thousands_of_columns_and_few_rows |
| 52 | large parent sets | score.rs: many_large_parents_need_little_memory_and_no_overflow |
| 53 | no stale cache | test_running: test_two_data_sets_in_one_process |
| 54 | threads change nothing; one is one | test_running: test_any_number_of_threads_gives_equal…, test_one… |
| 55 | progress and silence | test_running: test_progress_ends_with_finished, test_progress_is…, test_logging… |
| 56 | Ctrl-C and time limits | test_interruption; test_running: test_a_time… |
| 57, 58 | the matrix; isolated nodes | test_results: test_what_the_matrix_means, test_isolated_nodes_are_everywhere |
| 59 | BIF | bif.rs |
| 60 | drawing without hard-to-install packages | test_results: test_exports_need_nothing |
| 61 | comparison of classes by name | metrics.rs; test_graphs: test_comparison_is_by_name_and_class |
| 62 | CPDAG or DAG | here: test_a_result_says_what_it_holds |
| 63, 64 | confidence of edges | test_confidence: test_shares_add_to_one_and_belong_to_the…, test_any… |
| 65 | light import | here: test_import_is_light; test_running: test_heavy_modules_are_imported_when_used |
| 66 | no other runtime | no test: Python and Rust alone |
| 67 | old and new numpy; one conditioning column | test_running: test_heavy_modules…; here: test_a_single… |
"""

import math
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import phgs
from conftest import make_chain


def test_a_test_without_information_says_so():
    # Within each stratum of z one of the two is constant: nothing can be said.
    data = {"x": [0, 1, 0, 0] * 20, "y": [0, 0, 0, 1] * 20, "z": [0, 0, 1, 1] * 20}
    adjusted = phgs.independence_test(data, "x", "y", "z", degrees_of_freedom="adjusted")
    assert (adjusted.statistic, adjusted.degrees_of_freedom, adjusted.p_value) == (0.0, 0.0, 1.0)
    classical = phgs.independence_test(data, "x", "y", "z")
    assert classical.p_value == 1.0
    assert adjusted.no_information
    assert classical.no_information
    assert "no row says anything of it" in str(classical)
    assert not phgs.independence_test(data, "x", "y").no_information


def test_levels_are_fixed_by_column_and_the_rule_has_a_name(chain):
    # The third state of x is never seen where z is 1.
    data = {"x": [0, 1, 2, 0, 1, 0, 1, 1], "y": [0, 1, 0, 1, 0, 1, 1, 0], "z": [0, 0, 0, 0, 1, 1, 1, 1]}
    tests = {
        rule: phgs.independence_test(data, "x", "y", "z", degrees_of_freedom=rule) for rule in ("classical", "adjusted")
    }
    assert {rule: (test.degrees_of_freedom, test.test) for rule, test in tests.items()} == {
        "classical": (4.0, "g2"),
        "adjusted": (3.0, "g2-adjusted"),
    }
    assert tests["classical"].statistic == tests["adjusted"].statistic
    for rule, name in (("classical", "x2"), ("adjusted", "x2-adjusted")):
        result = phgs.learn(chain, "pc", test="x2", degrees_of_freedom=rule, progress=False)
        assert result.test == name
        assert result.to_dict()["test"] == name


def test_rows_and_strata_that_count_are_told():
    z = np.repeat([0, 1, 2, 3], 25)
    x = np.where(z == 0, np.arange(100) % 2, 0)
    y = np.where(z <= 1, np.arange(100) // 2 % 2, 1)
    with pytest.warns(
        phgs.PhgsWarning, match=r"only 25 of 100 rows are in strata of 'z' in which both 'x' and 'y' vary"
    ):
        test = phgs.independence_test({"x": x, "y": y, "z": z}, "x", "y", "z")
    assert (test.n_rows, test.n_rows_read) == (100, 100)
    assert (test.strata, test.informative_strata, test.informative_rows) == (4, 1, 25)
    gaps = {"x": [*x[:90], *[None] * 10], "y": y, "z": z}
    with pytest.warns(phgs.PhgsWarning, match="only 25 of 90"):
        left = phgs.independence_test(gaps, "x", "y", "z", missing="drop")
    assert (left.n_rows, left.n_rows_read) == (90, 100)


@pytest.mark.filterwarnings("ignore:only .* rows are in strata:phgs.PhgsWarning")
def test_the_decision_is_p_above_alpha(alarm):
    for method in ("pc", "ppc", "mmpc"):
        result = phgs.learn(alarm.table, method, alpha=0.02, progress=False)
        assert all(row.p_value <= 0.02 for row in result.edges)
        log_alpha = math.log(0.02)
        names = result.variables
        apart = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if (a, b) not in result.cpdag]
        kept = [s for pair in apart if (s := result.separation(*pair)) is not None and s.log_p_value is not None]
        # PATH may drop what tests had kept; what tests separated is above alpha.
        tested = [s for s in kept if s.log_p_value > log_alpha]
        assert tested
        for s in tested[:8]:
            test = phgs.independence_test(alarm.table, s.x, s.y, s.given)
            assert test.log_p_value == s.log_p_value
            assert test.p_value > 0.02


def test_two_by_two_tables_have_no_continuity_correction():
    table = np.array([[12, 5], [3, 9]])
    x, y = np.repeat([0, 0, 1, 1], table.ravel()), np.repeat([0, 1, 0, 1], table.ravel())
    n, expected = table.sum(), np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    x2 = float(((table - expected) ** 2 / expected).sum())
    g2 = float(2 * (table * np.log(table / expected)).sum())
    assert n == 29
    for name, statistic in (("x2", x2), ("g2", g2)):
        test = phgs.independence_test({"x": x, "y": y}, "x", "y", test=name)
        assert test.statistic == pytest.approx(statistic, rel=1e-10)
        # One degree of freedom: the tail is that of a normal variable.
        assert test.p_value == pytest.approx(math.erfc(math.sqrt(statistic / 2)), rel=1e-10)


def test_the_least_sample_rule_counts_what_it_decided(alarm):
    table = {name: codes[:500] for name, codes in zip(alarm.table.names, alarm.table.codes, strict=True)}
    plain = phgs.learn(table, "pc", progress=False)
    guarded = phgs.learn(table, "pc", minimum_sample=(10, "df", "independent"), progress=False)
    assert plain.decided_by_minimum_sample == 0
    assert guarded.decided_by_minimum_sample > 0
    assert guarded.parameters["minimum_sample"] == [10, "df", "independent"]
    assert phgs.independence_test({"x": [0, 1] * 9, "y": [0, 0, 1] * 6}, "x", "y", minimum_sample=20).too_sparse


def test_the_levels_that_path_looked_at_are_in_the_result(alarm):
    result = phgs.learn(alarm.table, "pc", alpha=0.05, progress=False)
    alphas = [point.alpha for point in result.path]
    assert alphas[0] == 0.05
    assert alphas == sorted(alphas, reverse=True)
    assert all(point.score is not None for point in result.path)
    assert result.selected.score == max(point.score for point in result.path if point.extendable)
    assert result.parameters["alpha"] == 0.05
    assert f"chosen from {len(alphas)} levels" in str(result)


def test_a_chain_over_three_tiers_loses_its_long_edge():
    data = make_chain(n=3000, seed=2)
    for method in ("pc", "ppc", "phgs", "mmpc", "hpc", "si-hiton-pc"):
        result = phgs.learn(data, method, knowledge={"tiers": [["a"], ["b"], ["c"]]}, progress=False)
        assert set(result.cpdag.directed) == {("a", "b"), ("b", "c")}, method


def noisy(rng):
    """Return 60 rows of weak dependences, of which tests contradict each other."""
    x = rng.integers(0, 2, (60, 8))
    for j in range(2, 8):
        x[:, j] = np.where(rng.random(60) < 0.6, x[:, j - 1] ^ x[:, j - 2], x[:, j])
    return x


def test_graphs_without_a_dag_are_acyclic_and_say_so():
    rng = np.random.default_rng(0)
    without = 0
    for _ in range(40):
        data = noisy(rng)
        for method in ("pc", "mmpc", "fast-iamb"):
            result = phgs.learn(data, method, alpha=0.3, progress=False)
            assert phgs.Graph(result.variables, directed=result.cpdag.directed).is_dag
            assert ("no DAG has these edges" in str(result)) == (not result.extendable)
            if result.extendable:
                assert phgs.cpdag_to_dag(result.cpdag).is_dag
                continue
            without += 1
            with pytest.raises(phgs.GraphError, match=r"the edge . − . cannot be directed either way"):
                phgs.cpdag_to_dag(result.cpdag)
    assert without


def test_conflicts_are_named_and_no_edge_points_both_ways():
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(40):
        result = phgs.learn(noisy(rng), "pc", alpha=0.3, path_length=1, progress=False)
        arcs = set(result.cpdag.directed)
        assert not any((b, a) in arcs for a, b in arcs)
        assert not arcs & {pair for a, b in result.cpdag.undirected for pair in ((a, b), (b, a))}
        assert result.n_conflicts == len(result.conflicts)
        for a, centre, b in result.conflicts:
            assert (a, centre) in result.cpdag
            assert (b, centre) in result.cpdag
            assert not {(a, centre), (b, centre)} <= arcs
        found += len(result.conflicts)
    assert found


def test_a_required_edge_that_the_data_do_not_show_is_there(chain):
    for method in phgs.METHODS:
        if method == "gsc":
            continue
        result = phgs.learn(chain, method, knowledge={"required": [("d", "a")]}, progress=False)
        assert ("d", "a") in result.cpdag.directed, method
        assert result.separation("d", "a") is None
    free = phgs.learn(chain, "pc", progress=False)
    kept = phgs.learn(chain, "pc", knowledge={"required": [("a", "b")]}, progress=False)
    # Required pairs are not tested.
    assert kept.edges[0].log_p_value == -math.inf
    assert kept.cpdag.skeleton() == free.cpdag.skeleton()


def test_forbidden_pairs_make_work_less(alarm):
    rng = np.random.default_rng(0)
    names = alarm.table.names
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    none = phgs.learn(alarm.table, "pc", path_length=1, knowledge={"forbidden_edges": pairs}, progress=False)
    # Nothing is tested, and one estimate is scored by nobody.
    assert none.calls == {"total": 0}
    # 10,000 forbidden pairs of 300 columns: so many tests fewer at once, and a moment to read them.
    wide = phgs.as_table(rng.integers(0, 3, (500, 300)))
    every = [(i, j) for i in range(300) for j in range(i + 1, 300)]
    known = phgs.Knowledge(forbidden_edges=[every[i] for i in rng.permutation(len(every))[:10_000]])
    start = time.process_time()
    within = phgs.learn(wide, "pc", knowledge=known, progress=False).calls["within"]
    assert time.process_time() - start < 0.5
    assert within <= phgs.learn(wide, "pc", progress=False).calls["within"] - 10_000


def test_empty_knowledge_is_no_knowledge(chain):
    free = phgs.learn(chain, progress=False)
    for empty in (None, {}, phgs.Knowledge(), {"required": [], "tiers": []}):
        assert phgs.learn(chain, knowledge=empty, progress=False).cpdag == free.cpdag


def test_bic_by_hand():
    # x: 6 and 4; y given x = 0: 5 and 1, given x = 1: 1 and 3.
    data = {"x": [0] * 6 + [1] * 4, "y": [0] * 5 + [1] + [0] + [1] * 3}
    loglik = 6 * math.log(0.6) + 4 * math.log(0.4)
    loglik += 5 * math.log(5 / 6) + math.log(1 / 6) + math.log(1 / 4) + 3 * math.log(3 / 4)
    value = phgs.score(data, [("x", "y")])
    assert value.name == "bic"
    assert value.n_parameters == 3
    assert value.value == pytest.approx(loglik - 0.5 * math.log(10) * 3, rel=1e-12)
    assert sum(value.local.values()) == pytest.approx(value.value, rel=1e-12)
    assert phgs.HillClimbing(progress=False).fit(data).result_.score.name == "bic"


def sampled(n_variables, n_rows, seed=1):
    arcs = phgs.random_dag(n_variables, degree=2.5, seed=seed)
    return phgs.Network.random(arcs, states=(2, 5), seed=seed).sample(n_rows, seed=seed)


def test_tabu_search_on_many_rows():
    table = phgs.as_table(sampled(29, 137_000))
    start = time.monotonic()
    result = phgs.learn(table, "tabu", progress=False)
    assert time.monotonic() - start < 30
    assert result.complete


def test_thousands_of_columns_and_few_rows():
    rng = np.random.default_rng(3)
    wide = phgs.as_table(rng.integers(0, 2, (100, 2000)), warn=False)
    start = time.monotonic()
    result = phgs.learn(wide, time_limit=60, progress=False)
    assert time.monotonic() - start < 60
    assert len(result.variables) == 2000


def test_a_result_says_what_it_holds():
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 2, (2, 2000))
    chain, collider = make_chain(), {"x": x, "y": y, "z": (x | y) ^ (rng.random(2000) < 0.1)}
    del chain["d"]
    found = phgs.learn(chain, progress=False)
    # Three DAGs say the same of a chain: no direction can be told.
    assert found.cpdag.undirected == (("a", "b"), ("b", "c"))
    assert not found.cpdag.is_dag
    assert found.dag.is_dag
    assert "2 undirected" in str(found)
    assert "Both directions occur" in found.explain("a", "b")
    assert phgs.learn(collider, progress=False).cpdag.directed == (("x", "z"), ("y", "z"))


def test_import_is_light():
    # Seconds of the processor: half a second, where importing numpy takes an eighth; more where that takes more.
    code = "import time, numpy; before = time.process_time(); import phgs; print(before, time.process_time())"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    numpy_alone, all_of_it = (
        min(times) for times in zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    )
    assert all_of_it < 0.5 * max(1, numpy_alone / 0.125)
    files = [path for path in Path(phgs.__file__).parent.rglob("*") if path.suffix != ".pyc" and path.is_file()]
    assert sum(path.stat().st_size for path in files) < 12e6


def test_a_single_conditioning_column_may_stand_alone(chain):
    alone = phgs.independence_test(chain, "a", "c", "b")
    assert alone == phgs.independence_test(chain, "a", "c", ["b"])
    assert alone.given == ("b",)


def test_every_row_names_tests_that_exist():
    here = Path(__file__).parent
    python = {path.stem: path.read_text(encoding="utf-8") for path in here.glob("test_*.py")}
    root = here.parents[1]
    rust = {
        path.relative_to(root).as_posix(): path for path in [*root.glob("src/**/*.rs"), *root.glob("tests/**/*.rs")]
    }
    rows = [line.strip("|").split("|") for line in __doc__.splitlines() if re.match(r"\| \d", line)]
    numbers = [number for row in rows for number in re.findall(r"\d+–\d+|\d+", row[0])]
    covered = [
        n for number in numbers for ends in [[*map(int, number.split("–"))]] for n in range(ends[0], ends[-1] + 1)
    ]
    assert covered == list(range(1, 68))
    for number, _, proofs in rows:
        for proof in proofs.split(";"):
            where, _, names = proof.strip().partition(": ")
            if where.endswith(".rs"):
                (text,) = (
                    path.read_text(encoding="utf-8")
                    for name, path in rust.items()
                    if name in (where, f"tests/core/{where}")
                )
                start = "fn "
            elif where == "no test":
                continue
            else:
                text, start = python["test_users" if where == "here" else where], "def "
            for name in names.split(", ") if names else ():
                assert re.search(rf"{start}{name.rstrip('…')}(?![0-9])", text), (number, name)


def test_p_values_below_the_least_float_still_rank():
    strong = {name: [0, 1] * 3000 for name in ("x", "y")}
    weaker = {"x": strong["x"], "y": [*strong["y"][:-1], 0]}
    tests = [phgs.independence_test(data, "x", "y") for data in (strong, weaker)]
    assert [test.p_value for test in tests] == [0.0, 0.0]
    assert -math.inf < tests[0].log_p_value < tests[1].log_p_value < -700
