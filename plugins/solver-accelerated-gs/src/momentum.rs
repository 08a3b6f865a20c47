//! Momentum of the sweeps: Nesterov's sequence in two regimes, and what decides between them.

/// Sweeps between two looks at the residual.
const LOOK: u32 = 5;
const QUIET: u32 = 2;
/// Growth between two looks that counts as divergence; by how much the largest β falls then, and rises at other looks.
const GROWN: f64 = 1.3;
const LOWER: f64 = 0.1;
const RAISE: f64 = 0.01;
/// A residual below this part of the best one is progress.
const PROGRESS: f64 = 0.9;
/// Largest β of the other regime: deep beds between walls converge with it, and not with a large one; loose piles the other way round.
const SMALL: f64 = 0.4;
/// Sweeps within which the residual must fall below this part, with a large β and with a small one; else the other has its turn. The
/// turn of the large one grows by this factor every time, as long as there is progress: stiff stacks need it, and need it long.
const TURN: [u32; 2] = [80, 30];
const FAST: f64 = 0.3;
const LONGER: u32 = 4;
/// Sweeps without progress that end a turn, however long it may be.
const IDLE: u32 = 240;
/// Part of the tolerance aimed at where a point satisfies its own map but not core's residual.
const FINER: f64 = 0.3;

/// Nesterov's sequence with restarts, in two regimes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Momentum {
    t: f64,
    cap: f64,
    /// Largest β that may come back in this regime, and in the other one.
    most: f64,
    other: f64,
}

impl Momentum {
    pub(crate) fn new(most: f64) -> Self {
        Self { t: 1.0, cap: most, most, other: most.min(SMALL) }
    }

    /// β = min((t − 1)/t⁺, cap), t⁺ = (1 + √(1 + 4 t²))/2.
    pub(crate) fn next(&mut self) -> f64 {
        let t_next = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let beta = ((self.t - 1.0) / t_next).min(self.cap);
        self.t = t_next;
        beta
    }

    pub(crate) fn restart(&mut self) {
        self.t = 1.0;
    }

    /// After a look without growth: the largest β comes back. Slow modes come last and need it.
    pub(crate) fn raise(&mut self) {
        self.cap = (self.cap + RAISE).min(self.most);
    }

    /// After growth: from the start, with a smaller largest β.
    pub(crate) fn lower(&mut self) {
        self.cap = (self.cap - LOWER).max(0.0);
        self.restart();
    }

    /// Begins anew in the other regime, where this one leads on too slowly.
    pub(crate) fn swap(&mut self) {
        std::mem::swap(&mut self.most, &mut self.other);
        self.cap = self.most;
        self.restart();
    }
}

/// Where a solve is heading.
pub(crate) enum Trend {
    On,
    Worse,
    Slow,
    Stalled,
}

/// When to look at the residual, and what it says.
pub(crate) struct Watch {
    /// Residual that is wanted.
    pub(crate) target: f64,
    patience: u32,
    looked: u32,
    last: f64,
    best: f64,
    best_at: u32,
    turn: Turn,
}

impl Watch {
    pub(crate) fn new(target: f64, patience: u32) -> Self {
        Self {
            target,
            patience,
            looked: 0,
            last: f64::INFINITY,
            best: f64::INFINITY,
            best_at: 0,
            turn: Turn::new(),
        }
    }

    /// Every few sweeps, sooner where impulses hardly change.
    pub(crate) fn due(&mut self, swept: u32, quiet: bool) -> bool {
        let due = swept - self.looked >= if quiet { QUIET } else { LOOK };
        if due {
            self.looked = swept;
        }
        due
    }

    /// Called where a point was not accepted.
    pub(crate) fn judge(&mut self, own: f64, swept: u32) -> Trend {
        if own <= self.target {
            self.target *= FINER; // core's residual asks for more
        }
        if own < PROGRESS * self.best {
            (self.best, self.best_at) = (own, swept);
        }
        let grown = own > GROWN * self.last;
        self.last = own;
        if swept - self.best_at >= self.patience {
            return Trend::Stalled;
        }
        if self.turn.is_over(own, swept, self.best_at) {
            return Trend::Slow;
        }
        if grown { Trend::Worse } else { Trend::On }
    }
}

/// The turn of one regime of the momentum.
struct Turn {
    /// The residual that is to fall, and since when.
    from: f64,
    since: u32,
    /// Sweeps of this turn and of the next.
    length: [u32; 2],
    is_large: bool,
}

impl Turn {
    fn new() -> Self {
        Self { from: f64::INFINITY, since: 0, length: TURN, is_large: true }
    }

    /// Returns true if the residual did not fall as it should: the other regime's turn begins. The best one was met at `best_at`.
    fn is_over(&mut self, own: f64, swept: u32, best_at: u32) -> bool {
        if own < FAST * self.from {
            (self.from, self.since) = (own, swept);
        }
        let [length, next] = self.length;
        let (lasted, idle) = (swept - self.since, swept - best_at.max(self.since));
        if lasted < length && idle < IDLE {
            return false;
        }
        let after = if self.is_large { LONGER.saturating_mul(length) } else { length };
        let (from, length) = (own.min(self.from), [next, after]);
        *self = Self { from, since: swept, length, is_large: !self.is_large };
        true
    }
}
