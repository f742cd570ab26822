"""What learners of neighbourhoods do alike."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from phgs import _core
from phgs.errors import ParameterError
from phgs.learners import checks
from phgs.learners.base import Learner
from phgs.learners.neighbourhood import MarkovBlanket, Neighbour, Neighbourhood
from phgs.learners.stages import Composition, Neighbourhoods, Oriented, TestedColliders
from phgs.progress import reporter

if TYPE_CHECKING:
    from phgs.data.base import Data
    from phgs.data.frames import Name
    from phgs.learners.base import _Described


class LocalLearner(Learner):
    """What learners of neighbourhoods do alike; each has `alpha`, `max_conditioning_size` and parameters of tests."""

    alpha: float
    max_conditioning_size: int | None

    _learner: ClassVar[str]
    """The core's name of the learner."""

    def _check_method(self) -> None:
        checks.check_tests(self)
        checks.check_separation(self.alpha, self.max_conditioning_size)

    def _restriction(self) -> Neighbourhoods:
        return Neighbourhoods(learner=self._learner, alpha=self.alpha, max_conditioning_size=self.max_conditioning_size)

    def stages(self) -> Composition:
        """Put the stages of the method together."""
        tested = TestedColliders(alpha=self.alpha, max_conditioning_size=self.max_conditioning_size)
        return Composition(restrict=self._restriction(), initialise=Oriented(tested))

    def neighbourhood(self, data: Any, target: Name) -> Neighbourhood:
        """Learn the neighbours of one variable only.

        They are those that the whole skeleton would give it: its own search, and one around each variable that it
        finds, since both ends must agree. The cost is about that of one search times the number of neighbours, in
        place of one search for every variable.

        Parameters
        ----------
        data
            Any data that `phgs.as_table` reads; for a test of your own, a list of names will do.
        target
            Name of the variable.

        Examples
        --------
        >>> import phgs
        >>> data = phgs.datasets.load_alarm()
        >>> phgs.MMPC().neighbourhood(data.table, "HRBP").names
        ('ERRLOWOUTPUT', 'HR')
        """
        start = time.perf_counter()
        table, position, described = self._around(data, target, "neighbourhood", 4)
        with reporter(self.progress, self.method) as report:
            found = _core.neighbourhood(
                table.core,
                position,
                test=described["test"],
                local=self._restriction().as_core(table),
                knowledge=described["knowledge"],
                isolated=described["isolated"],
                threads=self.threads,
                progress=report,
            )
        names = table.names
        return Neighbourhood(
            target=names[position],
            neighbours=tuple(
                Neighbour(names[n["variable"]], n["log_p_value"], tuple(names[z] for z in n["weakest_set"]))
                for n in found["neighbours"]
            ),
            method=self.method,
            test=self._test_name(found["test"]),
            calls=found["calls"],
            seconds=time.perf_counter() - start,
            n_rows=table.n_rows,
        )

    def markov_blanket(self, data: Any, target: Name) -> MarkovBlanket:
        """Learn the Markov blanket of one variable only.

        Given the variables of its blanket it is independent of all others: they are all that a prediction of it
        needs. In a causal graph they are its parents, its children and the other parents of its children (spouses).

        `GrowShrink`, the learners of the IAMB family and `FastIAMB` learn blankets, and keep those variables that
        have the target in their own. The other learners learn neighbours; spouses are then found among the neighbours
        of neighbours: they become dependent on the target when the neighbour between them joins what separated them.

        Parameters
        ----------
        data
            Any data that `phgs.as_table` reads; for a test of your own, a list of names will do.
        target
            Name of the variable.

        Examples
        --------
        >>> import phgs
        >>> data = phgs.datasets.load_alarm()
        >>> "HR" in phgs.IAMB().markov_blanket(data.table, "HRBP").names
        True
        """
        return self._blanket(data, target)

    def _blanket(self, data: Any, target: Name) -> MarkovBlanket:
        start = time.perf_counter()
        table, position, described = self._around(data, target, "Markov blanket", 5)
        with reporter(self.progress, self.method) as report:
            found = _core.markov_blanket(
                table.core,
                position,
                test=described["test"],
                local=self._restriction().as_core(table),
                knowledge=described["knowledge"],
                isolated=described["isolated"],
                threads=self.threads,
                progress=report,
            )
        return MarkovBlanket(
            target=table.names[position],
            names=tuple(table.names[x] for x in found["variables"]),
            method=self.method,
            test=self._test_name(found["test"]),
            calls=found["calls"],
            seconds=time.perf_counter() - start,
            n_rows=table.n_rows,
        )

    def _around(self, data: Any, target: Name, what: str, stacklevel: int) -> tuple[Data, int, _Described]:
        """Check the parameters, and read data for what is around one variable."""
        self._check()
        if self.time_limit is not None:
            raise ParameterError(f"time_limit: a {what} is found whole or not at all; leave it out")
        table = self._table(data, stacklevel)
        table.index(target)
        learner = self
        if table.to_fill:
            # What is missing is filled in from the graph of all variables.
            filled = self._filled(table, None, None)
            assert filled is not None
            table, learner = filled.table, self._on(filled.table, all_of_them=False)
        return table, table.index(target), learner._for_core(table)
