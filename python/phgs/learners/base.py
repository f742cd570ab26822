"""The protocol of learners."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from phgs import _core, own_score, own_test
from phgs.choices import numeric_score, numeric_test, score_for_core, test_for_core
from phgs.data import Data, Mixed, as_data
from phgs.data.counts import PerRow, counted, told
from phgs.data.missing import missing_values
from phgs.data.mixed import Numbers, entered
from phgs.data.reading import DataType
from phgs.data.table import Missing
from phgs.data.weights import of_table, weighted
from phgs.learners import checks
from phgs.learners.clusters import clusters
from phgs.learners.estimator import Estimator
from phgs.learners.nothing import warn_of_nothing
from phgs.learners.rounds import Filled, learn_in_rounds
from phgs.learners.stages import Composition
from phgs.names import named
from phgs.own_test import Names
from phgs.progress import Progress, reporter

if TYPE_CHECKING:
    from typing_extensions import Self

    from phgs.knowledge import Knowledge
    from phgs.result import Result

    class _Described(TypedDict):
        test: _core.Test
        score: _core.AnyScore
        composition: _core.Composition
        knowledge: _core.Knowledge | None
        isolated: Sequence[int]
        untested: Sequence[int]


logger = logging.getLogger("phgs")

_JUDGES_IDENTIFIERS = "sqnml"
"""The score that can judge columns with few rows of each state; plain quotient NML joins random codes."""


@dataclass(kw_only=True, eq=False, repr=False)
class Learner(Estimator):
    """What all learners have: the parameters that say how to read data and to run, and scikit-learn's protocol.

    A learner is a dataclass of its parameters that says in `_check_method` what they may be, and in `stages` what they
    mean.

    Parameters
    ----------
    missing : {"auto", "error", "drop", "level", "testwise"}, default "auto"
        What to do with missing values. ``"auto"``: learn, fill them in from the learned graph, learn again, and so on
        until the class of graphs repeats, at most five times; where nothing is missing it changes nothing. Or refuse
        them and name the columns, leave out incomplete rows, make missing a state of its own, or let each test use the
        rows that are complete in its own columns. The last is for methods that learn by tests alone: the local learners
        (`MMPC` and so on), and `PC` and `PPC` with ``path_length=1``.
    categories : sequence of names, optional
        Columns of which each value is a category, whatever it looks like: doses 0.5, 1 and 2.5, or dates.
    kinds : mapping, optional
        What columns are, by name, ``"number"`` or ``"category"``, where `data_type` finds out: ``{"zip": "category"}``.
    data_type : {"auto", "discrete", "gaussian", "mixed"}, default "auto"
        What columns are. ``"auto"`` finds out of each whether it is a number or categories (`Result.kinds`, and
        `phgs.describe` says why); ``"discrete"`` takes all for categories, ``"gaussian"`` all for jointly normal
        numbers. Of categories alone tests and scores are those of categories. A number among them makes data mixed
        (a `MixedTable`): tested by the likelihood ratio and scored by the (extended) BIC of their embedding,
        ``"mixed-lr"`` and ``"mixed-bic"``; ``"mixed"`` takes categories alone so, too. Gaussian data (or a
        `GaussianTable`) are tested by Fisher's z and scored by Gaussian BIC, whatever the method.
    numbers : {"ranks", "values", "groups"}, optional
        How numbers enter beside categories: by the normal scores of their ranks, by their standardised values, or cut
        into groups by what these tell of other columns (`Result.groups`), with the tests and scores of categories. None
        leaves it as a `MixedTable` has it, by default ranks, so that monotone maps change nothing; the default method
        finds out whether groups are better.
    powers : int, optional
        1: numbers alone enter the embedding; 2: with their squares; 3: with squares and cubes. None leaves it as a
        `MixedTable` has it, by default 2.
    counts : name or array, optional
        How often each row stands in the data: the name of a column of whole numbers, which then is no variable, or such
        a number for each row. The result is that of the table with every row repeated.
    weights : name or array, optional
        Sampling weights: the name of a column of numbers, which then is no variable, or a number for each row. Tests
        and scores use the weighted table, scaled to the effective number of rows (`Result.weights`).
    knowledge : Knowledge or mapping, optional
        Required and forbidden edges and tiers; no result breaks one.
    threads : int, default 0
        Number of threads; 0 means all cores that the process may use, and so does any number above theirs. The result
        does not depend on it.
    time_limit : float, optional
        Seconds after which tests and searches stop and the best graph so far is returned; `complete_` is then False.
        Pairs that PC has not tested by then stay joined (where it has not even tested all pairs marginally, none is); a
        skeleton that is too dense to direct in time stays undirected (`Result.oriented`); a variable whose neighbours a
        local learner has not found by then has none; a hybrid that is still testing returns the empty graph.
    progress : bool or callable, optional
        Whether to show progress on standard error. None shows it in terminals and notebooks once two seconds have
        passed. A callable is called as ``progress(phase, done, total)``, last as ``progress("finished", 1, 1)``.
    """

    missing: Missing = "auto"
    categories: Sequence[Any] | None = None
    kinds: Mapping[Any, Literal["number", "category"]] | None = None
    data_type: DataType = "auto"
    numbers: Numbers | None = None
    powers: int | None = None
    counts: PerRow | None = None
    weights: PerRow | None = None
    knowledge: Knowledge | Mapping[str, Any] | None = None
    threads: int = 0
    time_limit: float | None = None
    progress: bool | Callable[[str, int, int], None] | None = None

    @property
    def method(self) -> str:
        """Name of the method on the command line and in results."""
        from phgs.learners.registry import name_of

        return name_of(self)

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        raise NotImplementedError

    def _check_method(self) -> None:
        """Check the parameters of the method."""

    # Learning

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from data.

        Parameters
        ----------
        X
            Any data that `phgs.as_table` reads: a frame, an array, a mapping of columns, a path or a `Table`.
        y
            Ignored; there for scikit-learn.

        Returns
        -------
        Learner
            The learner itself, with `result_`, `cpdag_`, `dag_`, `score_` and more.
        """
        del y
        self.result_ = self._learn(X, stacklevel=3)
        self.n_features_in_ = len(self.result_.variables)
        return self

    def learn(self, data: Any) -> Result:
        """Learn from data and return the result; the learner itself is left as it was."""
        return self._learn(data, stacklevel=3)

    def _learn(self, data: Any, stacklevel: int) -> Result:
        start = time.perf_counter()
        self._check()
        table = self._table(data, stacklevel + 1)
        read = time.perf_counter() - start
        # A given graph is part of the work, and may have millions of edges.
        until = None if self.time_limit is None else time.perf_counter() + self.time_limit
        composition = self.stages_for(table)
        checks.check_data(self, composition, table)
        described = self._for_core(table)
        warn_of_nothing(described, table.n_variables, stacklevel)
        own = self._own_score()
        with named(table.names), reporter(self.progress, self.method) as report:
            found = self._filled(table, until, report)
            learned = self._run(table, described, until, report) if found is None else found.learned
        from phgs.knowledge import Knowledge
        from phgs.result import Result

        result = Result._from_core(
            learned,
            method=self.method,
            test=self._test_name(learned["test"]),
            table=table if found is None else found.table,
            untested=described["untested"],
            gapped=None if found is None else table,
            missing=missing_values(table) if found is None else found.missing,
            parameters=self._used(table),
            score_described=described["score"],
            score_name=described["score"]["name"] if own is None else own_test.name_of(own),
            read_seconds=read,
            weights=of_table(table, self.weights),
            knowledge=None if self.knowledge is None else Knowledge.of(self.knowledge),
        )
        result.seconds["total"] = time.perf_counter() - start
        logger.info(
            "%s: %d variables, %d rows, %d edges, %d calls, %.3f s",
            self.method,
            table.n_variables,
            table.n_rows,
            result.cpdag.n_edges,
            result.calls["total"],
            result.seconds["total"],
        )
        return result

    def _run(self, table: Data, described: _Described, until: float | None, report: Progress | None) -> _core.Outcome:
        """Run the method on data as they are."""
        composition = self.stages_for(table)
        with named(table.names):
            return _core.learn(
                table.core_for(described["score"]),
                test=described["test"],
                score=described["score"] if table.complete or self._own_score() is not None else None,
                composition=described["composition"],
                knowledge=described["knowledge"],
                isolated=described["isolated"],
                untested=described["untested"],
                cluster=lambda distances: clusters(distances, composition.max_clusters, table.isolated, until),
                threads=self.threads,
                time_limit=None if until is None else max(until - time.perf_counter(), 1e-9),
                progress=report,
            )

    def _filled(self, table: Data, until: float | None, report: Progress | None) -> Filled | None:
        """Learn in rounds from data whose missing values learners fill in; None for all other data."""
        if not table.to_fill:
            return None
        shown = None if report is None else (lambda *of: None if of[0] == "finished" else report(*of))

        def learn(completed: Data) -> _core.Outcome:
            # A function of the user's own gets the data that were filled in, if it takes any.
            learner = self._on(completed, all_of_them=False)
            return learner._run(completed, learner._for_core(completed), until, shown)

        found = learn_in_rounds(table, learn, threads=self.threads, until=until, report=shown)
        if report is not None:
            report("finished", 1, 1)
        return found

    def _for_core(self, table: Data) -> _Described:
        """Describe the method to the core, over the positions of a table's columns."""
        composition = self.stages_for(table)
        test = self._test_of(table.enters_as)
        if (own := self._own_test()) is not None:
            test = own_test.for_core(own, table.names)
        score = self._score_of(table.enters_as)
        if (function := self._own_score()) is not None:
            score = own_score.for_core(function, table.names, equivalent=composition.needs_equivalence)
        untested = self._left_to_scores(composition, table)
        isolated = tuple(i for i in table.isolated if i not in untested)
        return {
            "test": test,
            "score": score,
            "composition": composition.as_core(table),
            "knowledge": self._knowledge(table, isolated),
            "isolated": isolated,
            "untested": untested,
        }

    def _left_to_scores(self, composition: Composition, table: Data) -> tuple[int, ...]:
        """Return the positions of identifiers that only the score judges; see `phgs.data.Table.identifiers`."""
        judges = self._own_score() is None and self._score_name(table.data_type) == _JUDGES_IDENTIFIERS
        return table.identifiers if judges and composition.scores_untested_pairs else ()

    def _check(self) -> None:
        """Check all parameters; called before any work."""
        checks.check_running(self)
        self._check_method()

    def _own_test(self) -> own_test.OwnTest | None:
        """Return the user's own function, if that is what tests."""
        test = getattr(self, "test", None)
        return test if callable(test) else None

    def _own_score(self) -> own_score.OwnScore | None:
        """Return the user's own function, if that is what scores."""
        score = getattr(self, "score", None)
        return score if callable(score) else None

    def _test_name(self, name: str) -> str:
        """Return the name of the test: what the core says, or that of the user's own function."""
        own = self._own_test()
        return name if own is None else own_test.name_of(own)

    def _own_functions(self) -> dict[str, Any]:
        """Return the functions of the user's own, by parameter."""
        own = {"test": self._own_test(), "score": self._own_score()}
        return {name: function for name, function in own.items() if function is not None}

    def _check_rows(self) -> None:
        """Refuse functions of the user's own that cannot be had for other rows."""
        for name, function in self._own_functions().items():
            own_test.check_on(function, name)

    def _on(self, table: Data, *, all_of_them: bool = True) -> Self:
        """Return the learner for other rows; see `_check_rows`.

        Unless it is said of all functions of the user's own, those without a method `on` stay as they are.
        """
        functions = self._own_functions().items()
        bound = {name: f.on(table) for name, f in functions if all_of_them or callable(getattr(f, "on", None))}
        return type(self)(**{**self.get_params(deep=False), **bound}) if bound else self

    def _table(self, data: Any, stacklevel: int) -> Data:
        data = weighted(counted(data, self.counts), self.weights)
        for argument, given in (("counts", self.counts), ("weights", self.weights)):
            if given is not None and self.knowledge is not None:
                checks.check_not_known(self, argument, given, data.names)
        if self._own_functions() and own_test.is_names(data):
            return Names.of(data)
        if isinstance(data, Data):
            checks.check_data_type(self, data.enters_as)
        table = as_data(
            data,
            self.data_type,
            missing=self.missing,
            categories=self.categories,
            kinds=self.kinds,
            stacklevel=stacklevel + 1,
        )
        if self.data_type == "auto":
            checks.check_found_type(self, table)
        of_table(table, self.weights)
        entering: Data = entered(table, self.numbers, self.powers)
        return entering

    def stages_for(self, table: Data) -> Composition:
        """Put the stages together for data."""
        del table
        return self.stages()

    def _score_name(self, data_type: str) -> str:
        """Return the name of the score of a type of data."""
        del data_type
        name: str = "bic" if self._own_score() is not None else getattr(self, "score", "bic")
        return name

    def _penalty(self, data_type: str) -> float:
        """Return the penalty of BIC for a type of data."""
        del data_type
        penalty: float = getattr(self, "penalty", 0.5)
        return penalty

    def _score_of(self, data_type: str) -> _core.AnyScore:
        """Describe the score for a type of data to the core."""
        if data_type == "discrete":
            return self._score()
        name, penalty, gamma = self._score_name(data_type), self._penalty(data_type), getattr(self, "gamma", None)
        return numeric_score(data_type, name, penalty, gamma)

    def _test_of(self, data_type: str) -> _core.Test:
        """Describe the test for a type of data to the core."""
        if data_type == "discrete":
            return self._test()
        return numeric_test(data_type)

    def _used(self, table: Data) -> dict[str, Any]:
        """Every parameter as used on data."""
        data_type = table.enters_as
        found = self._parameters() | {"data_type": table.data_type}
        if isinstance(table, Mixed):
            found |= {"numbers": table.numbers, "powers": table.powers}
        else:
            del found["numbers"], found["powers"]
        if data_type != "discrete":
            found = {name: value for name, value in found.items() if name not in checks.OF_CATEGORIES}
            test, score = self._test_of(data_type)["name"], self._score_of(data_type)["name"]
            found |= {"test": test, "score": score}
            if data_type == "gaussian":
                del found["categories"], found["kinds"]
        elif "score" in found:
            found["score"] = self._score_name(data_type)
        if "penalty" in found:
            found["penalty"] = self._penalty(data_type)
        for name, own in self._own_functions().items():
            # The interpreter runs one function at a time.
            found |= {name: own_test.name_of(own), "threads": 1}
        return found

    def _parameters(self) -> dict[str, Any]:
        """Every parameter as used, in a form that JSON can hold."""
        left_out = {"progress", "knowledge", "counts", "weights"}
        found = {name: _plain(value) for name, value in self.get_params(deep=False).items() if name not in left_out}
        available = _core.available_threads()
        found["threads"] = min(self.threads or available, available)
        found |= {"counts": told(self.counts), "weights": told(self.weights)}
        return found

    def _knowledge(self, table: Data, isolated: Sequence[int]) -> _core.Knowledge | None:
        if self.knowledge is None:
            return None
        from phgs.knowledge import Knowledge

        known = Knowledge.of(self.knowledge)
        described = known._for_core(table, isolated)
        known._refuse_more_parents_than(getattr(self, "max_parents", None))
        return described

    def _test(self) -> _core.ContingencyTest:
        """Describe the independence test for categories to the core; methods without tests have the default one."""
        test = getattr(self, "test", "g2")
        rule = getattr(self, "degrees_of_freedom", "classical")
        return test_for_core("g2" if callable(test) else test, rule, getattr(self, "minimum_sample", None))

    def _score(self) -> _core.AnyScore:
        """Describe the score for categories to the core; methods without scores have the default one."""
        return score_for_core(
            self._score_name("discrete"),
            self._penalty("discrete"),
            getattr(self, "gamma", None),
            getattr(self, "equivalent_sample_size", 1.0),
        )


def _plain(value: Any) -> Any:
    if isinstance(value, Learner):
        return {"method": value.method, **value._parameters()}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return own_test.name_of(value) if callable(value) else str(value)
