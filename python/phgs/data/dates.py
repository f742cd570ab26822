"""Dates and times as seconds."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta, timezone
from typing import Any

import numpy as np

from phgs.data.columns import _ISO_DATE
from phgs.data.values import _is_missing


def seconds_of(label: Any) -> float:
    """Return a date or a time as seconds from a fixed moment; NaN of what is none."""
    if isinstance(label, str) and _ISO_DATE.fullmatch(label.strip()):
        label = datetime.fromisoformat(label.strip().replace("Z", "+00:00"))
    if _is_missing(label):
        return math.nan
    if isinstance(label, np.datetime64):
        return float((label - np.datetime64(0, "s")) / np.timedelta64(1, "s"))
    if isinstance(label, np.timedelta64):
        return float(label / np.timedelta64(1, "s"))
    if isinstance(label, datetime):
        aware = label if label.tzinfo is not None else label.replace(tzinfo=timezone.utc)
        return float(aware.timestamp())
    if isinstance(label, date):
        return 86_400.0 * (label.toordinal() - date(1970, 1, 1).toordinal())
    if isinstance(label, timedelta):
        return float(label.total_seconds())
    if isinstance(label, time):
        return 3600.0 * label.hour + 60.0 * label.minute + label.second + label.microsecond / 1e6
    return math.nan


def seconds_or_nan(label: Any) -> float:
    """Return the same; NaN of moments that a clock does not reach, too."""
    try:
        return seconds_of(label)
    except ValueError:
        return math.nan
