"""Pages whose every number is known: made here, not by a run."""

import math

import page

MODES = {"open": 0, "stick": 1, "slip": 2}


def run(block, planar, bodies, shapes, poses, times, **more):
    """A run from bodies [name or (name, pose) for static ones], shapes and poses[frame][moving body]."""
    listed, slot = [], 0
    for body in bodies:
        if isinstance(body, tuple):
            listed.append({"name": body[0], "pose": body[1]})
        else:
            listed.append({"name": body, "slot": slot})
            slot += 1
    rest = [0.0, 0.0, 0.0] if planar else [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    return {
        "name": "made",
        "status": "completed",
        "origin": [0.0, 0.0, 0.0],
        "recorded": len(times),
        "time": block.put("f64", times),
        "bodies": listed,
        "shapes": [{"pose": rest, "indices": [], **shape} for shape in shapes],
        "pose": block.put("f32", [x for frame in poses for pose in frame for x in pose]),
        **more,
    }


def contacts(block, frames, pairs, **more):
    """Contacts of all frames: (point, normal, force, gap, pair, mode) each."""
    flat = [c for frame in frames for c in frame]
    starts = [sum(len(f) for f in frames[:k]) for k in range(len(frames) + 1)]
    return {
        "pairs": pairs,
        "at": "end",
        "start": block.put("u32", starts),
        "point": block.put("f32", [x for c in flat for x in c[0]]),
        "normal": block.put("i16", [round(32767 * x) for c in flat for x in c[1]]),
        "force": block.put("f32", [x for c in flat for x in c[2]]),
        "gap": block.put("f32", [c[3] for c in flat]),
        "pair": block.put("u16", [c[4] for c in flat]),
        "mode": block.put("u8", [MODES[c[5]] for c in flat]),
        **more,
    }


def write(path, block, runs, planar, title="made", of=None, **options):
    header = {"format": "vinci/view@1", "title": title, "space": "planar" if planar else "spatial", "runs": runs}
    if of is not None:
        header["of"] = of
    path.write_text(page.page(header, block, **options), encoding="utf-8")
    return path


def turned(axis, angle):
    s = math.sin(angle / 2)
    return [math.cos(angle / 2), *(s * x for x in axis)]


def three(planar, k, count=50):
    """Places of three bodies in frame k: they go through different curves."""
    a = 2 * math.pi * k / count
    if planar:
        return [[math.cos(a), math.sin(a), a], [-1.0 + 0.02 * k, 1.5, 0.0], [1.5, -1.0 + 0.03 * k, -a]]
    upright = turned([0, 0, 1], a)
    return [
        [math.cos(a), math.sin(a), 0.5, *upright],
        [-1.0 + 0.02 * k, -1.6, 1.2, *upright],
        [1.7, 0.3, 0.2 + 0.03 * k, *turned([1, 0, 0], a)],
    ]


def moving(path, planar, count=50, shift=(0.0,), looks=(), touching=False, **options):
    """Three discs or balls on known ways; a run per shift along x. `looks`: colour and dash of the runs, `touching`: with a contact."""
    block = page.Block()
    kind = "disc" if planar else "ball"
    shapes = [{"body": b, "kind": kind, "params": [0.15]} for b in range(3)]
    times = [0.01 * k for k in range(count + 1)]
    runs = []
    for number, dx in enumerate(shift):
        # Every run has another origin; what is drawn does not depend on it.
        origin = [3.0 + number, -2.0, 0.0]
        poses = [[[pose[0] + dx - origin[0], pose[1] - origin[1], *pose[2:]] for pose in three(planar, k, count)]
                 for k in range(count + 1)]
        column = {"name": "energy", "label": "energy", "unit": "J", "group": "energy",
                  "value": block.put("f32", [math.exp(-0.05 * k) + number for k in range(count + 1)])}
        runs.append(run(block, planar, ["a", "b", "c"], shapes, poses, times, columns=[column], origin=origin))
        runs[-1]["name"] = f"run {number}"
        if looks:
            runs[-1]["colour"], runs[-1]["dash"] = looks[number]
        if touching:
            contact = ([0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], 0.0, 0, "stick")
            pairs = [{"bodies": [0, 1], "friction": 0.5}]
            runs[-1]["contacts"] = contacts(block, [[contact]] * (count + 1), pairs)
    return write(path, block, runs, planar, **options)


def spatial_shapes():
    """A shape of every kind in space."""
    pyramid = [[-0.3, -0.3, -0.2], [0.3, -0.3, -0.2], [0.3, 0.3, -0.2], [-0.3, 0.3, -0.2], [0.0, 0.0, 0.4]]
    faces = [0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]
    points = [x for p in pyramid for x in p]
    return [
        {"kind": "ball", "params": [0.3]},
        {"kind": "box", "params": [0.3, 0.2, 0.25]},
        {"kind": "capsule", "params": [0.2, 0.15]},
        {"kind": "cylinder", "params": [0.3, 0.2]},
        {"kind": "cone", "params": [0.3, 0.25]},
        {"kind": "convex-hull", "params": points, "indices": faces},
        {"kind": "tri-mesh", "params": points, "indices": faces},
        {"kind": "superellipsoid", "params": [0.3, 0.25, 0.2, 0.25, 1.0]},
    ]


def planar_shapes():
    """A shape of every kind in the plane; the polygon is not convex."""
    ell = [-0.3, -0.3, 0.3, -0.3, 0.3, 0.1, 0.1, 0.1, 0.1, 0.3, -0.3, 0.3]
    return [
        {"kind": "disc", "params": [0.3]},
        {"kind": "planar-capsule", "params": [0.2, 0.15]},
        {"kind": "polygon", "params": ell},
        {"kind": "superellipse", "params": [0.3, 0.2, 4.0]},
        {"kind": "segment", "params": [-0.3, -0.2, 0.3, 0.2]},
    ]


def gallery(path, planar):
    """Every kind of shape beside the others, on a half-plane or half-space."""
    block = page.Block()
    shapes = planar_shapes() if planar else spatial_shapes()
    count = len(shapes)
    poses = [[k - 0.5 * (count - 1), 0.5, 0.0] if planar else
             [0.8 * (k % 4 - 1.5), 0.9 * (k // 4 - 0.5), 0.5, 1.0, 0.0, 0.0, 0.0] for k in range(count)]
    ground = {"body": count, "kind": "half-plane" if planar else "half-space", "params": []}
    listed = [{"body": k, **shape} for k, shape in enumerate(shapes)] + [ground]
    rest = [0.0, 0.0, 0.0] if planar else [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    bodies = [*(shape["kind"] for shape in shapes), ("ground", rest)]
    return write(path, block, [run(block, planar, bodies, listed, [poses], [0.0])], planar, "gallery")


def pressed(path):
    """A box on the ground with contacts of every mode, known forces, supports, a jam and a free direction."""
    block = page.Block()
    box = [-0.5, -0.25, 0.5, -0.25, 0.5, 0.25, -0.5, 0.25]
    shapes = [{"body": 0, "kind": "polygon", "params": box}, {"body": 1, "kind": "half-plane", "params": []}]
    up = [0.0, 1.0, 0.0]
    touching = [
        ([-0.5, 0.0, 0.0], up, [0.0, 10.0, 0.0], -1e-3, 0, "stick"),
        ([0.5, 0.0, 0.0], up, [2.5, 5.0, 0.0], 0.0, 0, "slip"),
        ([0.0, 0.0, 0.0], up, [0.0, 0.0, 0.0], 2e-3, 0, "open"),
    ]
    jam = {
        "time": 0.2, "text": "jam", "held": [0, 1],
        "forces": [{"bodies": [1, 0], "point": [0.0, 0.0, 0.0], "force": [0.0, 1.0, 0.0]}],
        "motions": [{"body": 0, "linear": [1.0, 0.0, 0.0], "angular": [0.0, 0.0, 1.0]}],
    }
    supports = {
        "body": [0], "point": [0.25, 0.0], "friction": [0.5], "load": [8.0], "still": 1e-6,
        "force": block.put("f32", [0.0, 0.0, -4.0, 0.0, -4.0, 0.0]), "slip": block.put("f32", [0.0, 0.1, 0.0]),
    }
    made = run(
        block, True, ["box", ("ground", [0.0, 0.0, 0.0])], shapes, [[[0.0, 0.25, 0.0]]] * 3, [0.0, 0.1, 0.2],
        contacts=contacts(block, [[], touching, touching], [{"bodies": [1, 0], "friction": 0.5}]),
        supports=supports, certificates=[jam], recorded=31, every=10, notes=["made by hand"],
        events=[{"time": 0.1, "kind": "impact", "text": "ground/box"}],
    )
    return write(path, block, [made], True, "pressed")


def large(path, bodies=20, frames=10_000, touching=10):
    """As many bodies and frames as must fit, with contacts in every frame."""
    block = page.Block()
    shapes = [{"body": b, "kind": "ball" if b % 2 else "box", "params": [0.1] if b % 2 else [0.1, 0.08, 0.06]} for b in range(bodies)]
    shapes.append({"body": bodies, "kind": "half-space", "params": []})
    wave = lambda k, b: math.sin(0.001 * k * (1 + 0.37 * b) + b)
    poses = [[[b % 5 + 0.3 * wave(k, b), b // 5 + 0.3 * wave(k, b + 7), 0.6 + 0.3 * wave(k, b + 13),
               *turned([0.6, 0.0, 0.8], 3 * wave(k, b + 3))] for b in range(bodies)] for k in range(frames)]
    listed = [[(pose[:3], [0.0, 0.0, 1.0], [0.1 * wave(k, b), 0.2, 1 + wave(k, b + 1)], 1e-4 * wave(k, b), b, "slip")
               for b, pose in enumerate(frame[:touching])] for k, frame in enumerate(poses)]
    rest = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    pairs = [{"bodies": [bodies, b], "friction": 0.5} for b in range(touching)]
    columns = [{"name": f"column {c}", "label": f"column {c}", "unit": "J", "group": "energy",
                "value": block.put("f32", [wave(k, c) for k in range(frames)])} for c in range(3)]
    made = run(block, False, [*(f"body{b}" for b in range(bodies)), ("ground", rest)], shapes, poses,
               [0.001 * k for k in range(frames)], contacts=contacts(block, listed, pairs), columns=columns)
    return write(path, block, [made], False, "large")
