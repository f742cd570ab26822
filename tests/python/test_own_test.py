"""Independence tests that a user writes (row 10 of the users' wishes)."""

import itertools
import math
import sys
import time

import numpy as np
import pytest

import clocks
import phgs

ARCS = [("a", "c"), ("b", "c"), ("c", "d"), ("c", "e"), ("d", "f"), ("e", "f"), ("b", "g")]
NAMES = list("abcdefg")
BY_TESTS = [
    "pc",
    "ppc",
    "mmpc",
    "hpc",
    "fast-iamb",
    "si-hiton-pc",
    "hiton-pc",
    "getpc",
    "gs",
    "iamb",
    "inter-iamb",
    "iamb-fdr",
]


def oracle(arcs=ARCS):
    dag = phgs.as_dag(arcs)

    def d_separation(x, y, given):
        return 0.0, 1.0, float(phgs.d_separated(dag, x, y, given))

    return d_separation


def g2_of(table, asked=None):
    def my_g2(x, y, given):
        if asked is not None:
            asked.append((x, y, given))
        found = phgs.independence_test(table, x, y, given)
        return found.statistic, found.degrees_of_freedom, found.p_value

    return my_g2


@pytest.mark.parametrize("method", BY_TESTS)
def test_an_oracle_gives_the_true_class_without_data(method):
    options = {"path_length": 1} if method in ("pc", "ppc") else {}
    result = phgs.learn(NAMES, method, test=oracle(), max_conditioning_size=None, progress=False, **options)
    assert result.cpdag == phgs.dag_to_cpdag(phgs.Graph(NAMES, ARCS))
    assert (result.test, result.parameters["test"], result.parameters["threads"]) == ("d_separation", "d_separation", 1)
    assert "They are independent" in result.explain("a", "b")


@pytest.mark.filterwarnings("ignore:only .* rows are in strata:phgs.PhgsWarning")
@pytest.mark.parametrize("method", ["pc", "phgs", "mmhc", "auto", "gsc"])
def test_the_own_test_of_the_package_gives_what_the_package_gives(alarm, method):
    names = alarm.table.names[:12]
    data = {name: alarm.table.codes[i][:3000] for i, name in enumerate(names)}
    options = {"skeleton": phgs.learn(data, "pc", progress=False), "init": "hgi"} if method == "gsc" else {}
    if method in ("phgs", "auto"):
        options |= {"max_clusters": 1}
    if method == "auto":
        options |= {"degrees_of_freedom": "classical"}
    plain = phgs.learn(data, method, progress=False, **options)
    asked = []
    own = phgs.learn(data, method, test=g2_of(phgs.as_table(data), asked), progress=False, threads=2, **options)
    assert (own.cpdag, own.dag, own.score, own.calls) == (plain.cpdag, plain.dag, plain.score, plain.calls)
    assert asked
    # Names in column order, and a set is a tuple of names.
    place = {name: i for i, name in enumerate(names)}
    for x, y, given in asked:
        assert place[x] < place[y]
        assert list(given) == sorted(given, key=place.get)


def watched(method, data, **options):
    """Learn, and return the result with all that was tested."""
    asked = []
    options |= {"path_length": 1} if method in ("pc", "ppc") else {}
    test = g2_of(phgs.as_table(data, warn=False), asked)
    return phgs.learn(data, method, test=test, progress=False, **options), asked


@pytest.mark.filterwarnings("ignore:only .* rows are in strata:phgs.PhgsWarning")
@pytest.mark.parametrize("method", [*BY_TESTS, "phgs", "auto", "mmhc", "h2pc", "pef", "arges"])
def test_no_test_is_above_the_cap(alarm, method):
    data = {name: codes[:1000] for name, codes in zip(alarm.table.names[:10], alarm.table.codes, strict=False)}
    for cap in (0, 1, 2):
        _, asked = watched(method, data, max_conditioning_size=cap)
        assert max(len(given) for *_, given in asked) == (cap if method != "auto" else min(cap, 1))


@pytest.mark.filterwarnings("ignore:only .* rows are in strata:phgs.PhgsWarning")
@pytest.mark.parametrize("method", BY_TESTS)
def test_what_knowledge_decides_is_not_tested(alarm, method):
    data = {name: codes[:1000] for name, codes in zip(alarm.table.names[:10], alarm.table.codes, strict=False)}
    pairs = list(itertools.combinations(data, 2))
    forbidden, required = pairs[::3], pairs[1::9]
    result, asked = watched(method, data, knowledge={"forbidden_edges": forbidden, "required_edges": required})
    assert asked
    assert not {(x, y) for x, y, _ in asked} & {*forbidden, *required}
    assert all(pair in result.cpdag for pair in required)
    if method in ("pc", "ppc"):
        assert result.calls["within"] == len(set(asked))


def test_what_a_test_says_is_kept_and_checked(tmp_path):
    result = phgs.PC(test=oracle(), path_length=1, progress=False).learn(NAMES)
    result.save(tmp_path / "r.json")
    assert phgs.Result.load(tmp_path / "r.json").to_dict() == result.to_dict()
    for wrong in (0.5, (1.0, 1.0, 1.5), (1.0, 1.0, math.nan), (1.0, 0.5), None, (1.0, 1.0, "0.5")):
        made = phgs.PC(test=lambda x, y, given, answer=wrong: answer, path_length=1, progress=False)
        with pytest.raises(phgs.ParameterError, match="test: <lambda> returned"):
            made.learn(NAMES)


def test_what_a_test_raises_is_passed_on():
    count = itertools.count()

    def failing(x, y, given):
        if next(count) == 10:
            raise KeyError("my own fault")
        return 0.0, 1.0, 0.0

    with pytest.raises(KeyError, match="my own fault"):
        phgs.PC(test=failing, path_length=1, progress=False).learn(NAMES)
    assert next(count) == 11, "no test is made after one that failed"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_stops_own_tests():
    def slow(x, y, given):
        time.sleep(0.01)
        return 0.0, 1.0, 0.0

    learner = phgs.PC(test=slow, path_length=1)
    assert clocks.answer(learner, list(range(100)), "within", delay=0.2) < 1.0


def test_where_a_test_of_ones_own_does_not_do(chain):
    with pytest.raises(phgs.ParameterError, match="data: phgs compares graphs by a score"):
        phgs.PHGS(test=oracle()).learn(NAMES)
    with pytest.raises(phgs.ParameterError, match="data: PATH compares"):
        phgs.PC(test=oracle()).learn(NAMES)
    with pytest.raises(phgs.ParameterError, match=r"test: .* has data of its own.*method on\(table\)"):
        phgs.bootstrap(phgs.PC(test=oracle()), chain)
    with pytest.raises(phgs.ParameterError, match="test: unknown value 'g3'"):
        phgs.PC(test="g3").learn(chain)
    with pytest.raises(phgs.DataError, match="distinct"):
        phgs.PC(test=oracle(), path_length=1).learn(["a", "a"])
    with pytest.raises(phgs.ParameterError, match="a test alone"):
        phgs.PC(test=oracle(), path_length=1, progress=False).learn(NAMES).fit()


def test_numbers_of_any_kind_by_a_rank_test():
    # Continuous columns that are neither categories nor normal, by Spearman's partial correlation.
    from scipy import stats

    rng = np.random.default_rng(1)
    x = rng.normal(size=800)
    data = {"x": np.exp(x), "y": np.exp(x + rng.normal(size=800)), "z": rng.exponential(size=800)}
    ranks = {name: stats.rankdata(values) for name, values in data.items()}

    def spearman(a, b, given):
        chosen = np.corrcoef([ranks[name] for name in (a, b, *given)])
        inverse = np.linalg.inv(chosen)
        r = -inverse[0, 1] / math.sqrt(inverse[0, 0] * inverse[1, 1])
        statistic = math.sqrt(800 - len(given) - 3) * abs(math.atanh(r))
        return statistic, 1.0, 2 * stats.norm.sf(statistic)

    found = phgs.PC(test=spearman, alpha=0.01, path_length=1, progress=False).learn(list(data))
    assert found.cpdag.edges == phgs.Graph("xyz", undirected=[("x", "y")]).edges
    assert found.test == "spearman"


@pytest.mark.filterwarnings("ignore:only .* rows are in strata:phgs.PhgsWarning")
@pytest.mark.parametrize("kind", [phgs.MMPC, phgs.HPC, phgs.FastIAMB, phgs.SIHitonPC])
def test_a_single_neighbourhood_by_a_test_of_ones_own(alarm, kind):
    data = phgs.as_table(
        {n: c[:1000] for n, c in zip(alarm.table.names[:8], alarm.table.codes, strict=False)}, warn=False
    )
    test = g2_of(data, [])
    own = kind(test=test, progress=False).neighbourhood(list(data.names), "PRESS")
    assert own.names == kind(test=test, progress=False).learn(list(data.names)).cpdag.adjacent("PRESS")
    if kind is not phgs.FastIAMB:  # its rule for sparse tables asks the data
        theirs = kind(progress=False).neighbourhood(data, "PRESS")
        assert (own.names, own.calls) == (theirs.names, theirs.calls)
    assert own.test == test.__name__


def test_a_single_test_of_ones_own(chain):
    def half(x, y, given):
        return 1.5, 2.0, 0.5 if given == ("c",) else 0.25

    found = phgs.independence_test(["a", "b", "c"], "a", "b", "c", test=half)
    assert (found.statistic, found.degrees_of_freedom, found.p_value) == (1.5, 2.0, pytest.approx(0.5))
    assert (found.test, found.n_rows) == ("half", 0)
    assert phgs.independence_test(chain, "a", "b", test=half).p_value == pytest.approx(0.25)
    with pytest.raises(phgs.ParameterError, match="test: <lambda> returned"):
        phgs.independence_test(chain, "a", "b", test=lambda x, y, given: 2)
