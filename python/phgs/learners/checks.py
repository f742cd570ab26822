"""Checks of the parameters that learners share, one function for each group; each learner says which it has.

An error names the parameter and the remedy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from phgs import parameters
from phgs.choices import OF_NUMBERS, data_type_of, instead, numeric_score
from phgs.data.checks import listed
from phgs.data.counts import told
from phgs.data.kinds import check_given
from phgs.data.mixed import Numbers
from phgs.data.reading import DATA_TYPES
from phgs.data.table import Missing
from phgs.errors import ParameterError
from phgs.learners import searches, stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from phgs.data import Data
    from phgs.data.counts import PerRow
    from phgs.learners.base import Learner
    from phgs.learners.stages import Composition

OF_CATEGORIES: dict[str, Any] = {
    "test": "g2",
    "degrees_of_freedom": "classical",
    "minimum_sample": None,
    "equivalent_sample_size": 1.0,
}
"""Parameters that only data of categories have, with the values that are not refused on other data."""


def check_running(learner: Learner) -> None:
    """Check what all learners have."""
    parameters.whole("threads", learner.threads)
    if learner.time_limit is not None:
        parameters.positive("time_limit", learner.time_limit)
    parameters.one_of("missing", learner.missing, get_args(Missing))
    parameters.one_of("data_type", learner.data_type, DATA_TYPES)
    check_given(learner.kinds)
    if learner.numbers is not None:
        parameters.one_of("numbers", learner.numbers, get_args(Numbers))
    if learner.powers is not None and parameters.whole("powers", learner.powers, 1) not in (1, 2, 3):
        raise ParameterError(f"powers: {learner.powers!r} is more than 3; 2 adds squares, 3 cubes")
    if learner.data_type == "gaussian" and learner.categories is not None:
        raise ParameterError("categories: Gaussian data have none")
    if learner.data_type != "auto":
        check_data_type(learner, learner.data_type)


def check_data_type(learner: Learner, data_type: str) -> None:
    """Refuse what only categories have, where the data hold numbers."""
    if data_type == "discrete" or learner.numbers == "groups":
        return
    of = OF_NUMBERS[data_type]
    for name, default in OF_CATEGORIES.items():
        # What a learner has by default is no request; a function of the user's own knows what it takes.
        if name == "test" and learner._own_test() is not None:
            continue
        if getattr(learner, name, default) not in (default, getattr(type(learner), name, default)):
            raise ParameterError(
                f"{name}: {getattr(learner, name)!r} is for categories; {of.words} are tested by {of.test_words} and"
                f" scored by BIC or extended BIC{instead(data_type)}"
            )
    name, penalty, gamma = learner._score_name(data_type), learner._penalty(data_type), getattr(learner, "gamma", None)
    numeric_score(data_type, name, penalty, gamma)


def check_found_type(learner: Learner, table: Data) -> None:
    """Refuse what only categories have, where columns were taken for numbers: say which, and what to do."""
    if table.enters_as != "mixed":
        return
    try:
        check_data_type(learner, table.enters_as)
    except ParameterError as error:
        numbers = [name for name, kind in table.kinds.items() if kind == "number"]
        taken = "column {} is taken for a number" if len(numbers) == 1 else "columns {} are taken for numbers"
        raise ParameterError(
            f"{error} ({taken.format(listed(numbers, 4))}; data_type='discrete' takes every column for categories, and"
            " so does kinds= the columns that it names)"
        ) from None


def check_tests(learner: Learner) -> None:
    """Check `test`, `degrees_of_freedom` and `minimum_sample`."""
    learner._test()


def check_score(learner: Learner) -> None:
    """Check `score`, `penalty`, `gamma` and `equivalent_sample_size`."""
    data_type = "discrete" if learner.data_type == "auto" else learner.data_type
    if data_type_of(learner._score_name(data_type)) is None:
        learner._score()


def check_separation(alpha: Any, max_conditioning_size: Any) -> None:
    """Check the level of tests and the largest conditioning set."""
    parameters.probability("alpha", alpha)
    parameters.whole("max_conditioning_size", max_conditioning_size, 0, none="no limit")


def check_partition(max_clusters: Any) -> None:
    """Check the partition; labels are checked against the data."""
    parameters.whole("max_clusters", max_clusters, 1)


def check_path(alpha: Any, min_alpha: Any, path_length: Any) -> None:
    """Check the grid of PATH."""
    parameters.thresholds(alpha, min_alpha, path_length)


def check_colliders(collider_rule: Any) -> None:
    """Check the rule for v-structures."""
    parameters.one_of("collider_rule", collider_rule, stages.COLLIDER_RULES)


def check_start(init: Any) -> None:
    """Check where a search within a restriction starts."""
    parameters.one_of("init", init, stages.STARTS)


def check_parents(max_parents: Any) -> None:
    """Check the limit of parents."""
    parameters.whole("max_parents", max_parents, 0, none="no limit")


def check_climbing(max_parents: Any, max_iterations: Any) -> None:
    """Check the limits of hill-climbing."""
    check_parents(max_parents)
    parameters.whole("max_iterations", max_iterations, 1, none="no limit")


def check_tabu(tabu_length: Any, tabu_patience: Any) -> None:
    """Check the tabu list."""
    parameters.whole("tabu_length", tabu_length, 1)
    parameters.whole("tabu_patience", tabu_patience, 0)


def check_ties(ties: Any) -> None:
    """Check the rule for moves that are equally good."""
    parameters.one_of("ties", ties, searches.TIES)


def check_restarts(restarts: Any, perturbations: Any, seed: Any) -> None:
    """Check the restarts of a search."""
    parameters.whole("restarts", restarts)
    parameters.whole("perturbations", perturbations, 1)
    parameters.whole("seed", seed)


def check_not_known(learner: Learner, argument: str, given: PerRow, variables: Sequence[Any]) -> None:
    """Refuse knowledge of the column of counts or weights."""
    from phgs.knowledge import Knowledge

    unknown_ones = Knowledge.of(learner.knowledge or {})._named() - set(variables)
    if told(given) in map(str, unknown_ones):
        raise ParameterError(f"knowledge: {given!r} holds the {argument} and is no variable; leave it out there")


def check_data(learner: Learner, composition: Composition, table: Data) -> None:
    """Refuse tests and scores where there are no data, and scores where rows differ from test to test.

    Scores of graphs are comparable on one set of rows only. Functions of the user's own know their data.
    """
    if not table.has_data and composition.tests and learner._own_test() is None:
        raise ParameterError(
            f"data: {learner.method} tests pairs, which needs data; give them in place of names, or a test= of your own"
        )
    if not composition.scores or learner._own_score() is not None:
        return
    what = "PATH compares" if composition.maximise is None else f"{learner.method} compares"
    by_tests = "a method that learns by tests alone (MMPC and other local learners; PC and PPC with path_length=1)"
    if not table.has_data:
        raise ParameterError(
            f"data: {what} graphs by a score, which needs data; give them in place of names, or use {by_tests}"
        )
    if learner.missing == "testwise" or not (table.complete or table.to_fill):
        raise ParameterError(
            f"missing: {what} graphs by a score, which needs one set of rows; use missing='drop' or 'level', or"
            f" {by_tests}"
        )
