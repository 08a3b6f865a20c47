#!/usr/bin/env python3
"""Writes the generated pages of the reference from the program itself.

    python3 docs/generate.py target/release/vinci [DIRECTORY]

`reference/cli.md` holds the help of every command, `reference/schema-*.md` the keys of the formats as the JSON Schemas
have them, `reference/plugins.md` what every plugin says of itself. `cargo xtask docs` runs it; the pages go
into DIRECTORY where one is named.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

PAGES = Path(__file__).resolve().parent / "src" / "reference"
NOTE = "<!-- Written by docs/generate.py; edit the program's help or schema instead. -->\n\n"


def output(program, *words):
    run = subprocess.run([program, *words], capture_output=True, text=True, check=True)
    return run.stdout


def listed(help_text):
    """The commands that a help lists, in its order."""
    block = re.search(r"^Commands:\n((?:  .*\n)+)", help_text, re.M)
    names = re.findall(r"^  (\S+)", block.group(1), re.M) if block else []
    return [name for name in names if name != "help"]


def below(program, command=()):
    """A command with its help, then the same of the commands below it."""
    text = output(program, "help", *command).strip() + "\n"
    yield command, text
    for name in listed(text):
        yield from below(program, (*command, name))


def commands(program):
    """One section per command, with the help as it is printed. A command that only holds others is left out."""
    text = NOTE + "# Commands\n\nThe help of every command, as the program prints it. What the exit codes mean: "
    text += "[exit codes](exit-codes.md).\n"
    for command, help_text in below(program):
        if command and listed(help_text) and "\nArguments:" not in help_text:
            continue
        text += f"\n## `{' '.join(('vinci', *command))}`\n\n```text\n{help_text.strip()}\n```\n"
    return text


def short(name):
    """Definitions without the part of their name that tells variants of one type apart."""
    return re.sub(r"^(Complete|Partial|Planar|Spatial)", "", name)


def kind(node):
    """The type of a value in a few words."""
    if node is True:
        return "any value"
    if "$ref" in node:
        target = node["$ref"].split("/")[-1]
        return "a scene" if target.endswith(".json") else f"[{short(target)}](#{short(target).lower()})"
    for key in ("oneOf", "anyOf"):
        if key in node:
            parts = [kind(part) for part in node[key] if part.get("type") != "null"]
            return " or ".join(dict.fromkeys(parts))
    if "const" in node:
        return f"`{json.dumps(node['const'])}`"
    if "enum" in node:
        return ", ".join(f"`{word}`" for word in node["enum"] if word is not None)
    name = node.get("type", "any value")
    names = [n for n in (name if isinstance(name, list) else [name]) if n != "null"]
    if names == ["array"]:
        low, high = node.get("minItems"), node.get("maxItems")
        many = f"{low} × " if low is not None and low == high else "list of "
        return many + kind(node.get("items", {}))
    if names == ["object"] and isinstance(node.get("additionalProperties"), dict):
        return "{ NAME: " + kind(node["additionalProperties"]) + " }"
    return " or ".join(names) + limits(node)


def limits(node):
    words = []
    for key, sign in (("exclusiveMinimum", ">"), ("minimum", "≥"), ("exclusiveMaximum", "<"), ("maximum", "≤")):
        if key in node and abs(node[key]) < 1e15:
            words.append(f"{sign} {node[key]:g}")
    return (" " + ", ".join(words)) if words else ""


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def table(node):
    required = node.get("required", [])
    rows = ["| key | value | meaning |", "|---|---|---|"]
    for key, value in node.get("properties", {}).items():
        must = ", required" if key in required and "const" not in value else ""
        rows.append(f"| `{key}` | {cell(kind(value))}{must} | {cell(value.get('description', ''))} |")
    return "\n".join(rows) + "\n"


def body(node):
    """Tables and words of one definition."""
    text = cell(node.get("description", "")) + "\n\n" if node.get("description") else ""
    parts = [part for key in ("oneOf", "anyOf") for part in node.get(key, []) if part.get("type") != "null"]
    if node.get("properties"):
        return text + table(node)
    if not parts:
        return text + kind(node) + "\n"
    for part in parts:
        if part.get("properties"):
            constants = [v["const"] for v in part["properties"].values() if "const" in v]
            head = f"`{constants[0]}`: " if constants else ""
            text += f"{head}{cell(part.get('description', ''))}\n\n{table(part)}\n"
        else:
            text += f"- {kind(part)}: {cell(part.get('description', ''))}\n"
    return text


def schema(program, which, title):
    """The keys of a format; where a scene is planar or spatial, both."""
    data = json.loads(output(program, "schema", which))
    text = NOTE + f"# Keys of {title}\n\nWritten from `vinci schema {which}`. Lists in the order of the schema.\n\n"
    tops = data.get("oneOf", [data])
    prefixes = {"experiment": [("Complete", "")], "scene": [("Planar", " (planar)"), ("Spatial", " (spatial)")]}
    kept = prefixes.get(which, [("", "")])
    for top in tops:
        if which == "experiment" and top.get("title", "").startswith("Partial"):
            continue
        text += f"## {top.get('title', title)}\n\n" + body(top) + "\n"
    if which == "experiment":
        text += "A file with `extends` may leave out any key.\n\n"
    seen = {}
    for prefix, _ in kept:
        for name, node in data["$defs"].items():
            if name.startswith(prefix):
                seen.setdefault(short(name), []).append((prefix, body(node)))
    for name in sorted(seen):
        bodies = dict.fromkeys(b for _, b in seen[name])
        text += f"## {name}\n\n"
        for index, one in enumerate(bodies):
            if len(bodies) > 1:
                text += f"*{'In planar scenes' if index == 0 else 'In spatial scenes'}.* "
            text += one + "\n"
    return text


def plugins(program):
    """What `vinci plugin info` prints, plugin by plugin."""
    text = NOTE + "# Plugins and their options\n\nWritten from `vinci plugin info`. Files and digests are left out: they are of one build.\n"
    for line in output(program, "plugin", "list").splitlines():
        words = line.split()
        # A plugin that another one hides is listed too; the book has each once.
        if len(words) > 1 and words[1].startswith("vinci.") and f"`{words[1]}`" not in text:
            info = output(program, "plugin", "info", words[1])
            left_out = ("file ", "sha256 ", "contract ")
            info = "\n".join(l for l in info.splitlines() if not l.startswith(left_out))
            text += f"\n## `{words[1]}`\n\n```text\n{info}\n```\n"
    return text


def main():
    program = os.path.abspath(sys.argv[1])
    pages = {
        "cli.md": commands(program),
        "schema-experiment.md": schema(program, "experiment", "experiments"),
        "schema-scene.md": schema(program, "scene", "scenes"),
        "schema-sweep.md": schema(program, "sweep", "sweeps"),
        "schema-comparison.md": schema(program, "comparison", "comparisons"),
        "plugins.md": plugins(program),
    }
    place = Path(sys.argv[2]) if len(sys.argv) > 2 else PAGES
    place.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (place / name).write_text("\n".join(l.rstrip() for l in text.splitlines()) + "\n", encoding="utf-8")


main()
