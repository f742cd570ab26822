"""What a study runs: read from TOML or JSON, checked at once."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from phgs import parameters
from phgs.documents import read_json
from phgs.errors import ConfigurationError, DocumentError, ParameterError
from phgs.names import half_of_a_pair, shortened, unknown
from phgs.study.entries import (
    TRUTH,
    Group,
    MethodEntry,
    NetworkEntry,
    check_distinct,
    check_keys,
    check_skeletons,
    list_of,
    method_of,
    network_of,
)
from phgs.textfiles import read_text

_FOLDER = Path(__file__).parent / "configurations"

DATA_TYPES = ("discrete", "gaussian")


@dataclass(frozen=True)
class Configuration:
    """A study.

    Attributes
    ----------
    name : str
        Its name.
    networks : tuple of NetworkEntry
        The networks, each with every number of rows where there are several.
    seeds : tuple of int
        One data set of every network for each.
    n_rows : int
        Rows of a data set whose network does not say otherwise.
    methods : tuple of MethodEntry
        The methods.
    data_type : str
        ``"discrete"``, or ``"gaussian"`` for linear Gaussian networks on the same structures.
    time_limit : float or None
        Seconds of the processor that a task may take. What takes longer is stopped and recorded as not finished.
    """

    name: str
    networks: tuple[NetworkEntry, ...]
    seeds: tuple[int, ...]
    n_rows: int
    methods: tuple[MethodEntry, ...]
    data_type: str = "discrete"
    time_limit: float | None = None

    @classmethod
    def load(cls, source: str | os.PathLike[str]) -> Configuration:
        """Read a configuration by name (such as ``"paper-quick"``) or from a TOML or JSON file.

        Raises
        ------
        ParameterError
            Names what is wrong: an unknown name, key, network or method, a level outside (0, 1), …
        """
        path = Path(source)
        if str(source) in configurations():
            path = _FOLDER / f"{source}.toml"
        elif not path.exists():
            if path.suffix:
                raise ParameterError(f"there is no file {path}")
            raise ParameterError(unknown("configuration", str(source), configurations()))
        return cls.from_mapping(_read(path), path.stem, str(path))

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any], name: str = "study", source: str = "study") -> Configuration:
        """Check a configuration that is already a mapping."""
        keys = ("name", "data_type", "time_limit", "n_rows", "seeds", "data_sets", "networks", "network", "methods")
        if not isinstance(values, Mapping):
            raise ConfigurationError(f"{source}: expected a table of settings, not {shortened(values)}")
        _check_values(values, source)
        check_keys(values, keys, source)
        for key in ("name", "data_type"):
            if key in values and not isinstance(values[key], str):
                raise ConfigurationError(f"{source}: {key} must be text, not {shortened(values[key])}")
        data_type = values.get("data_type", "discrete")
        if data_type not in DATA_TYPES:
            raise ParameterError(f"{source}: {unknown('data_type', data_type, DATA_TYPES)}")
        if ("seeds" in values) == ("data_sets" in values):
            raise ParameterError(f"{source}: give either seeds (a list) or data_sets (a number)")
        if "seeds" in values:
            seeds = tuple(parameters.whole(f"{source}: seeds", seed, 0) for seed in list_of(values, "seeds", source))
        else:
            seeds = tuple(range(1, parameters.whole(f"{source}: data_sets", values["data_sets"], 1) + 1))
        several = values.get("n_rows", 25000)
        sizes = [
            parameters.whole(f"{source}: n_rows", n, 2) for n in (several if isinstance(several, list) else [several])
        ]
        if not sizes:
            raise ParameterError(f"{source}: n_rows must be a number or a list with at least one")
        networks = tuple(network_of(entry, source) for entry in list_of(values, "networks", source))
        if len(sizes) > 1:
            networks = tuple(replace(entry, n_rows=n) for entry in networks for n in sizes)
        methods = tuple(method_of(entry, source) for entry in list_of(values, "methods", source))
        check_distinct([entry.label for entry in networks], "network", source)
        check_distinct([entry.label for entry in methods], "method label", source)
        check_distinct([str(seed) for seed in seeds], "seed", source)
        check_skeletons(methods, source)
        return cls(
            name=str(values.get("name", name)),
            networks=networks,
            seeds=seeds,
            n_rows=sizes[0],
            methods=methods,
            data_type=data_type,
            time_limit=_time_limit(values, source),
        )

    def to_mapping(self) -> dict[str, Any]:
        """Return the configuration as `from_mapping` takes it."""
        return {
            "name": self.name,
            # What is new here is left out where it is not used, so that older folders stay those of their study.
            **({} if self.data_type == "discrete" else {"data_type": self.data_type}),
            **({} if self.time_limit is None else {"time_limit": self.time_limit}),
            "n_rows": self.n_rows,
            "seeds": list(self.seeds),
            "networks": [
                {
                    "name": entry.name,
                    "copies": entry.copies,
                    **({} if entry.n_rows is None else {"n_rows": entry.n_rows}),
                }
                for entry in self.networks
            ],
            "methods": [
                {
                    "label": entry.label,
                    "method": entry.method,
                    **({"alphas": list(entry.alphas)} if entry.alphas else {}),
                    **({"penalties": list(entry.penalties)} if entry.penalties else {}),
                    **({} if entry.skeleton is None else {"skeleton": entry.skeleton}),
                    **({} if entry.cig is None else {"cig": entry.cig}),
                    "parameters": dict(entry.parameters),
                }
                for entry in self.methods
            ],
        }

    @property
    def digest(self) -> str:
        """A hash of all that results depend on."""
        text = json.dumps({**self.to_mapping(), "name": ""}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def groups(self) -> list[Group]:
        """Return what there is to run, data set by data set."""
        found = []
        for seed in self.seeds:
            for network in self.networks:
                for leader in self.methods:
                    if leader.skeleton not in (None, TRUTH):
                        continue
                    followers = [entry for entry in self.methods if entry.skeleton == leader.label]
                    for level in leader.levels or (None,):
                        users = [entry for entry in followers if level in entry.levels]
                        found.append(Group(network, seed, level, (leader, *users), self.time_limit))
        return found


def configurations() -> list[str]:
    """List the configurations that come with the package."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


def _read(path: Path) -> dict[str, Any]:
    if path.suffix.lower() == ".json":
        found = read_json(path, ConfigurationError)
    else:
        try:
            text = read_text(path).removeprefix("\ufeff")
        except DocumentError as error:
            raise ConfigurationError(str(error)) from None
        try:
            import tomllib
        except ImportError:  # Python 3.10
            try:
                import tomli as tomllib
            except ImportError:
                raise ParameterError(
                    f"{path}: Python 3.10 reads TOML with the package tomli ('pip install tomli'); or use JSON"
                ) from None
        try:
            found = tomllib.loads(text)
        except ValueError as error:
            raise ConfigurationError(f"{path}: {' '.join(str(error).split())}") from error
        except RecursionError:
            raise ConfigurationError(f"{path}: brackets within brackets, too deep to be read") from None
    if not isinstance(found, dict):
        raise ConfigurationError(f"{path}: expected a table of settings")
    return found


def _check_values(value: Any, source: str, place: str = "") -> None:
    """Refuse what cannot be a setting anywhere: numbers that are not finite or huge, dates, deep nesting."""
    where = f"{source}: {place}" if place else source
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        if not -(1 << 62) <= value <= 1 << 62:
            raise ConfigurationError(f"{where}: the number is too large")
        return
    if isinstance(value, str):
        problem = half_of_a_pair(value)
        if problem is not None:
            raise ConfigurationError(f"{where}: {problem}")
        return
    if place.count(".") + place.count("[") > 20:
        raise ConfigurationError(f"{where[:80]}…: nested too deep")
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise ConfigurationError(f"{where}: keys must be text, not {shortened(key)}")
            _check_values(inner, source, f"{place}.{key[:40]}" if place else key[:40])
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            _check_values(inner, source, f"{place}[{i}]")
    else:
        raise ConfigurationError(f"{where}: expected text, a number, a list or a table, not {shortened(value)}")


def _time_limit(values: Mapping[str, Any], source: str) -> float | None:
    found = values.get("time_limit")
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 < found < float("inf"):
        raise ParameterError(f"{source}: time_limit: {found!r} is not a number of seconds above 0")
    return float(found)
