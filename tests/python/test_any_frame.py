"""Frames of any kind through every method: a valid result, or an exception that phgs documents."""

import contextlib
import datetime as dt
import itertools
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import phgs

DOCUMENTED = (phgs.DataError, phgs.ParameterError)

LABELS = st.text(max_size=3)
VALUES = {
    "few integers": st.integers(0, 3),
    "flags": st.booleans(),
    "any integers": st.integers(-(2**70), 2**70),
    "text": st.sampled_from(["", "a", "b", "NA", "nan", "ü", "0", "1.5"]),
    "any text": LABELS,
    "whole floats": st.integers(-3, 3).map(float),
    "floats": st.floats(allow_nan=True),
    "one value": st.just("same"),
    "nothing": st.none(),
    "with gaps": st.one_of(st.none(), st.integers(0, 2)),
    "with nan": st.sampled_from([0.0, 1.0, float("nan")]),
    "mixed": st.one_of(st.booleans(), st.integers(0, 2), st.sampled_from(["0", "1", (1, 2), frozenset()]), st.none()),
    "dates": st.dates(dt.date(2026, 1, 1), dt.date(2026, 1, 3)),
    "lists": st.lists(st.integers(0, 1), max_size=2),
    "complex": st.sampled_from([1j, 2j]),
}
# Most columns are usable, or hardly any frame would be learned from.
USABLE = ["few integers", "flags", "text", "whole floats", "one value"]
GAPS = ["with gaps", "with nan", "mixed", "any text"]
NAMES = st.one_of(LABELS, st.integers(0, 60), st.tuples(st.integers(0, 1), LABELS))


@st.composite
def columns(draw):
    few = draw(st.integers(0, 19)) == 0
    n_rows = draw(st.integers(0, 2) if few else st.integers(2, 60))
    n_columns = draw(st.integers(0, 1) if few else st.one_of(st.integers(2, 8), st.integers(9, 50)))
    unique = draw(st.integers(0, 9)) > 0
    names = draw(st.lists(NAMES, min_size=n_columns, max_size=n_columns, unique_by=str if unique else None))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    tame = draw(st.integers(0, 3))
    kinds = st.sampled_from({0: [*VALUES], 1: [*USABLE, *GAPS]}.get(tame, USABLE))
    made = []
    for _ in range(n_columns):
        # A pool of values is drawn, rows choose among them: what hypothesis draws stays small.
        pool = draw(st.lists(VALUES[draw(kinds)], min_size=1, max_size=4))
        if made and draw(st.integers(0, 5)) == 0:
            made.append(list(made[int(rng.integers(len(made)))]))  # a copy of another column
        elif draw(st.integers(0, 19)) == 0:
            made.append(list(range(n_rows)))  # an identifier
        else:
            made.append([pool[i] for i in rng.integers(len(pool), size=n_rows)])
    return names, made


def as_pandas(names, made):
    frame = pd.DataFrame({i: pd.Series(column, dtype=object) for i, column in enumerate(made)})
    frame.columns = pd.Index(names, tupleize_cols=False)
    return frame


def as_categories(names, made):
    frame = as_pandas(names, made)
    for i in range(len(names)):
        # Tuples beside other values pandas cannot sort, or warns of.
        with warnings.catch_warnings(), contextlib.suppress(TypeError):
            warnings.simplefilter("ignore")
            frame.isetitem(i, pd.Categorical(frame.iloc[:, i]))
    return frame


FORMS = {
    "pandas": as_pandas,
    "inferred": lambda names, made: as_pandas(names, made).infer_objects(),
    "categories": as_categories,
    "mapping": lambda names, made: dict(zip(names, made, strict=True)),
    "array": lambda names, made: np.array(made, dtype=object).T if made else np.empty((5, 0)),
}


def in_form(form, names, made):
    if form == "polars":
        try:
            return pl.DataFrame({str(name): column for name, column in zip(names, made, strict=True)}, strict=False)
        except (pl.exceptions.PolarsError, TypeError, OverflowError, ValueError):
            return {str(name): column for name, column in zip(names, made, strict=True)}
    return FORMS[form](names, made)


def options_of(method, draw, names):
    options = {"missing": draw(st.sampled_from(["error", "drop", "level", "level", "level", "testwise"]))}
    if method in ("pc", "ppc", "mmpc", "hpc", "phgs"):
        options["degrees_of_freedom"] = draw(st.sampled_from(["classical", "adjusted"]))
        options["test"] = draw(st.sampled_from(["g2", "x2"]))
    if method in ("pc", "ppc"):
        options["path_length"] = draw(st.sampled_from([1, 10]))
    if method in ("hc", "tabu", "ges", "boss"):
        options["score"] = draw(st.sampled_from(["bic", "aic", "bdeu", "k2"]))
        options["max_parents"] = draw(st.sampled_from([None, 0, 2]))
    if method == "gsc":
        options["skeleton"] = [(a, b) for a, b in itertools.pairwise(names) if a != b]
        options["init"] = draw(st.sampled_from(["empty", "hgi"]))
    return options


def check(result, data_names):
    assert [str(name) for name in result.variables] == [str(name) for name in data_names]
    assert result.dag is None or result.dag.is_dag
    if result.extendable:
        assert phgs.cpdag_to_dag(result.cpdag).is_dag
    assert result.to_numpy().shape == (len(data_names),) * 2
    assert json.loads(json.dumps(result.to_dict()))["variables"] == [str(name) for name in data_names]
    assert "edges" in str(result)
    for row in result.edges:
        assert row.log_p_value is None or row.log_p_value <= 0


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    max_examples=max(1, settings.default.max_examples // len(phgs.METHODS)),
)
@pytest.mark.parametrize("method", phgs.METHODS)
@given(data=st.data())
def test_any_frame_through_any_method(method, data):
    names, made = data.draw(columns())
    form = data.draw(st.sampled_from([*FORMS, "polars"]))
    seen = {"array": list(range(len(names))), "mapping": list(dict.fromkeys(names))}.get(form, names)
    if form == "polars":
        seen = list(dict.fromkeys(str(name) for name in names))
    options = options_of(method, data.draw, seen)
    frame = in_form(form, names, made)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", phgs.PhgsWarning)
        try:
            result = phgs.learn(frame, method, threads=2, progress=False, **options)
        except DOCUMENTED as error:
            event(str(error)[:25])
            return
        event("learned")
        check(result, seen)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(columns(), st.sampled_from([*FORMS, "polars"]))
def test_any_frame_can_be_described(table, form):
    frame = in_form(form, *table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            report = phgs.describe(frame)
        except phgs.DataError as error:
            event(str(error)[:25])
            return
        names = {"mapping": set(table[0]), "polars": {str(name) for name in table[0]}}.get(form, table[0])
        n_columns = len(names)
        assert len(report.columns) == n_columns
        assert str(report)
        assert report._repr_html_()
        json.dumps(report.to_dict())
        assert len(report.to_pandas()) == n_columns
