"""What goes wrong, as exceptions. All of them are `VinciError`s; their text says where and what to do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .run import Run

__all__ = ["InputError", "RunError", "StateError", "StepError", "VinciError"]


def findings_of(lines: str) -> list[dict[str, Any]]:
    """Findings from JSON lines."""
    return [json.loads(line) for line in lines.splitlines()]


def findings_with(lines: str, warnings: list[str]) -> list[dict[str, Any]]:
    """Findings from JSON lines, and warnings of the run itself behind them."""
    of_run = {"severity": "warning", "code": "run", "help": None}
    return findings_of(lines) + [{**of_run, "message": message} for message in warnings]


class VinciError(Exception):
    """Anything that Vinci refuses or cannot do."""


class InputError(VinciError):
    """An experiment, a scene, a plugin or a file that cannot be used.

    `findings`: one dict for each, with `severity`, `code`, `message`, `help`, and `file`, `line`, `column` where it has a place.
    """

    def __init__(self, text: str, lines: str = "") -> None:
        super().__init__(text)
        self.findings = findings_of(lines)
        self._lines = lines

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self._lines)


class RunError(VinciError):
    """A run that ended without success. `run`: what there is of it, with `run.code` and its tables.

    It is None in another process, where the run had no `out`: its temporary directory stayed behind.
    """

    def __init__(self, text: str, run: Run | None) -> None:
        super().__init__(text)
        self.run = run

    def __reduce__(self) -> tuple[Any, ...]:
        # A temporary directory ends with its run, in the process that made it.
        return type(self), (self.args[0], self.run if self.run is not None and self.run.is_kept else None)


class StepError(VinciError):
    """A step that could not be made; the simulation stands where it began. `time`: where that is, s.

    Where a solver or a controller in Python raised, `__cause__` is its exception.
    """

    def __init__(self, text: str, time: float) -> None:
        super().__init__(text)
        self.time = time

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.time)


class StateError(VinciError):
    """A simulation that is in no state for what is asked of it; the text says what to do."""
