"""Drake's discrete plants (TAMSI, SAP) on the three scenes. Everything inside a run is C++: one `AdvanceTo` from the first step to the last."""

import logging
import os
import xml.etree.ElementTree as xml

import numpy as np
from pydrake.geometry import (
    AddContactMaterial,
    Box,
    CollisionFilterDeclaration,
    Cylinder,
    GeometrySet,
    HalfSpace,
    ProximityProperties,
    RoleAssign,
    SceneGraph,
    Sphere,
)
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import ContactModel, CoulombFriction, DiscreteContactApproximation, MultibodyPlant
from pydrake.multibody.tree import PrismaticJoint, RotationalInertia, SpatialInertia, UnitInertia, default_model_instance
from pydrake.systems.analysis import Simulator
from pydrake.systems.controllers import PidController
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource, Multiplexer, Sine, TrajectorySource
from pydrake.trajectories import PiecewisePolynomial

import scenes
from measure import timed

# It says at every half-space that deformable bodies do not touch it; there are none.
logging.getLogger("drake").setLevel(logging.ERROR)

ENGINES = {"drake-tamsi": DiscreteContactApproximation.kTamsi, "drake-sap": DiscreteContactApproximation.kSap}


def settings(_engine):
    """What else belongs to the measurement."""
    return "point contact; default solver settings; pair stiffness and dissipation as the scene says"


class Case:
    """One scene under one engine: `run` for timing, `path` for physics."""

    def __init__(self, engine, name, scene, h, models):
        self.scene, self.name, self.h, self.steps = scene, name, h, scenes.steps(scene, h)
        self.builder = DiagramBuilder()
        self.plant = self.builder.AddSystem(MultibodyPlant(time_step=h))
        self.geometry = self.builder.AddSystem(SceneGraph())
        self.plant.RegisterAsSourceForSceneGraph(self.geometry)
        self.plant.SetUseSampledOutputPorts(False)  # the same states, faster
        self.plant.set_contact_model(ContactModel.kPoint)
        self.plant.set_discrete_contact_approximation(ENGINES[engine])
        self.plant.mutable_gravity_field().set_gravity_vector(scene["gravity"])
        self.builder.Connect(self.plant.get_geometry_pose_output_port(), self.geometry.get_source_pose_port(self.plant.get_source_id()))
        self.builder.Connect(self.geometry.get_query_output_port(), self.plant.get_geometry_query_input_port())
        self.start, self.columns = {"tamsi-box": box, "tamsi-gripper-mug": gripper, "tamsi-allegro-mug": hand}[name](self, scene, models)
        self.diagram = self.builder.Build()

    def finalize(self):
        self.plant.Finalize()
        self.plant.set_stiction_tolerance(self.scene["contact"]["v_s"])

    def simulator(self):
        """A simulator at t = 0 that has done everything but steps."""
        simulator = Simulator(self.diagram)
        self.start(self.plant.GetMyMutableContextFromRoot(simulator.get_mutable_context()))
        simulator.Initialize()
        return simulator

    def run(self):
        """(wall, CPU) seconds of all steps; the last update is at (steps - 1) h, so half a step more does it."""
        simulator, end = self.simulator(), (self.steps - 0.5) * self.h
        return timed(lambda: simulator.AdvanceTo(end))

    def path(self):
        """Columns of the state after every step."""
        simulator = self.simulator()
        context = self.plant.GetMyContextFromRoot(simulator.get_context())
        rows = [[0.0, *self.columns(context)]]
        for n in range(self.steps):
            simulator.AdvanceTo((n + 0.5) * self.h)
            rows.append([(n + 1) * self.h, *self.columns(context)])
        return dict(zip(["t", *scenes.columns(self.name, self.scene)], np.array(rows).T))


def material(stiffness, dissipation, relaxation_time, friction):
    """Surface of one geometry: stiffnesses act in series and relaxation times add up where two meet."""
    properties = ProximityProperties()
    AddContactMaterial(dissipation, stiffness, CoulombFriction(friction, friction), properties)
    properties.AddProperty("material", "relaxation_time", relaxation_time)
    return properties


def pair_material(contact):
    """Surface of both of two geometries whose pair shall have the numbers of `contact`."""
    return material(2 * contact["stiffness"], contact["hunt_crossley_dissipation"], contact["sap_relaxation_time"] / 2, contact["mu"])


def point_mass(mass):
    """Mass properties of a body that does not turn."""
    return SpatialInertia(mass, np.zeros(3), UnitInertia.SolidSphere(0.05))


def slider(plant, name, parent, child, axis):
    return plant.AddJoint(PrismaticJoint(name, parent.body_frame(), child.body_frame(), axis))


def pose_columns(plant, context, body):
    pose = plant.EvalBodyPoseInWorld(context, body)
    return [*pose.translation(), *pose.rotation().ToQuaternion().wxyz()]


def box(case, scene, _models):
    """Two sliders, x then z, the first of a body without mass; a sphere on a half-space."""
    plant, radius, mass = case.plant, scene["body"]["geometry"]["radius"], scene["body"]["mass"]
    carriage = plant.AddRigidBody("carriage", SpatialInertia.Zero())
    body = plant.AddRigidBody("box", point_mass(mass))
    x = slider(plant, "x", plant.world_body(), carriage, [1, 0, 0])
    z = slider(plant, "z", carriage, body, [0, 0, 1])
    surface = pair_material(scene["contact"])
    plant.RegisterCollisionGeometry(body, RigidTransform(), Sphere(radius), "box", surface)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", surface)
    plant.AddJointActuator("x", x)
    case.finalize()
    drive = scene["actuation"]
    force = case.builder.AddSystem(Sine(drive["amplitude"], 2 * np.pi * drive["frequency_hz"], np.pi / 2, 1))
    case.builder.Connect(force.get_output_port(0), plant.get_actuation_input_port())

    def start(context):
        z.set_translation(context, radius + mass * scene["gravity"][2] / scene["contact"]["stiffness"])

    def columns(context):
        return [x.get_translation(context), z.get_translation(context), x.get_translation_rate(context), z.get_translation_rate(context)]

    return start, columns


def gripper(case, scene, _models):
    """The gripper slides along z with the right pad on it, the left finger along x on the gripper, the mug is free."""
    plant, mug_data = case.plant, scene["bodies"]["mug"]
    masses = scenes.gripper_mass(scene)
    base, finger = (plant.AddRigidBody(name, point_mass(m)) for name, m in zip(("gripper", "left_finger"), masses))
    inertia = RotationalInertia(*mug_data["inertia_diag"])
    mug = plant.AddRigidBody("mug", SpatialInertia.MakeFromCentralInertia(mug_data["mass"], np.array(mug_data["com"]), inertia))
    z, x = slider(plant, "z", plant.world_body(), base, [0, 0, 1]), slider(plant, "x", base, finger, [1, 0, 0])
    surface = pair_material(scene["contact"])
    for body, side in ((base, 1), (finger, -1)):
        for k, centre in enumerate(scenes.pad(scene, side)):
            sphere = Sphere(scene["pads"]["sphere_radius"])
            plant.RegisterCollisionGeometry(body, RigidTransform(centre), sphere, f"{body.name()}-{k}", surface)
    shape = mug_data["geometry"]
    plant.RegisterCollisionGeometry(mug, RigidTransform(), Cylinder(shape["radius"], shape["length"]), "mug", surface)
    plant.AddJointActuator("z", z)
    plant.AddJointActuator("x", x)
    case.finalize()
    amplitude, omega, speed = scenes.gripper_drive(scene)
    grip = scene["actuation"]["grip_force_left_finger_x"]
    force = case.builder.AddSystem(Sine(np.array([amplitude, grip]), np.array([omega, 0.0]), np.array([0.0, np.pi / 2])))
    case.builder.Connect(force.get_output_port(0), plant.get_actuation_input_port())

    def start(context):
        z.set_translation(context, scene["initial"]["gripper_z"])
        z.set_translation_rate(context, speed)
        plant.SetVelocities(context, np.array([speed, 0, 0, 0, 0, 0, 0, speed]))

    def columns(context):
        return [z.get_translation(context), x.get_translation(context), *pose_columns(plant, context, mug)]

    return start, columns


def hand(case, scene, models):
    """The hand from its URDF, driven by a PD law in the loop; the mug of a cylinder and a box is free."""
    plant, contact = case.plant, scene["contact"]
    Parser(plant=plant).AddModelsFromString(shapes_only(os.path.join(models, scene["hand"]["model"])), "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(scene["hand"]["fixed_link"]))
    surfaces = {tip: material(contact["stiffness_tip" if tip else "stiffness_other"], contact["hunt_crossley_dissipation"],
                              scenes.ALLEGRO_RELAXATION_TIME / 2, contact["mu_tip"]) for tip in (True, False)}
    shapes = []
    for index in plant.GetBodyIndices(plant.GetModelInstanceByName("allegro_hand_right")):
        body = plant.get_body(index)
        for identity in plant.GetCollisionGeometriesForBody(body):
            surface = surfaces[scenes.is_tip(scene, body.name())]
            case.geometry.AssignRole(plant.get_source_id(), identity, surface, RoleAssign.kReplace)
            shapes.append(identity)
    within = CollisionFilterDeclaration().ExcludeWithin(GeometrySet(shapes))
    case.geometry.collision_filter_manager().Apply(within)
    mug = add_mug(plant, scene)
    joints = [plant.GetJointByName(name) for name in scene["open_loop"]["order"]]
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_mutable_joint_actuator(index)
        actuator.set_default_rotor_inertia(scene["hand"]["rotor_inertia"])
        actuator.set_default_gear_ratio(scene["hand"]["gear_ratio"])
    case.finalize()
    drive_hand(case, scene, joints)
    pose = scene["mug"]["initial_pose"]

    def start(context):
        for joint, angle in zip(joints, scene["open_loop"]["start"]):
            joint.set_angle(context, angle)
        plant.SetFreeBodyPose(context, mug, RigidTransform(RollPitchYaw(*pose["rpy"]), pose["position"]))

    def columns(context):
        return [*(joint.get_angle(context) for joint in joints), *pose_columns(plant, context, mug)]

    return start, columns


def shapes_only(path):
    """The URDF without what is only looked at (no mesh is read) and without joint friction, which Drake ignores with a warning."""
    root = xml.parse(path).getroot()
    for dynamics in root.iter("dynamics"):
        dynamics.attrib.pop("friction", None)
    for link in root.findall("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
    return xml.tostring(root, encoding="unicode")


def add_mug(plant, scene):
    data, contact = scene["mug"], scene["contact"]
    inertia = RotationalInertia(*data["inertia_diag"])
    mass = SpatialInertia.MakeFromCentralInertia(data["mass"], np.array(data["com"]), inertia)
    mug = plant.AddRigidBody("mug", default_model_instance(), mass)
    surface = material(contact["stiffness_other"], contact["hunt_crossley_dissipation"], scenes.ALLEGRO_RELAXATION_TIME / 2, contact["mu_mug"])
    wall, handle = data["cylinder"], data["handle_box"]
    plant.RegisterCollisionGeometry(mug, RigidTransform(wall["centre"]), Cylinder(wall["radius"], wall["length"]), "wall", surface)
    plant.RegisterCollisionGeometry(mug, RigidTransform(handle["centre"]), Box(*handle["size"]), "handle", surface)
    return mug


def drive_hand(case, scene, joints):
    """tau = kp (target - q) - kd v from the state at the start of the step, limited by the actuators' efforts."""
    plant, builder = case.plant, case.builder
    kp, kd = scenes.hand_gains(scene)
    indices = [joint.index() for joint in joints]
    ones = np.ones(len(joints))
    state, effort = plant.MakeStateSelectorMatrix(indices), plant.MakeActuatorSelectorMatrix(indices)
    pid = builder.AddSystem(PidController(state, effort, kp * ones, 0 * ones, kd * ones))
    breaks, values = scenes.hand_knots(scene)
    targets = PiecewisePolynomial.FirstOrderHold(breaks[:3], values[:3].T)
    rates = np.array([scenes.twist_target(scene, t)[1] for t in breaks[2:]])
    targets.ConcatenateInTime(PiecewisePolynomial.CubicHermite(breaks[2:], values[2:].T, rates.T))
    source = builder.AddSystem(TrajectorySource(targets))
    rest = builder.AddSystem(ConstantVectorSource(0 * ones))
    desired = builder.AddSystem(Multiplexer([len(joints), len(joints)]))
    builder.Connect(source.get_output_port(), desired.get_input_port(0))
    builder.Connect(rest.get_output_port(), desired.get_input_port(1))
    builder.Connect(desired.get_output_port(0), pid.get_input_port_desired_state())
    builder.Connect(plant.get_state_output_port(), pid.get_input_port_estimated_state())
    builder.Connect(pid.get_output_port_control(), plant.get_actuation_input_port())
