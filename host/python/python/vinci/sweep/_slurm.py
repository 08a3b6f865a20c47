"""Shards as the array of a Slurm job."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping

from ._engines import _places
from ._plan import Plan, SweepError, program
from ._shards import merge, name_of, shards_of
from ._store import Place

__all__ = ["Job", "slurm"]

# Keys of #SBATCH that the file sets itself.
OWN = ("array", "job-name", "output", "partition", "cpus-per-task")

SCRIPT = """\
#!/bin/bash
# Runs the shards of a plan that are not sealed yet: submit it again where some were lost.
{directives}
set -eu
exec {program} sweep run {plan} --shard "$SLURM_ARRAY_TASK_ID/{n}" --out {parts} --jobs {jobs}{options}
"""


@dataclass(frozen=True)
class Job:
    """A job as written: its `script`, the directory of its `parts`, the number of `shards`, its `id` where it was submitted."""

    plan: Plan
    script: Path
    parts: Path
    out: Place
    shards: int
    id: str | None = None

    def missing(self) -> list[int]:
        """Shards that are not sealed yet."""
        n = self.shards
        return [i for i in range(1, n + 1) if not (self.parts / name_of(i, n)).exists()]

    def submit(self) -> Job:
        """Submits the shards that are not sealed yet."""
        missing = self.missing()
        if not missing:
            raise SweepError(f"all {self.shards} shards are sealed: merge them")
        if shutil.which("sbatch") is None:
            raise SweepError(f"there is no `sbatch` here: copy {self.script} to where there is one, and submit it")
        line = ["sbatch", "--parsable", f"--array={_ranges(missing)}", str(self.script)]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise SweepError(f"sbatch refused the job: {done.stderr.strip()}", done.returncode)
        return Job(self.plan, self.script, self.parts, self.out, self.shards, done.stdout.strip().split(";")[0])

    def merge(self, *, force: bool = False) -> Place:
        """Puts the parts together: the place of results."""
        n = self.shards
        missing = self.missing()
        if missing:
            raise SweepError(f"{len(missing)} of {n} shards are not sealed ({_ranges(missing)}): submit the job again")
        merge(self.plan, [self.parts / name_of(i, n) for i in range(1, n + 1)], self.out, force)
        return self.out


def slurm(
    plan: Plan,
    partition: str | None = None,
    out: str | os.PathLike[str] | None = None,
    *,
    shards: int = 100,
    jobs: int = 1,
    parts: str | os.PathLike[str] | None = None,
    script: str | os.PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
    submit: bool = False,
) -> Job:
    """Writes the sbatch file of a plan, an array with one task for every shard, and submits it where `submit` says so.

    Plan, parts and program must be seen by the nodes under the paths they have here. options: further keys of #SBATCH,
    `{"time": "01:00:00", "mem-per-cpu": "1G", "requeue": True}` (True or None: a key without value). `Job.merge` merges once all shards are sealed; `Job.submit` submits those that are not.
    """
    out, place = _places(plan, out, parts)
    if isinstance(place, str):
        raise ValueError(f"parts is {place}: tasks of Slurm write to a directory that the nodes share; `out` alone may be a URL")
    place = place.absolute()
    n = shards_of(plan, 1, shards)
    path = Path(script) if script is not None else plan.path.with_suffix(".sbatch")
    keys: dict[str, Any] = {"job-name": re.sub(r"[^A-Za-z0-9_.-]", "-", plan.name) or "sweep", "array": f"1-{n}"}
    keys |= {"cpus-per-task": jobs, "output": str(place).replace("%", "%%") + "/shard-%a.log"}
    if partition is not None:
        keys["partition"] = partition
    for key, value in (options or {}).items():
        if key in OWN:
            raise ValueError(f"options: `{key}` is set by the file itself; give it as an argument of slurm")
        keys[key] = value
    for key, value in keys.items():
        if not re.fullmatch(r"[a-z][a-z-]*", key) or re.search(r'[\n"]', str(value)):
            raise ValueError(f"options: `{key}` = {value!r} is no key of #SBATCH with its value")
    place.mkdir(parents=True, exist_ok=True)
    more = "".join(f" {shlex.quote(word)}" for word in plan.options)
    text = SCRIPT.format(
        directives="\n".join(_directive(key, value) for key, value in keys.items() if value is not False),
        program=shlex.quote(os.path.abspath(program())), plan=shlex.quote(str(plan.path)), n=n,
        parts=shlex.quote(str(place)), jobs=jobs, options=more,
    )
    path.write_text(text, encoding="utf-8")
    job = Job(plan, path, place, out, n)
    return job.submit() if submit else job


def _directive(key: str, value: Any) -> str:
    """A line of #SBATCH."""
    if value is None or value is True:
        return f"#SBATCH --{key}"
    word = f'"{value}"' if re.search(r"\s", str(value)) else value
    return f"#SBATCH --{key}={word}"


def _ranges(numbers: list[int]) -> str:
    """Numbers, ascending, as Slurm writes them: 1-3,7."""
    ranges: list[list[int]] = []
    for i in numbers:
        if ranges and ranges[-1][1] == i - 1:
            ranges[-1][1] = i
        else:
            ranges.append([i, i])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
