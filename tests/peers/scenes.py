"""The three scenes as every peer must build them, and the physics by which their results are compared.

A scene is the JSON that describes it (parameters only); what those parameters leave open is decided here, once, so that all
engines decide alike. README.md says the same in words. SI units; rotations as unit quaternions (w, x, y, z).
"""

import json
import math
import os

import numpy as np

SCENES = ("tamsi-box", "tamsi-gripper-mug", "tamsi-allegro-mug")

# Seconds. The description of the hand gives no relaxation time for Kelvin-Voigt laws (SAP): d * 1 mm of penetration.
ALLEGRO_RELAXATION_TIME = 1e-3

# Knots of the hand's smooth targets, s: cubic Hermite pieces are then off the sine by less than 1e-9 rad.
TARGET_KNOT = 0.01

MUG = [f"mug_{k}" for k in ("x", "y", "z", "qw", "qx", "qy", "qz")]


def load(name, directory):
    """The description of scene `name` in `directory`."""
    with open(os.path.join(directory, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def steps(scene, h):
    """Number of steps of h over the scene's duration: the first one whose end reaches it, up to rounding."""
    return math.ceil(scene["duration"] / h - 1e-6)


def columns(name, scene):
    """Columns of a path behind the time t; all of them states at the ends of steps."""
    joints = scene["open_loop"]["order"] if name == "tamsi-allegro-mug" else []
    return {"tamsi-box": ["x", "z", "vx", "vz"], "tamsi-gripper-mug": ["gripper_z", "left_x", *MUG], "tamsi-allegro-mug": joints + MUG}[name]


def box_force(scene, t):
    """Force on the box along x, N."""
    drive = scene["actuation"]
    return drive["amplitude"] * np.cos(2 * np.pi * drive["frequency_hz"] * t)


def gripper_mass(scene):
    """Mass of the gripper's body with the right finger, and of the left finger, kg."""
    bodies = scene["bodies"]
    return bodies["gripper"]["mass"] + bodies["right_finger"]["mass"], bodies["left_finger"]["mass"]


def gripper_drive(scene):
    """(F0, omega) of the force F0 sin(omega t) that shakes the gripper, and its velocity -A omega at t = 0."""
    drive = scene["actuation"]["gripper_z"]
    omega = 2 * math.pi / drive["T"]
    return sum(gripper_mass(scene)) * drive["A"] * omega**2, omega, -drive["A"] * omega


def pad(scene, side):
    """Centres of the spheres of one pad in the frame of the gripper (right, side = 1) or the left finger (side = -1)."""
    pads, radius = scene["pads"], scene["bodies"]["mug"]["geometry"]["radius"]
    x = side * (radius + pads["sphere_radius"])
    angles = np.radians(pads["angles_deg"])
    return [np.array([x, pads["ring_radius"] * math.cos(a), pads["ring_radius"] * math.sin(a)]) for a in angles]


def hand_gains(scene):
    """(kp, kd) of every joint: a unit of inertia `inertia` at frequency omega and damping ratio zeta."""
    pd = scene["hand"]["pd"]
    omega = pd["frequency_rad_s"]
    return pd["inertia"] * omega**2, 2 * pd["zeta"] * omega * pd["inertia"]


def hand_knots(scene):
    """Open-loop targets as (breaks, values): linear up to breaks[2] = t_close, smooth behind; values (n, 16) in `order`.

    start -> (thumb_open, the rest as at the start) at t_thumb -> grasp at t_close; then the index finger's joints 1, 2, 3 are led
    by +a w sin, the ring finger's 9, 10, 11 by -a w sin of 2 pi (t - t_close) / period, w the weights, a the amplitude.
    """
    times, values = closing(scene)
    count = math.ceil((scene["duration"] - times[-1]) / TARGET_KNOT) + 1
    smooth = times[-1] + TARGET_KNOT * np.arange(1, count + 1)
    return np.concatenate([times, smooth]), np.vstack([values, [twist_target(scene, t)[0] for t in smooth]])


def twist_target(scene, t):
    """Targets and their rates for t >= t_close, in `order`."""
    plan = scene["open_loop"]
    omega = 2 * math.pi / plan["period"]
    phase = omega * (t - plan["t_close"])
    lead = plan["twist_amplitude"] * np.array(plan["twist_weights"], float)
    target, rate = np.array(plan["grasp"], float), np.zeros(16)
    index, ring = ([plan["order"].index(f"joint_{k}") for k in joints] for joints in ((1, 2, 3), (9, 10, 11)))
    for joints, sign in ((index, 1.0), (ring, -1.0)):
        target[joints] += sign * lead * math.sin(phase)
        rate[joints] = sign * lead * omega * math.cos(phase)
    return target, rate


def hand_target(scene, t):
    """Targets at time t >= 0, in `order`, without the knots' interpolation error."""
    plan = scene["open_loop"]
    if t >= plan["t_close"]:
        return twist_target(scene, t)[0]
    breaks, values = closing(scene)
    return np.array([np.interp(t, breaks, column) for column in values.T])


def closing(scene):
    """Times and targets between which the hand closes linearly."""
    plan = scene["open_loop"]
    start, grasp = np.array(plan["start"], float), np.array(plan["grasp"], float)
    thumb = start.copy()
    thumb[: len(plan["thumb_open"])] = plan["thumb_open"]
    return np.array([0.0, plan["t_thumb"], plan["t_close"]]), np.vstack([start, thumb, grasp])


def is_tip(scene, link):
    """Whether a link has the stiffness of fingertips: those listed, and the spheres fixed to them."""
    return link.removesuffix("_tip") in scene["fingertip_links"]


def coulomb_box(scene):
    """Exact place at the end and first time of sticking of a box under Coulomb's law (v_s -> 0), by events located to rounding."""
    m, mu, g = scene["body"]["mass"], scene["contact"]["mu"], -scene["gravity"][2]
    a, w = scene["actuation"]["amplitude"], 2 * np.pi * scene["actuation"]["frequency_hz"]
    end, t, x, stuck = scene["duration"], 0.0, 0.0, []
    while t < end:
        grid = np.linspace(t, end, 400001)
        slipping = grid[np.abs(a * np.cos(w * grid)) > mu * m * g * (1 + 1e-12)]
        if slipping.size == 0:
            break
        t = slipping[0]
        drag = mu * g * np.sign(np.cos(w * t))
        v = lambda s: a / (m * w) * (np.sin(w * s) - np.sin(w * t)) - drag * (s - t)
        later = t + np.linspace(1e-4, 1.0 / w * 2 * np.pi, 100001)
        low = later[np.nonzero(np.sign(v(later)) != np.sign(drag))[0][0] - 1]
        stop = min(_root(v, low, low + later[1] - later[0]), end)
        s = stop - t
        x += a / (m * w) * ((np.cos(w * t) - np.cos(w * stop)) / w - np.sin(w * t) * s) - drag * s**2 / 2
        stuck, t = stuck + [stop], stop
    return {"x_end": float(x), "first_stick": float(stuck[0])}


def _root(f, low, high):
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sign(f(middle)) == np.sign(f(low)) else (low, middle)
    return (low + high) / 2


def judge(name, scene, path):
    """The physics of a run by its path, a dict of columns (README.md); `path` rows are ends of steps, the first is t = 0."""
    return {"tamsi-box": judge_box, "tamsi-gripper-mug": judge_gripper, "tamsi-allegro-mug": judge_hand}[name](scene, path)


def judge_box(scene, path):
    """First step from sliding to sticking (|v| <= v_s), creep while Coulomb's box rests, place at the end."""
    t, v, v_s = path["t"], np.abs(path["vx"]), scene["contact"]["v_s"]
    restick = np.nonzero((v[:-1] > v_s) & (v[1:] <= v_s))[0]
    rest = (t > 0.2) & (t < 0.38)
    first = [float(t[restick[0]]), float(t[restick[0] + 1])] if restick.size else None
    return {"restick": first, "creep_max": float(v[rest].max()), "x_end": float(path["x"][-1])}


def judge_gripper(scene, path):
    """Slip of the mug along the gripper, m, and whether it is still between the pads."""
    slip = path["mug_z"] - path["gripper_z"]
    aside = np.hypot(path["mug_x"], path["mug_y"])[-1]
    held = abs(slip[-1]) < scene["bodies"]["mug"]["geometry"]["length"] / 2 and aside < 0.02
    tilt = 2 * math.asin(min(1.0, float(np.hypot(path["mug_qx"][-1], path["mug_qy"][-1]))))
    return {"slip": float(slip[-1]), "slip_max": float(np.abs(slip).max()), "tilt": tilt, "held": bool(held)}


def judge_hand(scene, path):
    """Pose of the mug at the end, how far it went from where the hand had closed on it, how it is turned, whether it is held.

    From one period behind t_close on: `away` is the greatest distance of the mug's frame from its place then (held: below 5 cm; without
    gravity a lost mug flies off); `drift` how far the last period shifted it; `swing_deg` by what angle that period turns it.
    """
    plan, t = scene["open_loop"], path["t"]
    place = np.stack([path["mug_x"], path["mug_y"], path["mug_z"]], axis=1)
    turn = np.stack([path["mug_q" + k] for k in "wxyz"], axis=1)
    row = lambda time: int(np.argmin(np.abs(t - time)))
    closed, before = row(plan["t_close"] + plan["period"]), row(t[-1] - plan["period"])
    away = float(np.linalg.norm(place[closed:] - place[closed], axis=1).max())
    drift = float(np.linalg.norm(place[-1] - place[before]))
    angle = 2 * np.degrees(np.arccos(np.clip(np.abs(turn[before:] @ turn[before]), 0, 1)))
    pose = [*map(float, place[-1]), *map(float, turn[-1] * (np.sign(turn[-1][0]) or 1.0))]
    return {"held": away < 0.05, "away": away, "drift": drift, "swing_deg": float(angle.max()), "pose": pose}
