//! What must survive going back: the derivative that is kept, the step size, the second half of a doubled step.

use vinci_sdk::prelude::*;

use crate::ImplicitEuler;
use crate::control::Control;
use crate::course::Half;
use crate::derivative::Derivative;

/// First bytes of a saved state.
const MAGIC: u32 = 0x3145_4956;

impl ImplicitEuler {
    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        let (n, by_u, by_v) = self.newton.derivative.parts();
        let known = self.newton.derivative.known;
        let n = if known { n } else { 0 };
        let half = self.pending.as_ref();
        for number in [
            MAGIC,
            self.control.successes,
            u32::from(known),
            n as u32,
            half.map_or(u32::MAX, |half| half.u.len() as u32),
        ] {
            bytes.extend(number.to_le_bytes());
        }
        let derivative = by_u[..n * n].iter().chain(&by_v[..n * n]);
        let pending = half.into_iter().flat_map(|half| {
            [half.h].into_iter().chain(half.u.iter().copied()).chain(half.v.iter().copied())
        });
        for x in [self.control.limit].into_iter().chain(derivative.copied()).chain(pending) {
            bytes.extend(x.to_le_bytes());
        }
    }

    pub(crate) fn load(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        let saved = Saved::read(bytes).ok_or_else(|| {
            let message = format!("{} bytes that are no state saved by this stepper", bytes.len());
            StageError::new(ErrorKind::BadState, message)
        })?;
        self.control = saved.control;
        self.newton.derivative = saved.derivative;
        self.newton.forget_factors();
        self.pending = saved.pending;
        (self.after, self.begun) = (None, false);
        Ok(())
    }
}

struct Saved {
    control: Control,
    derivative: Derivative,
    pending: Option<Half>,
}

impl Saved {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(20)?;
        let word =
            |i: usize| u32::from_le_bytes([head[4 * i], head[4 * i + 1], head[4 * i + 2], head[4 * i + 3]]);
        let (n, m) = (word(3) as usize, word(4));
        let pending = (m != u32::MAX).then_some(m as usize);
        let count = n
            .checked_mul(n)?
            .checked_mul(2)?
            .checked_add(1)?
            .checked_add(pending.map_or(0, |m| 2 * m + 1))?;
        if word(0) != MAGIC || rest.len() != count.checked_mul(8)? {
            return None;
        }
        let mut numbers = rest.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap_or_default()));
        let control = Control { limit: numbers.next()?, successes: word(1) };
        let mut list = |n: usize| -> Vec<f64> { numbers.by_ref().take(n).collect() };
        let (by_u, by_v) = (list(n * n), list(n * n));
        let derivative = if word(2) == 0 { Derivative::default() } else { Derivative::saved(n, by_u, by_v) };
        let pending = pending.map(|m| Half { h: list(1)[0], u: list(m), v: list(m) });
        Some(Self { control, derivative, pending })
    }
}
