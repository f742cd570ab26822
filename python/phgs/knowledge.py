"""Background knowledge: what is known of the graph before any data are seen."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phgs.delimited import lines as delimited_lines
from phgs.documents import Node, parse_json
from phgs.errors import DocumentError, KnowledgeError, KnowledgeFileError, ParameterError
from phgs.names import shortened, unknown
from phgs.textfiles import read_text
from phgs.texts import printable

if TYPE_CHECKING:
    from phgs import _core
    from phgs.data import Data
    from phgs.data.frames import Name

_KINDS = ("required", "required_edges", "forbidden", "forbidden_edges")


@dataclass(frozen=True)
class Knowledge:
    """Edges that must or must not be there, and the order of variables in time. Hard constraints only.

    No result breaks one: a required edge is there, in its direction, and never tested; a forbidden pair is
    never tested.

    Parameters
    ----------
    required : iterable of (from, to)
        Arcs that must be there in this direction.
    required_edges : iterable of pairs
        Edges that must be there in either direction.
    forbidden : iterable of (from, to)
        Arcs that must not be there; their reverse may be.
    forbidden_edges : iterable of pairs
        Pairs that must not be adjacent.
    tiers : iterable of iterables
        Groups of variables in the order of time: no arc goes from a later group to an earlier one. Variables in no
        group are free.

    Examples
    --------
    >>> import phgs
    >>> phgs.Knowledge(required=[("smoking", "cancer")], tiers=[["age"], ["smoking", "cancer"]])
    Knowledge(required=(('smoking', 'cancer'),), tiers=(('age',), ('smoking', 'cancer')))
    """

    required: Sequence[tuple[Name, Name]] = ()
    required_edges: Sequence[tuple[Name, Name]] = ()
    forbidden: Sequence[tuple[Name, Name]] = ()
    forbidden_edges: Sequence[tuple[Name, Name]] = ()
    tiers: Sequence[Sequence[Name]] = ()

    def __post_init__(self) -> None:
        for kind in _KINDS:
            object.__setattr__(self, kind, _pairs(kind, getattr(self, kind)))
        tiers = self.tiers
        if not _is_list(tiers) or not all(_is_list(tier) for tier in tiers):
            raise KnowledgeError("tiers: expected a list of lists of variables")
        object.__setattr__(self, "tiers", tuple(tuple(tier) for tier in tiers))
        seen: dict[Name, int] = {}
        for number, tier in enumerate(self.tiers):
            for name in tier:
                _check_name("tiers", name)
                if seen.setdefault(name, number) != number:
                    raise KnowledgeError(f"tiers: {name!r} is in two tiers, {seen[name] + 1} and {number + 1}")

    def __repr__(self) -> str:
        given = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name)]
        return printable(f"Knowledge({', '.join(given)})")

    @staticmethod
    def of(knowledge: Knowledge | Mapping[str, Any] | str | os.PathLike[str]) -> Knowledge:
        """Make knowledge of a mapping with the same keys, or read it from a file."""
        if isinstance(knowledge, Knowledge):
            return knowledge
        if isinstance(knowledge, (str, os.PathLike)):
            return Knowledge.read(knowledge)
        if not isinstance(knowledge, Mapping):
            raise ParameterError(f"knowledge: expected phgs.Knowledge, a mapping or a path, got {knowledge!r}")
        known = [f.name for f in fields(Knowledge)]
        for key in knowledge:
            if key not in known:
                raise KnowledgeError(f"knowledge: {unknown('key', key, known)}")
        return Knowledge(**knowledge)

    @staticmethod
    def read(path: str | os.PathLike[str], *, encoding: str | None = None) -> Knowledge:
        """Read knowledge from a file; errors about its variables name the line.

        Parameters
        ----------
        path
            JSON with the keys ``required``, ``required_edges``, ``forbidden``, ``forbidden_edges`` and ``tiers``; or
            CSV with the columns ``from``, ``to`` and ``kind``, the last one of the first four, or ``tier``: then
            ``from`` is a variable and ``to`` the number of its tier.
        encoding
            The encoding; by default UTF-8, or UTF-16 where the first bytes say so.

        Raises
        ------
        KnowledgeError
            Names the line of what cannot be read, or contradicts itself.
        """
        path = Path(path)
        try:
            text = read_text(path, encoding=encoding)
        except DocumentError as error:
            raise KnowledgeFileError(str(error)) from None
        if path.suffix.lower() == ".csv":
            return _read_csv(path, text)
        made = knowledge_of(Node(parse_json(text, str(path), KnowledgeFileError), str(path), "", KnowledgeFileError))
        lines = text.split("\n")
        return made._read_from(path, {name: _line_of(name, lines) for name in made._named()})

    def forbids(self, a: Name, b: Name) -> bool:
        """Whether two variables must not be adjacent: neither direction is allowed."""
        return all(self._forbids_arc(x, y) for x, y in ((a, b), (b, a)))

    def requires(self, a: Name, b: Name) -> bool:
        """Whether two variables must be adjacent, in one direction or either."""
        pairs = ((a, b), (b, a))
        return any(pair in self.required or pair in self.required_edges for pair in pairs)

    def _forbids_arc(self, a: Name, b: Name) -> bool:
        if (a, b) in self.forbidden or (a, b) in self.forbidden_edges or (b, a) in self.forbidden_edges:
            return True
        tier = {name: number for number, group in enumerate(self.tiers) for name in group}
        return a in tier and b in tier and tier[a] > tier[b]

    def _for_file(self) -> dict[str, list[list[str]]]:
        """Return all this as values of JSON."""
        return {f.name: [[str(name) for name in names] for names in getattr(self, f.name)] for f in fields(self)}

    def _named(self) -> set[Name]:
        """Return the variables that it names."""
        named = {name for _, pairs in self._by_kind() for pair in pairs for name in pair}
        return named | {name for tier in self.tiers for name in tier}

    def _by_kind(self) -> list[tuple[str, Sequence[tuple[Name, Name]]]]:
        return [(kind, getattr(self, kind)) for kind in _KINDS]

    def _read_from(self, path: Path, line_of: Mapping[Name, int | None]) -> Knowledge:
        """Keep where each variable is first named, for errors that only the data tell."""
        places = {name: f"{path}, line {line}" if line else str(path) for name, line in line_of.items()}
        object.__setattr__(self, "_places", places)
        return self

    def _place(self, name: Name) -> str:
        return getattr(self, "_places", {}).get(name, "knowledge")  # type: ignore[no-any-return]

    def _for_core(self, table: Data, isolated: Sequence[int]) -> _core.Knowledge:
        self._refuse_contradictions()
        made = self._by_position(table.names)
        pairs = (*self.required, *self.required_edges)
        positions = (*made["required"], *made["required_edges"])
        for (a, b), ends in zip(pairs, positions, strict=True):
            for name, index in zip((a, b), ends, strict=True):
                if index in isolated:
                    raise KnowledgeError(
                        f"required: {a!r} and {b!r} cannot be joined: column {name!r} has fewer than five rows per"
                        f" state ({len(table.levels[index]):,} states in {table.n_rows:,} rows) and is kept isolated;"
                        " merge states, or drop the requirement"
                    )
        return made

    def _by_position(self, names: Sequence[Name]) -> _core.Knowledge:
        """Describe all this to the core, over the positions of variables."""
        position: dict[Name, int] = {str(name): i for i, name in enumerate(names)}
        position.update((name, i) for i, name in enumerate(names))

        def index(name: Name) -> int:
            try:
                return position[name]
            except (KeyError, TypeError):
                raise KnowledgeError(f"{self._place(name)}: {unknown('variable', name, names)}") from None

        def indices(pairs: Iterable[tuple[Name, Name]]) -> list[tuple[int, int]]:
            try:
                return [(position[a], position[b]) for a, b in pairs]
            except (KeyError, TypeError):
                return [(index(a), index(b)) for a, b in pairs]

        edges = indices(self.forbidden_edges)
        tier_of: list[int | None] = [None] * len(names) if self.tiers else []
        for number, tier in enumerate(self.tiers):
            for name in tier:
                tier_of[index(name)] = number
        return {
            "required": indices(self.required),
            "required_edges": indices(self.required_edges),
            "forbidden": [*indices(self.forbidden), *edges, *((b, a) for a, b in edges)],
            "tiers": tier_of,
        }

    def _refuse_more_parents_than(self, most: int | None) -> None:
        if most is None:
            return
        for name, count in Counter(end for _, end in self.required).items():
            if count > most:
                raise ParameterError(f"max_parents: {most} is below the {count} required parents of {name!r}; raise it")

    def _refuse_contradictions(self) -> None:
        """Refuse what no graph can satisfy, by the names of the variables."""
        if not self.required and not self.required_edges:
            return
        tier = {name: number for number, group in enumerate(self.tiers) for name in group}
        banned = set(self.forbidden) | {pair for a, b in self.forbidden_edges for pair in ((a, b), (b, a))}

        def problem(a: Name, b: Name) -> str | None:
            """Say what forbids the arc from a to b."""
            if (a, b) in banned:
                return "forbidden names it"
            if a in tier and b in tier and tier[a] > tier[b]:
                return f"{a!r} is in tier {tier[a] + 1}, after {b!r} in tier {tier[b] + 1}"
            if (b, a) in required:
                return "its reverse is required"
            return None

        required = set(self.required)
        parents: dict[Name, set[Name]] = {}
        for a, b in self.required:
            found = problem(a, b)
            if found is not None:
                raise KnowledgeError(f"required: the arc from {a!r} to {b!r} is both required and forbidden: {found}")
            parents.setdefault(b, set()).add(a)
        for a, b in self.required_edges:
            there, back = problem(a, b), problem(b, a)
            if there is not None and back is not None:
                raise KnowledgeError(
                    f"required_edges: {a!r} and {b!r} must be adjacent, but neither direction is allowed: from {a!r},"
                    f" {there}; from {b!r}, {back}"
                )
            if there is not None or back is not None:
                start, end = (b, a) if there is not None else (a, b)
                parents.setdefault(end, set()).add(start)
        try:
            TopologicalSorter(parents).prepare()
        except CycleError as error:
            around = " → ".join(repr(name) for name in error.args[1])
            raise KnowledgeError(f"required: these arcs close a cycle: {around}") from None


def _pairs(kind: str, pairs: Iterable[Any]) -> tuple[tuple[Name, Name], ...]:
    if not _is_list(pairs):
        raise KnowledgeError(f"{kind}: expected a list of pairs of variables, got {pairs!r}")
    made = []
    for pair in pairs:
        ends = () if isinstance(pair, (str, bytes)) or not isinstance(pair, Iterable) else tuple(pair)
        if len(ends) != 2:
            raise KnowledgeError(f"{kind}: expected pairs of variables, got {pair!r}")
        first, second = ends
        for name in ends:
            _check_name(kind, name)
        if first == second:
            raise KnowledgeError(f"{kind}: {first!r} cannot be joined to itself")
        made.append((first, second))
    return tuple(made)


def _check_name(kind: str, name: Any) -> None:
    try:
        hash(name)
    except TypeError:
        raise KnowledgeError(f"{kind}: expected the name of a variable, got {shortened(name)}") from None


def knowledge_of(node: Node) -> Knowledge:
    """Make knowledge of a JSON document; what is wrong is said with its place."""
    known = [f.name for f in fields(Knowledge)]
    if type(node.value) is not dict:
        node.fail(f"expected an object with the keys {', '.join(known[:-1])} and {known[-1]}")
    for key in node.value:
        if key not in known:
            node.fail(unknown("key", key, known))

    def name(entry: Node) -> Name:
        if type(entry.value) not in (str, int, float):
            entry.fail(f"expected the name of a variable, got {shortened(entry.value)}")
        return entry.value  # type: ignore[no-any-return]

    def names(entry: Node) -> tuple[Name, ...]:
        return entry.each(name)

    def pair(entry: Node) -> tuple[Name, Name]:
        ends = names(entry) if type(entry.value) is list else ()
        if len(ends) != 2:
            entry.fail(f"expected a pair of variables, got {shortened(entry.value)}")
        if ends[0] == ends[1]:
            entry.fail(f"{shortened(ends[0])} cannot be joined to itself")
        return ends[0], ends[1]

    given: dict[str, Any] = {key: value.each(names if key == "tiers" else pair) for key, value in node.items()}
    try:
        return Knowledge(**given)
    except KnowledgeError as error:
        node.fail(str(error))


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


def _line_of(name: Name, lines: Sequence[str]) -> int | None:
    """Return the first line of a JSON text that names a variable."""
    quoted = (json.dumps(name), json.dumps(name, ensure_ascii=False)) if isinstance(name, str) else (str(name),)
    return next((number for number, line in enumerate(lines, start=1) if any(q in line for q in quoted)), None)


def _read_csv(path: Path, text: str) -> Knowledge:
    pairs: dict[str, list[tuple[str, str]]] = {kind: [] for kind in _KINDS}
    tier_of: dict[str, int] = {}
    line_of: dict[Name, int | None] = {}
    kinds = (*_KINDS, "tier")
    rows = delimited_lines(text, str(path))
    try:
        header = next(rows, None)
        columns = [] if header is None else [field.strip().lower() for field in header.fields]
        if not {"from", "to", "kind"} <= set(columns):
            raise KnowledgeFileError(f"{path}: expected the columns from, to and kind")
        source, target, kind_at = (columns.index(name) for name in ("from", "to", "kind"))
        for line in rows:
            where = f"{path}, line {line.number}"
            if len(line.fields) != len(columns):
                raise KnowledgeFileError(f"{where}: expected values for {', '.join(columns)}, found {len(line.fields)}")
            first, second, kind = (line.fields[at] for at in (source, target, kind_at))
            if any(line.empty[at] for at in (source, target, kind_at)):
                raise KnowledgeFileError(f"{where}: expected values for from, to and kind")
            if kind not in kinds:
                raise KnowledgeFileError(f"{where}: {unknown('kind', kind, kinds)}")
            if kind == "tier":
                if not second.isdecimal() or len(second) > 9:
                    raise KnowledgeFileError(
                        f"{where}: the tier of {shortened(first)} must be a whole number, got {shortened(second)}"
                    )
                if tier_of.setdefault(first, int(second)) != int(second):
                    raise KnowledgeFileError(f"{where}: {first!r} is in two tiers, {tier_of[first]} and {second}")
            else:
                if first == second:
                    raise KnowledgeFileError(f"{where}: {first!r} cannot be joined to itself")
                pairs[kind].append((first, second))
                line_of.setdefault(second, line.number)
            line_of.setdefault(first, line.number)
    except KnowledgeError:
        raise
    except DocumentError as error:
        raise KnowledgeFileError(str(error)) from None
    tiers = [[name for name, tier in tier_of.items() if tier == number] for number in sorted(set(tier_of.values()))]
    return Knowledge(**pairs, tiers=tiers)._read_from(path, line_of)
