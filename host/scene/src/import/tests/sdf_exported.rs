//! Scenes given away as SDF, and read again.

use super::recorded::same;
use super::*;
use crate::export::{Exported, Subject, sdf};
use vinci_core::tree::{JointKind, TreeState};

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes")
}

fn exported(path: &Path) -> (System, Exported) {
    let loaded = load_scene(path).unwrap_or_else(|found| panic!("{found}"));
    let (system, drives) = compile(&loaded.scene, &loaded.node).unwrap_or_else(|found| panic!("{found}"));
    let subject = Subject {
        name: "s",
        system: &system,
        drives: &drives,
        controllers: loaded.scene.controllers.len(),
        step: 0.01,
    };
    let exported = sdf(subject);
    (system, exported)
}

/// The system of what was given away.
fn again(given: &Exported) -> (System, Model) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in given.files.iter().chain([&("m.sdf".to_owned(), given.text.clone())]) {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    let mut diagnostics = Diagnostics::new();
    let path = directory.path().join("m.sdf");
    let model = read_model(&path, None, &ModelOptions::default(), &mut diagnostics)
        .unwrap_or_else(|| panic!("{diagnostics}"));
    let out = directory.path().join("again.json");
    std::fs::write(&out, laid_out(&model.scene("m", false)).unwrap()).unwrap();
    (system(&out).1, model)
}

/// Links by the names that they have after the way through SDF, with mass, inertia, place of the centre and axes where the
/// coordinates are as given.
fn links(
    system: &System,
    prefix: bool,
    at: impl Fn(&vinci_core::model::TreePart) -> Vec<f64>,
) -> Vec<(String, [Vec<f64>; 4])> {
    let mut all = Vec::new();
    for part in &system.trees {
        let mut state = TreeState::default();
        state.update(&part.tree, &at(part));
        for (i, link) in part.tree.links().iter().enumerate().filter(|(_, l)| l.mass > 0.0) {
            let name =
                if prefix { format!("{}__{}", part.tree.name(), link.name) } else { link.name.clone() };
            let r = state.rotation(i).to_rotation_matrix();
            let turned = r.matrix() * link.inertia * r.matrix().transpose();
            let told = [
                vec![link.mass],
                turned.as_slice().to_vec(),
                state.centre(&part.tree, i).as_slice().to_vec(),
                r.matrix().as_slice().to_vec(),
            ];
            all.push((name, told));
        }
    }
    all
}

/// Coordinates at which models of SDF are written: 0 but for what is free.
fn as_written(part: &vinci_core::model::TreePart) -> Vec<f64> {
    let mut q = part.q.clone();
    for (i, joint) in part.tree.joints().iter().enumerate().filter(|(_, j)| j.kind != JointKind::Free) {
        let range = part.tree.q_range(i);
        q[range.clone()].fill(0.0);
        if joint.kind == JointKind::Ball {
            q[range.start] = 1.0;
        }
    }
    q
}

/// Scenes of every kind that ship: robots, bodies that are free, hulls, meshes, couplers.
const SHIPPED: [&str; 8] = [
    "tamsi-gripper-mug.scene.json",
    "tamsi-allegro-mug.scene.json",
    "iiwa-pick.scene.json",
    "block-stack-10.scene.json",
    "sphere-pile-50.scene.json",
    "tamsi-box.scene.json",
    "needle-peg.scene.json",
    "jammed-fingers.scene.json",
];

#[test]
fn shipped_scenes_come_back_with_their_masses_and_frames() {
    let (mut met, mut bodies) = (0, 0);
    for name in SHIPPED {
        let path = scenes().join(name);
        let (there, given) = exported(&path);
        let (back, model) = again(&given);
        let theirs = links(&back, false, as_written);
        for (link, told) in links(&there, true, as_written) {
            let standing = model.extras.standing.iter().any(|s| s.name == link);
            let Some((_, found)) = theirs.iter().find(|(n, _)| *n == link) else {
                // What is fixed to the world has become a body that stands.
                assert!(
                    standing || there.trees.iter().any(|t| link.starts_with(t.tree.name())),
                    "{name}: {link}"
                );
                continue;
            };
            for (what, (a, b)) in ["mass", "inertia", "centre", "axes"].iter().zip(found.iter().zip(&told)) {
                same(a, b, &format!("{name}: {what} of {link}"));
            }
            met += 1;
        }
        for body in there.bodies.iter().filter(|b| b.mass.mass > 0.0 && !b.is_static && b.role.len() == 6) {
            let link = format!("{}__link", body.name);
            if let Some((_, [mass, ..])) = theirs.iter().find(|(n, _)| *n == link) {
                same(mass, &[body.mass.mass], &link);
                bodies += 1;
            }
        }
    }
    assert!(met > 30 && bodies > 50, "{met} links, {bodies} bodies");
}

/// The models of the tests, imported, given away and imported again: masses, M and bias forces are the same, joint by joint.
#[test]
fn models_come_back_as_they_were() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/sdf");
    let directory = tempfile::tempdir().unwrap();
    for name in ["joints", "frames", "world", "followers", "shapes", "axes_1_4"] {
        let scene = imported(&data.join(format!("{name}.sdf")), directory.path(), false);
        let (there, given) = exported(&scene);
        let (back, _) = again(&given);
        let (a, b) = (&there.trees[0], &back.trees[0]);
        let joints = |part: &vinci_core::model::TreePart| {
            let moving = part.tree.joints().iter().filter(|j| j.kind.nv() > 0);
            moving.map(|j| (j.name.trim_start_matches("robot__").to_owned(), j.kind)).collect::<Vec<_>>()
        };
        assert_eq!(joints(a), joints(b), "{name}");
        same(b.q.as_slice(), a.q.as_slice(), &format!("{name}: start"));
        let (m, f) = (terms(&there), terms(&back));
        same(&f.0, &m.0, &format!("{name}: M"));
        same(&f.1, &m.1, &format!("{name}: bias"));
    }
}

fn terms(system: &System) -> (Vec<f64>, Vec<f64>) {
    let part = &system.trees[0];
    let (tree, n) = (&part.tree, part.tree.nv());
    let mut state = TreeState::default();
    state.update(tree, &part.q);
    let (mut mass, mut bias, v) = (vec![0.0; n * n], vec![0.0; n], vec![0.3; n]);
    state.mass(tree, &mut mass);
    state.bias(tree, &v, &mut bias);
    (mass, bias)
}

#[test]
fn what_sdf_does_not_say_is_listed() {
    let (_, given) = exported(&scenes().join("tamsi-gripper-mug.scene.json"));
    for what in ["drives: what they command", "stiffness and dissipation", "velocities at the start"] {
        assert!(given.unsaid.iter().any(|said| said.contains(what)), "{what}: {:?}", given.unsaid);
    }
}

/// Drake lets everything fall in the exported world of a scene without weight, and nothing was said of it.
#[test]
fn gravity_that_drake_does_not_read_is_told() {
    let text = |scene: &str, gravity: &str, weightless: bool| {
        format!(
            r#"{{ "format": "vinci/scene@1", "space": "{scene}", "gravity": {gravity},
                "bodies": [{{ "name": "ball", "mass": 1, "inertia": {}, "gravity": {} }}] }}"#,
            if scene == "planar" { "1" } else { "[1, 1, 1]" },
            !weightless
        )
    };
    let told = |text: String| {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("s.scene.json");
        std::fs::write(&file, text).unwrap();
        exported(&file).1.unsaid.into_iter().filter(|what| what.starts_with("to Drake")).collect::<Vec<_>>()
    };
    assert!(told(text("spatial", "[0, 0, -9.81]", false)).is_empty());
    let none = told(text("spatial", "[0, 0, 0]", true));
    assert!(none.len() == 1 && none[0].contains("set (0 0 0) there"), "{none:?}");
    let light = told(text("spatial", "[0, 0, -9.81]", true));
    assert!(light.len() == 1 && light[0].contains("1 bodies and links have no weight"), "{light:?}");
    assert!(told(text("planar", "[0, -9.81]", false))[0].contains("set (0 -9.81 0) there"));
}
