"""Numbers as people read them."""

from __future__ import annotations

import math


def p_value_text(log_p: float | None) -> str:
    """Write a p-value, also one below the least float."""
    if log_p is None:
        return "above the significance level"
    return f"10^{log_p / math.log(10):.0f}" if log_p < -690 else f"{math.exp(log_p):.3g}"
