//! Which pairs of shapes are worth a closer look.
//!
//! Sort and sweep along one axis (Baraff 1992; Cohen, Lin, Manocha, Ponamgi 1995): boxes inflated by the margins, sorted by
//! their low ends; the order of the last call is the start of an insertion sort, linear while motion is coherent. The axis is
//! the one with the larger spread of centres. Order and axis decide how long it takes, not what comes out: pairs are sorted.

use crate::boundary::Sort;
use crate::store::{Bounds, Store};
use vinci_detect::Filter;

/// A box in the sweep, long axis first.
#[derive(Debug, Clone, Copy)]
struct Entry {
    low: f64,
    high: f64,
    low2: f64,
    high2: f64,
    shape: u32,
    body: u32,
}

/// The sweep and what it keeps from call to call.
#[derive(Debug)]
pub(crate) struct Broad {
    entries: Vec<Entry>,
    planes: Vec<u32>,
    along_y: bool,
    /// Candidate pairs (low shape, high shape), sorted.
    pub(crate) pairs: Vec<(u32, u32)>,
}

impl Broad {
    pub(crate) fn new(store: &Store) -> Self {
        let mut broad = Self { entries: Vec::new(), planes: Vec::new(), along_y: false, pairs: Vec::new() };
        for (shape, r) in store.records.iter().enumerate() {
            if r.sort == Sort::Plane {
                broad.planes.push(shape as u32);
            } else {
                let (low, high, low2, high2) = (0.0, 0.0, 0.0, 0.0);
                broad.entries.push(Entry { low, high, low2, high2, shape: shape as u32, body: r.body });
            }
        }
        broad
    }

    /// Finds all pairs whose inflated boxes overlap, and all bounded shapes near a half-plane.
    pub(crate) fn find(&mut self, store: &Store, margin: &[f64], filter: &Filter) {
        self.pairs.clear();
        self.refresh(store, margin);
        insertion_sort(&mut self.entries);
        self.sweep(filter);
        self.near_planes(store, margin, filter);
        self.pairs.sort_unstable();
    }

    fn refresh(&mut self, store: &Store, margin: &[f64]) {
        let along_y = spreads_along_y(&store.bounds);
        if along_y != self.along_y {
            self.along_y = along_y;
            // The old order means nothing on the new axis, and insertion sort would take its time.
            self.load(store, margin);
            self.entries.sort_unstable_by(|a, b| a.low.total_cmp(&b.low));
        } else {
            self.load(store, margin);
        }
    }

    fn load(&mut self, store: &Store, margin: &[f64]) {
        for e in &mut self.entries {
            let b = &store.bounds[e.shape as usize];
            let m = margin[e.body as usize];
            let (x, y) = ((b.low.x - m, b.high.x + m), (b.low.y - m, b.high.y + m));
            let (first, second) = if self.along_y { (y, x) } else { (x, y) };
            (e.low, e.high) = first;
            (e.low2, e.high2) = second;
        }
    }

    fn sweep(&mut self, filter: &Filter) {
        for (i, e) in self.entries.iter().enumerate() {
            for o in &self.entries[i + 1..] {
                if o.low > e.high {
                    break;
                }
                if o.low2 <= e.high2 && e.low2 <= o.high2 && filter.may_collide(e.body, o.body) {
                    self.pairs.push((e.shape.min(o.shape), e.shape.max(o.shape)));
                }
            }
        }
    }

    fn near_planes(&mut self, store: &Store, margin: &[f64], filter: &Filter) {
        for &plane in &self.planes {
            let (core, body) = (store.core(plane as usize), store.records[plane as usize].body);
            for e in &self.entries {
                let b = &store.bounds[e.shape as usize];
                let (centre, half) = ((b.low + b.high) * 0.5, (b.high - b.low) * 0.5);
                let n = core.n[0];
                let lowest = core.height(0, centre) - half.x * n.x.abs() - half.y * n.y.abs();
                if lowest <= margin[e.body as usize] + margin[body as usize]
                    && filter.may_collide(e.body, body)
                {
                    self.pairs.push((plane.min(e.shape), plane.max(e.shape)));
                }
            }
        }
    }
}

/// Returns true if the centres spread wider along y than along x. Summed in the order of the shapes, so that history has no say.
fn spreads_along_y(bounds: &[Bounds]) -> bool {
    let (mut sum, mut square, mut count) = ((0.0, 0.0), (0.0, 0.0), 0.0);
    for b in bounds {
        let (x, y) = (0.5 * (b.low.x + b.high.x), 0.5 * (b.low.y + b.high.y));
        sum = (sum.0 + x, sum.1 + y);
        square = (square.0 + x * x, square.1 + y * y);
        count += 1.0;
    }
    square.1 * count - sum.1 * sum.1 > square.0 * count - sum.0 * sum.0
}

fn insertion_sort(entries: &mut [Entry]) {
    for i in 1..entries.len() {
        let e = entries[i];
        let mut j = i;
        while j > 0 && entries[j - 1].low > e.low {
            entries[j] = entries[j - 1];
            j -= 1;
        }
        entries[j] = e;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Turn;
    use crate::draft::Draft;
    use crate::vec2::V2;
    use vinci_sdk::prelude::{Space, SystemView};

    /// 1000 sticks and some half-planes, every tenth body static; pairs by comparing all boxes with all boxes.
    fn brute_force(store: &Store, margin: &[f64], filter: &Filter) -> Vec<(u32, u32)> {
        let records = &store.records;
        let mut pairs = Vec::new();
        for a in 0..records.len() {
            for b in a + 1..records.len() {
                let (m, n) = (margin[records[a].body as usize], margin[records[b].body as usize]);
                let near = match (records[a].sort == Sort::Plane, records[b].sort == Sort::Plane) {
                    (true, true) => false,
                    (true, false) => lowest_corner(store, a, b) <= m + n,
                    (false, true) => lowest_corner(store, b, a) <= m + n,
                    (false, false) => {
                        let (p, q) = (&store.bounds[a], &store.bounds[b]);
                        p.low.x - m <= q.high.x + n
                            && q.low.x - n <= p.high.x + m
                            && p.low.y - m <= q.high.y + n
                            && q.low.y - n <= p.high.y + m
                    }
                };
                if near && filter.may_collide(records[a].body, records[b].body) {
                    pairs.push((a as u32, b as u32));
                }
            }
        }
        pairs
    }

    fn lowest_corner(store: &Store, plane: usize, shape: usize) -> f64 {
        let b = &store.bounds[shape];
        let corners = [b.low, b.high, V2::new(b.low.x, b.high.y), V2::new(b.high.x, b.low.y)];
        corners.map(|c| store.core(plane).height(0, c)).into_iter().fold(f64::INFINITY, f64::min)
    }

    fn thousand() -> (Store, Filter) {
        let n = 1003;
        let mut store = Store::new(n);
        for body in 0..n as u32 {
            let d = if body % 334 == 0 {
                Draft::new(body, Sort::Plane, 0.0, vec![V2::default()], vec![V2::UP], vec![Turn::Flat])
            } else {
                let x = vec![V2::new(-0.3, 0.0), V2::new(0.3, 0.0)];
                Draft::new(body, Sort::Stick, 0.1, x, vec![-V2::UP, V2::UP], vec![Turn::Convex; 2])
            };
            store.push(&d);
        }
        let fixed: Vec<u8> = (0..n).map(|i| u8::from(i % 10 == 0)).collect();
        let ignored: Vec<u32> = (0..n as u32 - 9).flat_map(|i| [i, i + 7]).collect();
        let system = SystemView {
            space: Space::Planar,
            body_names: &[],
            is_static: &fixed,
            shapes: &[],
            ignored_pairs: &ignored,
            nv: 3 * n as u32,
            nq: 3 * n as u32,
            ..SystemView::NOTHING
        };
        (store, Filter::new(&system))
    }

    #[test]
    fn the_sweep_is_brute_force_only_faster() {
        let (mut store, filter) = thousand();
        let n = 1003;
        let mut broad = Broad::new(&store);
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        for (wide, tall) in [(20.0, 20.0), (200.0, 1.0), (1.0, 200.0), (1.0, 210.0), (5.0, 5.0)] {
            let pose: Vec<f64> = (0..n).flat_map(|_| [wide * next(), tall * next(), 6.3 * next()]).collect();
            let margin: Vec<f64> = (0..n).map(|_| 0.1 * next()).collect();
            store.update(&pose);
            broad.find(&store, &margin, &filter);
            let expected = brute_force(&store, &margin, &filter);
            assert!(expected.len() > 1000, "{}", expected.len());
            assert_eq!(broad.pairs, expected);
        }
    }
}
