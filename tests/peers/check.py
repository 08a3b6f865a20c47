"""Whether Drake and MuJoCo were given the same hand: mass matrix and links' places at random configurations, joints' data."""

import argparse

import mujoco
import numpy as np

import drake_peer
import measure
import mujoco_peer
import scenes


def hand(scene, models, rng):
    """Greatest differences: of the mass matrix (relative), of the fingertips' places (m), of joints' damping and limits."""
    name = "tamsi-allegro-mug"
    drake, other = (peer.Case(engine, name, scene, 1e-3, models) for peer, engine in ((drake_peer, "drake-tamsi"), (mujoco_peer, "mujoco")))
    plant, model, data = drake.plant, other.model, other.data
    context = plant.GetMyMutableContextFromRoot(drake.simulator().get_mutable_context())
    joints = [plant.GetJointByName(joint) for joint in scene["open_loop"]["order"]]
    rows = [joint.velocity_start() for joint in joints]
    columns = [model.joint(joint.name()).dofadr[0] for joint in joints]
    worst_mass, worst_place, full = 0.0, 0.0, np.empty((model.nv, model.nv))
    for _ in range(20):
        for joint in joints:
            angle = rng.uniform(joint.position_lower_limit(), joint.position_upper_limit())
            joint.set_angle(context, angle)
            data.qpos[model.joint(joint.name()).qposadr[0]] = angle
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, full)
        reflected = np.diag(np.full(16, scene["hand"]["rotor_inertia"] * scene["hand"]["gear_ratio"] ** 2))
        ours = plant.CalcMassMatrix(context)[np.ix_(rows, rows)]
        theirs = full[np.ix_(columns, columns)]
        # Without the rotors' reflected inertia, which would hide what the links contribute.
        scale = np.abs(theirs - reflected).max()
        worst_mass = max(worst_mass, np.abs(ours - theirs).max() / scale)
        for link in scene["fingertip_links"]:
            place = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(link)).translation()
            worst_place = max(worst_place, np.abs(place - data.body(link).xpos).max())
    return worst_mass, worst_place, joint_data(plant, model, scene["open_loop"]["order"])


def joint_data(plant, model, order):
    """Greatest difference of damping, limits and effort limits."""
    worst = 0.0
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        joint = actuator.joint()
        theirs = model.joint(joint.name())
        ours = [joint.default_damping(), joint.position_lower_limit(), joint.position_upper_limit(), actuator.effort_limit()]
        effort = model.actuator_forcerange[order.index(joint.name())][1]
        worst = max(worst, np.abs(np.array(ours) - [theirs.damping[0], *theirs.range, effort]).max())
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", default=measure.DATA["scenes"])
    parser.add_argument("--models", default=measure.DATA["models"])
    options = parser.parse_args()
    scene = scenes.load("tamsi-allegro-mug", options.scenes)
    mass, place, data = hand(scene, options.models, np.random.default_rng(1))
    print(f"hand: mass matrices differ by {mass:.2e} of the greatest element, links by {place:.2e} m, joints' data by {data:.2e}")
    if not (mass < 1e-9 and place < 1e-12 and data < 1e-12):
        raise SystemExit("the hands differ")


if __name__ == "__main__":
    main()
