//! Piles of any size that are at rest as they are made: balls in square layers, each in the hollow of four below.

use serde_json::{Value, json};

/// Radius of a ball, m, and its mass at 1000 kg/m³.
const RADIUS: f64 = 0.05;
const MASS: f64 = 4e3 / 3.0 * std::f64::consts::PI * RADIUS * RADIUS * RADIUS;

/// Distance of layers, m: balls of one layer touch, and each touches the four below it.
const RISE: f64 = RADIUS * std::f64::consts::SQRT_2;

/// Layers of a bed, whatever its width.
pub(super) const BED: usize = 5;

/// Distance of piles that stand apart, m.
const APART: f64 = 2.0;

/// A scene with its experiment.
pub(super) struct Pile {
    pub(super) name: String,
    pub(super) scene: Value,
    pub(super) balls: usize,
    /// Contacts that are closed: pairs of balls, and balls with floor and walls.
    pub(super) contacts: usize,
}

/// A box full of balls: so many layers of n × n and (n − 1) × (n − 1) in turn. The walls touch the larger layers.
pub(super) fn full_box(n: usize, layers: usize) -> Pile {
    let walls = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]];
    let walls =
        walls.map(|normal| json!({"type": "half-space", "normal": normal, "offset": -(n as f64) * RADIUS}));
    let sides = in_box(n, layers);
    let balls = places(&sides, [0.0, 0.0]);
    let kind = if layers == BED { "bed" } else { "layers" };
    Pile {
        name: format!("{kind}-{}", balls.len()),
        contacts: touching(&sides) + on_walls(n, &sides),
        balls: balls.len(),
        scene: scene(0.5, &walls, &balls),
    }
}

/// Boxes that stand apart, as many along each of two axes, each full of layers of n × n balls and less.
pub(super) fn boxes(n: usize, along: usize) -> Pile {
    let sides = in_box(n, BED);
    let balls: Vec<_> = apart(along).flat_map(|place| places(&sides, place)).collect();
    let walls: Vec<_> = apart(along).flat_map(|place| walls_around(n, place)).collect();
    let each = touching(&sides) + on_walls(n, &sides);
    Pile {
        name: format!("boxes-{}", along * along),
        contacts: along * along * each,
        balls: balls.len(),
        scene: scene(0.5, &walls, &balls),
    }
}

/// Four walls of a box, of balls' thickness and higher than what is in it.
fn walls_around(n: usize, [x, y]: [f64; 2]) -> [Value; 4] {
    let (half, height) = (n as f64 * RADIUS, 2.0 * (BED + 1) as f64 * RADIUS);
    let middle = half + RADIUS;
    let long = 2.0 * half + 4.0 * RADIUS;
    [[middle, 0.0], [-middle, 0.0], [0.0, middle], [0.0, -middle]].map(|[dx, dy]| {
        let size = if dx == 0.0 { [long, 2.0 * RADIUS, height] } else { [2.0 * RADIUS, long, height] };
        json!({"type": "box", "size": size, "position": [x + dx, y + dy, 0.5 * height]})
    })
}

/// Balls along a side of each layer in a box.
fn in_box(n: usize, layers: usize) -> Vec<usize> {
    (0..layers).map(|k| n - k % 2).collect()
}

/// Contacts of the larger layers with four walls.
fn on_walls(n: usize, sides: &[usize]) -> usize {
    sides.iter().filter(|&&side| side == n).map(|side| 4 * side).sum()
}

/// Places of piles that stand apart, m.
fn apart(along: usize) -> impl Iterator<Item = [f64; 2]> {
    (0..along * along).map(move |k| [k / along, k % along].map(|i| APART * i as f64))
}

/// A square pyramid with n × n balls at the ground: it stands by friction alone.
pub(super) fn pyramid(n: usize) -> Pile {
    let sides: Vec<usize> = (1..=n).rev().collect();
    let balls = places(&sides, [0.0, 0.0]);
    Pile {
        name: format!("pyramid-{}", balls.len()),
        contacts: touching(&sides),
        balls: balls.len(),
        scene: scene(0.8, &[], &balls),
    }
}

/// Centres of the balls of layers above a place, m, from below.
fn places(sides: &[usize], [x, y]: [f64; 2]) -> Vec<[f64; 3]> {
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

    fn centres(pile: &Pile) -> Vec<[f64; 3]> {
        let bodies = pile.scene["bodies"].as_array().unwrap();
        let number = |of: &Value, k: usize| of["position"][k].as_f64().unwrap();
        bodies[1..].iter().map(|of| [0, 1, 2].map(|k| number(of, k))).collect()
    }

    /// Pairs that are closer than a radius above their contact, counted one by one.
    fn counted(pile: &Pile, wall: f64) -> usize {
        let places = centres(pile);
        let far = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        let pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let gaps = pairs.map(|(i, j)| far(&places[i], &places[j]) - 2.0 * RADIUS).collect::<Vec<_>>();
        assert!(gaps.iter().all(|gap| *gap > -1e-12));
        let walls = places.iter().flat_map(|p| [p[2], wall - p[0], wall + p[0], wall - p[1], wall + p[1]]);
        gaps.iter().filter(|gap| **gap < 1e-9).count() + walls.filter(|d| (d - RADIUS).abs() < 1e-9).count()
    }

    #[test]
    fn contacts_of_piles_are_those_that_are_counted_one_by_one() {
        for (n, layers) in [(3, 3), (4, BED), (5, 4)] {
            let pile = full_box(n, layers);
            assert_eq!(pile.contacts, counted(&pile, n as f64 * RADIUS), "{n}");
            assert_eq!(pile.balls, centres(&pile).len());
        }
        assert_eq!(pyramid(4).contacts, counted(&pyramid(4), f64::INFINITY));
        let four = boxes(4, 2);
        let alone = full_box(4, BED);
        assert_eq!((four.balls, four.contacts), (4 * alone.balls, 4 * alone.contacts));
        assert_eq!(counted(&four, f64::INFINITY), 4 * counted(&alone, f64::INFINITY));
    }

    #[test]
    fn a_kick_is_a_millimetre_a_second_in_directions_that_differ() {
        let scene = kicked(full_box(3, 3).scene);
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
