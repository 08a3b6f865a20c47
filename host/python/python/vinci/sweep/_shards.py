"""Shards: what a worker does, and how the one who asks keeps watch."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable

from ._plan import Plan, SweepError, call, start
from ._store import Place, bring, drop, inside, is_url, place_of, put

__all__ = ["Lost", "Task", "Watch", "is_lost", "merge", "merged", "name_of", "run_shard", "shards_of", "tasks"]

# Shards for every worker, so that one that is slow does not keep the others waiting.
PER_WORKER = 8
# Runs of a shard at least, where there are enough: starting one takes a part of a second.
LEAST = 100
# A part as it is named, sealed or begun; the group is the number of shards.
PART = r"part-\d+-of-(\d+)\.parquet.*"
# What the program says where another process has the shard.
BUSY = "another run or sweep is writing there"


class Lost(SweepError):
    """A shard that was lost with its worker more often than `retries`."""


@dataclass(frozen=True)
class Task:
    """A shard, [i, n], that a worker is to run. `parts`: a directory that workers share, or a URL; None: the part is given back."""

    text: str
    digest: str
    shard: tuple[int, int]
    jobs: int
    options: tuple[str, ...]
    parts: str | None


def shards_of(plan: Plan, workers: int, shards: int | None, parts: Place | None = None) -> int:
    """How many shards: `shards`, or as many as an earlier call cut into whose parts lie in `parts`, or some for every worker."""
    if shards is not None and shards < 1:
        raise ValueError(f"shards is {shards}: there must be one or more")
    if shards is None and isinstance(parts, Path):
        names = (re.fullmatch(PART, file.name) for file in parts.glob("part-*"))
        counts = [int(found[1]) for found in names if found]
        shards = max(set(counts), key=lambda n: (counts.count(n), n), default=None)
    most = max(workers, min(PER_WORKER * workers, plan.runs // LEAST))
    return max(1, min(shards or most, plan.units))


def tasks(plan: Plan, n: int, jobs: int, parts: Place | None) -> list[Task]:
    """The shards of a plan."""
    text = plan.text
    digest = hashlib.sha256(text.encode()).hexdigest()
    place = str(parts.absolute()) if isinstance(parts, Path) else parts
    return [Task(text, digest, (i, n), jobs, plan.options, place) for i in range(1, n + 1)]


def name_of(i: int, n: int) -> str:
    """The file of a part."""
    return f"part-{i}-of-{n}.parquet"


def run_shard(task: Task) -> dict[str, Any]:
    """Runs a shard on a worker: what it did, and the bytes of the part under `bytes` where there is no place that workers share."""
    home = Path(tempfile.mkdtemp(prefix="vinci-shard-"))
    place = None if task.parts is None else place_of(task.parts)
    try:
        file = home / f"{task.digest[:16]}.plan.json"
        file.write_text(task.text, encoding="utf-8")
        if isinstance(place, Path):
            return _run(task, file, place)
        url = None if place is None else inside(place, name_of(*task.shard))
        there = url is not None and bring(url, home / "parts")
        told = _run(task, file, home / "parts")
        if url is None:
            return {**told, "bytes": Path(told["part"]).read_bytes()}
        if not there:
            put(Path(told["part"]), url)
        return {**told, "part": url}
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _run(task: Task, file: Path, parts: Path) -> dict[str, Any]:
    """What the program did for a shard of the plan in a file."""
    i, n = task.shard
    words = ["sweep", "run", file, "--shard", f"{i}/{n}", "--out", parts, "--jobs", str(task.jobs), *task.options]
    while True:
        process = start(words)
        try:
            return call(words, process)
        except SweepError as error:
            # The process of a worker that was lost may outlive it: it is doing this very shard.
            if BUSY not in str(error):
                raise
            time.sleep(0.2)
        finally:
            # A worker that is told to stop takes its process along.
            if process.poll() is None:
                process.terminate()
                process.wait()


def is_lost(error: BaseException) -> bool:
    """Whether a shard's process was ended from outside, by a signal: nothing is wrong with the shard."""
    cause = getattr(error, "cause", error)
    return isinstance(cause, SweepError) and cause.code < 0


@dataclass
class Watch:
    """Progress of a plan: one line on the error stream, or a function that is told a dict after every shard."""

    plan: Plan
    n: int
    parts: Place
    progress: bool | Callable[[dict[str, Any]], None]
    retries: int
    began: float = field(default_factory=time.monotonic)
    done: int = 0
    lost: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("made", "resumed", "failed", "invalid", "crashed"), 0))
    losses: dict[int, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def finished(self, told: dict[str, Any]) -> None:
        """A shard is done."""
        with self.lock:
            if "bytes" in told:
                self._keep(Path(told["part"]).name, told["bytes"])
            self.done += 1
            for key in self.counts:
                self.counts[key] += told[key]
            self._say()

    def lost_shard(self, i: int, error: BaseException) -> None:
        """A shard was lost with its worker: it is run again, unless that was so too often."""
        with self.lock:
            self.lost += 1
            self.losses[i] = self.losses.get(i, 0) + 1
            if self.losses[i] > self.retries:
                message = f"shard {i} of {self.n} was lost {self.losses[i]} times, the last time by: {error!r}"
                raise Lost(f"{message}; what is done lies in {self.parts}, and the same call goes on") from error
            self._say()

    def _keep(self, name: str, data: bytes) -> None:
        parts = Path(self.parts)
        parts.mkdir(parents=True, exist_ok=True)
        torn = parts / f"{name}.part"
        torn.write_bytes(data)
        os.replace(torn, parts / name)

    def facts(self) -> dict[str, Any]:
        """How far it is: shards `done` of `shards`, workers `lost`, runs by how they ended, seconds gone and left."""
        gone = time.monotonic() - self.began
        left = gone / self.done * (self.n - self.done) if self.done else None
        return {"done": self.done, "shards": self.n, "lost": self.lost, **self.counts, "seconds": gone, "left": left}

    def _say(self) -> None:
        facts = self.facts()
        if callable(self.progress):
            self.progress(facts)
        elif self.progress:
            wrong = ", ".join(f"{facts[k]} {k}" for k in ("failed", "invalid", "crashed", "lost") if facts[k])
            left = f", {facts['left']:.0f} s left" if facts["left"] else ""
            runs = facts["made"] + facts["resumed"]
            line = f"{facts['done']} of {self.n} shards, {runs} runs{', ' + wrong if wrong else ''}{left}"
            print(f"\r{line:<78}", end="\n" if self.done == self.n else "", file=sys.stderr, flush=True)


def merged(watch: Watch, out: Place, keep_parts: bool, force: bool) -> Place:
    """Puts the parts together: the place of results."""
    # The parts of another number of shards may lie there too.
    parts = [inside(watch.parts, name_of(i, watch.n)) for i in range(1, watch.n + 1)]
    merge(watch.plan, parts, out, force)
    if not keep_parts:
        for part in parts:
            part.unlink() if isinstance(part, Path) else drop(part)
        try:
            if isinstance(watch.parts, Path):
                watch.parts.rmdir()
        except OSError:
            pass  # something of others lies there
    return out


def merge(plan: Plan, parts: list[Place], out: Place, force: bool) -> None:
    """Puts parts together in `out`. What lies in a store is copied to this machine, and results are copied there."""
    if not any(map(is_url, [*parts, out])):
        return _merge(plan, parts, out, force)
    home = Path(tempfile.mkdtemp(prefix="vinci-merge-"))
    try:
        for part in filter(is_url, parts):
            bring(part, home)
        near = [home / part.rsplit("/", 1)[-1] if isinstance(part, str) else part for part in parts]
        if isinstance(out, Path):
            return _merge(plan, near, out, force)
        # The plan of results that are there: others are refused as in a directory.
        bring(f"{out}/plan.json", home / "out")
        _merge(plan, near, home / "out", force)
        files = [file for file in (home / "out").iterdir() if not file.name.startswith(".")]
        # The summary last: results without it are not complete.
        for file in sorted(files, key=lambda file: (file.name == "summary.json", file.name)):
            put(file, f"{out}/{file.name}")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _merge(plan: Plan, parts: list[Path], out: Path, force: bool) -> None:
    call(["sweep", "merge", plan.path, *parts, "--out", out, *(["--force"] if force else [])])
