//! Which pairs of shapes are worth a closer look.
//!
//! Sort and sweep along one axis (Baraff 1992; Cohen, Lin, Manocha, Ponamgi 1995): boxes inflated by the margins, sorted by
//! their low ends; the order of the last call is the start of an insertion sort, linear while motion is coherent. The axis is
//! the one with the larger spread of centres. Order and axis decide how long it takes, not what comes out: pairs are sorted.

use crate::store::{Bounds, Sort, Store};

/// Who may collide with whom.
#[derive(Debug)]
pub(crate) struct Filter {
    fixed: Vec<bool>,
    /// Pairs (low, high), sorted.
    ignored: Vec<(u32, u32)>,
}

impl Filter {
    pub(crate) fn new(is_static: &[u8], ignored_pairs: &[u32]) -> Self {
        let mut ignored: Vec<_> =
            ignored_pairs.chunks_exact(2).map(|p| (p[0].min(p[1]), p[0].max(p[1]))).collect();
        ignored.sort_unstable();
        Self { fixed: is_static.iter().map(|s| *s != 0).collect(), ignored }
    }

    /// Same answer as `SystemView::may_collide`.
    #[inline]
    pub(crate) fn admits(&self, a: u32, b: u32) -> bool {
        a != b
            && !(self.fixed[a as usize] && self.fixed[b as usize])
            && (self.ignored.is_empty() || self.ignored.binary_search(&(a.min(b), a.max(b))).is_err())
    }
}

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
                if o.low2 <= e.high2 && e.low2 <= o.high2 && filter.admits(e.body, o.body) {
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
                if lowest <= margin[e.body as usize] + margin[body as usize] && filter.admits(e.body, body) {
                    self.pairs.push((plane.min(e.shape), plane.max(e.shape)));
                }
            }
        }
    }
}

/// Whether the centres spread wider along y than along x. Summed in the order of the shapes, so that history has no say.
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
