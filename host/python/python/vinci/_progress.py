"""A line that says how far a run is."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Callable, Iterator

WIDTH = 40


@contextmanager
def listener(progress: bool | Callable[[float], None], duration: float) -> Iterator[Callable[[float], None] | None]:
    """What a run tells its time to: nothing, the user's function, or a line on the error stream."""
    if callable(progress):
        yield progress
        return
    if not progress:
        yield None
        return

    def line(t: float) -> None:
        part = min(t / duration, 1.0) if duration > 0.0 else 1.0
        done = int(WIDTH * part)
        print(f"\r[{'#' * done}{'.' * (WIDTH - done)}] {100.0 * part:3.0f} % of {duration:g} s", end="", file=sys.stderr, flush=True)

    try:
        yield line
    finally:
        print(file=sys.stderr)
