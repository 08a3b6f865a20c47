//! Two runs of one scene: where they part, and why.
//!
//! [`diff`] follows both over the times that they have in common ([`parting`]); from the last state in which they are the same both go
//! on with one of the things exchanged in which their experiments differ ([`factors`]), and what closes the gap is named ([`cause`]), with the
//! physics that a plugin brings along ([`along`]).

mod along;
mod cause;
mod factors;
mod parting;
mod paths;
mod sample;
mod scale;
mod side;
mod summary_text;
mod watched_run;

pub use along::Along;
pub use cause::{CLOSED, Cause, Exchange};
pub use factors::{Factor, Kind, factors};
pub use parting::{ContactChange, Parting};
pub use side::Side;

use parting::{Followed, Pair};
use vinci_engine::registry::Registry;
use vinci_scene::diagnostics::Diagnostics;

/// Gap at which two runs are not the same any more, without unit: see [`Difference::length`].
pub const TOLERANCE: f64 = 1e-6;

/// Findings about two experiments.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Time and place at which they part; none where they do not.
    pub parting: Option<Parting>,
    /// Cause of the parting; none where they do not part.
    pub cause: Option<Cause>,
    /// Factors in which they differ although they do not part.
    pub without_effect: Vec<Factor>,
    /// Reasons why both ended early, where they do not part: at the same common time. None where they came to their end.
    pub ended: Option<[String; 2]>,
    /// The largest gap, where they do not part: max of |Δx|/L, Δθ, |Δv| H/L, |Δω| H.
    pub largest: f64,
    /// L, m: the width of the thinnest body that moves.
    pub length: f64,
    /// H, s: the interval of common times.
    pub interval: f64,
}

/// Follows two experiments of one scene until they part, and finds out why. `tolerance`: the gap at which they do.
///
/// # Errors
/// Whatever a run of either would refuse; scenes of other bodies; steps without common times.
pub fn diff(a: &Side, b: &Side, registry: &Registry, tolerance: f64) -> Result<Difference, Diagnostics> {
    let pair = Pair::new([a, b], registry, tolerance)?;
    let (length, interval) = (pair.scale.length, pair.clock.interval);
    let found = factors(a, b);
    let plain = Difference {
        parting: None,
        cause: None,
        without_effect: Vec::new(),
        ended: None,
        largest: 0.0,
        length,
        interval,
    };
    match pair.parting()? {
        Followed::Together { largest, ended } => {
            Ok(Difference { without_effect: found, ended, largest, ..plain })
        }
        Followed::Parted(parting) => {
            let mut cause = cause::cause(&pair, &parting, found)?;
            let named: Vec<_> = cause.named.iter().map(|k| &cause.exchanges[*k].factor).collect();
            cause.along = along::along(&pair, &named)?;
            Ok(Difference { parting: Some(*parting), cause: Some(cause), ..plain })
        }
    }
}
