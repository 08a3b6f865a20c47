"""Motions of MuJoCo, Drake and Rapier in a scene of Vinci, as tables that `vinci judge` and comparisons read.

The scene is given away by `vinci export --to mjcf`; all engines are given that file. Forces that MJCF cannot say are those of `FORCES`.
Rows are ends of steps: `trajectory.csv` and `contacts.csv` of one directory per engine, columns as Vinci writes them.
"""

import argparse
import csv
import json
import logging
import math
import multiprocessing
import pathlib
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as xml

import numpy as np

# Generalised forces by the name of a joint, at the start of a step: what the scenes' drives say.
FORCES = {
    "tamsi-box": {"box.x": lambda t: 4 * math.cos(2 * math.pi * t)},
    "tamsi-gripper-mug": {
        "gripper.lift": lambda t: 1.088882 * 0.15 * (4 * math.pi) ** 2 * math.sin(4 * math.pi * t),
        "gripper.grip": lambda t: 10.0,
    },
}

# The program beside these adapters, wherever they are called from.
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "target" / "release" / "vinci"


def exported(vinci, experiment, step, longest=None):
    """The model as text; `longest`: seconds that giving it away may take."""
    if shutil.which(vinci) is None:
        raise SystemExit(f"there is no program {vinci}: build it with `cargo build --release`, or name one with --vinci")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "model.xml"
        line = [vinci, "export", experiment, "--to", "mjcf", "--out", str(out), "--quiet"]
        subprocess.run(line + (["--step", str(step)] if step else []), check=True, timeout=longest)
        return out.read_text()


class Table:
    """Rows of a motion and of its contact forces."""

    def __init__(self, folder, planar):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.planar, self.rows, self.forces = folder, planar, [], []

    def row(self, time, values):
        """One state; `values` by column."""
        self.rows.append({"time": time, **values})

    def force(self, time, bodies, point, normal, force):
        """A force on the second body, in world axes; `normal` from the first to the second."""
        axes = "xy" if self.planar else "xyz"
        row = {"time": time, "body_a": bodies[0], "body_b": bodies[1]}
        for prefix, vector in (("", point), ("n", normal), ("f", force)):
            row |= {prefix + axis: x for axis, x in zip(axes, vector)}
        self.forces.append(row)

    def write(self):
        """Both files."""
        axes = "xy" if self.planar else "xyz"
        names = ["time", "body_a", "body_b", *axes, *(f"n{a}" for a in axes), *(f"f{a}" for a in axes)]
        for file, rows, columns in (("trajectory", self.rows, list(self.rows[0])), ("contacts", self.forces, names)):
            with open(self.folder / f"{file}.csv", "w", newline="") as out:
                writer = csv.DictWriter(out, columns)
                writer.writeheader()
                writer.writerows({k: repr(float(v)) if k not in names[1:3] else v for k, v in row.items()} for row in rows)


def mujoco_motion(text, name, duration, folder, impratio):
    """Runs MuJoCo from the keyframe of the start."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(text)
    model.opt.impratio = impratio
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    joints = [model.joint(k) for k in range(model.njnt)]
    planar = any(j.name.endswith(".rz") for j in joints) and all(j.type[0] in (2, 3) for j in joints)
    table = Table(folder, planar)
    forces = {model.joint(joint).dofadr[0]: law for joint, law in FORCES.get(name, {}).items()}
    steps = math.ceil(duration / model.opt.timestep - 1e-9)
    for k in range(steps + 1):
        table.row(k * model.opt.timestep, mujoco_state(model, data, joints, planar))
        if k == steps:
            break
        for dof, law in forces.items():
            data.qfrc_applied[dof] = law(data.time)
        mujoco.mj_step(model, data)
        mujoco_forces(model, data, table, (k + 1) * model.opt.timestep)
    table.write()


def mujoco_state(model, data, joints, planar):
    """Places and velocities by column."""
    out = {}
    for joint in joints:
        q, v, body = joint.qposadr[0], joint.dofadr[0], model.body(model.jnt_bodyid[joint.id])
        if joint.type[0] == 0:
            spin = np.empty(3)
            mujoco_rotate(spin, data.qvel[v + 3 : v + 6], data.qpos[q + 3 : q + 7])
            out |= free(body.name, data.qpos[q : q + 7], [*data.qvel[v : v + 3], *spin])
        else:
            single(out, joint.name, (body.name, body.pos, body.quat), (data.qpos[q], data.qvel[v]), planar)
    return out


PLACES, SPEEDS = ("x", "y", "z", "qw", "qx", "qy", "qz"), ("vx", "vy", "vz", "wx", "wy", "wz")


def free(body, places, speeds):
    """Columns of a body that moves freely."""
    columns = [*zip(PLACES, places), *zip(SPEEDS, speeds)]
    return {f"{body}.{key}": x for key, x in columns}


def single(out, name, body, state, planar):
    """Adds the columns of a joint of one degree of freedom: of a body that slides along some axes, or of a tree."""
    (owner, way), (q, v), (body, position, turn) = name.rsplit(".", 1), state, body
    if owner != body:
        out |= {f"{name}.q": q, f"{name}.v": v}
    elif planar:
        place, speed = {"x": ("x", "vx"), "y": ("y", "vy"), "rz": ("angle", "omega")}[way]
        out |= {f"{body}.{place}": q, f"{body}.{speed}": v}
    else:
        if f"{body}.x" not in out:
            out |= free(body, [*position, *turn], [0.0] * 6)
        if way not in "xyz":
            raise SystemExit(f"{name}: bodies that turn about some axes only are not written")
        out[f"{body}.{way}"] += q
        out[f"{body}.v{way}"] += v


def mujoco_rotate(out, vector, turn):
    """A vector in the axes of a body, in world axes."""
    import mujoco

    mujoco.mju_rotVecQuat(out, np.asarray(vector), np.asarray(turn))


def mujoco_forces(model, data, table, time):
    """Forces of the step that has just been made: they were found at its start."""
    import mujoco

    for k in range(data.ncon):
        contact, wrench = data.contact[k], np.zeros(6)
        mujoco.mj_contactForce(model, data, k, wrench)
        frame = contact.frame.reshape(3, 3)
        bodies = [model.body(model.geom_bodyid[g]).name for g in contact.geom]
        table.force(time, bodies, contact.pos, frame[0], frame.T @ wrench[:3])


def drake_motion(text, name, duration, step, folder, approximation):
    """Runs Drake's discrete plant on the same file, from the same start."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, DiscreteContactApproximation
    from pydrake.systems.framework import DiagramBuilder

    # It says of every tag that it does not read that it does not.
    logging.getLogger("drake").setLevel(logging.ERROR)
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, step)
    plant.SetUseSampledOutputPorts(False)
    plant.set_discrete_contact_approximation(getattr(DiscreteContactApproximation, approximation))
    Parser(plant).AddModelsFromString(drake_text(text), "xml")
    plant.Finalize()
    drake_pushes(builder, plant, name)
    diagram = builder.Build()
    whole = diagram.CreateDefaultContext()
    context = plant.GetMyMutableContextFromRoot(whole)
    drake_start(plant, context, xml.fromstring(text))
    table = Table(folder, False)
    root = xml.fromstring(text)
    names = drake_joints(root)
    table.row(0.0, drake_state(plant, context, names))
    for k in range(math.ceil(duration / step - 1e-9)):
        # Of a context it tells the forces of the step that begins there.
        drake_forces(plant, context, table, (k + 1) * step)
        # x⁺ = f(t, x), as the simulator does it, without its rounding of times.
        updates = diagram.AllocateDiscreteVariables()
        diagram.CalcForcedDiscreteVariableUpdate(whole, updates)
        whole.get_mutable_discrete_state().SetFrom(updates)
        whole.SetTime((k + 1) * step)
        table.row((k + 1) * step, drake_state(plant, context, names))
    table.write()


# Half the thickness and half the width of a plane that is given as a box, m.
DEEP, WIDE = 1.0, 5.0


def drake_text(text):
    """The model; the planes of a pile of balls as thick boxes.

    Its scene graph (1.51.1) dies of several half-spaces with more than some twenty other shapes. A ball meets the face of a box as it
    meets a half-space, with the same normal and depth; boxes do not, so that scenes with other shapes keep their planes.
    """
    root = xml.fromstring(text)
    geoms = list(root.iter("geom"))
    planes = [geom for geom in geoms if geom.get("type") == "plane"]
    if len(planes) < 2 or any(geom.get("type") not in ("plane", "sphere") for geom in geoms):
        return text
    for geom in planes:
        normal = np.array(turned(floats(geom, "quat"), [0.0, 0.0, 1.0]))
        geom.set("type", "box")
        geom.set("size", f"{WIDE} {WIDE} {DEEP}")
        geom.set("pos", " ".join(map(repr, (np.array(floats(geom, "pos")) - DEEP * normal).tolist())))
    return xml.tostring(root, encoding="unicode")


def drake_pushes(builder, plant, name):
    """Forces of the scene, held over every step from its start."""
    from pydrake.systems.framework import LeafSystem

    laws = {drake_joint(plant, joint).velocity_start(): law for joint, law in FORCES.get(name, {}).items()}

    class Pushes(LeafSystem):
        def __init__(self):
            super().__init__()
            self.DeclareVectorOutputPort("forces", plant.num_velocities(), self.write)

        def write(self, context, out):
            forces = np.zeros(plant.num_velocities())
            for dof, law in laws.items():
                forces[dof] = law(context.get_time())
            out.SetFromVector(forces)

    if laws:
        pushes = builder.AddSystem(Pushes())
        builder.Connect(pushes.get_output_port(), plant.get_applied_generalized_force_input_port())


def drake_joint(plant, name):
    """A joint of one degree of freedom, with the getters of its kind under one name."""
    joint = plant.GetJointByName(name)
    kind = "translation" if hasattr(joint, "get_translation") else "angle"
    rate = f"{kind}_rate"

    class One:
        velocity_start = joint.velocity_start
        get_place, set_place = getattr(joint, f"get_{kind}"), getattr(joint, f"set_{kind}")
        get_speed, set_speed = getattr(joint, f"get_{rate}"), getattr(joint, f"set_{rate}")

    return One


def drake_joints(root):
    """Joints of the file in its order: name, and name, position and orientation of the body."""
    found = []
    for body in root.iter("body"):
        pose = [np.array(body.get(key, default).split(), float) for key, default in (("pos", "0 0 0"), ("quat", "1 0 0 0"))]
        for joint in body:
            if joint.tag in ("freejoint", "joint"):
                found.append((joint.get("name"), (body.get("name"), *pose), joint.tag == "freejoint"))
    return found


def drake_start(plant, context, root):
    """The keyframe of the start: joints in the order of the file."""
    from pydrake.common.eigen_geometry import Quaternion
    from pydrake.math import RigidTransform
    from pydrake.multibody.math import SpatialVelocity

    key = root.find("keyframe/key")
    q, v = (list(map(float, key.get(name).split())) for name in ("qpos", "qvel"))
    for name, (body, *_), is_free in drake_joints(root):
        if is_free:
            place, speed, q, v = np.array(q[:7]), np.array(v[:6]), q[7:], v[6:]
            pose = RigidTransform(Quaternion(place[3:] / np.linalg.norm(place[3:])), place[:3])
            body, spin = plant.GetBodyByName(body), pose.rotation() @ speed[3:]
            plant.SetFreeBodyPose(context, body, pose)
            plant.SetFreeBodySpatialVelocity(context=context, body=body, V_JpJc=SpatialVelocity(spin, speed[:3]))
        else:
            joint = drake_joint(plant, name)
            joint.set_place(context, q[0])
            joint.set_speed(context, v[0])
            q, v = q[1:], v[1:]


def drake_state(plant, context, names):
    """Places and velocities by column."""
    out = {}
    for name, body, is_free in names:
        if is_free:
            of = plant.GetBodyByName(body[0])
            pose, speed = plant.EvalBodyPoseInWorld(context, of), plant.EvalBodySpatialVelocityInWorld(context, of)
            places = [*pose.translation(), *pose.rotation().ToQuaternion().wxyz()]
            out |= free(body[0], places, [*speed.translational(), *speed.rotational()])
        else:
            joint = drake_joint(plant, name)
            single(out, name, body, (joint.get_place(context), joint.get_speed(context)), False)
    return out


def drake_forces(plant, context, table, time):
    """Point contacts of the step that begins at this context and ends at `time`."""
    results = plant.get_contact_results_output_port().Eval(context)
    for k in range(results.num_point_pair_contacts()):
        info = results.point_pair_contact_info(k)
        names = [plant.get_body(index).name() for index in (info.bodyA_index(), info.bodyB_index())]
        # Its normal is from B to A.
        table.force(time, names, info.contact_point(), -info.point_pair().nhat_BA_W, info.contact_force())


def rapier_motion(text, name, duration, step, folder):
    """Runs Rapier (single precision) on the bodies of the file."""
    import rapier3d as rapier

    world = RapierWorld(rapier, text, name, step)
    table = Table(folder, False)
    table.row(0.0, world.state())
    for k in range(math.ceil(duration / step - 1e-9)):
        world.push(k * step)
        world.world.step()
        table.row((k + 1) * step, world.state())
    table.write()


class RapierWorld:
    """The world at the start; names and handles of what moves; what pushes it."""

    def __init__(self, rapier, text, name, step):
        root = xml.fromstring(text)
        self.rapier, self.laws = rapier, FORCES.get(name, {})
        self.world = rapier.PhysicsWorld(gravity=tuple(floats(root.find("option"), "gravity")))
        self.world.integration_parameters.dt = step
        key = root.find("keyframe/key")
        self.q, self.v = list(floats(key, "qpos")), list(floats(key, "qvel"))
        # Bodies (name, handle); sliders (name, handles of parent and link, axis and place in the parent); forces (handle, axis, law).
        self.bodies, self.sliders, self.pushes = [], [], []
        for body in root.find("worldbody").findall("body"):
            if body.find("body") is not None:
                self.add_tree(body)
            else:
                self.add(body)

    def take(self, places, speeds):
        """The next numbers of the start."""
        taken = self.q[:places], self.v[:speeds]
        self.q, self.v = self.q[places:], self.v[speeds:]
        return taken

    def add(self, body):
        """A body that is fixed, free, or moves along axes of the world."""
        joints = [joint for joint in body if joint.tag in ("freejoint", "joint")]
        place, turn, speed = floats(body, "pos"), floats(body, "quat"), [0.0] * 6
        locked, ways = set("xyz") | {"rx", "ry", "rz"}, []
        for joint in joints:
            if joint.tag == "freejoint":
                (q, speed), locked = self.take(7, 6), set()
                place, turn = q[:3], q[3:]
            else:
                way = joint.get("name").rsplit(".", 1)[1]
                locked -= {way}
                speed["xyz".index(way)] = self.take(1, 1)[1][0]
                ways.append((way, self.laws.get(joint.get("name"))))
        of = rapier_body(self.rapier, self.world, body, (place, turn, speed, locked), not joints)
        self.bodies += [(body.get("name"), of)] if joints else []
        self.pushes += [(of, np.eye(3)["xyz".index(way)], law) for way, law in ways if law]

    def add_tree(self, body):
        """A tree of sliders on the ground. Its joints are held by impulses: in reduced coordinates (0.36.1) it began at rest."""
        base = self.world.add_body(self.rapier.RigidBody.fixed())
        self.add_link(body, base, (np.zeros(3), np.zeros(3)))

    def add_link(self, body, parent, at):
        """A link and what hangs on it. `at`: place and velocity of its parent."""
        joints = [joint for joint in body if joint.tag in ("freejoint", "joint")]
        if len(joints) > 1 or any(joint.get("type") != "slide" for joint in joints) or floats(body, "quat") != [1, 0, 0, 0]:
            raise SystemExit(f"{body.get('name')}: of trees only sliders along the axes of the ground are given to Rapier")
        (places, speeds), offset = self.take(len(joints), len(joints)), np.array(floats(body, "pos"))
        axes = [np.array(floats(joint, "axis")) for joint in joints]
        place = at[0] + offset + sum((q * axis for q, axis in zip(places, axes)), np.zeros(3))
        speed = at[1] + sum((v * axis for v, axis in zip(speeds, axes)), np.zeros(3))
        state = (place.tolist(), [1.0, 0.0, 0.0, 0.0], [*speed.tolist(), 0.0, 0.0, 0.0], set())
        link = rapier_body(self.rapier, self.world, body, state, False)
        anchor = self.rapier.Point3(*offset.tolist())
        for joint, axis in zip(joints, axes):
            slider = self.rapier.PrismaticJoint.builder(self.rapier.Vec3(*axis.tolist())).local_anchor1(anchor)
            self.world.impulse_joints.insert(parent, link, slider.contacts_enabled(False))
            self.sliders.append((joint.get("name"), (parent, link), axis, offset))
            law = self.laws.get(joint.get("name"))
            # What drives a slider acts on the link, and back on its parent; the ground feels nothing.
            self.pushes += [(link, axis, law), (parent, -axis, law)] if law else []
        if not joints:
            fixed = self.rapier.FixedJointBuilder().local_anchor1(anchor).contacts_enabled(False)
            self.world.impulse_joints.insert(parent, link, fixed)
        for child in body.findall("body"):
            self.add_link(child, link, (place, speed))

    def push(self, time):
        """Forces of the scene for the next step."""
        for handle in {handle for handle, _, _ in self.pushes}:
            self.world.rigid_bodies.get(handle).reset_forces(True)
        for handle, axis, law in self.pushes:
            force = self.rapier.Vec3(*(law(time) * axis).tolist())
            self.world.rigid_bodies.get(handle).add_force(force, True)

    def state(self):
        """Places and velocities by column."""
        out = rapier_state(self.world, self.bodies)
        for name, handles, axis, offset in self.sliders:
            bodies = [self.world.rigid_bodies.get(handle) for handle in handles]
            places, speeds = ([np.array([x.x, x.y, x.z]) for x in of] for of in zip(*((b.translation, b.linvel) for b in bodies)))
            out[f"{name}.q"] = float(axis @ (places[1] - places[0] - offset))
            out[f"{name}.v"] = float(axis @ (speeds[1] - speeds[0]))
        return out


def floats(element, key):
    """Numbers of an attribute."""
    return [float(x) for x in element.get(key).split()]


def rapier_rotation(rapier, turn):
    """A unit quaternion (w first) as a rotation vector."""
    w, axis = turn[0], np.array(turn[1:])
    size = np.linalg.norm(axis)
    return rapier.Vec3(*(axis * (2 * math.atan2(size, w) / size if size > 0 else 2.0)))


def rapier_body(rapier, world, body, state, fixed):
    """Adds a body with its shapes; its handle."""
    (place, turn, speed, locked), spin = state, None
    kind = rapier.RigidBody.fixed() if fixed else rapier.RigidBody.dynamic()
    builder = kind.translation(rapier.Vec3(*place)).rotation(rapier_rotation(rapier, turn))
    if not fixed:
        spin = np.array(turned(turn, speed[3:]))
        inertial = body.find("inertial")
        moments = floats(inertial, "fullinertia")
        if any(moments[3:]):
            raise SystemExit(f"{body.get('name')}: only inertias along the axes of the body are given to Rapier")
        mass = rapier.MassProperties(
            rapier.Vec3(*floats(inertial, "pos")), float(inertial.get("mass")), rapier.Vec3(*moments[:3]), rapier.Rotation3.identity()
        )
        builder = builder.linvel(rapier.Vec3(*speed[:3])).angvel(rapier.Vec3(*spin)).can_sleep(False)
        builder = builder.additional_mass_properties(mass).gyroscopic_forces(True)
        if "rx" in locked:
            builder = builder.enabled_rotations((False, False, False))
        # With a translation locked there was no friction (0.36.1): they stay free, and nothing pushes there.
    return world.add_body(builder, colliders=[rapier_shape(rapier, geom) for geom in body.findall("geom")])


def turned(turn, vector):
    """A vector in the axes of a body, in world axes."""
    w, axis = turn[0], np.array(turn[1:])
    vector = np.array(vector)
    return vector + 2 * np.cross(axis, np.cross(axis, vector) + w * vector)


def rapier_shape(rapier, geom):
    """A collider without mass."""
    size = floats(geom, "size")
    make = {
        "plane": lambda: rapier.Collider.halfspace(rapier.Vec3(0, 0, 1)),
        "sphere": lambda: rapier.Collider.ball(size[0]),
        "box": lambda: rapier.Collider.cuboid(*size),
        "capsule": lambda: rapier.Collider.capsule_z(size[1], size[0]),
        "cylinder": lambda: rapier.Collider.cylinder(size[1], size[0]),
    }
    if geom.get("type") not in make:
        raise SystemExit(f"{geom.get('name')}: a {geom.get('type')} is not given to Rapier")
    builder = make[geom.get("type")]().density(0.0).friction(floats(geom, "friction")[0])
    turn = floats(geom, "quat")
    if geom.get("type") == "cylinder":
        # Its axis is y there and z here: a quarter of a turn about x, first.
        w, x, y, z = turn
        half = math.sqrt(0.5)
        turn = [half * (w - x), half * (w + x), half * (y + z), half * (z - y)]
    turn = rapier_rotation(rapier, turn)
    return builder.translation(rapier.Vec3(*floats(geom, "pos"))).rotation(turn)


def rapier_state(world, bodies):
    """Places and velocities by column."""
    out = {}
    for name, handle in bodies:
        body = world.rigid_bodies.get(handle)
        place, turn, speed, spin = body.translation, body.rotation, body.linvel, body.angvel
        turn = np.array([turn.w, turn.i, turn.j, turn.k])
        places = [place.x, place.y, place.z, *(turn / np.linalg.norm(turn))]
        out |= free(name, places, [speed.x, speed.y, speed.z, spin.x, spin.y, spin.z])
    return out


ENGINES = {
    "mujoco": lambda text, name, duration, step, out: mujoco_motion(text, name, duration, out, 1.0),
    "mujoco-impratio": lambda text, name, duration, step, out: mujoco_motion(text, name, duration, out, 10.0),
    "drake-tamsi": lambda text, name, duration, step, out: drake_motion(text, name, duration, step, out, "kTamsi"),
    "drake-sap": lambda text, name, duration, step, out: drake_motion(text, name, duration, step, out, "kSap"),
    "rapier": rapier_motion,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiment")
    parser.add_argument("--vinci", default=str(PROGRAM))
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--step", type=float)
    options = parser.parse_args()
    experiment = json.loads(pathlib.Path(options.experiment).read_text())
    name = pathlib.Path(options.experiment).name.split(".")[0]
    text = exported(options.vinci, options.experiment, options.step)
    step = options.step or experiment["time"]["step"]
    models = [{"name": "stewart-trinkle", "stepper": "stewart-trinkle", "solver": "nsgs"}]
    for engine in options.engines.split(","):
        # In a process of its own: an engine that gives up, or takes its process along, is no row and stops no other.
        arguments = (text, name, experiment["time"]["duration"], step, options.out / engine)
        process = multiprocessing.get_context("fork").Process(target=ENGINES[engine], args=arguments)
        process.start()
        process.join()
        if process.exitcode:
            print(f"{engine}: no motion (exit code {process.exitcode})")
            continue
        models.append({"name": engine, "trajectory": f"{engine}/trajectory.csv"})
        print(f"{options.out / engine}: written")
    comparison = {"format": "vinci/comparison@1", "experiment": str(pathlib.Path(options.experiment).resolve()), "models": models}
    comparison["set"] = {"time.step": step, "time.gyroscopic": "explicit"}
    (options.out / "comparison.json").write_text(json.dumps(comparison, indent=2))
    print(f"vinci compare {options.out / 'comparison.json'}")


if __name__ == "__main__":
    main()
