"""Every MJCF model that installed packages carry: is it imported, what is left out, and do masses, M and bias forces agree?

    mjcf_models.py --vinci target/debug/vinci --terms target/debug/examples/tree_terms [--markdown FILE] [--only WORD]

Masses and M are compared relative to their largest entry, bias forces to theirs, places of centres of mass in m.
"""

import argparse
import importlib.util
import json
import re
import subprocess
import tempfile
from pathlib import Path

import mujoco
import numpy as np

import mjcf_terms

PACKAGES = ("mujoco", "gymnasium", "dm_control")
STATES = 5


def models():
    """All files whose root is <mujoco>, by their place in the package."""
    found = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            print(f"{package}: not installed, its models are left out")
            continue
        root = Path(spec.origin).parent
        for path in sorted(root.rglob("*.xml")):
            if re.search(r"<mujoco[\s>]", path.read_text(errors="replace")):
                found.append((f"{package}/{path.relative_to(root)}", path, root))
    return found


def imported(vinci, path, root, out):
    """Exit code and what the program says; files of the whole package may be read."""
    command = [vinci, "import", str(path), "--out", str(out), "--force", "--package", f"{root.name}={root}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def gaps(said):
    """What the report lists as not taken that changes the motion."""
    looks = re.compile(r"looks|memory of another|numbers for other programs|another simulator's method|it holds nothing$|results hold what sensors|its mass is taken|approximated|defaults of")
    found = []
    for line in said.splitlines():
        told = re.match(r"\s+(\d+) × (.+) \(first at .*?\): (.*)", line)
        if told and not looks.search(told[3]):
            found.append(told[2])
    return found


def reason(said):
    """The first error."""
    lines = [line.strip() for line in said.splitlines() if line.startswith("error")]
    first = re.sub(r"^error(\[[^\]]*\])?: ", "", lines[0]) if lines else "no word"
    return re.sub(r": no file .*", "", first)


def compared(model, terms, scene, folder):
    """Largest differences: masses, M, bias forces (relative), centres of mass (m)."""
    rng = np.random.default_rng(3)
    states = [mjcf_terms.terms(model, mjcf_terms.random_state(model, rng)) for _ in range(STATES)]
    (folder / "states.json").write_text(json.dumps({"states": states}))
    done = subprocess.run([terms, str(scene), str(folder / "states.json")], capture_output=True, text=True, check=True)
    ours = json.loads(done.stdout)
    told = mjcf_terms.description(model)
    order = order_of(ours["joints"], [[name, mjcf_terms.WIDTHS[kind][1]] for name, kind in told["joints"]])
    total = max(told["masses"].values(), default=1.0)
    mass = max((abs(ours["masses"][name] - m) / total for name, m in told["masses"].items()), default=0.0)
    worst = {"mass": mass, "M": 0.0, "bias": 0.0, "place": 0.0}
    for theirs, own in zip(states, ours["states"]):
        full = np.array(own["M"]).reshape(model.nv, model.nv)[np.ix_(order, order)]
        worst["M"] = max(worst["M"], relative(full, np.array(theirs["M"])))
        worst["bias"] = max(worst["bias"], relative(np.array(own["bias"])[order], np.array(theirs["bias"])))
        places = [np.abs(np.array(own["centres"][name]) - at).max() for name, at in theirs["centres"].items() if told["masses"][name] > 0]
        worst["place"] = max([worst["place"], *places])
    return worst


def relative(ours, theirs):
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-300)) if theirs.size else 0.0


def order_of(ours, theirs):
    """Places of their velocities among ours."""
    first, at = {}, 0
    for name, width in ours:
        first[name] = at
        at += width
    return [first[name] + k for name, width in theirs for k in range(width)]


def row(name, path, root, options):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        scene = folder / "model.scene.json"
        code, said, errors = imported(options.vinci, path, root, scene)
        try:
            model = mujoco.MjModel.from_xml_path(str(path))
        except ValueError as error:
            verdict = "refused" if code else "imported"
            return [name, "–", verdict, reason(errors) if code else "", "MuJoCo refuses it: " + re.sub(r"'[^']*/", "'", str(error).splitlines()[0])[:90]]
        size = f"{model.nbody - 1} / {model.nv}"
        if code:
            return [name, size, "refused", reason(errors), ""]
        left = gaps(said)
        verdict = "with gaps" if left else "fully"
        if model.nv == 0 or not mjcf_terms.moving(model):
            return [name, size, verdict, "; ".join(left), "nothing moves"]
        worst = compared(model, options.terms, scene, folder)
        numbers = ", ".join(f"{key} {value:.1e}" for key, value in worst.items())
        return [name, size, verdict, "; ".join(left), numbers]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vinci", required=True)
    parser.add_argument("--terms", required=True)
    parser.add_argument("--markdown")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    rows = []
    for name, path, root in models():
        if options.only in name:
            rows.append(row(name, path, root, options))
            print(" | ".join(rows[-1]), flush=True)
    if options.markdown:
        head = ["model", "bodies / dofs", "imported", "left out", "largest difference to MuJoCo"]
        lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * 5, *rows]]
        Path(options.markdown).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
