"""Many columns: what would not fit into memory is refused before any work, or done in another way that is told."""

import numpy as np
import pytest

import phgs


def chains(columns=40, rows=400):
    """Return chains of four binary columns."""
    generator = np.random.default_rng(2)
    codes = generator.integers(0, 2, (rows, columns))
    for column in range(columns):
        if column % 4:
            codes[:, column] = np.where(generator.random(rows) < 0.85, codes[:, column - 1], codes[:, column])
    return codes


@pytest.fixture
def at_most_30(monkeypatch):
    monkeypatch.setattr("phgs.learners.stages.MOST_CLUSTERED", 30)


@pytest.mark.parametrize("method", ["ppc", "phgs", "pef", "arges"])
def test_too_many_columns_to_cluster_are_refused_with_a_remedy(at_most_30, monkeypatch, method):
    data = phgs.as_table(chains())
    labels = [column // 4 for column in range(40)]
    monkeypatch.setattr("phgs._core.learn", lambda *_, **__: pytest.fail("work"))
    with pytest.raises(phgs.ParameterError, match=r"max_clusters: 40 variables are more than the 30 .*clusters="):
        phgs.learn(data, method=method)
    monkeypatch.undo()
    for remedy in ({"clusters": labels}, {"max_clusters": 1}):
        assert phgs.learn(data, method=method, **remedy).cpdag.n_edges > 20


def test_the_default_takes_one_cluster_and_says_so(at_most_30):
    data = phgs.as_table(chains())
    found = phgs.learn(data)
    assert found.parameters["max_clusters"] == 1
    assert found.clusters is None
    alone = phgs.learn(data, max_clusters=1)
    assert found.cpdag == alone.cpdag
    assert found.score == alone.score
    labelled = phgs.learn(data, clusters=[column // 4 for column in range(40)])
    assert labelled.parameters["max_clusters"] == 20
    assert len(set(labelled.clusters.values())) == 10
    assert phgs.learn(data.select(range(20))).parameters["max_clusters"] == 20
