"""The program `vinci` that came with the package, and where plugins are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from . import _vinci

SUFFIX = ".exe" if os.name == "nt" else ""


def program() -> Path:
    """The program. It lies in the package; `plugins` beside it holds the shipped plugins."""
    return Path(__file__).parent / "bin" / f"vinci{SUFFIX}"


def plugins(directories: list[str | os.PathLike[str]] | None = None) -> _vinci.Plugins:
    """Where plugins are found: in `directories` first, then in `VINCI_PLUGIN_PATH`, then among the shipped ones."""
    return _vinci.Plugins([Path(d) for d in directories or []], program())


def main() -> int:
    """`vinci` on the command line: this process becomes the program."""
    words = [str(program()), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(words[0], words)
    return subprocess.call(words)
