"""The networks and methods of a study, and how they are read from its configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phgs import parameters
from phgs.errors import ParameterError
from phgs.names import shortened, unknown
from phgs.study import paper_values

TRUTH = "truth"
"""What `MethodEntry.skeleton` says for the true skeleton."""

RESTRICTED = ("gsc", "arges", "arges-hgi")
"""Methods that take a skeleton."""


@dataclass(frozen=True)
class NetworkEntry:
    """A network and the number of copies that are tiled.

    Attributes
    ----------
    name : str
        A name that `phgs.networks` lists, the path of a BIF file, or ``"mix"``.
    copies : int
        Number of copies; those of the paper by default, 1 for other networks.
    n_rows : int or None
        Rows of its data sets, where the study has several numbers of rows.
    """

    name: str
    copies: int
    n_rows: int | None = None

    @property
    def title(self) -> str:
        """Name of the network: that of the file, without folder and ending."""
        return Path(self.name).name.removesuffix(".gz").removesuffix(".bif")

    @property
    def label(self) -> str:
        """Name of its data sets in tables."""
        return self.title if self.n_rows is None else f"{self.title}, n = {self.n_rows}"


@dataclass(frozen=True)
class MethodEntry:
    """A method with its parameters, at some levels of one of them.

    Attributes
    ----------
    label : str
        Name in tables; the report knows those of the paper.
    method : str
        One of `phgs.METHODS`.
    alphas, penalties : tuple of float
        Significance levels, or penalties of the score: each is a task. At most one of them has entries.
    skeleton : str or None
        For ``gsc``, ``arges`` and ``arges-hgi``: the label of another entry, whose skeleton at the same level is used
        and whose calls for the skeleton count here too, or ``"truth"`` for the true skeleton.
    cig : str or None
        For ``arges``: ``"truth"`` for the conditional-independence graph of the truth.
    parameters : tuple of (str, object)
        Further parameters of the method.
    """

    label: str
    method: str
    alphas: tuple[float, ...] = ()
    penalties: tuple[float, ...] = ()
    skeleton: str | None = None
    cig: str | None = None
    parameters: tuple[tuple[str, Any], ...] = ()

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels at which it runs."""
        return self.alphas or self.penalties

    @property
    def tuned(self) -> str:
        """Name of the parameter that has these levels."""
        return "penalty" if self.penalties else "alpha"


@dataclass(frozen=True)
class Group:
    """What runs as one piece: a method at one level, and those that use its skeleton."""

    network: NetworkEntry
    seed: int
    level: float | None
    members: tuple[MethodEntry, ...]
    time_limit: float | None = None

    @property
    def keys(self) -> list[tuple[str, int, str, float | None]]:
        """The tasks: (network, seed, label, level)."""
        return [(self.network.label, self.seed, member.label, self.level) for member in self.members]


def network_of(entry: Any, source: str) -> NetworkEntry:
    """Read a network: its name, or a table with its name and copies."""
    values = {"name": entry} if isinstance(entry, str) else entry
    if not isinstance(values, Mapping) or not isinstance(values.get("name"), str) or not values["name"]:
        raise ParameterError(f"{source}: a network is a name, or a table with name and copies, not {shortened(entry)}")
    check_keys(values, ("name", "copies", "n_rows"), source)
    name = values["name"]
    in_paper = paper_values.networks().get(name)
    copies = values.get("copies", 1 if in_paper is None else int(in_paper["kappa"]))
    n_rows = None if "n_rows" not in values else parameters.whole(f"{source}: n_rows of {name}", values["n_rows"], 2)
    return NetworkEntry(name, parameters.whole(f"{source}: copies of {name}", copies, 1), n_rows)


def method_of(entry: Any, source: str) -> MethodEntry:
    """Read a method: a table with its name, levels, label and parameters."""
    from phgs.learn import METHODS

    if not isinstance(entry, Mapping) or not isinstance(entry.get("method"), str):
        raise ParameterError(
            f"{source}: a method is a table with method, alphas, label and parameters, not {shortened(entry)}"
        )
    keys = ("label", "method", "alpha", "alphas", "penalties", "skeleton", "cig", "parameters")
    check_keys(entry, keys, source)
    method = entry["method"]
    if method not in METHODS:
        raise ParameterError(f"{source}: {unknown('method', method, METHODS)}")
    alphas = list_of(entry, "alphas", source) if "alphas" in entry else [entry["alpha"]] if "alpha" in entry else []
    penalties = list_of(entry, "penalties", source) if "penalties" in entry else []
    if alphas and penalties:
        raise ParameterError(f"{source}: give alphas or penalties of {method}, not both")
    skeleton, cig = entry.get("skeleton"), entry.get("cig")
    for key in ("label", "skeleton", "cig"):
        if key in entry and not isinstance(entry[key], str):
            raise ParameterError(f"{source}: {key} of {method} must be text, not {shortened(entry[key])}")
    if method == "gsc" and skeleton is None:
        raise ParameterError(f"{source}: method gsc needs a skeleton: a label of another entry or 'truth'")
    if skeleton is not None and method not in RESTRICTED:
        raise ParameterError(f"{source}: method {method} takes no skeleton; {', '.join(RESTRICTED)} do")
    if cig is not None and (method != "arges" or cig != TRUTH):
        raise ParameterError(f"{source}: only method arges takes a cig, and that is 'truth', not {cig!r}")
    further = entry.get("parameters", {})
    if not isinstance(further, Mapping):
        raise ParameterError(f"{source}: parameters of {method} must be a table")
    checked = tuple(parameters.probability(f"{source}: alphas of {method}", alpha) for alpha in alphas)
    weights = tuple(parameters.positive(f"{source}: penalties of {method}", penalty) for penalty in penalties)
    check_distinct([f"{level!r}" for level in (*checked, *weights)], f"level of {method}", source)
    return MethodEntry(
        label=entry.get("label", method),
        method=method,
        alphas=checked,
        penalties=weights,
        skeleton=skeleton,
        cig=cig,
        parameters=tuple(sorted(further.items())),
    )


def check_skeletons(methods: Sequence[MethodEntry], source: str) -> None:
    """Refuse skeletons that no other entry learns at the same levels."""
    by_label = {entry.label: entry for entry in methods}
    for entry in methods:
        if entry.skeleton in (None, TRUTH):
            continue
        leader = by_label.get(entry.skeleton)
        if leader is None:
            raise ParameterError(f"{source}: skeleton of {entry.label}: {unknown('label', entry.skeleton, by_label)}")
        if leader.skeleton is not None:
            raise ParameterError(f"{source}: {leader.label} itself uses a skeleton; {entry.label} cannot use its")
        missing = [level for level in entry.levels if level not in leader.levels]
        if missing or not entry.levels or entry.tuned != leader.tuned:
            raise ParameterError(f"{source}: {entry.label} needs levels at which {leader.label} runs, not {missing}")


def check_keys(values: Mapping[str, Any], keys: Sequence[str], source: str) -> None:
    """Refuse keys that mean nothing."""
    for key in values:
        if key not in keys:
            raise ParameterError(f"{source}: {unknown('key', key, keys)}")


def list_of(values: Mapping[str, Any], key: str, source: str) -> list[Any]:
    """Return a list with at least one entry."""
    found = values.get(key)
    if not isinstance(found, list) or not found:
        raise ParameterError(f"{source}: {key} must be a list with at least one entry")
    return found


def check_distinct(names: list[str], what: str, source: str) -> None:
    """Refuse names that are there twice."""
    for index, name in enumerate(names):
        if name in names[:index]:
            raise ParameterError(f"{source}: the {what} {name!r} is there twice")
