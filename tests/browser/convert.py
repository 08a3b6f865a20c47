"""Directories of runs as the data of the page, as far as their files go.

Contacts have neither points nor normals in `contacts.csv`: those of balls and discs, of polygons in the plane and of half-spaces
are found here from poses and the recorded gap; tangents in space are made up. Poses of links follow from joints. This is for
tests of the page: the host has all of it at hand.

    python3 tests/browser/convert.py OUT.html RUN [RUN …]
"""

import csv
import itertools
import json
import math
import pathlib
import sys

import page
from rigid import (about, add, apply, compose, cross, dot, hull, inverse, norm, orientation, pose_times, scale, sub, unit)

MODES = {"open": 0, "stick": 1, "slip": 2}
IDENTITY = [1.0, 0.0, 0.0, 0.0]


def shapes_of(body, shapes, planar, frame=None):
    """Shapes of a body in the form of the page; compounds are taken apart."""
    for shape in shapes:
        pose = shape_pose(shape, planar, frame)
        if shape["type"] == "compound":
            yield from shapes_of(body, shape["shapes"], planar, pose)
            continue
        kind, params, indices, at = plain(shape, planar)
        pose = pose_times(pose, at) if at else pose
        numbers = [*pose[0][:2], 2 * math.atan2(pose[1][3], pose[1][0])] if planar else [*pose[0], *pose[1]]
        yield {"body": body, "kind": kind, "pose": numbers, "params": params, "indices": indices}


def shape_pose(shape, planar, frame):
    position = [*(shape.get("position") or [0.0] * 3), 0.0][:3]
    turn = about([0, 0, 1], shape.get("angle") or 0.0) if planar else orientation(shape.get("orientation"))
    own = (position, turn)
    return pose_times(frame, own) if frame else own


def plain(s, planar):
    """Kind, parameters, indices, and pose within the shape's frame."""
    flat = lambda rows: [float(x) for row in rows for x in row]
    match s["type"]:
        case "disc" | "ball":
            return s["type"], [s["radius"]], [], None
        case "box" if planar:
            x, y = (0.5 * side for side in s["size"])
            return "polygon", [-x, -y, x, -y, x, y, -x, y], [], None
        case "box":
            return "box", [0.5 * side for side in s["size"]], [], None
        case "capsule":
            return "planar-capsule" if planar else "capsule", [0.5 * s["length"], s["radius"]], [], None
        case "cylinder" | "cone":
            return s["type"], [0.5 * s["height"], s["radius"]], [], None
        case "polygon":
            area = sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(s["vertices"], s["vertices"][1:] + s["vertices"][:1]))
            return "polygon", flat(s["vertices"] if area > 0 else s["vertices"][::-1]), [], None
        case "ellipse":
            return "superellipse", [*s["radii"], 2.0], [], None
        case "superellipse":
            return "superellipse", [*s["radii"], s["exponent"]], [], None
        case "segment":
            return "segment", flat([s["from"], s["to"]]), [], None
        case "ellipsoid":
            return "superellipsoid", [*s["radii"], 1.0, 1.0], [], None
        case "superellipsoid":
            p = s["exponents"] if isinstance(s["exponents"], list) else [s["exponents"]] * 2
            return "superellipsoid", [*s["radii"], 2 / p[0], 2 / p[1]], [], None
        case "convex-hull":
            return "convex-hull", flat(s["points"]), hull(s["points"]), None
        case "mesh":
            return "tri-mesh", flat(s["vertices"]), [i for t in s["triangles"] for i in t], None
        case "half-plane":
            x, y = unit([*(s.get("normal") or [0, 1]), 0])[:2]
            turn = about([0, 0, 1], math.atan2(-x, y))
            return "half-plane", [], [], (scale([x, y, 0], s.get("offset") or 0.0), turn)
        case "half-space":
            n = unit(s.get("normal") or [0, 0, 1])
            w, axis = 1 + n[2], [-n[1], n[0], 0]
            turn = [0, 1, 0, 0] if w < 1e-9 else [x / math.hypot(w, norm(axis)) for x in (w, *axis)]
            return "half-space", [], [], (scale(n, s.get("offset") or 0.0), turn)
    raise ValueError(s["type"])


class Directory:
    """A run as its directory tells of it."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.experiment = json.loads((self.path / "experiment.json").read_text())
        self.summary = json.loads((self.path / "summary.json").read_text())
        self.scene = self.experiment["scene"]
        self.planar = self.scene["space"] == "planar"
        self.rows = self.table("trajectory.csv")
        self.step = self.experiment["time"]["step"]
        self.bodies, self.shapes, self.lines, self.tracks = [], [], [], []
        for body in self.scene.get("bodies", []):
            self.body(body)
        for tree in self.scene.get("trees", []):
            self.tree(tree)
        self.index = {body["name"]: k for k, body in enumerate(self.bodies)}

    def table(self, name):
        path = self.path / name
        if not path.exists():
            return []
        with path.open(newline="") as file:
            header, *rows = csv.reader(file)
        number = lambda x: float(x) if x[:1] in "-0123456789" else x
        return [dict(zip(header, map(number, row))) for row in rows]

    def body(self, body):
        name, index = body["name"], len(self.bodies)
        if body.get("static"):
            position = [*body.get("position", [0.0] * 3), 0.0][:3]
            turn = about([0, 0, 1], body.get("angle") or 0.0) if self.planar else orientation(body.get("orientation"))
            self.bodies.append({"name": name, "pose": self.numbers((position, turn))})
            self.tracks.append([(position, turn)] * len(self.rows))
        else:
            held = len([dof for dof in (body.get("dofs") or {}).values() if dof != "free"]) == (3 if self.planar else 6)
            slot = sum("slot" in b for b in self.bodies)
            self.bodies.append({"name": name, "slot": slot, **({"held": True} if held else {})})
            self.tracks.append([self.recorded(row, name) for row in self.rows])
        self.shapes += shapes_of(index, body.get("shapes", []), self.planar)

    def recorded(self, row, name):
        if self.planar:
            return [row[f"{name}.x"], row[f"{name}.y"], 0.0], about([0, 0, 1], row[f"{name}.angle"])
        return [row[f"{name}.{k}"] for k in "xyz"], [row[f"{name}.q{k}"] for k in "wxyz"]

    def numbers(self, pose):
        (x, y, z), q = pose
        return [x, y, 2 * math.atan2(q[3], q[0])] if self.planar else [x, y, z, *q]

    def tree(self, tree):
        """Links from joint coordinates; fixed, revolute, continuous and prismatic joints."""
        if "model" in tree:
            print(f"{tree['name']}: links of models are left out", file=sys.stderr)
            return
        joints = {joint["child"]: joint for joint in tree["joints"]}
        base = tree.get("base") or {}
        root = (base.get("position") or [0.0] * 3, orientation(base.get("orientation")))
        place, numbers = {}, {}
        for link in tree["links"]:
            numbers[link["name"]] = len(self.bodies)
            self.bodies.append({"name": f"{tree['name']}/{link['name']}", "slot": sum("slot" in b for b in self.bodies)})
            self.shapes += shapes_of(numbers[link["name"]], link.get("shapes", []), self.planar)
        for row in self.rows:
            for link in tree["links"]:
                place.setdefault(link["name"], []).append(self.link(tree, joints, root, row, link["name"]))
        self.tracks += [place[link["name"]] for link in tree["links"]]
        for joint in tree["joints"]:
            parent = numbers.get(joint.get("parent"))
            point = joint.get("position") or [0.0] * 3
            self.lines.append({"bodies": [parent, parent], "points": [[0, 0, 0], point]})
            self.lines.append({"bodies": [parent, numbers[joint["child"]]], "points": [point, [0, 0, 0]]})

    def link(self, tree, joints, root, row, name):
        joint = joints.get(name)
        if joint is None:
            return root
        parent = joint.get("parent")
        frame = root if parent is None else self.link(tree, joints, root, row, parent)
        frame = pose_times(frame, (joint.get("position") or [0.0] * 3, orientation(joint.get("orientation"))))
        q = row.get(f"{tree['name']}.{joint['name']}.q", 0.0)
        axis = unit(joint.get("axis") or [0, 0, 1])
        moved = {"fixed": ([0.0] * 3, IDENTITY), "prismatic": (scale(axis, q), IDENTITY)}
        return pose_times(frame, moved.get(joint["kind"]) or ([0.0] * 3, about(axis, q)))


def outline(shape):
    p = shape["params"]
    return [[p[k], p[k + 1], 0.0] for k in range(0, len(p), 2)]


def corner_on_edge(poses, corners, edges, sign):
    """Places where a corner lies over an edge: gap, point, normal from the owner of the edges outwards times `sign`."""
    for corner in corners:
        at = apply(poses[0], corner)
        for a, b in zip(edges, edges[1:] + edges[:1]):
            p, q = apply(poses[1], a), apply(poses[1], b)
            along = sub(q, p)
            part = dot(sub(at, p), along) / dot(along, along)
            if -1e-6 <= part <= 1 + 1e-6:
                normal = unit([along[1], -along[0], 0.0])
                yield dot(sub(at, p), normal), at, scale(normal, sign)


def candidates(a, b, poses):
    """Possible contacts of two shapes: gap, point, unit normal from A to B."""
    round_ = {"disc", "ball"}
    if a["kind"] in round_ and b["kind"] in round_:
        apart = sub(poses[1][0], poses[0][0])
        n = unit(apart)
        yield norm(apart) - a["params"][0] - b["params"][0], add(poses[0][0], scale(n, a["params"][0])), n
    elif a["kind"] in ("half-space", "half-plane") and b["kind"] in round_:
        n = apply(([0, 0, 0], poses[0][1]), [0, 0, 1] if a["kind"] == "half-space" else [0, 1, 0])
        height = dot(n, sub(poses[1][0], poses[0][0]))
        yield height - b["params"][0], sub(poses[1][0], scale(n, height)), n
    elif a["kind"] == "half-plane" and b["kind"] == "polygon":
        n = apply(([0, 0, 0], poses[0][1]), [0, 1, 0])
        for corner in outline(b):
            at = apply(poses[1], corner)
            yield dot(n, sub(at, poses[0][0])), at, n
    elif a["kind"] == "polygon" and b["kind"] == "polygon":
        yield from corner_on_edge((poses[1], poses[0]), outline(b), outline(a), 1)
        yield from corner_on_edge(poses, outline(a), outline(b), -1)
    elif a["kind"] == "polygon" and b["kind"] == "disc":
        for gap, at, n in corner_on_edge((poses[1], poses[0]), [[0, 0, 0]], outline(a), 1):
            yield gap - b["params"][0], sub(at, scale(n, gap)), n
    elif b["kind"] in ("half-space", "half-plane") or (a["kind"], b["kind"]) == ("disc", "polygon"):
        yield from ((gap, at, scale(n, -1)) for gap, at, n in candidates(b, a, poses[::-1]))


class Contacts:
    """Contacts of all frames as arrays."""

    def __init__(self, run, kept):
        self.run = run
        self.lists = {key: [] for key in ("start", "point", "normal", "force", "gap", "pair", "mode")}
        self.pairs, self.known = [], {}
        self.by_body = {}
        for shape in run.shapes:
            self.by_body.setdefault(shape["body"], []).append(shape)
        rows = {time: list(group) for time, group in itertools.groupby(run.table("contacts.csv"), lambda r: r["time"])}
        self.missing = 0
        for frame in kept:
            self.lists["start"].append(len(self.lists["gap"]))
            self.frame(frame, rows.get(run.rows[frame]["time"], []))
        self.lists["start"].append(len(self.lists["gap"]))

    def frame(self, frame, rows):
        used = set()
        for row in rows:
            bodies = [self.run.index.get(row["body_a"]), self.run.index.get(row["body_b"])]
            if None in bodies:
                continue
            # Contacts are found at the start of a step.
            gap, point, normal = self.place(bodies, max(0, frame - 1), row["gap"], used)
            out = self.lists
            out["point"] += point
            out["normal"] += [round(32767 * x) for x in normal]
            out["force"] += self.force(row, normal)
            out["gap"].append(row["gap"])
            out["mode"].append(MODES[row["mode"]])
            out["pair"].append(self.pair(bodies))

    def place(self, bodies, frame, gap, used):
        best = None
        for a in self.by_body.get(bodies[0], []):
            for b in self.by_body.get(bodies[1], []):
                poses = [pose_times(self.run.tracks[s["body"]][frame], unpacked(s, self.run.planar)) for s in (a, b)]
                for found in candidates(a, b, poses):
                    key = (*bodies, *(round(x, 12) for x in found[1]))
                    if key not in used and (best is None or abs(found[0] - gap) < abs(best[0] - gap)):
                        best = found
        if best is None:
            self.missing += 1
            return gap, [math.nan] * 3, [0, 0, 1]
        used.add((*bodies, *(round(x, 12) for x in best[1])))
        return best

    def force(self, row, n):
        t = [-n[1], n[0], 0.0] if self.run.planar else unit(cross(n, [0, 1, 0] if abs(n[1]) < 0.9 else [1, 0, 0]))
        parts = [row["normal_impulse"], row["friction_impulse_1"], row["friction_impulse_2"]]
        terms = [scale(v, p / self.run.step) for v, p in zip((n, t, cross(n, t)), parts)]
        return add(add(terms[0], terms[1]), terms[2])

    def pair(self, bodies):
        key = tuple(bodies)
        if key not in self.known:
            self.known[key] = len(self.pairs)
            materials = self.run.scene.get("materials", {})
            self.pairs.append({"bodies": bodies, "friction": materials.get("default", {}).get("friction", 0.0)})
        return self.known[key]

    def stored(self, block):
        kinds = {"start": "u32", "point": "f32", "normal": "i16", "force": "f32", "gap": "f32", "pair": "u16", "mode": "u8"}
        return {"pairs": self.pairs, "at": "start", **{k: block.put(kinds[k], v) for k, v in self.lists.items()}}


def unpacked(shape, planar):
    p = shape["pose"]
    return ([p[0], p[1], 0.0], about([0, 0, 1], p[2])) if planar else (p[:3], p[3:])


def supports(run, kept, block):
    rows = run.table("supports.csv")
    if not rows:
        return None
    names = [b for b in run.scene["bodies"] if b.get("supports")]
    bodies = [run.index[b["name"]] for b in names for _ in b["supports"]["points"]]
    count = len(bodies)
    # A row per point and step; none for the state at the start.
    by_time = {time: list(group) for time, group in itertools.groupby(rows, lambda r: r["time"])}
    empty = [{"fx": math.nan, "fy": math.nan, "slip": 0.0}] * count
    frames = [by_time.get(run.rows[k]["time"], empty) for k in kept]
    friction = [b["supports"].get("friction", 0.0) for b in names for _ in b["supports"]["points"]]
    return {
        "body": bodies,
        "point": [float(x) for b in names for p in b["supports"]["points"] for x in p],
        "friction": friction,
        "load": [row["load"] for row in rows[:count]],
        "force": block.put("f32", [row[k] for frame in frames for row in frame for k in ("fx", "fy")]),
        "slip": block.put("f32", [row["slip"] for frame in frames for row in frame]),
        "still": 1e-9,
    }


def energy(run, kept, block):
    """Kinetic energy of translation and energy of height of free bodies: what the files tell of energies."""
    gravity = run.scene.get("gravity") or ([0, -9.81] if run.planar else [0, 0, -9.81])
    bodies = [b for b in run.scene.get("bodies", []) if not b.get("static") and "mass" in b]
    axes = "xy" if run.planar else "xyz"
    value = lambda row, b: b["mass"] * sum(
        0.5 * row[f"{b['name']}.v{k}"] ** 2 - g * row[f"{b['name']}.{k}"] for k, g in zip(axes, gravity))
    values = [sum(value(run.rows[k], b) for b in bodies) for k in kept]
    label = "energy (translation, height)"
    return [{"name": "energy", "label": label, "unit": "J", "group": "energy", "value": block.put("f32", values)}]


def certificates(run):
    """A jam as the summary names it: unit forces on the pairs that squeeze."""
    failure = run.summary.get("failure") or {}
    forces = []
    for text in failure.get("squeezed", []):
        names = text.split(" (")[0].split(" / ")
        share = float(text.split("share ")[1].rstrip(")"))
        a, b = (run.tracks[run.index[name]][-1][0] for name in names)
        n = unit(sub(b, a))
        half = max(abs(x) for s in run.shapes if s["body"] == run.index[names[0]] for x in s["params"])
        for side in (-0.03, 0.03):
            forces.append({"bodies": [run.index[n_] for n_ in names], "point": [a[0] + n[0] * half, side, 0.0], "force": scale(n, share)})
    if not forces:
        return []
    held = [run.index[b["name"]] for b in run.scene["bodies"] if b.get("dofs")]
    free = [{"body": 0, "linear": [0.0, 1.0, 0.0], "angular": [0.0, 0.0, 0.0]}]
    return [{"time": run.rows[-1]["time"], "text": failure["message"], "held": held, "forces": forces, "motions": free}]


def one(path, block, name=None, most=10_000):
    """A run of the page."""
    run = Directory(path)
    every = max(1, math.ceil(len(run.rows) / most))
    kept = sorted({*range(0, len(run.rows), every), len(run.rows) - 1})
    moving = [track for body, track in zip(run.bodies, run.tracks) if "slot" in body]
    contacts = Contacts(run, kept)
    plugins = [run.summary[stage]["id"].split(".")[-1] for stage in ("stepper", "solver")]
    notes = ["tangents of contacts in space are made up by the converter of the tests."] if not run.planar else []
    if contacts.missing:
        notes.append(f"{contacts.missing} contacts have no point.")
    return run, {
        "name": name or " + ".join(plugins),
        "status": run.summary["status"],
        "origin": [0.0, 0.0, 0.0],
        "recorded": len(run.rows),
        "every": every,
        "time": block.put("f64", [run.rows[k]["time"] for k in kept]),
        "bodies": run.bodies,
        "shapes": run.shapes,
        "lines": run.lines,
        "pose": block.put("f32", [x for k in kept for track in moving for x in run.numbers(track[k])]),
        "contacts": contacts.stored(block),
        "supports": supports(run, kept, block),
        "columns": energy(run, kept, block),
        "events": [{"time": e["time"], "kind": e["kind"], "text": str(e["bodies"])} for e in run.table("events.csv")],
        "certificates": certificates(run),
        "notes": notes,
    }


def view(paths, names=None, title=None, most=10_000):
    """Header and block of a page of runs."""
    block = page.Block()
    made = [one(path, block, name, most) for path, name in zip(paths, names or [None] * len(paths))]
    first = made[0][0]
    header = {
        "format": "vinci/view@1",
        "title": title or first.path.name,
        "space": first.scene["space"],
        "runs": [run for _, run in made],
    }
    return header, block


if __name__ == "__main__":
    out, *runs = sys.argv[1:]
    pathlib.Path(out).write_text(page.page(*view(runs)), encoding="utf-8")
