//! Times of what a step asks of a tree: frames and columns, bias, mass matrix, factorisation, solve, inverse dynamics.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use vinci_core::tree::{Factor, Joint, JointKind, Link, Tree, TreeState};

fn link(name: String, mass: f64, length: f64) -> Link {
    let thin = mass * length * length / 12.0;
    let inertia = Matrix3::new(thin, 1e-2 * thin, 0.0, 1e-2 * thin, thin, 0.0, 0.0, 0.0, 0.3 * thin);
    Link { name, mass, com: Vector3::new(0.01, -0.02, 0.5 * length), inertia }
}

fn revolute(name: String, parent: Option<usize>, at: Vector3<f64>, turned: f64, axis: Vector3<f64>) -> Joint {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), turned);
    let frame = Isometry3::from_parts(Translation3::from(at), rotation);
    Joint {
        frame,
        axis,
        rotor_inertia: 1e-4,
        gear_ratio: 10.0,
        ..Joint::new(name, JointKind::Revolute, parent)
    }
}

/// Seven revolute joints, each turned by ±90° against the one before.
fn arm() -> Tree {
    let (mut links, mut joints) = (vec![], vec![]);
    for i in 0..7_usize {
        let turned = [1.0, -1.0][i % 2] * std::f64::consts::FRAC_PI_2;
        let parent = i.checked_sub(1);
        links.push(link(format!("link-{i}"), 4.0 - 0.5 * i as f64, 0.3));
        joints.push(revolute(
            format!("joint-{i}"),
            parent,
            Vector3::new(0.0, 0.02, 0.25),
            turned,
            Vector3::z(),
        ));
    }
    Tree::new("arm", links, joints).expect("a tree")
}

/// Four fingers of four joints on a palm that is fixed to the world; every finger has a tip fixed to its last link.
fn hand() -> Tree {
    let palm = Joint::new("palm", JointKind::Fixed, None);
    let (mut links, mut joints) = (vec![link("palm".into(), 0.4, 0.1)], vec![palm]);
    for f in 0..4 {
        for i in 0..4 {
            let parent = if i == 0 { 0 } else { links.len() - 1 };
            let at =
                if i == 0 { Vector3::new(0.0, 0.045 * f as f64, 0.1) } else { Vector3::new(0.0, 0.0, 0.05) };
            let axis = if i == 0 { Vector3::z() } else { Vector3::y() };
            links.push(link(format!("finger-{f}-{i}"), 0.06, 0.05));
            joints.push(revolute(format!("joint-{f}-{i}"), Some(parent), at, 0.0, axis));
        }
        let parent = links.len() - 1;
        links.push(link(format!("tip-{f}"), 0.01, 0.02));
        let frame = Isometry3::translation(0.0, 0.0, 0.04);
        joints.push(Joint { frame, ..Joint::new(format!("tip-{f}"), JointKind::Fixed, Some(parent)) });
    }
    Tree::new("hand", links, joints).expect("a tree")
}

/// A tree with what it is asked for.
struct Case {
    tree: Tree,
    q: Vec<f64>,
    v: Vec<f64>,
    state: TreeState,
    factor: Factor,
    out: Vec<f64>,
    mass: Vec<f64>,
}

impl Case {
    fn new(tree: Tree) -> Self {
        let nv = tree.nv();
        let q: Vec<f64> = (0..nv).map(|i| 0.3 + (0.7 * i as f64).sin()).collect();
        let v: Vec<f64> = (0..nv).map(|i| (1.3 * i as f64).cos()).collect();
        let (state, factor) = (TreeState::default(), Factor::default());
        let mut case = Self { tree, q, v, state, factor, out: vec![0.0; nv], mass: vec![0.0; nv * nv] };
        assert!(case.step());
        case
    }

    /// All that a step asks for.
    fn step(&mut self) -> bool {
        self.state.update(&self.tree, black_box(&self.q));
        self.state.bias(&self.tree, black_box(&self.v), &mut self.out);
        self.state.mass(&self.tree, &mut self.mass);
        self.factor.factor(&self.tree, &self.mass)
    }
}

fn times(c: &mut Criterion, tree: Tree) {
    let mut case = Case::new(tree);
    let name = case.tree.name().to_string();
    c.bench_function(&format!("{name}: update, bias, mass, factor"), |b| b.iter(|| case.step()));
    let Case { tree, q, v, state, factor, out, mass } = &mut case;
    let g = Vector3::new(0.0, 0.0, -9.81);
    let mut time = |what: &str, run: &mut dyn FnMut()| {
        c.bench_function(&format!("{name}: {what}"), |b| b.iter(&mut *run));
    };
    time("update", &mut || state.update(tree, black_box(q)));
    time("velocity", &mut || state.set_velocity(tree, black_box(v)));
    time("bias", &mut || state.bias(tree, black_box(v), out));
    time("inverse dynamics", &mut || state.inverse_dynamics(tree, black_box(v), v, &g, out));
    time("gravity", &mut || state.gravity(tree, black_box(&g), out));
    time("mass", &mut || black_box(&*state).mass(tree, mass));
    time("factor", &mut || assert!(factor.factor(tree, black_box(mass))));
    time("solve", &mut || {
        out.copy_from_slice(black_box(v));
        factor.solve(tree, out);
    });
}

fn benches(c: &mut Criterion) {
    times(c, arm());
    times(c, hand());
}

criterion_group! {
    name = tree_benches;
    config = Criterion::default().sample_size(30).measurement_time(std::time::Duration::from_secs(1))
        .warm_up_time(std::time::Duration::from_millis(300));
    targets = benches
}
criterion_main!(tree_benches);
