//! Tests of detectors: gaps, normals and sides by closed forms; identity; degenerate input.

mod scene;

use std::collections::BTreeSet;

use vinci_core::contact::ContactKey;
use vinci_core::error::ErrorKind;
use vinci_core::model::{ShapeKind, Space};
use vinci_core::stage::{DetectQuery, Detector};

use crate::repeated::repeated;
use crate::subject::{Stop, Subject, ensure};
use crate::threads::threads;
use scene::{MARGIN, OrderedContact, Scene, no_two_alike};

type Run = fn(&Subject) -> Result<String, Stop>;

pub(crate) const TESTS: &[(&str, Run)] = &[
    ("round-on-ground", round_on_ground),
    ("round-pair", round_pair),
    ("corners-on-ground", corners_on_ground),
    ("sides", sides),
    ("active-distance", active_distance),
    ("unwanted-pairs", unwanted_pairs),
    ("some-apart", some_apart),
    ("empty-scene", empty_scene),
    ("deterministic", deterministic),
    ("stable-identity", stable_identity),
    ("threads", on_threads),
    ("sizes", sizes),
    ("repeated-calls", repeated_calls),
    ("coincident", coincident),
    ("bad-queries", bad_queries),
    ("unknown-shape", unknown_shape),
    ("bad-shapes", bad_shapes),
];

/// Round shape, shape with corners, ground of a space.
fn kinds(space: Space) -> [ShapeKind; 3] {
    match space {
        Space::Planar => [ShapeKind::Disc, ShapeKind::Polygon, ShapeKind::HalfPlane],
        Space::Spatial => [ShapeKind::Ball, ShapeKind::Box, ShapeKind::HalfSpace],
    }
}

/// The spaces in which the detector knows all these kinds (by their place in [`kinds`]).
fn spaces(subject: &Subject, needed: &[usize]) -> Result<Vec<Space>, Stop> {
    let knows = |space: &Space| {
        subject.manifest.works_in(*space)
            && needed.iter().all(|&k| subject.manifest.knows_shape(kinds(*space)[k]))
    };
    let found: Vec<Space> = [Space::Planar, Space::Spatial].into_iter().filter(knows).collect();
    if found.is_empty() {
        let name = |&k: &usize| format!("{:?}/{:?}", kinds(Space::Planar)[k], kinds(Space::Spatial)[k]);
        let names: Vec<_> = needed.iter().map(name).collect();
        return Err(Stop::Skipped(format!("does not know {}", names.join(" and "))));
    }
    Ok(found)
}

/// Ground and a round body of radius 0.5 at height `height` over it, the ground turned by `slope`.
fn round_over_ground(space: Space, height: f64, slope: f64) -> (Scene, [f64; 3]) {
    let [round, _, ground] = kinds(space);
    let scene = Scene::new(space).body(ground, &[], [0.2, 0.1, 0.3], slope);
    // Planar: turned about z, up goes from +y towards −x. Spatial: about y, from +z towards +x.
    let normal = match space {
        Space::Planar => [-slope.sin(), slope.cos(), 0.0],
        Space::Spatial => [slope.sin(), 0.0, slope.cos()],
    };
    let base = if space == Space::Planar { [0.2, 0.1, 0.0] } else { [0.2, 0.1, 0.3] };
    let centre = std::array::from_fn(|k| base[k] + height * normal[k]);
    (scene.body(round, &[0.5], centre, 0.7), normal)
}

fn near(what: &str, found: &[f64], expected: &[f64]) -> Result<(), Stop> {
    let close = found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-9);
    ensure!(close, "{what} is {found:?}, expected {expected:?}");
    Ok(())
}

fn only(found: &[OrderedContact]) -> Result<&OrderedContact, Stop> {
    ensure!(found.len() == 1, "{} contacts where there is one", found.len());
    ensure!(found[0].shapes == [0, 1], "shapes {:?} where there are 0 and 1", found[0].shapes);
    Ok(&found[0])
}

fn round_on_ground(subject: &Subject) -> Result<String, Stop> {
    for space in spaces(subject, &[0, 2])? {
        for slope in [0.0, 0.5, -0.3] {
            for gap in [0.03, 0.0, -1e-6, -0.02, -0.3] {
                let (scene, normal) = round_over_ground(space, 0.5 + gap, slope);
                let found = scene.detect(&mut scene.detector(subject)?)?;
                let contact = only(&found)?;
                let place = format!("{} scene, slope {slope}, gap {gap}", space.name());
                near(&format!("{place}: the gap"), &[contact.gap], &[gap])?;
                near(&format!("{place}: the normal"), &contact.normal, &normal)?;
            }
        }
    }
    Ok(String::new())
}

fn round_pair(subject: &Subject) -> Result<String, Stop> {
    for space in spaces(subject, &[0])? {
        let round = kinds(space)[0];
        for angle in [0.0_f64, 1.0, 2.5, -2.0] {
            for gap in [0.05, 0.0, -0.01, -0.4] {
                let normal = match space {
                    Space::Planar => [angle.cos(), angle.sin(), 0.0],
                    Space::Spatial => [angle.cos() * 0.6, angle.sin() * 0.6, 0.8],
                };
                let a = if space == Space::Planar { [3.0, -2.0, 0.0] } else { [3.0, -2.0, 1.0] };
                let b = std::array::from_fn(|k| a[k] + normal[k] * (0.75 + gap));
                let scene = Scene::new(space).body(round, &[0.5], a, 0.0).body(round, &[0.25], b, 1.0);
                let found = scene.detect(&mut scene.detector(subject)?)?;
                let contact = only(&found)?;
                near("the gap", &[contact.gap], &[gap])?;
                near("the normal", &contact.normal, &normal)?;
                let on_a: [f64; 3] = std::array::from_fn(|k| a[k] + 0.5 * normal[k]);
                near("the point on A", &contact.points[0], &on_a)?;
            }
        }
    }
    Ok(String::new())
}

/// A body with corners (±0.4, ±0.3 in height) flat over the ground, and tilted.
fn over_ground(space: Space, height: f64, tilt: f64) -> Scene {
    let [_, cornered, ground] = kinds(space);
    let (params, position): (&[f64], _) = match space {
        Space::Planar => (&[-0.4, -0.3, 0.4, -0.3, 0.4, 0.3, -0.4, 0.3], [1.0, height, 0.0]),
        Space::Spatial => (&[0.4, 0.5, 0.3], [1.0, 2.0, height]),
    };
    Scene::new(space).body(ground, &[], [0.0; 3], 0.0).body(cornered, params, position, tilt)
}

/// A scene of the ground and a body over it, and where the body is.
struct Lying {
    scene: Scene,
    place: [f64; 3],
}

/// In each space that the detector knows a body with corners `gap` over the ground, tilted; a round one where it knows no corners.
fn lying(subject: &Subject, gap: f64, tilt: f64) -> Result<Vec<Lying>, Stop> {
    let cornered = |space| Lying {
        scene: over_ground(space, 0.3 + gap, tilt),
        place: if space == Space::Planar { [1.0, 0.3 + gap, 0.0] } else { [1.0, 2.0, 0.3 + gap] },
    };
    let round = |space| Lying {
        scene: round_over_ground(space, 0.5 + gap, 0.0).0,
        place: if space == Space::Planar { [0.2, 0.6 + gap, 0.0] } else { [0.2, 0.1, 0.8 + gap] },
    };
    match spaces(subject, &[1, 2]) {
        Ok(found) => Ok(found.into_iter().map(cornered).collect()),
        Err(_) => Ok(spaces(subject, &[0, 2])?.into_iter().map(round).collect()),
    }
}

fn corners_on_ground(subject: &Subject) -> Result<String, Stop> {
    let mut remarks = Vec::new();
    for space in spaces(subject, &[1, 2])? {
        let needed = if space == Space::Planar { 2 } else { 3 };
        for gap in [0.04, 0.0, -0.01] {
            let scene = over_ground(space, 0.3 + gap, 0.0);
            let found = scene.detect(&mut scene.detector(subject)?)?;
            ensure!(found.len() >= needed, "{} contacts, too few to stand on", found.len());
            for contact in &found {
                near("the gap", &[contact.gap], &[gap])?;
                near("the normal", &[contact.normal[scene.up()]], &[1.0])?;
            }
            remarks.push(found.len().to_string());
        }
        // Tilted, one edge is lowest: height − 0.3 cos − 0.4 sin.
        let (height, tilt) = (0.5, 0.4_f64);
        let lowest = height - 0.3 * tilt.cos() - 0.4 * tilt.sin();
        let scene = over_ground(space, height, tilt);
        let found = scene.detect(&mut scene.detector(subject)?)?;
        let least = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        near("the lowest corner's gap", &[least], &[lowest])?;
    }
    Ok(format!("{} contacts", remarks.join(", ")))
}

/// Test that the order of two bodies in the system does not change what is found.
fn sides(subject: &Subject) -> Result<String, Stop> {
    for space in spaces(subject, &[0, 2])? {
        for gap in [0.02, -0.02] {
            let (scene, normal) = round_over_ground(space, 0.5 + gap, 0.2);
            let mut swapped = scene.clone();
            swapped.shapes.swap(0, 1);
            swapped.is_static.swap(0, 1);
            swapped.pose.rotate_left(space.nq());
            for (body, shape) in swapped.shapes.iter_mut().enumerate() {
                shape.body = body as u32;
            }
            let found = swapped.detect(&mut swapped.detector(subject)?)?;
            let contact = only(&found)?;
            near("the gap", &[contact.gap], &[gap])?;
            near("the normal, from the round body", &contact.normal, &normal.map(|x| -x))?;
        }
    }
    Ok(String::new())
}

fn active_distance(subject: &Subject) -> Result<String, Stop> {
    for space in spaces(subject, &[0, 2])? {
        for (gap, expected) in [(2.0 * MARGIN - 1e-6, 1), (2.0 * MARGIN + 1e-3, 0), (3.0, 0)] {
            let (scene, _) = round_over_ground(space, 0.5 + gap, 0.0);
            let found = scene.detect(&mut scene.detector(subject)?)?;
            ensure!(found.len() == expected, "{} contacts at gap {gap}, expected {expected}", found.len());
        }
    }
    Ok(String::new())
}

fn unwanted_pairs(subject: &Subject) -> Result<String, Stop> {
    for space in spaces(subject, &[0])? {
        let round = kinds(space)[0];
        let pair =
            Scene::new(space).body(round, &[0.5], [0.0; 3], 0.0).body(round, &[0.5], [0.9, 0.0, 0.0], 0.0);
        let ignored = Scene { ignored: vec![0, 1], ..pair.clone() };
        let still = Scene { is_static: vec![1, 1], ..pair.clone() };
        let mut one_body = pair.clone();
        one_body.shapes[1].body = 0;
        for (what, scene) in [("ignored", ignored), ("static", still), ("of one body", one_body)] {
            let found = scene.detect(&mut scene.detector(subject)?)?;
            ensure!(found.is_empty(), "a pair {what} is reported");
        }
    }
    Ok(String::new())
}

/// Round bodies side by side, of which only some reach the ground: each of those once, and the others not at all.
fn some_apart(subject: &Subject) -> Result<String, Stop> {
    for space in spaces(subject, &[0, 2])? {
        let [round, _, ground] = kinds(space);
        for on_ground in 0..16_u32 {
            let mut scene = Scene::new(space).body(ground, &[], [0.0; 3], 0.0);
            for k in 0..4 {
                let mut place = [2.0 * f64::from(k), 0.0, 0.0];
                place[scene.up()] = if on_ground >> k & 1 == 1 { 0.5 } else { 3.0 };
                scene = scene.body(round, &[0.5], place, 0.0);
            }
            let found = scene.detect(&mut scene.detector(subject)?)?;
            let mut seen: Vec<u32> = found.iter().map(|contact| contact.shapes[1]).collect();
            seen.sort_unstable();
            let wanted: Vec<u32> = (1..5).filter(|shape| on_ground >> (shape - 1) & 1 == 1).collect();
            ensure!(seen == wanted, "shapes {wanted:?} are on the ground, not {seen:?}");
        }
    }
    Ok("16 scenes of 4 bodies".into())
}

fn empty_scene(subject: &Subject) -> Result<String, Stop> {
    for space in [Space::Planar, Space::Spatial].into_iter().filter(|s| subject.manifest.works_in(*s)) {
        let scene = Scene::new(space);
        let found = scene.detect(&mut scene.detector(subject)?)?;
        ensure!(found.is_empty(), "contacts in an empty scene");
    }
    Ok(String::new())
}

/// Contacts as bits.
fn bits(detector: &mut vinci_abi::ForeignDetector, scene: &Scene) -> Result<Vec<u64>, Stop> {
    let margin = vec![MARGIN; scene.is_static.len()];
    let raw = detector.detect(&DetectQuery { t: 0.0, pose: &scene.pose, margin: &margin })?;
    let keys = raw.key.iter().flat_map(|k| [k.shape_a, k.shape_b, k.feature_a, k.feature_b]).map(u64::from);
    let numbers = [raw.gap, raw.normal, raw.point_a, raw.point_b].concat();
    Ok(keys.chain(numbers.into_iter().map(f64::to_bits)).collect())
}

fn deterministic(subject: &Subject) -> Result<String, Stop> {
    if !subject.manifest.deterministic {
        return Err(Stop::Skipped("the manifest says that it is not".into()));
    }
    for Lying { scene, .. } in lying(subject, 0.01, 0.05)? {
        let first = bits(&mut scene.detector(subject)?, &scene)?;
        let mut same = scene.detector(subject)?;
        for _ in 0..10 {
            ensure!(
                bits(&mut scene.detector(subject)?, &scene)? == first,
                "another instance gives other bits"
            );
            ensure!(bits(&mut same, &scene)? == first, "another call gives other bits");
        }
    }
    Ok("10 instances, 10 calls".into())
}

/// A round body through many heights over the ground.
fn on_threads(subject: &Subject) -> Result<String, Stop> {
    let spaces = spaces(subject, &[0, 2])?;
    threads(subject, |subject| {
        let mut all = Vec::new();
        for &space in &spaces {
            for k in 0..50 {
                let (scene, _) = round_over_ground(space, 0.45 + 0.002 * f64::from(k), 0.1);
                all.extend(bits(&mut scene.detector(subject)?, &scene)?);
            }
        }
        Ok(all)
    })
}

/// Round bodies in a row on the ground, apart from each other: one contact for each.
fn sizes(subject: &Subject) -> Result<String, Stop> {
    for space in spaces(subject, &[0, 2])? {
        let [round, _, ground] = kinds(space);
        for n in [0_u32, 1, 10_000] {
            let mut scene = Scene::new(space).body(ground, &[], [0.0; 3], 0.0);
            for k in 0..n {
                let mut place = [1.5 * f64::from(k), 0.0, 0.0];
                place[scene.up()] = 0.5;
                scene = scene.body(round, &[0.5], place, 0.0);
            }
            let margin = vec![MARGIN; scene.is_static.len()];
            let mut detector = scene.detector(subject)?;
            let raw = detector.detect(&DetectQuery { t: 0.0, pose: &scene.pose, margin: &margin })?;
            ensure!(raw.len() == n as usize, "{} contacts of {n} bodies on the ground", raw.len());
            no_two_alike(&raw)?;
        }
    }
    Ok("0, 1, 10000 bodies".into())
}

fn repeated_calls(subject: &Subject) -> Result<String, Stop> {
    let space = spaces(subject, &[0, 2])?[0];
    let (scene, _) = round_over_ground(space, 0.5, 0.1);
    let mut detector = scene.detector(subject)?;
    repeated(|| bits(&mut detector, &scene))
}

fn stable_identity(subject: &Subject) -> Result<String, Stop> {
    for Lying { mut scene, place: [x, y, z] } in lying(subject, 0.001, 0.0)? {
        let mut detector = scene.detector(subject)?;
        let mut first: Option<BTreeSet<ContactKey>> = None;
        for step in 0..50 {
            scene.place(1, [x + 0.01 * f64::from(step), y, z], 0.0);
            scene.detect(&mut detector)?;
            let margin = [MARGIN; 2];
            let raw = detector.detect(&DetectQuery { t: 0.0, pose: &scene.pose, margin: &margin })?;
            let keys: BTreeSet<ContactKey> = raw.key.iter().copied().collect();
            let same = first.get_or_insert_with(|| keys.clone()) == &keys;
            ensure!(same, "identities change while a body slides: {first:?} became {keys:?} at step {step}");
        }
    }
    Ok("50 steps".into())
}

/// Centres at one place: any unit normal will do, NaN will not.
fn coincident(subject: &Subject) -> Result<String, Stop> {
    for space in spaces(subject, &[0])? {
        let round = kinds(space)[0];
        let scene = Scene::new(space).body(round, &[0.5], [1.0; 3], 0.0).body(round, &[0.25], [1.0; 3], 0.0);
        let found = scene.detect(&mut scene.detector(subject)?)?;
        near("the gap", &[only(&found)?.gap], &[-0.75])?;
    }
    Ok(String::new())
}

fn bad_queries(subject: &Subject) -> Result<String, Stop> {
    for space in spaces(subject, &[0, 2])? {
        let (scene, _) = round_over_ground(space, 0.5, 0.0);
        let mut detector = scene.detector(subject)?;
        let mut nan = scene.pose.clone();
        nan[space.nq()] = f64::NAN;
        let queries = [
            ("no poses", &[][..], &[MARGIN; 2][..]),
            ("too few poses", &scene.pose[1..], &[MARGIN; 2]),
            ("no margins", &scene.pose, &[]),
            ("a pose of NaN", &nan, &[MARGIN; 2]),
        ];
        for (what, pose, margin) in queries {
            match detector.detect(&DetectQuery { t: 0.0, pose, margin }) {
                Ok(_) => return Err(Stop::Failed(format!("{what}: accepted"))),
                Err(error) => ensure!(!error.kind.is_fault(), "{what}: {error}"),
            }
        }
        only(&scene.detect(&mut detector)?)?;
    }
    Ok(String::new())
}

fn unknown_shape(subject: &Subject) -> Result<String, Stop> {
    let space = subject.space();
    let scene = Scene::new(space).body(kinds(space)[0], &[0.5], [0.0; 3], 0.0);
    let created = scene.with_system(|system| {
        let mut shapes = system.shapes.to_vec();
        shapes[0].kind = 4711;
        subject.detector(&vinci_core::model::SystemView { shapes: &shapes, ..*system }).map(|_| ())
    });
    match created {
        Err(error) if error.kind == ErrorKind::Unsupported => Ok(error.message),
        Err(error) => Err(error.into()),
        Ok(()) => Err(Stop::Failed("a shape of unknown kind is accepted".into())),
    }
}

/// Parameters that cannot be: refused, or at least survived.
fn bad_shapes(subject: &Subject) -> Result<String, Stop> {
    let mut refused = 0;
    for space in spaces(subject, &[0])? {
        for params in [&[][..], &[-1.0], &[0.0], &[f64::NAN], &[f64::INFINITY]] {
            let scene = Scene::new(space).body(kinds(space)[0], params, [0.0; 3], 0.0);
            match scene.with_system(|system| subject.detector(system)) {
                Ok(mut detector) => drop(scene.detect(&mut detector)?),
                Err(error) => {
                    ensure!(!error.kind.is_fault(), "radius {params:?}: {error}");
                    refused += 1;
                }
            }
        }
    }
    Ok(format!("{refused} refused"))
}
