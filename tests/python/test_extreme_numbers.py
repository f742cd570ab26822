"""Numbers of any scale, weights of any size, and rows drawn again that leave a column without variation."""

import decimal
import math

import numpy as np
import pytest

import phgs

pytestmark = pytest.mark.filterwarnings("ignore::phgs.PhgsWarning")


@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1.0, 1e150, 1e200, 1e300])
def test_gaussian_data_of_any_scale_give_the_same(scale):
    rng = np.random.default_rng(4)
    x = rng.normal(size=500)
    y = x + rng.normal(size=500)
    z = y + rng.normal(size=500)
    data = {"x": x * scale, "y": y, "z": z / scale}
    reference = {"x": x, "y": y, "z": z}
    found = phgs.learn(data, "ges", data_type="gaussian", progress=False)
    known = phgs.learn(reference, "ges", data_type="gaussian", progress=False)
    assert found.cpdag == known.cpdag
    assert found.cpdag.n_edges == 2
    # Each row adds the logarithm of the scale; of x and z they cancel.
    assert found.score.value == pytest.approx(known.score.value, rel=1e-10)
    one = phgs.score(data, [("x", "y")], "gaussian-bic").local["x"]
    expected = phgs.score(reference, [("x", "y")], "gaussian-bic").local["x"] - 500 * math.log(scale)
    assert one == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("weight", [1e-320, 1e-300, 1e-6, 1.0, 1e6, 1e12, 1e18, 1e20, 1e100, 1e308])
def test_bdeu_is_exact_for_any_weight(weight):
    data = {"x": [0] * 7 + [1] * 5, "y": ([0, 1, 1] * 4), "z": [0, 1, 2, 0] * 3}
    found = phgs.score(data, [("x", "y"), ("z", "y")], "bdeu", equivalent_sample_size=weight)
    with decimal.localcontext(prec=350):
        s = decimal.Decimal(weight)

        def term(alpha, n):
            return sum(((alpha + i).ln() for i in range(n)), decimal.Decimal(0))

        expected = decimal.Decimal(0)
        for child, parents in {"x": (), "z": (), "y": ("x", "z")}.items():
            r = len(set(data[child]))
            q = math.prod(len(set(data[p])) for p in parents)
            rows = list(zip(*(data[n] for n in (child, *parents)), strict=True))
            for configuration in {row[1:] for row in rows}:
                inside = [row for row in rows if row[1:] == configuration]
                expected -= term(s / q, len(inside))
                for state in {row[0] for row in inside}:
                    expected += term(s / (q * r), sum(row[0] == state for row in inside))
        assert found.value == pytest.approx(float(expected), rel=1e-9, abs=1e-9)


def test_bdeu_with_a_huge_weight_is_that_of_uniform_tables():
    """With a weight without bounds every cell is as likely as any other: each row costs ln r."""
    rng = np.random.default_rng(5)
    data = {name: rng.integers(0, r, 400) for name, r in {"a": 2, "b": 3, "c": 4}.items()}
    found = phgs.score(data, [("a", "b"), ("b", "c")], "bdeu", equivalent_sample_size=1e20)
    assert found.value == pytest.approx(-400 * (math.log(2) + math.log(3) + math.log(4)), rel=1e-9)


def test_a_replicate_without_variation_isolates_the_column():
    rng = np.random.default_rng(6)
    x = rng.normal(size=40)
    y = x + rng.normal(size=40) * 0.5
    rare = np.zeros(40)
    rare[3] = 1.0
    nearly = np.where(np.arange(40) == 7, 0.0, x)
    data = {"x": x, "y": y, "rare": rare, "nearly": nearly}
    for method in (
        phgs.PC(path_length=1, data_type="gaussian"),
        phgs.GES(data_type="gaussian"),
        phgs.PHGS(data_type="gaussian"),
    ):
        found = phgs.bootstrap(method, data, n=20, seed=1, progress=False)
        draws = [np.random.default_rng([1, i]).integers(0, 40, 40) for i in range(20)]
        constant = sum(3 not in draw for draw in draws)
        copied = sum(7 not in draw for draw in draws)
        assert constant > 0
        assert copied > 0
        assert found.isolated == {"rare": constant, "nearly": copied}
        assert found.pair("x", "y").frequency > 0.9
        assert f"'rare' in {constant} replicates" in str(found)
    with pytest.raises(phgs.DataError, match="constant"):
        phgs.as_gaussian({"x": x, "one": np.ones(40)})
