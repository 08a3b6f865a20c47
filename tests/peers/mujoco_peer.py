"""MuJoCo on the three scenes. A run is one call of `mujoco.rollout`: all steps in C with controls computed beforehand."""

import os
import xml.etree.ElementTree as xml

import mujoco
import mujoco.rollout
import numpy as np

import scenes
from measure import timed

# Everything that is not written here is MuJoCo's default: Newton's method, Euler (joint damping implicit), tolerance 1e-8,
# solref (0.02, 1), solimp (0.9, 0.95, 0.001, 0.5, 2) for contacts and joint limits alike.
ENGINES = {
    "mujoco": {"cone": "pyramidal", "impratio": "1"},
    "mujoco-elliptic": {"cone": "elliptic", "impratio": "10"},
}


def settings(engine):
    """What else belongs to the measurement."""
    options = ENGINES[engine]
    return f"{options['cone']} cone, impratio {options['impratio']}, default solref and solimp; the scene's stiffness is not used"


class Case:
    """One scene under one engine: `run` for timing, `path` for physics."""

    def __init__(self, engine, name, scene, h, models):
        self.scene, self.name, self.h, self.steps = scene, name, h, scenes.steps(scene, h)
        root, self.start, control = {"tamsi-box": box, "tamsi-gripper-mug": gripper, "tamsi-allegro-mug": hand}[name](scene, models)
        gravity = " ".join(map(str, scene["gravity"]))
        xml.SubElement(root, "option", timestep=repr(h), gravity=gravity, **ENGINES[engine])
        self.model = mujoco.MjModel.from_xml_string(xml.tostring(root, encoding="unicode"))
        self.data = mujoco.MjData(self.model)
        self.control = np.array([control(n * h) for n in range(self.steps)])[None]
        self.initial = self.initial_state()
        self.states = np.empty((1, self.steps, self.initial.size))

    def initial_state(self):
        mujoco.mj_resetData(self.model, self.data)
        self.start(self.model, self.data)
        self.data.time = 0.0
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.empty(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, state, kind)
        return state

    def run(self):
        """(wall, CPU) seconds of all steps."""
        mujoco.mj_resetData(self.model, self.data)
        call = lambda: mujoco.rollout.rollout(self.model, self.data, self.initial[None], self.control, state=self.states)
        return timed(call)

    def path(self):
        """Columns of the state after every step."""
        self.run()
        rows = np.vstack([self.initial, self.states[0]])
        columns = {"t": self.h * np.arange(self.steps + 1)}
        if self.name == "tamsi-box":
            source = [1, 2, 3, 4]
        elif self.name == "tamsi-gripper-mug":
            source = range(1, 10)
        else:
            joints = (self.model.joint(name).qposadr[0] for name in self.scene["open_loop"]["order"])
            mug = self.model.joint("mug").qposadr[0]
            source = [*(1 + q for q in joints), *range(1 + mug, 8 + mug)]
        columns.update((name, rows[:, k]) for name, k in zip(scenes.columns(self.name, self.scene), source))
        return columns


def tag(parent, kind, **attributes):
    """A child element; numbers and arrays are written to the last bit."""
    text = lambda value: value if isinstance(value, str) else " ".join(repr(float(x)) for x in np.atleast_1d(value))
    return xml.SubElement(parent, kind, {name: text(value) for name, value in attributes.items()})


def skeleton():
    root = xml.Element("mujoco")
    tag(root, "compiler", angle="radian", fusestatic="true")
    return root, tag(root, "worldbody"), tag(root, "actuator")


def box(scene, _models):
    """Two sliders of one body; at t = 0 it rests where MuJoCo's own contact law holds it."""
    root, world, actuator = skeleton()
    radius, mass, mu = scene["body"]["geometry"]["radius"], scene["body"]["mass"], scene["contact"]["mu"]
    friction = [mu, 0.005, 0.0001]
    tag(world, "geom", type="plane", size=[0, 0, 1], friction=friction)
    body = tag(world, "body", pos=[0, 0, 0])
    tag(body, "joint", name="x", type="slide", axis=[1, 0, 0])
    tag(body, "joint", name="z", type="slide", axis=[0, 0, 1])
    tag(body, "inertial", pos=[0, 0, 0], mass=mass, diaginertia=[1e-3, 1e-3, 1e-3])
    tag(body, "geom", type="sphere", size=radius, friction=friction)
    tag(actuator, "motor", joint="x")

    def start(model, data):
        data.qpos[:] = [0, radius]
        for _ in range(int(5 / model.opt.timestep)):
            mujoco.mj_step(model, data)
        data.qpos[0], data.qvel[:] = 0, 0

    return root, start, lambda t: [scenes.box_force(scene, t)]


def gripper(scene, _models):
    """As in the description; motors push."""
    root, world, actuator = skeleton()
    masses, mug_data = scenes.gripper_mass(scene), scene["bodies"]["mug"]
    friction = [scene["contact"]["mu"], 0.005, 0.0001]
    base = tag(world, "body", name="gripper")
    tag(base, "joint", name="z", type="slide", axis=[0, 0, 1])
    finger = tag(base, "body", name="left_finger")
    tag(finger, "joint", name="x", type="slide", axis=[1, 0, 0])
    # Pads do not touch one another in any engine: only the mug's bits meet theirs.
    for body, mass, side in ((base, masses[0], 1), (finger, masses[1], -1)):
        tag(body, "inertial", pos=[0, 0, 0], mass=mass, diaginertia=[1e-3, 1e-3, 1e-3])
        for centre in scenes.pad(scene, side):
            tag(body, "geom", type="sphere", pos=centre, size=scene["pads"]["sphere_radius"], friction=friction, contype="1", conaffinity="2")
    mug = tag(world, "body", name="mug")
    tag(mug, "freejoint", name="mug")
    tag(mug, "inertial", pos=mug_data["com"], mass=mug_data["mass"], diaginertia=mug_data["inertia_diag"])
    shape = mug_data["geometry"]
    tag(mug, "geom", type="cylinder", size=[shape["radius"], shape["length"] / 2], friction=friction, contype="2", conaffinity="1")
    tag(actuator, "motor", joint="z")
    tag(actuator, "motor", joint="x")
    amplitude, omega, speed = scenes.gripper_drive(scene)
    grip = scene["actuation"]["grip_force_left_finger_x"]

    def start(_model, data):
        data.qpos[0] = scene["initial"]["gripper_z"]
        data.qvel[[0, 4]] = speed

    return root, start, lambda t: [amplitude * np.sin(omega * t), grip]


def hand(scene, models):
    """The hand from its URDF by way of `link_element`; the PD law and the effort limits are those of position actuators."""
    root, world, actuator = skeleton()
    urdf = xml.parse(os.path.join(models, scene["hand"]["model"])).getroot()
    link_element(scene, urdf, world, scene["hand"]["fixed_link"], None)
    add_mug(scene, world)
    kp, kd = scenes.hand_gains(scene)
    limits = {joint.get("name"): float(joint.find("limit").get("effort")) for joint in urdf.iter("joint") if joint.find("limit") is not None}
    for name in scene["open_loop"]["order"]:
        tag(actuator, "position", joint=name, kp=kp, kv=kd, forcerange=[-limits[name], limits[name]])

    def start(model, data):
        for name, angle in zip(scene["open_loop"]["order"], scene["open_loop"]["start"]):
            data.qpos[model.joint(name).qposadr[0]] = angle

    return root, start, lambda t: scenes.hand_target(scene, t)


def add_mug(scene, world):
    data, pose = scene["mug"], scene["mug"]["initial_pose"]
    mug = tag(world, "body", name="mug", pos=pose["position"], quat=quaternion(pose["rpy"]))
    tag(mug, "freejoint", name="mug")
    tag(mug, "inertial", pos=data["com"], mass=data["mass"], diaginertia=data["inertia_diag"])
    wall, handle = data["cylinder"], data["handle_box"]
    common = {"friction": [scene["contact"]["mu_mug"], 0.005, 0.0001], "contype": "2", "conaffinity": "1"}
    tag(mug, "geom", type="cylinder", pos=wall["centre"], size=[wall["radius"], wall["length"] / 2], **common)
    tag(mug, "geom", type="box", pos=handle["centre"], size=np.array(handle["size"]) / 2, **common)


def link_element(scene, urdf, parent, name, joint):
    """The body of URDF link `name` with its inertia, shapes, joint to the parent, and all links below it."""
    link = next(link for link in urdf.findall("link") if link.get("name") == name)
    place, rpy = origin(joint)
    body = tag(parent, "body", name=name, pos=place, quat=quaternion(rpy))
    if joint is not None and joint.get("type") == "revolute":
        joint_element(scene, body, joint)
    if link.find("inertial") is not None:
        inertial = link.find("inertial")
        at, turned = origin(inertial)
        assert not np.any(turned), "inertia frames of this model are not turned"
        values = {key: float(value) for key, value in inertial.find("inertia").attrib.items()}
        full = [values[key] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
        tag(body, "inertial", pos=at, mass=float(inertial.find("mass").get("value")), fullinertia=full)
    for collision in link.findall("collision"):
        at, turned = origin(collision)
        shape = collision.find("geometry")[0]
        size = float(shape.get("radius")) if shape.tag == "sphere" else floats(shape.get("size")) / 2
        friction = [scene["contact"]["mu_tip"], 0.005, 0.0001]
        tag(body, "geom", type=shape.tag, pos=at, quat=quaternion(turned), size=size, friction=friction, contype="1", conaffinity="2")
    for child in urdf.findall("joint"):
        if child.find("parent").get("link") == name:
            link_element(scene, urdf, body, child.find("child").get("link"), child)


def joint_element(scene, body, joint):
    """A hinge with limits, damping and reflected inertia. Joint friction of the URDF is left out, as Drake does."""
    limit = joint.find("limit")
    hand_data = scene["hand"]
    tag(body, "joint", name=joint.get("name"), type="hinge", axis=floats(joint.find("axis").get("xyz")),
        range=[float(limit.get("lower")), float(limit.get("upper"))], damping=float(joint.find("dynamics").get("damping")),
        armature=hand_data["rotor_inertia"] * hand_data["gear_ratio"] ** 2)


def origin(element):
    """(xyz, rpy) of an element's `origin`, zeros where it has none."""
    found = element.find("origin") if element is not None else None
    get = lambda key: floats(found.get(key, "0 0 0")) if found is not None else np.zeros(3)
    return get("xyz"), get("rpy")


def floats(text):
    return np.array(text.split(), float)


def quaternion(rpy):
    """Unit quaternion (w, x, y, z) of Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(np.array(rpy) / 2), np.sin(np.array(rpy) / 2)
    return [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy]
