//! Cells of places (x, y, angle): a grid, each cell of which is halved along all three axes where a closer look is worth it
//! (approximate cell decomposition: R. Brooks, T. Lozano-Pérez, *A subdivision algorithm in configuration space*, 1983).

use std::f64::consts::TAU;

/// State of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    /// Nothing yet.
    Unknown,
    /// The body hits nothing anywhere in it.
    Free,
    /// Neither is certain.
    Mixed,
    /// The body hits something everywhere in it.
    Blocked,
}

/// A cell, or eight smaller ones.
#[derive(Debug, Clone)]
struct Node {
    /// Lower corner, in cells of the last level.
    low: [u32; 3],
    level: u32,
    /// The first of its eight parts; 0: it is whole.
    parts: u32,
    cell: Cell,
}

/// Grid and parts of cells.
#[derive(Debug, Default)]
pub(super) struct Cells {
    low: [f64; 3],
    /// m, m, rad: of a cell of the grid.
    size: [f64; 3],
    count: [u32; 3],
    /// Levels below the grid at most.
    pub(super) halvings: u32,
    /// True if the two ends of the angle are neighbours.
    round: bool,
    nodes: Vec<Node>,
}

impl Cells {
    /// `count` cells between `low` and `high`.
    pub(super) fn new(low: [f64; 3], high: [f64; 3], count: [u32; 3], halvings: u32) -> Self {
        let size = [0, 1, 2].map(|k| (high[k] - low[k]) / f64::from(count[k]));
        let round = high[2] - low[2] >= TAU - 1e-9;
        let all = count.iter().map(|n| *n as usize).product();
        let mut cells = Self { low, size, count, halvings, round, nodes: Vec::with_capacity(all) };
        let [nx, ny, na] = count;
        for at in 0..nx * ny * na {
            let grid = [at / (ny * na), at / na % ny, at % na];
            cells.nodes.push(Node {
                low: grid.map(|i| i << halvings),
                level: 0,
                parts: 0,
                cell: Cell::Unknown,
            });
        }
        cells
    }

    /// Cells and what they were divided into.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn level(&self, at: u32) -> u32 {
        self.nodes[at as usize].level
    }

    pub(super) fn cell(&self, at: u32) -> Cell {
        self.nodes[at as usize].cell
    }

    pub(super) fn set(&mut self, at: u32, cell: Cell) {
        self.nodes[at as usize].cell = cell;
    }

    /// Width of a cell, in cells of the last level.
    pub(super) fn width(&self, at: u32) -> u32 {
        1 << (self.halvings - self.level(at))
    }

    /// Extent of a cell: m, m, rad.
    pub(super) fn size(&self, at: u32) -> [f64; 3] {
        self.size.map(|s| s / f64::from(1_u32 << self.level(at)))
    }

    /// The whole cell that a place is in.
    pub(super) fn of(&self, mut place: [f64; 3]) -> Option<u32> {
        if self.round {
            place[2] = self.low[2] + (place[2] - self.low[2]).rem_euclid(TAU);
        }
        let mut at = [0; 3];
        for k in 0..3 {
            let last = f64::from(self.count[k] << self.halvings);
            let i = (place[k] - self.low[k]) / self.size[k] * f64::from(1_u32 << self.halvings);
            // The upper end belongs to the last cell.
            let i = if i == last { i - 1.0 } else { i };
            if !(i >= 0.0 && i < last) {
                return None;
            }
            at[k] = i as u32;
        }
        Some(self.down(at, self.halvings))
    }

    /// The cell at `at` (in cells of the last level): whole, or of this level.
    fn down(&self, at: [u32; 3], level: u32) -> u32 {
        let [i, j, k] = at.map(|i| i >> self.halvings);
        let mut here = (i * self.count[1] + j) * self.count[2] + k;
        loop {
            let node = &self.nodes[here as usize];
            if node.parts == 0 || node.level == level {
                return here;
            }
            let shift = self.halvings - node.level - 1;
            let [a, b, c] = at.map(|i| i >> shift & 1);
            here = node.parts + 4 * a + 2 * b + c;
        }
    }

    /// Divides a whole cell into eight.
    pub(super) fn halve(&mut self, at: u32) {
        let (low, level, first) = {
            let node = &self.nodes[at as usize];
            (node.low, node.level + 1, self.nodes.len() as u32)
        };
        let half = 1 << (self.halvings - level);
        for part in 0..8_u32 {
            let [a, b, c] = [part >> 2 & 1, part >> 1 & 1, part & 1];
            let low = [low[0] + a * half, low[1] + b * half, low[2] + c * half];
            self.nodes.push(Node { low, level, parts: 0, cell: Cell::Unknown });
        }
        self.nodes[at as usize].parts = first;
    }

    /// The place in a cell at these parts of its extent.
    pub(super) fn point(&self, at: u32, part: [f64; 3]) -> [f64; 3] {
        let (low, size) = (self.nodes[at as usize].low, self.size(at));
        let unit = f64::from(1_u32 << self.halvings);
        [0, 1, 2].map(|k| self.low[k] + f64::from(low[k]) / unit * self.size[k] + part[k] * size[k])
    }

    /// The middles and corners of all cells of the last level that a cell holds.
    pub(super) fn finest(&self, at: u32) -> impl Iterator<Item = [f64; 3]> + '_ {
        let width = self.width(at);
        let lattice = move |n: u32, offset: f64| {
            (0..n * n * n).map(move |k| {
                [k / (n * n), k / n % n, k % n].map(|i| (f64::from(i) + offset) / f64::from(width))
            })
        };
        lattice(width, 0.5).chain(lattice(width + 1, 0.0)).map(move |part| self.point(at, part))
    }

    /// Calls `visit` for every whole cell that shares a face, or a part of one.
    pub(super) fn neighbours(&self, at: u32, mut visit: impl FnMut(u32)) {
        let (low, level, width) = (self.nodes[at as usize].low, self.level(at), self.width(at));
        for axis in 0..3 {
            let all = self.count[axis] << self.halvings;
            for up in [false, true] {
                let mut over = low;
                over[axis] = match (up, low[axis]) {
                    (true, i) if i + width < all => i + width,
                    (false, i) if i > 0 => i - 1,
                    (true, _) if axis == 2 && self.round => 0,
                    (false, _) if axis == 2 && self.round => all - 1,
                    _ => continue,
                };
                self.facing(self.down(over, level), axis, !up, &mut visit);
            }
        }
    }

    /// The whole cells of this one at its upper or lower face.
    fn facing(&self, at: u32, axis: usize, upper: bool, visit: &mut impl FnMut(u32)) {
        let parts = self.nodes[at as usize].parts;
        if parts == 0 {
            return visit(at);
        }
        for part in (0..8).filter(|part| (part >> (2 - axis) & 1 == 1) == upper) {
            self.facing(parts + part, axis, upper, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 × 2 × 4 cells around the whole turn, some of them halved up to three times.
    fn divided() -> Cells {
        let mut cells = Cells::new([-1.0, 0.0, 0.0], [2.0, 1.0, TAU], [3, 2, 4], 3);
        for at in [0, 5, 13, 24, 30, 37, 44, 50] {
            cells.halve(at);
        }
        cells
    }

    fn whole(cells: &Cells) -> Vec<u32> {
        (0..cells.len() as u32).filter(|at| cells.nodes[*at as usize].parts == 0).collect()
    }

    #[test]
    fn every_place_is_in_one_whole_cell() {
        let cells = divided();
        let whole = whole(&cells);
        let volume: f64 = whole.iter().map(|at| cells.size(*at).iter().product::<f64>()).sum();
        assert!((volume - 3.0 * TAU).abs() < 1e-12, "{volume}");
        for at in whole {
            assert_eq!(cells.of(cells.point(at, [0.5; 3])), Some(at));
            assert_eq!(cells.of(cells.point(at, [0.01, 0.99, 0.01])), Some(at));
        }
        assert_eq!(cells.of([2.1, 0.5, 0.0]), None);
        assert_eq!(cells.of([0.0, 0.5, -0.1]), cells.of([0.0, 0.5, TAU - 0.1]));
    }

    /// Two cells share a face where their boxes touch along one axis and overlap along the two others.
    #[test]
    fn neighbours_are_the_cells_that_share_a_face() {
        let cells = divided();
        let bounds = |at: u32| {
            let low = cells.nodes[at as usize].low;
            [0, 1, 2].map(|k| [low[k], low[k] + cells.width(at)])
        };
        let turn = 4 << 3;
        for a in whole(&cells) {
            let mut found = Vec::new();
            cells.neighbours(a, |b| found.push(b));
            found.sort_unstable();
            found.dedup();
            let beside = |b: &u32| {
                let (p, q) = (bounds(a), bounds(*b));
                let touch = |k: usize| {
                    let ends = p[k][1] == q[k][0] || q[k][1] == p[k][0];
                    ends || (k == 2
                        && (p[k][1].abs_diff(q[k][0]) == turn || q[k][1].abs_diff(p[k][0]) == turn))
                };
                let overlap = |k: usize| p[k][0] < q[k][1] && q[k][0] < p[k][1];
                *b != a && (0..3).any(|k| touch(k) && (0..3).filter(|other| *other != k).all(overlap))
            };
            let expected: Vec<u32> = whole(&cells).into_iter().filter(beside).collect();
            assert_eq!(found, expected, "of cell {a}");
        }
    }
}
