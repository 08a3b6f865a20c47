"""The build backend: maturin, with the program and the plugins built and put into the package before.

They are files of the package (`vinci/bin`, `vinci/bin/plugins`), so that one wheel is the whole installation.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import maturin
from maturin import *  # noqa: F403 - a backend is its functions, and most of them are maturin's

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent.parent
PLACE = PACKAGE / "python" / "vinci" / "bin"
# `dev` for tests, which have built much of it already.
PROFILE = os.environ.get("VINCI_PROFILE", "release")
BEGINNINGS = ("detector", "stepper", "solver", "controller")


def build() -> list[Path]:
    """Builds what `cargo build` builds: the program and every plugin in pure Rust. Gives the files."""
    command = [os.environ.get("CARGO", "cargo"), "build", "--profile", PROFILE, "--locked"]
    made = subprocess.run([*command, "--message-format", "json-render-diagnostics"], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
    files: list[Path] = []
    for line in made.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") != "compiler-artifact":
            continue
        name, kinds = message["target"]["name"], message["target"]["kind"]
        if "cdylib" in kinds and name.startswith(tuple(f"vinci_{b}" for b in BEGINNINGS)):
            files += [Path(f) for f in message["filenames"] if f.endswith((".so", ".dylib", ".dll"))]
        elif "bin" in kinds and name == "vinci":
            files.append(Path(message["executable"]))
    return files


def stage() -> None:
    """Puts the program into the package, and the plugins beside it; without symbols, which are half of them."""
    files = build()
    shutil.rmtree(PLACE, ignore_errors=True)
    (PLACE / "plugins").mkdir(parents=True)
    strip = shutil.which("strip") if sys.platform.startswith("linux") else None
    for file in files:
        is_plugin = file.suffix in (".so", ".dylib", ".dll")
        copy = (PLACE / "plugins" if is_plugin else PLACE) / file.name
        shutil.copy2(file, copy)
        if strip:
            subprocess.run([strip, "--strip-unneeded", str(copy)], check=True)


def settings(given):
    """What maturin is told beside `given`: the profile."""
    return {**(given or {}), "build-args": f"--profile {PROFILE}"} if PROFILE != "release" else given


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """One wheel for every Python from 3.10 on."""
    stage()
    return maturin.build_wheel(wheel_directory, settings(config_settings), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package as it stands here."""
    stage()
    return maturin.build_editable(wheel_directory, settings(config_settings), metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    """There is none: the package needs the whole repository."""
    raise SystemExit("vinci has no source distribution: install from its repository, `pip install ./host/python`")


if __name__ == "__main__":
    stage()
