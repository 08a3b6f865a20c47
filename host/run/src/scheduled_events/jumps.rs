//! Position drives of an event must begin where the bodies stand: a coordinate that jumps would have the velocity
//! (q_d(t + h) − q)/h.

use vinci_core::clock::seconds;
use vinci_engine::labels;
use vinci_engine::pipeline::Simulation;

/// Distance up to which a drive begins where the body stands, m or rad: places are written with a few digits.
const JUMP: f64 = 1e-6;

/// Refuses an event at time `t` at which drives would jump, as far as it is known before the run: coordinates that drives lead before and after it.
pub(super) fn known(before: &Simulation, after: &Simulation, t: f64) -> Result<(), String> {
    // Where the bodies are then does not matter: both gaps are from the same place.
    let q = before.system.initial_q();
    look(before, after, t, &q, false)
}

/// Refuses an event at which drives would jump at the state of the run, coordinates that no drive led before included.
pub(super) fn now(before: &Simulation, after: &Simulation) -> Result<(), String> {
    look(before, after, before.time(), before.q(), true)
}

fn look(before: &Simulation, after: &Simulation, t: f64, q: &[f64], new_ones: bool) -> Result<(), String> {
    let gaps = |s: &Simulation| s.drives.position_gaps(&s.system, t, q).map_err(|e| e.to_string());
    let (old, new) = (gaps(before)?, gaps(after)?);
    for (dof, gap) in new {
        let led = old.iter().find(|(d, _)| *d == dof);
        let jump = match led {
            Some((_, old_gap)) => gap - old_gap,
            None if new_ones => gap,
            None => continue,
        };
        if jump.abs() > JUMP {
            let name = labels::displacement(&after.system, dof).map(|l| l.to_string()).unwrap_or_default();
            return Err(format!(
                "the new drive of {name} begins {jump:e} away from where the coordinate is at t = {} s; drives speak of the \
                 time of the run: let this one have the coordinate's value then",
                seconds(t)
            ));
        }
    }
    Ok(())
}
