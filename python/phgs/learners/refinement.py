"""The parameter `refine`: what follows a method, over all pairs."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from phgs import parameters
from phgs.learners.search import BOSS, GES, HillClimbing, Tabu
from phgs.learners.searches import (
    LEAST_VARIABLES,
    DagSearch,
    EquivalenceSearch,
    GreedySearch,
    Growing,
    OrderEffort,
    OrderSearch,
    Refinement,
    Screen,
    Search,
    TabuSearch,
    Unrestricted,
)

RefineName: TypeAlias = Literal["none", "free", "growing", "ges", "xges", "boss"]
REFINE: tuple[RefineName, ...] = get_args(RefineName)
"""Names of stages after the maximisation."""


Effort: TypeAlias = Literal["quick", "normal", "thorough"]
EFFORTS: tuple[Effort, ...] = get_args(Effort)
"""How far a search goes."""


def check_effort(effort: Any) -> None:
    """Check how far a search goes."""
    parameters.one_of("effort", effort, EFFORTS)


_SCREEN = Screen(alpha=0.01, more_than=LEAST_VARIABLES)
"""What an effort scores of tables of many variables, where nearly all pairs are independent."""


def by_effort(effort: Effort, seed: int, search: Search, *, restarts_per_variable: int = 0) -> tuple[Refinement, ...]:
    """Return the stages after the maximisation that an effort stands for."""
    classes = EquivalenceSearch(schedule="interleaved", screen=_SCREEN, max_parents=search.max_parents)
    if effort == "quick":
        return (classes,)
    return (classes, _by_orders(effort, seed, search.max_parents, restarts_per_variable))


def _by_orders(effort: Effort, seed: int, max_parents: int | None, restarts_per_variable: int) -> OrderSearch:
    """Return the search among orders that an effort stands for; the thorough one has restarts of its own.

    Restarts of the others take no more scores than the search before them.
    """
    further = OrderEffort(
        scores_per_pair=4,
        scores_per_screened_pair=2,
        restarts_per_variable=restarts_per_variable,
        restart_share=1,
        seed=seed,
    )
    if effort == "thorough":
        further = OrderEffort(scores_per_pair=40, scores_per_screened_pair=20, restarts_per_variable=10, seed=seed)
    return OrderSearch(effort=further, screen=_SCREEN, narrowing=True, max_parents=max_parents)


_MOST_SEARCHED_IN_FULL = 2000
"""Up to so many categories the default ends with a search that scores all pairs."""
_SCORES_UNTIL_LOOSE = 0.5
"""Local scores for each pair of variables after which no other variable is cut loose."""


def by_effort_of_categories(effort: Effort, seed: int, search: Search, n_variables: int) -> tuple[Refinement, ...]:
    """Return the same for categories.

    Few of them have restarts among orders. Of more, up to a limit, each is cut loose from all others, which costs less
    where there is much that has nothing to do with it. Up to the same limit all pairs are searched last.
    """
    is_few = n_variables <= LEAST_VARIABLES
    found = by_effort(effort, seed, search, restarts_per_variable=2 if is_few else 0)
    if effort == "quick" or n_variables > _MOST_SEARCHED_IN_FULL:
        return found
    if not is_few:
        classes = EquivalenceSearch(
            schedule="cut-loose",
            screen=_SCREEN,
            max_parents=search.max_parents,
            scores_per_pair=_SCORES_UNTIL_LOOSE,
        )
        found = (classes, *found[1:])
    return (*found, Unrestricted(search)) if isinstance(search, (GreedySearch, TabuSearch)) else found


_MOST_VARIABLES_SCORED_AT_ONCE = 1000
"""Up to so many Gaussian variables each is scored as one more parent whenever parents change."""


def by_effort_of_numbers(effort: Effort, seed: int, search: Search, n_variables: int) -> tuple[Refinement, ...]:
    """Return the same for Gaussian data, whose local scores cost next to nothing and whose graphs may be dense."""
    found = by_effort(effort, seed, search)
    if effort == "quick" or n_variables > _MOST_VARIABLES_SCORED_AT_ONCE:
        return found
    thorough = effort == "thorough"
    further = OrderEffort(
        scores_per_pair=20_000 if thorough else 2_000,
        scores_per_screened_pair=0,
        restarts_per_variable=10 if thorough else 2,
        restart_share=20 if thorough else 4,
        seed=seed,
    )
    orders = OrderSearch(
        effort=further, growing=False, incremental=True, order_from_data=True, max_parents=search.max_parents
    )
    return (found[0], orders)


def check_refine(refine: Any) -> None:
    """Check what follows a method."""
    refinements(refine)


def refinements(refine: Any, search: Search | None = None) -> tuple[Refinement, ...]:
    """Return the stages after the maximisation.

    Parameters
    ----------
    refine
        None or ``"none"``; a name; a `HillClimbing`, `Tabu`, `GES` or `BOSS` with options of its own; or a list of
        these.
        ``"free"`` searches over all pairs, ``"growing"`` over an active set that grows around what changes, both with
        the options of `search`; ``"ges"`` searches among equivalence classes, ``"xges"`` too, with extended search;
        ``"boss"`` among orders of the variables.
    search
        The maximisation; None where there was none.
    """
    if refine is None or (isinstance(refine, str) and refine == "none"):
        return ()
    if isinstance(refine, (list, tuple)):
        return tuple(stage for each in refine for stage in refinements(each, search))
    if isinstance(refine, (HillClimbing, Tabu)):
        refine._check()
        return (Unrestricted(refine.search()),)
    if isinstance(refine, (GES, BOSS)):
        refine._check()
        return (refine.search(),)
    name = parameters.one_of("refine", refine, REFINE)
    max_parents = None if search is None else search.max_parents
    if name in ("ges", "xges"):
        schedule: Literal["interleaved", "extended"] = "interleaved" if name == "ges" else "extended"
        return (EquivalenceSearch(schedule=schedule, max_parents=max_parents),)
    if name == "boss":
        return (OrderSearch(max_parents=max_parents),)
    climb: DagSearch = search if isinstance(search, (GreedySearch, TabuSearch)) else TabuSearch(max_parents=max_parents)
    return (Unrestricted(climb) if name == "free" else Growing(climb),)
