//! Many bodies: the sweep misses nothing, and what came before has no say.

use crate::common::*;
use vinci_sdk::prelude::*;

fn crowd(rng: &mut Rng, n: usize) -> World {
    let mut w = World::default();
    for i in 0..n {
        let (a, b) = (rng.within(0.05, 0.3), rng.within(0.05, 0.3));
        let shape = match i % 5 {
            0 => disc(a),
            1 => capsule(a, b),
            2 => rect(a, b),
            3 => polygon(&rng.star().iter().map(|p| [0.4 * p[0], 0.4 * p[1]]).collect::<Vec<_>>()),
            _ => segment([-a, 0.0], [b, 0.1]),
        };
        w.one(&format!("b{i}"), shape);
        if i % 7 == 0 {
            w.fixed();
        }
    }
    w.one("ground", half_plane()).fixed().one("wall", half_plane()).fixed();
    w.ignored = (0..n as u32 - 3).step_by(3).flat_map(|i| [i, i + 1, i, i + 3]).collect();
    w
}

fn poses(rng: &mut Rng, n: usize, span: f64) -> Vec<[f64; 3]> {
    let mut pose: Vec<_> = (0..n).map(|_| rng.pose(span)).collect();
    pose.push([0.0, -span + 0.3, 0.05]);
    pose.push([span - 0.2, 0.0, 1.6]);
    pose
}

#[test]
fn the_sweep_finds_what_every_pair_alone_finds() {
    let mut rng = Rng(21);
    let (n, margin) = (60, 0.05);
    let w = crowd(&mut rng, n);
    let pose = poses(&mut rng, n, 1.5);
    let mut expected = Vec::new();
    for a in 0..w.names.len() {
        for b in a + 1..w.names.len() {
            let both_fixed = w.is_static[a] != 0 && w.is_static[b] != 0;
            let ignored = w.ignored.chunks_exact(2).any(|p| p == [a as u32, b as u32]);
            if both_fixed || ignored {
                continue;
            }
            let mut two = World::default();
            for i in [a, b] {
                let (kind, _, _, params) = w.shapes[i].clone();
                two.one(&w.names[i], (kind, params));
            }
            for mut c in two.at(&[pose[a], pose[b]], margin) {
                (c.key.shape_a, c.key.shape_b) = (a as u32, b as u32);
                expected.push(c);
            }
        }
    }
    assert!(expected.len() > 100, "{}", expected.len());
    assert_eq!(w.at(&pose, margin), expected);
}

#[test]
fn history_has_no_say() {
    let mut rng = Rng(22);
    let n = 200;
    let w = crowd(&mut rng, n);
    let mut old = w.create("{}").unwrap();
    for step in 0..30 {
        // The crowd is wide, then tall, then scattered: both axes and all orders come by.
        let mut pose = poses(&mut rng, n, 3.0);
        for p in &mut pose[..n] {
            p[step % 2] *= 0.1;
        }
        let (x, y) = (detect(&mut old, &pose, 0.02), w.at(&pose, 0.02));
        assert_eq!(x, y, "step {step}");
        let again = detect(&mut old, &pose, 0.02);
        assert_eq!(again, y);
        // To the bit, signs of zeros included.
        for (a, b) in again.iter().zip(&y) {
            let bits =
                |c: &Contact| [c.gap, c.n[0], c.n[1], c.a[0], c.a[1], c.b[0], c.b[1]].map(f64::to_bits);
            assert_eq!(bits(a), bits(b));
        }
    }
}

#[test]
fn margins_of_both_bodies_add_up() {
    let w = pair(disc(1.0), disc(1.0));
    let mut d = w.create("{}").unwrap();
    let pose = [0.0, 0.0, 0.0, 2.3, 0.0, 0.0];
    let mut count =
        |margin: [f64; 2]| d.detect(&DetectQuery { t: 0.0, pose: &pose, margin: &margin }).unwrap().len();
    assert_eq!(
        [count([0.3001, 0.0]), count([0.0, 0.3001]), count([0.2, 0.1001]), count([0.2, 0.0999])],
        [1, 1, 1, 0]
    );
}

#[test]
fn a_static_body_that_is_moved_all_the_same_is_followed() {
    let mut w = pair(disc(1.0), disc(1.0));
    w.fixed();
    let mut d = w.create("{}").unwrap();
    assert_eq!(detect(&mut d, &[NO_POSE, [3.0, 0.0, 0.0]], 0.0).len(), 0);
    assert_eq!(detect(&mut d, &[NO_POSE, [1.5, 0.0, 0.0]], 0.0)[0].gap, -0.5);
}
