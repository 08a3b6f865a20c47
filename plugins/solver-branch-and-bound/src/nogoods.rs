//! No-goods: sets of decisions that no better point obeys together, what follows from them, and what a contradiction teaches.
//!
//! A *literal* is a decision about one pair: side 1, s_i = 0, or side 2, s_j = 0. A no-good {a, b, c} says that no lawful point
//! with an objective below the cutoff obeys a, b and c at once. So when a and b are decided, the pair of c must take its
//! other side (unit propagation). A no-good that rests on a bound is valid for cutoffs up to that bound, one of a Farkas vector for all.
//!
//! The search is that of satisfiability solvers (Marques-Silva & Sakallah 1999): a no-good all of whose literals are
//! decided is a contradiction; resolving it with the reasons of what was propagated gives a new no-good with a single literal of the
//! last level (the first unique implication point), which sends the search back to where it would have followed before.

/// Decision "row zero" of one side of a pair: 2 k for side 1 of pair k, 2 k + 1 for side 2.
pub(crate) type Literal = u32;

/// The other side of the same pair.
#[inline]
pub(crate) fn other(a: Literal) -> Literal {
    a ^ 1
}

/// The pair of a literal.
#[inline]
pub(crate) fn pair(a: Literal) -> usize {
    (a >> 1) as usize
}

const NO_REASON: u32 = u32::MAX;

/// End of a propagation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Propagated {
    /// Nothing more follows.
    Fixpoint,
    /// All literals of this no-good are decided.
    Contradiction(usize),
}

/// The no-goods, the decisions taken and what followed from them.
#[derive(Debug, Default)]
pub(crate) struct NoGoods {
    literals: Vec<Literal>,
    /// Where no-good k starts in `literals`, plus the end.
    start: Vec<u32>,
    /// Largest cutoff for which no-good k is valid.
    valid: Vec<f64>,
    /// Largest cutoff for which what stands without decisions is valid, per pair.
    fact: Vec<f64>,
    /// Side decided per pair: 0 none, else 1 or 2.
    side: Vec<u8>,
    level: Vec<u32>,
    reason: Vec<u32>,
    trail: Vec<Literal>,
    /// Length of the trail at the begin of every level above 0.
    levels: Vec<u32>,
    /// Marks of literals while a contradiction is analysed.
    seen: Vec<bool>,
    learned: Vec<Literal>,
    learned_valid: f64,
}

impl NoGoods {
    /// Forgets everything; `pairs` undecided pairs.
    pub(crate) fn clear(&mut self, pairs: usize) {
        self.literals.clear();
        self.start.clear();
        self.start.push(0);
        self.valid.clear();
        self.fact.clear();
        self.fact.resize(pairs, f64::INFINITY);
        self.side.clear();
        self.side.resize(pairs, 0);
        self.level.clear();
        self.level.resize(pairs, 0);
        self.reason.clear();
        self.reason.resize(pairs, NO_REASON);
        self.trail.clear();
        self.levels.clear();
        self.seen.clear();
        self.seen.resize(2 * pairs, false);
    }

    /// Number of no-goods.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// No-good k.
    pub(crate) fn get(&self, k: usize) -> &[Literal] {
        &self.literals[self.start[k] as usize..self.start[k + 1] as usize]
    }

    /// Side decided for a pair, 0 when none is.
    #[inline]
    pub(crate) fn side(&self, pair: usize) -> u8 {
        self.side[pair]
    }

    /// Returns true if the pair of `a` is decided as `a` says.
    #[inline]
    pub(crate) fn holds(&self, a: Literal) -> bool {
        self.side[pair(a)] == 1 + (a & 1) as u8
    }

    /// Returns true if the pair of this literal is undecided.
    #[inline]
    pub(crate) fn is_free(&self, a: Literal) -> bool {
        self.side[pair(a)] == 0
    }

    /// Level at which a decided literal came to stand.
    #[inline]
    pub(crate) fn level(&self, a: Literal) -> u32 {
        self.level[pair(a)]
    }

    /// The decisions that stand and did not follow from others.
    pub(crate) fn decisions(&self, to: &mut Vec<Literal>) {
        to.clear();
        to.extend(self.levels.iter().map(|&at| self.trail[at as usize]));
    }

    /// How many decisions stand that did not follow from others.
    pub(crate) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Adds a no-good that is valid for all cutoffs.
    pub(crate) fn add(&mut self, literals: &[Literal]) {
        self.add_below(literals, f64::INFINITY);
    }

    /// Adds a no-good that is valid for cutoffs up to `valid`.
    pub(crate) fn add_below(&mut self, literals: &[Literal], valid: f64) {
        self.literals.extend_from_slice(literals);
        self.start.push(self.literals.len() as u32);
        self.valid.push(valid);
    }

    /// Takes back everything decided or followed, and forgets the no-goods that do not hold for this cutoff; the smallest bound
    /// that those left rest on.
    pub(crate) fn restart(&mut self, cutoff: f64) -> f64 {
        let (mut kept, mut end) = (0, 0);
        for k in 0..self.len() {
            if self.valid[k] < cutoff {
                continue;
            }
            let (from, to) = (self.start[k] as usize, self.start[k + 1] as usize);
            self.literals.copy_within(from..to, end);
            end += to - from;
            self.valid[kept] = self.valid[k];
            kept += 1;
            self.start[kept] = end as u32;
        }
        self.literals.truncate(end);
        self.start.truncate(kept + 1);
        self.valid.truncate(kept);
        self.trail.clear();
        self.levels.clear();
        self.side.fill(0);
        self.valid.iter().fold(f64::INFINITY, |m, v| m.min(*v))
    }

    /// Opens a level with a decision.
    pub(crate) fn decide(&mut self, a: Literal) {
        self.levels.push(self.trail.len() as u32);
        self.assign(a, NO_REASON);
    }

    fn assign(&mut self, a: Literal, reason: u32) {
        let k = pair(a);
        self.side[k] = 1 + (a & 1) as u8;
        self.level[k] = self.levels.len() as u32;
        self.reason[k] = reason;
        if self.levels.is_empty() && reason != NO_REASON {
            let others = self.get(reason as usize).iter().filter(|&&b| pair(b) != k);
            let least = others.fold(self.valid[reason as usize], |m, &b| m.min(self.fact[pair(b)]));
            self.fact[k] = least;
        }
        self.trail.push(a);
    }

    /// Draws all conclusions: a no-good with all literals but one standing turns that one round.
    pub(crate) fn propagate(&mut self) -> Propagated {
        loop {
            let before = self.trail.len();
            for k in 0..self.len() {
                match self.remainder(k) {
                    Remainder::None => return Propagated::Contradiction(k),
                    Remainder::One(a) => self.assign(other(a), k as u32),
                    Remainder::More => {}
                }
            }
            if self.trail.len() == before {
                return Propagated::Fixpoint;
            }
        }
    }

    /// The literals of a no-good that do not stand yet; `More` also when one is decided against.
    fn remainder(&self, k: usize) -> Remainder {
        let mut found = Remainder::None;
        for &a in self.get(k) {
            if self.holds(a) {
                continue;
            }
            if !self.is_free(a) || found != Remainder::None {
                return Remainder::More;
            }
            found = Remainder::One(a);
        }
        found
    }

    /// Learns from a contradiction and goes back; false when it stands without any decision: nothing is left to search.
    pub(crate) fn resolve(&mut self, contradiction: usize) -> bool {
        let top = self.get(contradiction).iter().map(|&a| self.level[pair(a)]).max().unwrap_or(0);
        if top == 0 {
            return false;
        }
        self.back_to(top);
        self.learned.clear();
        self.learned_valid = f64::INFINITY;
        let mut open = self.take_in(contradiction, None, top);
        let mut at = self.trail.len();
        loop {
            at -= 1;
            let a = self.trail[at];
            if !std::mem::take(&mut self.seen[a as usize]) {
                continue;
            }
            open -= 1;
            if open == 0 {
                self.learned.push(a);
                break;
            }
            open += self.take_in(self.reason[pair(a)] as usize, Some(other(a)), top);
        }
        let back = self
            .learned
            .split_last()
            .map_or(0, |(_, rest)| rest.iter().map(|&a| self.level[pair(a)]).max().unwrap_or(0));
        self.learned.iter().for_each(|&a| self.seen[a as usize] = false);
        let learned = std::mem::take(&mut self.learned);
        self.add_below(&learned, self.learned_valid);
        self.learned = learned;
        self.back_to(back);
        true
    }

    /// Merges a no-good, without one literal, into the one being learned: literals below the top level are kept, those of the
    /// top level counted for resolution. Facts of level 0 drop out.
    fn take_in(&mut self, k: usize, without: Option<Literal>, top: u32) -> u32 {
        let mut open = 0;
        self.learned_valid = self.learned_valid.min(self.valid[k]);
        for at in self.start[k] as usize..self.start[k + 1] as usize {
            let a = self.literals[at];
            let level = self.level[pair(a)];
            if level == 0 {
                self.learned_valid = self.learned_valid.min(self.fact[pair(a)]);
            }
            if Some(a) == without || level == 0 || self.seen[a as usize] {
                continue;
            }
            self.seen[a as usize] = true;
            if level == top {
                open += 1;
            } else {
                self.learned.push(a);
            }
        }
        open
    }

    /// Takes back all levels above `level`.
    pub(crate) fn back_to(&mut self, level: u32) {
        let Some(&keep) = self.levels.get(level as usize) else { return };
        for a in self.trail.drain(keep as usize..) {
            self.side[pair(a)] = 0;
        }
        self.levels.truncate(level as usize);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remainder {
    None,
    One(Literal),
    More,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts what the no-goods leave by enumerating, and by searching with every solution excluded as it is met.
    fn both_counts(pairs: usize, nogoods: &[Vec<Literal>]) -> (usize, usize) {
        let allowed = |modes: usize| {
            nogoods.iter().all(|g| g.iter().any(|&a| (modes >> pair(a) & 1) as u32 != (a & 1)))
        };
        let all = (0..1_usize << pairs).filter(|&m| allowed(m)).count();
        let mut set = NoGoods::default();
        set.clear(pairs);
        nogoods.iter().for_each(|g| set.add(g));
        let mut found = 0;
        loop {
            match set.propagate() {
                Propagated::Contradiction(k) => {
                    if !set.resolve(k) {
                        return (all, found);
                    }
                }
                Propagated::Fixpoint => match (0..pairs).find(|&k| set.side(k) == 0) {
                    Some(k) => set.decide(2 * k as u32),
                    None => {
                        found += 1;
                        let solution: Vec<_> =
                            (0..pairs).map(|k| 2 * k as u32 + u32::from(set.side(k)) - 1).collect();
                        set.add(&solution);
                    }
                },
            }
        }
    }

    #[test]
    fn the_search_finds_every_mode_that_is_left_and_no_other() {
        let mut random = 12345_u64;
        let mut draw = move |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        for pairs in 1..9_usize {
            for _ in 0..40 {
                let nogoods: Vec<Vec<Literal>> = (0..draw(4 * pairs as u64))
                    .map(|_| {
                        let mut g: Vec<Literal> = Vec::new();
                        for _ in 0..1 + draw(4) {
                            let a = draw(2 * pairs as u64) as u32;
                            if !g.iter().any(|&b| pair(b) == pair(a)) {
                                g.push(a);
                            }
                        }
                        g
                    })
                    .collect();
                let (all, found) = both_counts(pairs, &nogoods);
                assert_eq!(all, found, "{nogoods:?}");
            }
        }
    }
}
