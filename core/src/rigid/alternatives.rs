//! OR groups at locally non-convex places: which alternatives take part, and whether what came of it is a solution.
//!
//! With ψ_k⁺ = ψ_k + h (W_kᵀ v⁺ + ∂ψ_k/∂t), a group asks for max_k ψ_k⁺ ≥ 0, p_k ≥ 0, and p_k > 0 only where ψ_k⁺ = 0 is that
//! maximum. (Egan, Berard, Trinkle 2003 write the maximum as a chain of complementarity pairs; its matrix has no structure
//! that Lemke's method could rely on.) Every solution is one of plain problems in which only some alternatives take part:
//!
//! - one alternative k as a unilateral row; it solves the group iff p_k = 0 or ψ_j⁺ ≤ ψ_k⁺ for all j;
//! - two or three at once, all at zero (the corner itself): rows ρ = 0 under pyramids, p_k ≥ 0 checked; unilateral rows
//!   under cones. Friction makes this necessary: impulses inclined towards the corner may carry past it from both sides.
//!
//! Branches are tried in this order: the most open alternative at the start of every group (ties: the smaller identity);
//! where one is violated, the one that beats it; then every other combination, violated groups first, up to a limit.

use super::law::{FrictionLaw, INF};
use crate::stage::StepView;

/// Combinations tried in one step at most. Exhaustive for two corners of three faces, or four of two.
const MOST: usize = 256;

/// Alternatives of a group that can meet in one corner, in the order of their gaps.
const WIDEST: usize = 6;

/// Groups of a step and the branch that is being tried.
#[derive(Debug, Clone, Default)]
pub(super) struct Alternatives {
    /// (group, contact), by group, then by gap (largest first) and identity.
    members: Vec<(u32, u32)>,
    /// Members of the problem before.
    before: Vec<(u32, u32)>,
    /// First member of every group, groups + 1.
    start: Vec<u32>,
    /// Branch of every group.
    branch: Vec<u32>,
    /// Combinations tried, one after another.
    tried: Vec<u32>,
    /// Groups, violated ones first.
    turn: Vec<u32>,
    /// For every group the branch to try next, after a violation.
    better: Vec<u32>,
    /// Lower bounds of p_n: −∞ where ρ = 0 is a branch's row.
    pub(super) floor: Vec<f64>,
    /// True if the last answer was Again.
    going_on: bool,
}

/// A branch of a group of n: the indices of its members within the group. First singles, then pairs, then (in space)
/// triples, both of the [`WIDEST`] most open.
fn subset(branch: usize, n: usize, dim: usize) -> Option<([usize; 3], usize)> {
    if branch < n {
        return Some(([branch, 0, 0], 1));
    }
    let m = n.min(WIDEST);
    let pairs = (0..m).flat_map(|i| (i + 1..m).map(move |j| ([i, j, 0], 2)));
    let most = if dim == 3 { m } else { 0 };
    let triples =
        (0..most).flat_map(move |i| (i + 1..m).flat_map(move |j| (j + 1..m).map(move |k| ([i, j, k], 3))));
    pairs.chain(triples).nth(branch - n)
}

impl Alternatives {
    /// Returns true if the step has groups.
    pub(super) fn any(&self) -> bool {
        self.start.len() > 1
    }

    /// Number of groups.
    fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// The members of group g.
    fn group(&self, g: usize) -> &[(u32, u32)] {
        &self.members[self.start[g] as usize..self.start[g + 1] as usize]
    }

    /// Leaves out (g_n = ∞) what the present branch leaves out; begins with the first branch unless a search goes on. `floor`: lower
    /// bounds of p_n, which hold where the branch asks for none of its own.
    pub(super) fn choose(
        &mut self,
        step: &StepView<'_>,
        law: FrictionLaw,
        floor: &[f64],
        normal_rate: &mut [f64],
    ) {
        self.floor.clear();
        let searching = std::mem::take(&mut self.going_on) && step.pass > 0;
        if step.contacts.group.is_empty() {
            self.start.clear();
            return;
        }
        self.before.clone_from(&self.members);
        self.sort(step, normal_rate);
        if !searching || self.before != self.members {
            self.begin();
        }
        self.tried.extend_from_slice(&self.branch);
        let dim = step.contacts.stride();
        for g in 0..self.len() {
            let group = &self.members[self.start[g] as usize..self.start[g + 1] as usize];
            let Some((chosen, n)) = subset(self.branch[g] as usize, group.len(), dim) else { continue };
            for (at, (_, contact)) in group.iter().enumerate() {
                if !chosen[..n].contains(&at) {
                    normal_rate[*contact as usize] = INF;
                } else if n > 1 && law != FrictionLaw::Cone {
                    if self.floor.is_empty() {
                        self.floor.extend_from_slice(floor);
                        self.floor.resize(step.contacts.len(), 0.0);
                    }
                    self.floor[*contact as usize] = -INF;
                }
            }
        }
    }

    fn begin(&mut self) {
        let n = self.len();
        self.branch.clear();
        self.branch.resize(n, 0);
        self.better.clone_from(&self.branch);
        self.tried.clear();
        self.turn.clear();
        self.turn.extend(0..n as u32);
    }

    /// Groups of the contacts that the stepper lets take part.
    fn sort(&mut self, step: &StepView<'_>, normal_rate: &[f64]) {
        let contacts = &step.contacts;
        self.members.clear();
        let own = (0..contacts.len() as u32)
            .filter(|&i| contacts.group[i as usize] != 0 && normal_rate[i as usize] < INF);
        self.members.extend(own.map(|i| (contacts.group[i as usize], i)));
        let gap = |m: &(u32, u32)| contacts.gap[m.1 as usize];
        self.members.sort_by(|a, b| a.0.cmp(&b.0).then(gap(b).total_cmp(&gap(a))).then(a.1.cmp(&b.1)));
        self.start.clear();
        for (at, member) in self.members.iter().enumerate() {
            if at == 0 || self.members[at - 1].0 != member.0 {
                self.start.push(at as u32);
            }
        }
        self.start.push(self.members.len() as u32);
    }

    /// Returns true if the solved branch solves the groups; violated ones are noted, with the alternative that beats theirs. `small`
    /// is (speed, impulse of contact i) below which a difference counts as none.
    pub(super) fn holds(
        &mut self,
        step: &StepView<'_>,
        v: &[f64],
        impulse: &[f64],
        small: (f64, impl Fn(usize) -> f64),
    ) -> bool {
        let (contacts, mut holds) = (&step.contacts, true);
        let speed = |i: usize| {
            let row = contacts.row(i);
            contacts.gap[i] / step.h + contacts.jacobian.row_dot(row, v)
        };
        for g in 0..self.len() {
            let group = self.group(g);
            let first = |best: usize, at: usize| {
                if speed(group[at].1 as usize) > speed(group[best].1 as usize) { at } else { best }
            };
            let best = (1..group.len()).fold(0, first);
            let most = speed(group[best].1 as usize);
            let fails = group.iter().map(|m| m.1 as usize).any(|k| {
                let p = impulse[contacts.row(k)];
                p < -small.1(k) || (p > small.1(k) && most > speed(k) + small.0)
            });
            self.better[g] = if fails { best as u32 } else { self.branch[g] };
            if fails {
                holds = false;
                self.suspect(g as u32);
            }
        }
        holds
    }

    /// Violated groups have their turn first.
    fn suspect(&mut self, g: u32) {
        if let Some(at) = self.turn.iter().position(|t| *t == g) {
            self.turn[..=at].rotate_right(1);
        }
    }

    /// Goes to the next branch; whether there is one.
    pub(super) fn go_on(&mut self, step: &StepView<'_>) -> bool {
        let n = self.len();
        if self.tried.len() >= MOST * n {
            return false;
        }
        let mut next = self.better.clone();
        let dim = step.contacts.stride();
        if self.was_tried(&next) {
            next.fill(0);
            while self.was_tried(&next) {
                if !self.count_up(&mut next, dim) {
                    return false;
                }
            }
        }
        self.branch.clone_from(&next);
        self.better = next;
        self.going_on = true;
        true
    }

    fn was_tried(&self, branch: &[u32]) -> bool {
        self.tried.chunks_exact(self.len()).any(|t| t == branch)
    }

    /// The next combination in the order of turns; none after the last.
    fn count_up(&self, branch: &mut [u32], dim: usize) -> bool {
        for g in self.turn.iter().map(|g| *g as usize) {
            if subset(branch[g] as usize + 1, self.group(g).len(), dim).is_some() {
                branch[g] += 1;
                return true;
            }
            branch[g] = 0;
        }
        false
    }

    /// Number of combinations tried.
    pub(super) fn tries(&self) -> usize {
        self.tried.len() / self.len()
    }
}
