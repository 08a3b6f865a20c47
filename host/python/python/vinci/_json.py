"""Values as JSON."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np


def text_of(value: Any) -> str:
    """A value as JSON; NumPy's numbers and arrays are numbers and lists."""
    try:
        return json.dumps(value, default=_plain, allow_nan=False)
    except ValueError as error:
        raise ValueError(f"{value!r} cannot stand in an experiment: numbers are finite, and nothing holds itself") from error


def _plain(other: Any) -> Any:
    if isinstance(other, (np.generic, np.ndarray)):
        return other.tolist()
    if isinstance(other, os.PathLike):
        return os.fspath(other)
    raise TypeError(f"{type(other).__name__} cannot stand in an experiment: use numbers, words, lists and dicts")
