//! The floating-point environment belongs to the host: rounding, flush-to-zero, traps.
//!
//! A library linked with `-ffast-math` changes it by merely being loaded. Only control bits count; the sticky flags that
//! every inexact operation sets are nobody's business.

/// Control bits of the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatEnv(u64);

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod arch {
    /// DAZ (bit 6), exception masks (7–12), rounding (13, 14), flush to zero (15) of MXCSR.
    pub(super) const CONTROL: u64 = 0xffc0;

    #[inline]
    pub(super) fn read() -> u64 {
        let mut value = 0_u32;
        // SAFETY: stores the register into a local of the right size; every x86-64 has it.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &mut value, options(nostack, preserves_flags)) };
        u64::from(value)
    }

    #[inline]
    pub(super) fn write(value: u64) {
        let value = value as u32;
        // SAFETY: loads the register from a local; the bits come from `read`, so none is reserved.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &value, options(nostack, preserves_flags, readonly))
        };
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod arch {
    /// FPCR holds control bits only; its flags are in FPSR.
    pub(super) const CONTROL: u64 = u64::MAX;

    #[inline]
    pub(super) fn read() -> u64 {
        let value: u64;
        // SAFETY: reads a register that user programs may read.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) value, options(nomem, nostack, preserves_flags)) };
        value
    }

    #[inline]
    pub(super) fn write(value: u64) {
        // SAFETY: writes a register that user programs may write, with bits that came from `read`.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) value, options(nomem, nostack, preserves_flags)) };
    }
}

/// Elsewhere, and under Miri, which runs no assembly, nothing is read and nothing put back.
#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod arch {
    pub(super) const CONTROL: u64 = 0;

    pub(super) fn read() -> u64 {
        0
    }

    pub(super) fn write(_value: u64) {}
}

impl FloatEnv {
    /// The environment of this thread now.
    #[inline]
    pub fn now() -> Self {
        Self(arch::read())
    }

    /// Puts the control bits back if they have changed since; gives (before, after) when they had.
    #[inline]
    pub fn restore(self) -> Option<(u64, u64)> {
        let after = arch::read();
        if (after ^ self.0) & arch::CONTROL == 0 {
            return None;
        }
        arch::write((after & !arch::CONTROL) | (self.0 & arch::CONTROL));
        Some((self.0 & arch::CONTROL, after & arch::CONTROL))
    }
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn control_bits_are_put_back_and_flags_ignored() {
        let env = FloatEnv::now();
        assert_eq!(env.restore(), None);
        let inexact = std::hint::black_box(1.0_f64) / std::hint::black_box(3.0);
        assert!(inexact > 0.0 && env.restore().is_none());
        arch::write(arch::read() | 0x8040);
        assert_eq!(std::hint::black_box(f64::MIN_POSITIVE) / std::hint::black_box(2.0), 0.0, "flushed");
        assert!(env.restore().is_some());
        assert!(std::hint::black_box(f64::MIN_POSITIVE) / std::hint::black_box(2.0) > 0.0, "restored");
    }
}
