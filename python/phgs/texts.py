"""Numbers and names as people read them."""

from __future__ import annotations

import math
import re
import sys
from typing import Any

_PLAIN = {"→": "->", "←": "<-", "−": "--", "…": "...", "×": "x", "≤": "<=", "≥": ">=", "⫫": "_||_", "²": "2", "–": "-"}
"""What stands for our own signs where they cannot be shown."""

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff]"
)
"""Characters that show as nothing, break lines, turn the direction of writing, or are none."""


def p_value_text(log_p: float | None) -> str:
    """Write a p-value, also one below the least float."""
    if log_p is None:
        return "above the significance level"
    return f"10^{log_p / math.log(10):.0f}" if log_p < -690 else f"{math.exp(log_p):.3g}"


def bytes_text(count: float) -> str:
    """Write a number of bytes: ``1.5 GiB``."""
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:,.3g} GiB"


def visible(name: Any) -> str:
    r"""Return a name as it is drawn: what cannot be seen as Python writes it, such as ``\n`` and ``\ufeff``.

    Examples
    --------
    >>> print(visible("a\nb$x$"))
    a\nb$x$
    """
    return _UNSEEN.sub(lambda found: repr(found[0])[1:-1], str(name))


def printable(text: str) -> str:
    """Return text that standard output can show: what its encoding lacks is replaced.

    ``print(graph)`` fails on a terminal that has no arrow, whatever it is for. A text knows nothing of where it will be
    printed, but there is one standard output, and it says what it can show.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        for sign, plain in _PLAIN.items():
            if sign.encode(encoding, "ignore") == b"":
                text = text.replace(sign, plain)
        return text.encode(encoding, "backslashreplace").decode(encoding)
    except LookupError:
        pass
    return text
