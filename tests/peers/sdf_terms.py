"""What Drake's parser makes of an SDF model, with the matrix that leads from its velocities to those of Vinci's trees.

Positions are told as Vinci has them. Velocities: v = T v' with v' those of Drake. T is the identity but for screws (a hinge and a
slide there, one coordinate in Drake), joints that turn freely (axes of the link against axes of the joint) and bodies that are free
(Drake tells the rotation first). So Drake's M is Tᵀ M T and its forces are Tᵀ f.
"""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
from pydrake.math import RollPitchYaw
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex

LONE = (0.0, 0.0, -9.81)
"""Gravity of a scene that says nothing, m/s²; of an SDF world that says nothing it is -9.8."""


def gravity(path):
    world = ElementTree.parse(path).getroot().find("world")
    if world is None:
        return LONE
    told = world.findtext("gravity")
    return tuple(map(float, told.split())) if told else (0.0, 0.0, -9.8)


def plant_of(path, packages=()):
    """The plant of a file, with the gravity that the file asks for."""
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    parser.SetAutoRenaming(True)
    for name, directory in packages:
        parser.package_map().Add(name, str(directory))
    parser.AddModels(str(path))
    plant.mutable_gravity_field().set_gravity_vector(np.array(gravity(path)))
    plant.Finalize()
    return plant


def fit(name):
    """A name as scenes take it."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c == "-") else "_" for c in name)
    return kept if kept[:1].isalpha() or kept[:1] == "_" else "_" + kept


class Names:
    """Names of links and joints as Vinci's reader makes them."""

    def __init__(self, plant, path):
        self.plant, self.is_world = plant, ElementTree.parse(path).getroot().find("world") is not None

    def scope(self, element):
        """Names of the models around a body."""
        return self.plant.GetModelInstanceName(element.model_instance()).split("::")

    def of(self, body):
        return self.within(self.scope(body), body.name())

    def of_joint(self, joint):
        """A joint stands in the innermost model that holds both of its bodies; Drake has it in that of the child."""
        parent, child = joint.parent_body(), joint.child_body()
        scope = self.scope(child)
        if parent.index() != self.plant.world_body().index():
            same = [a == b for a, b in zip(scope, self.scope(parent))]
            scope = scope[:same.index(False) if False in same else len(same)]
        return self.within(scope, joint.name())

    def within(self, models, name):
        return "__".join(fit(part) for part in [*(models if self.is_world else models[1:]), name])


def quaternion(rotation):
    w = rotation.ToQuaternion()
    return [w.w(), w.x(), w.y(), w.z()]


def turn_of_link(plant, joint):
    """Orientation of the joint's frame in the axes of its child, as the model is written."""
    return joint.frame_on_child().GetFixedPoseInBodyFrame().rotation()


def coordinates(plant, names, context):
    """Of every joint: name, kind, positions, and rows of T by Drake's velocities."""
    found, n = [], plant.num_velocities()
    unit = np.eye(n)
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        kind, v = joint.type_name(), joint.velocity_start()
        if joint.num_velocities() == 0 or plant.IsAnchored(joint.child_body()):
            continue
        name = names.of_joint(joint)
        q = plant.GetPositions(context)[joint.position_start():joint.position_start() + joint.num_positions()]
        if kind in ("revolute", "prismatic", "continuous"):
            found.append((name, "one", [q[0]], unit[v:v + 1]))
        elif kind == "universal":
            found.extend((f"{name}_{k + 1}", "one", [q[k]], unit[v + k:v + k + 1]) for k in range(2))
        elif kind == "screw":
            lead = joint.screw_pitch() / (2 * np.pi)
            found.append((name, "one", [q[0]], unit[v:v + 1]))
            found.append((f"{name}_along", "one", [lead * q[0]], lead * unit[v:v + 1]))
        elif kind == "ball_rpy":
            r = turn_of_link(plant, joint)
            turn = r @ RollPitchYaw(q).ToRotationMatrix() @ r.inverse()
            found.append((name, "ball", quaternion(turn), r.matrix() @ unit[v:v + 3]))
        elif kind == "quaternion_floating":
            pose = plant.EvalBodyPoseInWorld(context, joint.child_body())
            rows = np.vstack([unit[v + 3:v + 6], unit[v:v + 3]])
            body = names.of(joint.child_body())
            found.append((f"{body}_free", "free", [*pose.translation(), *quaternion(pose.rotation())], rows))
        else:
            raise ValueError(f"a {kind} joint is not compared")
    return found


def moving(plant):
    """Bodies that something can move."""
    bodies = [plant.get_body(BodyIndex(i)) for i in range(plant.num_bodies())]
    return [body for body in bodies if not plant.IsAnchored(body)]


def random_state(plant, rng):
    """A context in a state of moderate size."""
    context = plant.CreateDefaultContext()
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        q = plant.GetPositions(context)
        at = joint.position_start()
        if joint.type_name() == "quaternion_floating":
            turn = rng.normal(size=4)
            q[at:at + 4] = turn / np.linalg.norm(turn)
            q[at + 4:at + 7] += rng.uniform(-0.4, 0.4, 3)
        else:
            q[at:at + joint.num_positions()] += rng.uniform(-0.4, 0.4, joint.num_positions())
        plant.SetPositions(context, q)
    plant.SetVelocities(context, rng.uniform(-1, 1, plant.num_velocities()))
    return context


def terms(plant, names, context):
    """State in Vinci's coordinates, T, and in Drake's: M, bias forces; places of bodies."""
    found = coordinates(plant, names, context)
    v = plant.GetVelocities(context)
    bodies = [(names.of(body), body) for body in moving(plant)]
    poses = [(name, body, plant.EvalBodyPoseInWorld(context, body)) for name, body in bodies]
    return {
        "q": {name: list(map(float, q)) for name, _, q, _ in found},
        "v": {name: (rows @ v).tolist() for name, _, _, rows in found},
        "T": {name: rows.tolist() for name, _, _, rows in found},
        "M": plant.CalcMassMatrix(context).tolist(),
        "bias": (plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)).tolist(),
        "centres": {name: (pose @ body.CalcCenterOfMassInBodyFrame(context)).tolist() for name, body, pose in poses},
        "rotations": {name: pose.rotation().matrix().flatten().tolist() for name, body, pose in poses},
    }


def description(plant, names):
    """Masses and moments of what moves, about the centres of mass in the axes of the bodies, and limits of joints."""
    context = plant.CreateDefaultContext()
    told = {"masses": {}, "inertias": {}, "limits": {}, "resistance": {}}
    for body in moving(plant):
        own = body.CalcSpatialInertiaInBodyFrame(context)
        name = names.of(body)
        told["masses"][name] = own.get_mass()
        told["inertias"][name] = own.Shift(own.get_com()).CalcRotationalInertia().CopyToFullMatrix3().tolist()
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.type_name() in ("revolute", "prismatic") and not plant.IsAnchored(joint.child_body()):
            ends = [joint.position_lower_limit(), joint.position_upper_limit()]
            told["limits"][names.of_joint(joint)] = [float(x) if np.isfinite(x) else None for x in ends]
            told["resistance"][names.of_joint(joint)] = float(joint.default_damping())
    return told


def models(directory):
    return sorted(Path(directory).glob("*.sdf"))
