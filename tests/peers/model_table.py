"""Every model of a format that installed packages carry: is it imported, what is left out, and do masses, M and bias forces agree?

    model_table.py mjcf|sdf --vinci target/debug/vinci --terms target/debug/examples/tree_terms [--markdown FILE] [--only WORD]

MJCF is held against MuJoCo's compiler, SDF against Drake's parser. Masses and M are compared relative to their largest entry, bias
forces to theirs, places of centres of mass in m.
"""

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

PACKAGES = ("pydrake", "mujoco", "gymnasium", "dm_control")
STATES = 5


class Mjcf:
    """Models as MuJoCo has them."""

    judge, endings, root = "MuJoCo", (".xml",), r"<mujoco[\s>]"

    def __init__(self):
        import mjcf_terms
        import mujoco

        self.terms, self.mujoco = mjcf_terms, mujoco

    def load(self, path, _):
        return self.mujoco.MjModel.from_xml_path(str(path))

    def size(self, model):
        return f"{model.nbody - 1} / {model.nv}"

    def moves(self, model):
        return model.nv > 0 and self.terms.moving(model)

    def states(self, model, rng):
        return [self.terms.terms(model, self.terms.random_state(model, rng)) for _ in range(STATES)]

    def masses(self, model):
        return self.terms.description(model)["masses"]

    def between(self, model, _):
        """Rows of T by joint: its own coordinates are those of Vinci already."""
        told = self.terms.description(model)
        rows, at = {}, 0
        for name, kind in told["joints"]:
            width = self.terms.WIDTHS[kind][1]
            rows[name] = np.eye(model.nv)[at:at + width]
            at += width
        return rows


class Sdf:
    """Models as Drake has them: a plant, and the names of its parts."""

    judge, endings, root = "Drake", (".sdf", ".world"), r"<sdf[\s>]"

    def __init__(self):
        import sdf_terms

        self.terms = sdf_terms

    def load(self, path, root):
        plant = self.terms.plant_of(path, [(root.name, root)])
        return plant, self.terms.Names(plant, path)

    def size(self, model):
        plant, _ = model
        return f"{len(self.terms.moving(plant))} / {plant.num_velocities()}"

    def moves(self, model):
        return self.terms.moving(model[0])

    def states(self, model, rng):
        return [self.terms.terms(*model, self.terms.random_state(model[0], rng)) for _ in range(STATES)]

    def masses(self, model):
        return self.terms.description(*model)["masses"]

    def between(self, _, state):
        return {name: np.array(rows) for name, rows in state["T"].items()}


def models(form):
    """All files of a format, by their place in the package."""
    found = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            print(f"{package}: not installed, its models are left out")
            continue
        root = Path(spec.origin).parent
        for path in sorted(p for p in root.rglob("*") if p.suffix in form.endings):
            if re.search(form.root, path.read_text(errors="replace")):
                found.append((f"{package}/{path.relative_to(root)}", path, root))
    return found


def imported(vinci, path, root, out):
    """Exit code and what the program says; files of the whole package may be read."""
    command = [vinci, "import", str(path), "--out", str(out), "--force", "--package", f"{root.name}={root}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def gaps(said):
    """What the report lists as not taken that changes the motion."""
    looks = re.compile(
        r"looks|memory of another|numbers for other programs|another simulator's|it has no effect$|results hold what sensors"
        r"|its mass is taken|approximated|defaults of|says what holds here anyway"
    )
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


def compared(form, model, terms, scene, folder):
    """Largest differences: masses, M, bias forces (relative), centres of mass (m)."""
    states = form.states(model, np.random.default_rng(3))
    (folder / "states.json").write_text(json.dumps({"states": states}))
    done = subprocess.run([terms, str(scene), str(folder / "states.json")], capture_output=True, text=True, check=True)
    ours, masses = json.loads(done.stdout), form.masses(model)
    total = max(masses.values(), default=1.0)
    mass = max((abs(ours["masses"][name] - m) / total for name, m in masses.items()), default=0.0)
    worst = {"mass": mass, "M": 0.0, "bias": 0.0, "place": 0.0}
    for theirs, own in zip(states, ours["states"]):
        rows = form.between(model, theirs)
        t = np.vstack([rows[name] for name, _ in ours["joints"]])
        full = np.array(own["M"]).reshape(len(t), len(t))
        worst["M"] = max(worst["M"], relative(t.T @ full @ t, np.array(theirs["M"])))
        worst["bias"] = max(worst["bias"], relative(t.T @ np.array(own["bias"]), np.array(theirs["bias"])))
        places = [np.abs(np.array(own["centres"][name]) - at).max() for name, at in theirs["centres"].items() if masses[name] > 0]
        worst["place"] = max([worst["place"], *places])
    return worst


def relative(ours, theirs):
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-300)) if theirs.size else 0.0


def row(form, name, path, root, options):
    """One line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        scene = folder / "model.scene.json"
        code, said, errors = imported(options.vinci, path, root, scene)
        try:
            model = form.load(path, root)
        except (ValueError, RuntimeError) as error:
            verdict = "refused" if code else "imported"
            told = re.sub(r"'[^']*/", "'", str(error).splitlines()[0])[:90]
            return [name, "–", verdict, reason(errors) if code else "", f"{form.judge} refuses it: {told}"]
        size = form.size(model)
        if code:
            return [name, size, "refused", reason(errors), ""]
        left = gaps(said)
        verdict = "with gaps" if left else "fully"
        if not form.moves(model):
            return [name, size, verdict, "; ".join(left), "nothing moves"]
        worst = compared(form, model, options.terms, scene, folder)
        numbers = ", ".join(f"{key} {value:.1e}" for key, value in worst.items())
        return [name, size, verdict, "; ".join(left), numbers]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("format", choices=("mjcf", "sdf"))
    parser.add_argument("--vinci", required=True)
    parser.add_argument("--terms", required=True)
    parser.add_argument("--markdown")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    try:
        form = {"mjcf": Mjcf, "sdf": Sdf}[options.format]()
    except ModuleNotFoundError as missing:
        sys.exit(f"{missing.name} is not installed (pip install -r tests/peers/requirements.txt): nothing is compared")
    rows = []
    for name, path, root in models(form):
        if options.only in name:
            rows.append(row(form, name, path, root, options))
            print(" | ".join(rows[-1]), flush=True)
    if options.markdown:
        head = ["model", "bodies / dofs", "imported", "left out", f"largest difference to {form.judge}"]
        lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * 5, *rows]]
        Path(options.markdown).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
