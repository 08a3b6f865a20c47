//! Which parameters a scene uses: those that are not at their neutral value where they could have an effect.

use vinci_abi::parameters::{FRICTION, JOINT_FRICTION, JOINT_LIMITS};
use vinci_core::model::{DofRole, Pair, PairValues, System};

use super::Meeting;
use vinci_scene::{Loaded, Path};

/// A parameter that a scene uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    /// Its name in manifests.
    pub(super) parameter: &'static str,
    /// Values and where: "0.8 between `ball` and `floor`".
    pub(super) values: String,
    /// Where the scene gives it; none where that is a default.
    pub(super) path: Option<Path>,
}

/// The value of a parameter in a pair if it has an effect there: one that is not neutral, and for some only where the pair is
/// soft.
fn effect(value: f64, neutral: f64, soft_only: bool, pair: &Pair) -> Option<f64> {
    (value != neutral && (!soft_only || pair.stiffness.is_finite())).then_some(value)
}

/// Parameters that a scene uses, in the order of the vocabulary.
pub(super) fn of_scene(loaded: &Loaded, system: &System, met: &[Meeting]) -> Vec<Use> {
    let mut list = Vec::new();
    let told = PairValues::NAMES.zip(PairValues::UNITS).zip(Pair::NEUTRAL.zip(PairValues::SOFT));
    for (k, ((parameter, unit), (neutral, soft))) in told.list().into_iter().enumerate() {
        let value = |m: &Meeting| effect(m.pair.list()[k], neutral, soft, &m.pair);
        let used: Vec<(f64, &Meeting)> = met.iter().filter_map(|m| Some((value(m)?, m))).collect();
        // Of equal values the first stands for them.
        let largest = used.iter().copied().reduce(|a, b| if b.0 > a.0 { b } else { a });
        if let Some((most, meeting)) = largest {
            let least = used.iter().fold(most, |m, u| m.min(u.0));
            let per_cell = meeting.patch && matches!(parameter, "stiffness" | "damping");
            let unit = format!("{unit}{}", if per_cell { " a cell of the patch" } else { "" });
            let between = meeting.between(system);
            let values = match least < most {
                true => format!("{least}{unit} to {most}{unit}, the most between {between}"),
                false => format!("{most}{unit} between {between}"),
            };
            list.push(Use { parameter, values, path: written(loaded, system, parameter, meeting) });
        } else if parameter == FRICTION {
            list.extend(at_supports(system));
        }
    }
    list.extend(joint_friction(system));
    list.extend(joint_limits(system));
    list
}

/// Friction of support points, where no contact has any.
fn at_supports(system: &System) -> Option<Use> {
    let point = system.supports.iter().find(|s| s.friction * s.load > 0.0)?;
    let (mu, body) = (point.friction, &system.bodies[point.body as usize].name);
    Some(Use { parameter: FRICTION, values: format!("{mu} under `{body}`"), path: None })
}

fn joint_friction(system: &System) -> Option<Use> {
    let joints = system.trees.iter().flat_map(|t| t.tree.joints().iter().map(move |j| (t, j)));
    let rubbing = joints.filter(|(_, j)| j.friction > 0.0 && j.kind.nv() > 0);
    let (tree, joint) = rubbing.reduce(|a, b| if b.1.friction > a.1.friction { b } else { a })?;
    let unit = if joint.kind.n_translations() == joint.kind.nv() { "N" } else { "N m" };
    let values = format!("{} {unit} at `{}.{}`", joint.friction, tree.tree.name(), joint.name);
    Some(Use { parameter: JOINT_FRICTION, values, path: None })
}

fn joint_limits(system: &System) -> Option<Use> {
    let limited = |tree: &vinci_core::model::TreePart| {
        let moves = |dof: &usize| tree.role[*dof] != DofRole::Prescribed;
        (0..tree.tree.nv()).filter(moves).find_map(|dof| {
            let joint = &tree.tree.joints()[tree.tree.joint_of_v(dof)];
            let limits = joint.limits?;
            Some(format!("{} to {} at `{}.{}`", limits.lower, limits.upper, tree.tree.name(), joint.name))
        })
    };
    let values = system.trees.iter().find_map(limited)?;
    Some(Use { parameter: JOINT_LIMITS, values, path: None })
}

/// Where a scene gives a parameter of a meeting: in the patch or the pair of its bodies, in the pair of its materials, or in one of the
/// materials.
fn written(loaded: &Loaded, system: &System, parameter: &str, meeting: &Meeting) -> Option<Path> {
    let body = |k: usize| system.bodies[meeting.bodies[k] as usize].name.as_str();
    let material = |k: usize| {
        let shape = &system.shapes[meeting.shapes[k] as usize];
        system.materials.materials[shape.material as usize].name.as_str()
    };
    let (bodies, materials) = ([body(0), body(1)], [material(0), material(1)]);
    let same = |given: &[String; 2], names: [&str; 2]| *given == names || *given == [names[1], names[0]];
    let pairs = loaded.scene.pairs.iter().enumerate();
    let fits = pairs.filter(|(_, p)| {
        p.bodies.as_ref().is_some_and(|given| same(given, bodies))
            || p.materials.as_ref().is_some_and(|given| same(given, materials))
    });
    let of_pairs = fits.map(|(i, _)| Path::root().join("pairs").join(i));
    let of_materials = materials.into_iter().map(|name| Path::root().join("materials").join(name));
    let given = |path: &Path| loaded.scene_node.find(path).is_some();
    let patches = loaded.scene.patches.iter().enumerate();
    let of_patches = patches
        .filter(|(_, patch)| same(&patch.bodies, bodies))
        .map(|(i, _)| Path::root().join("patches").join(i));
    of_patches.chain(of_pairs).chain(of_materials).map(|path| path.join(parameter)).find(given)
}
