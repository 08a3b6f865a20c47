"""Runs that have ended, and their results."""

from __future__ import annotations

import html
import json
import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any

from . import _vinci
from ._vinci import Table
from .errors import findings_with

__all__ = ["Run", "View"]


class Run:
    """The results of a run: its directory, read back. Tables are read when they are asked for."""

    def __init__(
        self,
        directory: Any,
        code: int,
        why: list[dict[str, Any]],
        warnings: list[dict[str, Any]],
    ) -> None:
        self._directory = directory
        #: Exit code as `vinci run` has it: 0 for success, 1 where the referee does not accept the result.
        self.code = code
        self._why = why
        #: Findings that did not stop the run, one dict each.
        self.warnings = warnings

    @classmethod
    def open(cls, directory: str | Path) -> Run:
        """The results that `vinci run` (or `Experiment.run`) wrote to a directory."""
        place = Path(directory).resolve()
        if not (place / "summary.json").is_file():
            raise FileNotFoundError(f"{place} is not the directory of a run that has ended: it has no summary.json")
        run = cls(_Place(str(place)), 0, [], [])
        run.code, run.warnings = int(run.summary["exit_code"]), findings_with("", run.summary.get("warnings", []))
        return run

    @property
    def directory(self) -> Path:
        """Where the files are. A temporary directory goes with the `Run`: keep it, or give `out`."""
        return Path(self._directory.name)

    @property
    def is_kept(self) -> bool:
        """Whether the files stay when this object goes: not where the directory is a temporary one."""
        return not isinstance(self._directory, tempfile.TemporaryDirectory)

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.is_kept:
            raise TypeError("the files of this run are temporary and stay in this process: give `out` to keep them")
        return Run, (_Place(str(self.directory)), self.code, self._why, self.warnings)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """`summary.json`: status, plugins, the referee's findings, energies, statistics, the hash of the last state."""
        return json.loads((self.directory / "summary.json").read_text(encoding="utf-8"))

    @property
    def state_hash(self) -> str:
        """SHA-256 of the bits of the last q and v."""
        return self.summary["state_hash"]

    @cached_property
    def trajectory(self) -> Table:
        """A row for every recorded state: `time` (s) and all positions and velocities (m, rad, m/s, rad/s), `BODY.x` and so on."""
        return self.table("trajectory")

    @cached_property
    def contacts(self) -> Table:
        """A row for every contact of every recorded step: bodies, gap (m), impulses (N s), slip (m/s), mode, place, mean force (N)."""
        return self.table("contacts")

    @cached_property
    def events(self) -> Table:
        """Impacts, contacts that closed, changes of the experiment."""
        return self.table("events")

    @property
    def tables(self) -> list[str]:
        """Names of the tables of this run."""
        return sorted(path.stem for end in ("csv", "parquet") for path in self.directory.glob(f"*.{end}"))

    def table(self, name: str) -> Table:
        """A table by its name: ``run.table("drives")``."""
        paths = [self.directory / f"{name}.{end}" for end in ("parquet", "csv")]
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            raise KeyError(f"the run has no table `{name}`; tables: {', '.join(self.tables)}")
        return Table._read(path)

    def view(self) -> View:
        """The run in space and time: a page for a browser, offline. In a notebook it shows itself."""
        return View(_vinci.view_page([self.directory], self.directory.name))

    def describe(self) -> str:
        """In a few words how the run ended."""
        if not self._why:
            return f"{self.summary['status']} ({self.summary['steps']} steps to t = {self.summary['time_end']} s)"
        lines = []
        for finding in self._why:
            lines.append(finding["message"])
            if finding["help"]:
                lines.append(f"  help: {finding['help']}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return self.view()._repr_html_()

    def __repr__(self) -> str:
        return f"<vinci.Run {self.directory}: {self.describe()}>"


class _Place:
    def __init__(self, name: str) -> None:
        self.name = name


class View:
    """A page that draws runs."""

    def __init__(self, text: str) -> None:
        #: The page, HTML that needs nothing else.
        self.html = text

    def save(self, path: str | Path) -> Path:
        """Writes the page to a file for a browser."""
        path = Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        # A document of its own: its styles and scripts stay inside.
        return f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:600px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<vinci.View, {len(self.html) / 1e6:.1f} MB: save(path) writes it for a browser>"
