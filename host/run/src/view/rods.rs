//! Lines that show what has no shape: springs, and links of trees.

use nalgebra::Vector3;
use vinci_core::model::{Anchor, MotionSource, System, TreePart};
use vinci_core::tree::JointKind;

/// Shortest line of a link, m: ends that differ by rounding are one point.
const SHORTEST: f64 = 1e-9;

/// Ends of lines: every spring, and every link without a shape from its joint to the joints and pins that it carries, or to its centre of
/// mass where it carries none.
pub fn rods(system: &System) -> Vec<[Anchor; 2]> {
    let mut bare = vec![true; system.bodies.len()];
    system.shapes.iter().for_each(|shape| bare[shape.body as usize] = false);
    let mut ends: Vec<End<'_>> = joints(system).chain(pins(system)).collect();
    let mut carries = vec![false; bare.len()];
    ends.iter().for_each(|(part, link, _)| carries[part.bodies[*link] as usize] = true);
    let links = || system.trees.iter().flat_map(|part| (0..part.bodies.len()).map(move |link| (part, link)));
    let is = |of: &[bool], (part, link): (&TreePart, usize)| of[part.bodies[link] as usize];
    let last = links().filter(|one| !is(&carries, *one));
    ends.extend(last.map(|(part, link)| (part, link, Vector3::zeros())));
    let own = ends.into_iter().filter(|(part, link, _)| is(&bare, (part, *link))).filter_map(of_link);
    let springs = system.springs.iter().map(|spring| [spring.a, spring.b]);
    let hanging = links().filter_map(|(part, link)| from_parent(part, link, &bare));
    springs.chain(own).chain(hanging).collect()
}

/// A link and a point of it, in the frame of its body.
type End<'s> = (&'s TreePart, usize, Vector3<f64>);

/// The line from a link's joint to a point of it.
fn of_link((part, link, end): End<'_>) -> Option<[Anchor; 2]> {
    let own = of(part, link, Vector3::zeros());
    let line = [own, end].map(|point| Anchor::Body(part.bodies[link], point));
    ((end - own).norm() > SHORTEST).then_some(line)
}

/// Joints on the links that carry them.
fn joints(system: &System) -> impl Iterator<Item = End<'_>> {
    let all = system.trees.iter().flat_map(|part| part.tree.joints().iter().map(move |joint| (part, joint)));
    all.filter_map(|(part, joint)| {
        let link = joint.parent?;
        Some((part, link, of(part, link, joint.frame.translation.vector)))
    })
}

/// A point of a link's frame in that of its body, which stands at the centre of mass.
fn of(part: &TreePart, link: usize, point: Vector3<f64>) -> Vector3<f64> {
    point - part.tree.links()[link].com
}

/// Points of links that are pinned to others, in the frames of their bodies.
fn pins(system: &System) -> impl Iterator<Item = End<'_>> {
    let of_link = |end| match end {
        Anchor::Body(body, point) => match system.motion_source(body) {
            MotionSource::Link { tree, link } => Some((&system.trees[tree as usize], link as usize, point)),
            _ => None,
        },
        Anchor::World(_) => None,
    };
    system.joints.iter().flat_map(|joint| [joint.a, joint.b]).filter_map(of_link)
}

/// Line over which a link slides from its joint on the parent. One that has shapes hangs so at a parent that is lines.
fn from_parent(part: &TreePart, link: usize, bare: &[bool]) -> Option<[Anchor; 2]> {
    let joint = &part.tree.joints()[link];
    let parent = joint.parent?;
    let is_bare = |link: usize| bare[part.bodies[link] as usize];
    let slides = joint.kind.n_translations() > 0 && joint.kind != JointKind::Free;
    let to = match is_bare(link) {
        true => slides.then(|| of(part, link, Vector3::zeros()))?,
        false => is_bare(parent).then(Vector3::zeros)?,
    };
    let from = of(part, parent, joint.frame.translation.vector);
    Some([Anchor::Body(part.bodies[parent], from), Anchor::Body(part.bodies[link], to)])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use vinci_scene::{compile, load_experiment};

    use super::*;

    /// Ends of all lines of a scene that ships at its start, x and z.
    fn ends(name: &str) -> Vec<[[f64; 2]; 2]> {
        let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
        let loaded = load_experiment(&scenes.join(name), &[]).unwrap();
        let (system, _) = compile(&loaded.scene, &loaded.scene_node).unwrap();
        let frames = system.placed(&system.initial_q());
        let at = |end: Anchor| match end {
            Anchor::Body(body, point) => frames.point(body, &point),
            Anchor::World(point) => point,
        };
        rods(&system).into_iter().map(|ends| ends.map(at).map(|p| [p.x, p.z])).collect()
    }

    /// A four-bar linkage was one rod from centre of mass to centre of mass; crank and rocker had none.
    #[test]
    fn links_without_shapes_are_drawn_from_joint_to_joint() {
        let found = ends("pendulum-4bar.json");
        let corner = |angle: f64, length: f64| [length * angle.sin(), -length * angle.cos()];
        let pin = [0.45 + corner(0.754_014_357_424_832_5, 0.4)[0], corner(0.754_014_357_424_832_5, 0.4)[1]];
        let elbow = corner(0.9, 0.3);
        let wanted = [[[0.0, 0.0], elbow], [elbow, pin], [[0.45, 0.0], pin]];
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        let far = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        for line in wanted {
            let is_drawn = found.iter().any(|own| far(own[0], line[0]).max(far(own[1], line[1])) < 1e-6);
            assert!(is_drawn, "{line:?} in {found:?}");
        }
    }

    /// The first link of every arm had no line.
    #[test]
    fn an_arm_is_one_line_from_its_base_to_its_hand() {
        let found = ends("iiwa-pick.json");
        assert!((found[0][0][1] - 0.1575).abs() < 1e-9, "{found:?}");
        let apart = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        assert!(found.windows(2).take(5).all(|two| apart(two[0][1], two[1][0]) < 1e-9), "{found:?}");
    }
}
