"""What MuJoCo's compiler makes of a model, in the coordinates of Vinci's trees.

Positions are the same numbers. Velocities differ where a joint turns freely: MuJoCo's angular velocity stands in the axes of the
child, Vinci's in those of the joint, so v = T v', M = T M' Tᵀ and the forces are T f' with T = diag(1, R).
"""

import mujoco
import numpy as np

KINDS = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
WIDTHS = {"free": (7, 6), "ball": (4, 3), "slide": (1, 1), "hinge": (1, 1)}


def fit(name):
    """A name as scenes take it."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c == "-") else "_" for c in name)
    return kept if kept[:1].isalpha() or kept[:1] == "_" else "_" + kept


def body_name(model, i):
    return fit(model.body(i).name) if model.body(i).name else f"body_{i}"


def joints(model):
    """Name, kind, first coordinate and first velocity of every joint."""
    found = []
    for i in range(model.njnt):
        joint = model.joint(i)
        name = fit(joint.name) if joint.name else f"joint_{i}"
        found.append((name, KINDS[int(joint.type[0])], int(joint.qposadr[0]), int(joint.dofadr[0])))
    return found


def turning(model, data):
    """T at the configuration of `data`."""
    t = np.eye(model.nv)
    for _, kind, q, v in joints(model):
        if kind in ("free", "ball"):
            first = (q + 3, v + 3) if kind == "free" else (q, v)
            r = np.empty(9)
            mujoco.mju_quat2Mat(r, data.qpos[first[0]:first[0] + 4])
            t[first[1]:first[1] + 3, first[1]:first[1] + 3] = r.reshape(3, 3)
    return t


def random_state(model, rng):
    """A state of moderate size; unit quaternions; coordinates about those of the start."""
    data = mujoco.MjData(model)
    data.qpos[:] = model.qpos0
    for _, kind, q, _ in joints(model):
        if kind in ("free", "ball"):
            n = q + 3 if kind == "free" else q
            turn = rng.normal(size=4)
            data.qpos[n:n + 4] = turn / np.linalg.norm(turn)
        n = {"free": 3, "ball": 0}.get(kind, 1)
        data.qpos[q:q + n] += rng.uniform(-0.4, 0.4, n)
    data.qvel[:] = rng.uniform(-1, 1, model.nv)
    return data


def moving(model):
    """Bodies that something can move."""
    return [i for i in range(1, model.nbody) if model.body_dofnum[model.body_weldid[i]] > 0]


def terms(model, data):
    """State, M, bias forces and places of bodies, by joint and by body."""
    mujoco.mj_forward(model, data)
    full = np.empty((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    t = turning(model, data)
    by_joint = lambda values, which: {name: values[(q, v)[which]:(q, v)[which] + WIDTHS[kind][which]].tolist() for name, kind, q, v in joints(model)}
    passive = data.qfrc_passive + data.qfrc_actuator
    return {
        "q": by_joint(data.qpos, 0),
        "v": by_joint(t @ data.qvel, 1),
        "M": (t @ full @ t.T).tolist(),
        "bias": (t @ data.qfrc_bias).tolist(),
        "applied": (t @ passive).tolist(),
        "centres": {body_name(model, i): data.xipos[i].tolist() for i in moving(model)},
        "rotations": {body_name(model, i): data.xmat[i].tolist() for i in moving(model)},
    }


def description(model):
    """Joints in order, masses of the bodies that move, and the configuration in which the model is written."""
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    start = terms(model, data)
    return {
        "joints": [[name, kind] for name, kind, _, _ in joints(model)],
        "masses": {body_name(model, i): float(model.body_mass[i]) for i in moving(model)},
        "start": start["q"],
    }

