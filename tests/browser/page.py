"""The page of `vinci view` from its parts, by the rules of host/run/assets/view/FORMAT.md: what the host does, in Python."""

import array
import base64
import gzip
import hashlib
import html
import json
import pathlib
import re
import sys

ASSETS = pathlib.Path(__file__).resolve().parents[2] / "host" / "run" / "assets" / "view"
CODES = {"f32": "f", "f64": "d", "u8": "B", "u16": "H", "i16": "h", "u32": "I"}


class Block:
    """The data block: arrays one behind the other, each at a multiple of 8 bytes."""

    def __init__(self):
        self.bytes = bytearray()

    def put(self, kind, values):
        numbers = array.array(CODES[kind], values)
        if sys.byteorder == "big":
            numbers.byteswap()
        self.bytes.extend(b"\0" * (-len(self.bytes) % 8))
        at = len(self.bytes)
        self.bytes.extend(numbers.tobytes())
        return {"type": kind, "at": at, "count": len(numbers)}


def modules():
    """Files of the script in their order."""
    text = (ASSETS / "FORMAT.md").read_text(encoding="utf-8")
    return re.search(r"^Order: (.*)\.$", text, re.M).group(1).replace("`", "").split(", ")


def script():
    """All modules as one script: no import lines, no `export`, inside one function."""
    lines = ["(() => {", '"use strict";']
    for name in modules():
        for line in (ASSETS / f"{name}.js").read_text(encoding="utf-8").splitlines():
            if not line.startswith("import "):
                lines.append(line.removeprefix("export "))
    return "\n".join([*lines, "})();", ""])


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page(header, block, compress=True):
    """The whole page as text."""
    data = gzip.compress(bytes(block.bytes), 6, mtime=0) if compress else bytes(block.bytes)
    header = {**header, "encoding": "gzip" if compress else "none", "bytes": len(block.bytes)}
    # No `<` in the header: nothing in it can end its element.
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    style, code = (ASSETS / "style.css").read_text(encoding="utf-8"), script()
    parts = {
        "script-hash": digest(code),
        "style-hash": digest(style),
        "connect": "; connect-src 'self'" if header.get("live") else "",
        "title": html.escape(header["title"]),
        "style": style,
        "header": text,
        "data": base64.b64encode(data).decode(),
        "script": code,
    }
    rest, out = (ASSETS / "index.html").read_text(encoding="utf-8"), []
    for name, value in parts.items():
        before, rest = rest.split("{{" + name + "}}")
        out += [before, value]
    return "".join([*out, rest])
