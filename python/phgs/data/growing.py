"""One column that is read part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from phgs import _core
from phgs.data.columns import CodedColumn, code_type, encode
from phgs.data.packed import MOST_STATES, can_pack
from phgs.data.values import Problem, read_values, with_gaps

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_STATES = 65_535


class Growing:
    """A column whose parts come one after another; codes number the states by their first appearance in all of them.

    Parameters
    ----------
    declared
        Whether the column is said to be one of categories.
    n_rows
        How many rows are expected; many are kept as bit planes.
    """

    def __init__(self, declared: bool, n_rows: int = 0) -> None:
        self.declared = declared
        self.codes_of: dict[Any, int] = {}
        self._parts: list[NDArray[Any]] = []
        self._packer = _core.ColumnPacker(n_rows) if can_pack(n_rows, 1) else None
        self._missing = 0
        self._problem: Problem | None = None

    def add(self, values: Any) -> None:
        """Take the next part over."""
        if self._problem is None:
            found = self.read(values)
            codes = found if isinstance(found, Problem) else self.number(found)
            if isinstance(codes, Problem):
                self._problem = codes
            else:
                self._keep(codes)

    def _keep(self, codes: NDArray[Any]) -> None:
        if self._packer is not None:
            if codes.dtype == np.uint8 and len(self.codes_of) <= MOST_STATES:
                self._packer.add(codes)
                return
            # What has more states, or missing values, is kept as codes.
            self._parts, self._packer = [self._packer.whole().unpacked()], None
        self._parts.append(codes)

    def read(self, values: Any) -> CodedColumn | Problem:
        """Number the values of a part by themselves."""
        return encode(read_values(values, from_text=False, declared=self.declared))

    def number(self, found: CodedColumn) -> NDArray[Any] | Problem:
        """Return the codes of a part in the order of all parts; −1 where values are missing."""
        new = [self.codes_of.setdefault(label, len(self.codes_of)) for label in found.labels]
        if len(self.codes_of) > _MOST_STATES:
            return Problem.TOO_MANY
        kind = code_type(len(self.codes_of))
        if not found.missing:
            codes: NDArray[Any] = np.asarray(new, dtype=kind)[found.codes]
            return codes
        self._missing += found.missing
        # The last entry stands for −1.
        gapped: NDArray[Any] = np.asarray([*new, -1], dtype=with_gaps(len(self.codes_of)))[found.codes]
        return gapped

    def whole(self) -> CodedColumn | Problem:
        """Put the parts together."""
        if self._problem is not None:
            return self._problem
        if self._packer is not None:
            packer, self._packer = self._packer, None
            return CodedColumn(packer.whole(), list(self.codes_of), 0)
        parts: list[Any] = self._parts
        self._parts = []
        if not self._missing and len(self.codes_of) < 256:
            # An array that looks into `bytes`: the core then looks into the same, and copies nothing.
            return CodedColumn(np.frombuffer(b"".join(parts), np.uint8), list(self.codes_of), 0)
        kind = with_gaps(len(self.codes_of)) if self._missing else np.uint16
        codes = np.empty(sum(map(len, parts)), dtype=kind)
        end = len(codes)
        # From the last part, which is let go of as soon as it is copied.
        while parts:
            part = parts.pop()
            codes[end - len(part) : end] = part
            end -= len(part)
        return CodedColumn(codes, list(self.codes_of), self._missing)
