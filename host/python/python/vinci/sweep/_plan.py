"""Plans, and the program that makes and runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

__all__ = ["Plan", "SweepError", "call", "plan", "program"]

PROGRAM = "VINCI_PROGRAM"
CRASHED = 9


class SweepError(Exception):
    """A command of a sweep that was refused. `code`: its exit code; `findings`: what it said, a dict for each."""

    def __init__(self, text: str, code: int = 0, findings: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(text)
        self.code, self.findings = code, list(findings)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.code, self.findings)


def program() -> str:
    """The program: what `VINCI_PROGRAM` names, the one in this package, or `vinci` on the path."""
    name = "vinci.exe" if os.name == "nt" else "vinci"
    own = Path(__file__).parent.parent / "bin" / name
    found = os.environ.get(PROGRAM) or (str(own) if own.is_file() else shutil.which("vinci"))
    if not found:
        raise SweepError(f"there is no program `vinci`: put it on the path, or name it in the variable {PROGRAM}")
    return found


def call(words: Sequence[str | os.PathLike[str]], process: subprocess.Popen[str] | None = None) -> dict[str, Any]:
    """What a command did, as it says so itself. A sweep with rows of crashed runs (9) is complete."""
    process = process or start(words)
    out, err = process.communicate()
    findings = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    if process.returncode not in (0, CRASHED):
        errors = [f for f in findings if f.get("severity") == "error"]
        told = [f["message"] + (f" ({f['help']})" if f.get("help") else "") for f in errors]
        said = "\n".join(line for line in err.splitlines() if not line.startswith("{")).strip()
        ended = f"a signal ended the process ({-process.returncode})" if process.returncode < 0 else f"the process ended ({process.returncode})"
        text = "; ".join(told) or said or ended
        raise SweepError(text, process.returncode, findings)
    return json.loads(out)


def start(words: Sequence[str | os.PathLike[str]]) -> subprocess.Popen[str]:
    """Starts the program."""
    line = [program(), "--error-format", "json", *map(str, words)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@dataclass(frozen=True)
class Plan:
    """A sweep that was planned: its file, its `name`, how many `runs` and `units` of work it has, its `hash`.

    `options`: flags of `vinci sweep run` for every shard, such as `("--plugin-dir", "plugins")`.
    """

    path: Path
    name: str
    runs: int
    units: int
    hash: str
    options: tuple[str, ...] = ()

    @classmethod
    def load(cls, path: str | os.PathLike[str], options: Sequence[str] = ()) -> Plan:
        """The plan in a file."""
        text = Path(path).read_text(encoding="utf-8")
        try:
            told = json.loads(text)
            shape = told["shape"]
            return cls(Path(path).absolute(), shape["name"], told["runs"], told["units"], shape["hash"], tuple(options))
        except (ValueError, KeyError, TypeError) as error:
            raise SweepError(f"{path} is no plan of a sweep: `vinci.sweep.plan` writes one") from error

    @property
    def text(self) -> str:
        """The file."""
        return self.path.read_text(encoding="utf-8")


def plan(
    file: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    options: Sequence[str] = (),
    run_options: Sequence[str] = (),
) -> Plan:
    """Plans the sweep in `file`; the plan is written to `out`, default `NAME.plan.json` beside it.

    `options`: flags of `vinci sweep plan` (`--set`, `--cases`, `--plugin-dir`, ...); `run_options`: those of every shard.
    """
    if out is None:
        out = Path(file).with_name(Path(file).name.split(".")[0] + ".plan.json")
    call(["sweep", "plan", file, "--out", out, *options])
    return Plan.load(out, run_options)
