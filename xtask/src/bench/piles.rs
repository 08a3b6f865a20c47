//! Piles of any size that are at rest as they are made: balls in square layers, each in the hollow of four below.

use serde_json::{Value, json};

/// Radius of a ball, m, and its mass at 1000 kg/m³.
const RADIUS: f64 = 0.05;
const MASS: f64 = 4e3 / 3.0 * std::f64::consts::PI * RADIUS * RADIUS * RADIUS;

/// Distance of layers, m: balls of one layer touch, and each touches the four below it.
const RISE: f64 = RADIUS * std::f64::consts::SQRT_2;

/// Distance of pyramids that stand apart, m.
const APART: f64 = 2.0;

/// A scene with its experiment.
pub(super) struct Pile {
    pub(super) name: String,
    pub(super) scene: Value,
    pub(super) balls: usize,
    /// Contacts that are closed: pairs of balls, and balls with floor and walls.
    pub(super) contacts: usize,
}

/// A box full of balls: layers of n × n and (n − 1) × (n − 1) in turn, n in all. The walls touch the larger layers.
pub(super) fn full_box(n: usize) -> Pile {
    let sides = (0..n).map(|k| n - k % 2).collect::<Vec<_>>();
    let walls = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]];
    let walls =
        walls.map(|normal| json!({"type": "half-space", "normal": normal, "offset": -(n as f64) * RADIUS}));
    let on_walls = sides.iter().filter(|&&side| side == n).map(|side| 4 * side).sum::<usize>();
    let balls = layers(&sides, [0.0, 0.0]);
    Pile {
        name: format!("layers-{}", balls.len()),
        contacts: touching(&sides) + on_walls,
        balls: balls.len(),
        scene: scene(0.5, &walls, &balls),
    }
}

/// Square pyramids with n × n balls at the ground, as many along each of two axes: they stand by friction, and do not touch each other.
pub(super) fn pyramids(n: usize, along: usize) -> Pile {
    let sides: Vec<usize> = (1..=n).rev().collect();
    let places = (0..along * along).map(|k| [k / along, k % along].map(|i| APART * i as f64));
    let balls: Vec<_> = places.flat_map(|place| layers(&sides, place)).collect();
    Pile {
        name: format!("pyramids-{}", along * along),
        contacts: along * along * touching(&sides),
        balls: balls.len(),
        scene: scene(0.8, &[], &balls),
    }
}

/// Centres of the balls of layers above a place, m, from below.
fn layers(sides: &[usize], [x, y]: [f64; 2]) -> Vec<[f64; 3]> {
    let offset = |i: usize, side: usize| RADIUS * (2.0 * i as f64 - (side - 1) as f64);
    let layer = |(k, &side): (usize, &usize)| {
        let z = RADIUS + RISE * k as f64;
        (0..side * side)
            .map(move |m| [x + offset(m / side, side), y + offset(m % side, side), z])
            .collect::<Vec<_>>()
    };
    sides.iter().enumerate().flat_map(layer).collect()
}

/// Contacts of the lowest layer with the floor, in layers, and between layers, where the smaller of two has four a ball.
fn touching(sides: &[usize]) -> usize {
    let within: usize = sides.iter().map(|side| 2 * side * (side - 1)).sum();
    let between: usize = sides.windows(2).map(|two| 4 * two[0].min(two[1]).pow(2)).sum();
    sides[0].pow(2) + within + between
}

fn scene(friction: f64, walls: &[Value], balls: &[[f64; 3]]) -> Value {
    let floor = json!({"type": "half-space"});
    let shapes: Vec<&Value> = std::iter::once(&floor).chain(walls).collect();
    let ball = |(k, position): (usize, &[f64; 3])| json!({"name": format!("ball{k}"), "mass": MASS, "shapes": [{"type": "ball", "radius": RADIUS}], "position": position});
    let mut bodies = vec![json!({"name": "box", "static": true, "shapes": shapes})];
    bodies.extend(balls.iter().enumerate().map(ball));
    json!({
        "format": "vinci/scene@1", "space": "spatial", "gravity": [0, 0, -9.81], "bodies": bodies,
        "materials": {"default": {"friction": friction, "restitution": 0.0}},
    })
}

/// A scene in which every body that moves has been given a speed of 1 mm/s, each in a direction of its own.
pub(super) fn kicked(mut scene: Value) -> Value {
    let mut state = 0_u64;
    let mut uniform = || {
        // Knuth's linear congruences: the upper bits are as good as this needs.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for body in scene["bodies"].as_array_mut().into_iter().flatten() {
        if body["static"] != true {
            let (z, turn) = (2.0 * uniform() - 1.0, std::f64::consts::TAU * uniform());
            let across = (1.0 - z * z).sqrt();
            body["velocity"] = json!([across * turn.cos(), across * turn.sin(), z].map(|x| 1e-3 * x));
        }
    }
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(pile: &Pile) -> Vec<[f64; 3]> {
        let bodies = pile.scene["bodies"].as_array().unwrap();
        let number = |of: &Value, k: usize| of["position"][k].as_f64().unwrap();
        bodies[1..].iter().map(|of| [0, 1, 2].map(|k| number(of, k))).collect()
    }

    /// Pairs that are closer than a radius above their contact, counted one by one.
    fn counted(pile: &Pile, wall: f64) -> usize {
        let places = places(pile);
        let far = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        let pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let gaps = pairs.map(|(i, j)| far(&places[i], &places[j]) - 2.0 * RADIUS).collect::<Vec<_>>();
        assert!(gaps.iter().all(|gap| *gap > -1e-12));
        let walls = places.iter().flat_map(|p| [p[2], wall - p[0], wall + p[0], wall - p[1], wall + p[1]]);
        gaps.iter().filter(|gap| **gap < 1e-9).count() + walls.filter(|d| (d - RADIUS).abs() < 1e-9).count()
    }

    #[test]
    fn contacts_of_piles_are_those_that_are_counted_one_by_one() {
        for n in [3, 4, 5] {
            let pile = full_box(n);
            assert_eq!(pile.contacts, counted(&pile, n as f64 * RADIUS), "{n}");
            assert_eq!(pile.balls, places(&pile).len());
        }
        assert_eq!(pyramids(4, 2).contacts, counted(&pyramids(4, 2), f64::INFINITY));
        assert_eq!(pyramids(5, 4).balls, 16 * 55);
    }

    #[test]
    fn a_kick_is_a_millimetre_a_second_in_directions_that_differ() {
        let scene = kicked(full_box(3).scene);
        let all = scene["bodies"].as_array().unwrap();
        let of = |k: usize, axis: usize| all[k]["velocity"][axis].as_f64().unwrap();
        for k in 1..all.len() {
            let speed = (0..3).map(|axis| of(k, axis).powi(2)).sum::<f64>().sqrt();
            assert!((speed - 1e-3).abs() < 1e-15, "{speed}");
        }
        assert!((0..3).any(|axis| (of(1, axis) - of(2, axis)).abs() > 1e-4));
        assert!(all[0]["velocity"].is_null());
    }
}
