"""What scikit-learn's protocol asks of a learner: its parameters by name, and attributes of what it learned."""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any

from phgs.errors import NotFittedError, ParameterError
from phgs.names import unknown

if TYPE_CHECKING:
    from typing_extensions import Self

    from phgs.graphs import Graph
    from phgs.result import PathPoint, Result


class Estimator:
    """An object of parameters, those of its signature, that keeps what it learned as `result_`."""

    @classmethod
    @cache
    def _parameter_names(cls) -> tuple[str, ...]:
        return tuple(sorted(inspect.signature(cls).parameters))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep`, those of nested learners too, as ``outer__inner``."""
        found: dict[str, Any] = {}
        for name in self._parameter_names():
            value = getattr(self, name)
            found[name] = value
            if deep and isinstance(value, Estimator):
                found.update({f"{name}__{inner}": v for inner, v in value.get_params().items()})
        return found

    def set_params(self, **values: Any) -> Self:
        """Set parameters by name, those of nested learners as ``outer__inner``; an unknown name raises."""
        known = self._parameter_names()
        for name, value in values.items():
            outer, _, inner = name.partition("__")
            if outer not in known:
                raise ParameterError(unknown("parameter", name, known))
            if inner:
                getattr(self, outer).set_params(**{inner: value})
            else:
                setattr(self, outer, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name in defaults
            if getattr(self, name) is not defaults[name].default
            and (defaults[name].default is None or getattr(self, name) != defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(categorical=True, string=True),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "result_")

    # What was learned

    def _fitted(self) -> Result:
        try:
            return self.__dict__["result_"]  # type: ignore[no-any-return]
        except KeyError:
            raise NotFittedError(f"this {type(self).__name__} has learned nothing yet; call fit(data) first") from None

    @property
    def cpdag_(self) -> Graph:
        """The learned CPDAG."""
        return self._fitted().cpdag

    @property
    def dag_(self) -> Graph | None:
        """The learned DAG; None where the method learns none."""
        return self._fitted().dag

    @property
    def score_(self) -> float | None:
        """Score of the learned DAG."""
        score = self._fitted().score
        return None if score is None else score.value

    @property
    def calls_(self) -> dict[str, int]:
        """Statistical calls by phase."""
        return self._fitted().calls

    @property
    def seconds_(self) -> dict[str, float]:
        """Seconds by phase."""
        return self._fitted().seconds

    @property
    def path_(self) -> tuple[PathPoint, ...] | None:
        """The solution path; None without PATH."""
        return self._fitted().path

    @property
    def clusters_(self) -> dict[Any, int] | None:
        """Cluster of each variable; None where they were not partitioned."""
        return self._fitted().clusters

    @property
    def complete_(self) -> bool:
        """Whether the method ran to its end (False: the time limit cut it short)."""
        return self._fitted().complete

    @property
    def feature_names_in_(self) -> tuple[Any, ...]:
        """Column names that were seen."""
        return self._fitted().variables

    @property
    def levels_(self) -> dict[Any, tuple[Any, ...]]:
        """The states of each column, in the order of their codes."""
        return self._fitted().levels
