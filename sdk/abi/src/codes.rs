//! Numbers that cross: return codes, kinds of refusal, arrays of problems.

use vinci_core::error::ErrorKind;

/// Version of the contract: major << 16 | minor. Majors do not mix; minors add channels and extensions.
pub const CONTRACT_VERSION: u32 = 2 << 16;

/// Version of the contract as text.
pub const CONTRACT: &str = "2.0";

/// The call did what it says.
pub const OK: i32 = 0;
/// The call could not be made; the error text says why.
pub const REFUSED: i32 = 1;
/// The plugin panicked; the instance is unusable from now on.
pub const PANICKED: i32 = 2;
/// The plugin panicked in an earlier call.
pub const POISONED: i32 = 3;

/// Numbers of the arrays of problems.
pub mod channel {
    /// Mlcp: M, sparse n × n.
    pub const M: u32 = 1;
    /// Mlcp: q, n.
    pub const Q: u32 = 2;
    /// Mlcp: lower bounds, n.
    pub const LOWER: u32 = 3;
    /// Mlcp: upper bounds, n.
    pub const UPPER: u32 = 4;
    /// Mlcp: provenance, n rows of (subject, part).
    pub const TAG: u32 = 5;
    /// Mlcp: typical sizes of the unknowns, n.
    pub const Z_SCALE: u32 = 6;
    /// Mlcp: typical sizes of the rows, n.
    pub const W_SCALE: u32 = 7;
    /// Mlcp: guess of z, n or empty.
    pub const GUESS: u32 = 8;
    /// Root: starting point, n.
    pub const START: u32 = 9;
    /// Cone (which has the channels of Mlcp too): (normal row, first tangent row, tangents) of every block.
    pub const BLOCK_INDEX: u32 = 10;
    /// Cone: μ or radius of every block.
    pub const BLOCK_SIZE: u32 = 11;
    /// Conic: P, sparse n × n. Conic has the channels `LOWER`, `UPPER` (m), and of its
    /// unknowns `TAG`, `Z_SCALE` and `GUESS` too.
    pub const P: u32 = 12;
    /// Conic: c, n.
    pub const COST: u32 = 13;
    /// Conic: G, sparse m × n.
    pub const ROWS: u32 = 14;
    /// Conic: g, m.
    pub const OFFSET: u32 = 15;
    /// Conic: (first row, rows) of every cone.
    pub const CONES: u32 = 16;
    /// Conic: provenance of the rows, m rows of (subject, part).
    pub const ROW_TAG: u32 = 17;
    /// Conic: typical sizes of the rows, m.
    pub const ROW_SCALE: u32 = 18;
    /// Conic: guess of y, m or empty.
    pub const DUAL_GUESS: u32 = 19;
    /// Qpcc (which has the channels of Conic too): rows (i, j) of every pair.
    pub const PAIRS: u32 = 20;
    /// Qpcc: contact of every pair.
    pub const GROUP: u32 = 21;
    /// Qpcc: guess of the mode of every pair, or empty.
    pub const MODES: u32 = 22;
    /// Root: typical sizes of r, n or empty.
    pub const R_SCALE: u32 = 23;
}

const KINDS: [(ErrorKind, u32); 9] = [
    (ErrorKind::BadOption, 1),
    (ErrorKind::Unsupported, 2),
    (ErrorKind::BadInput, 3),
    (ErrorKind::NonFinite, 4),
    (ErrorKind::BadModel, 5),
    (ErrorKind::BadState, 6),
    (ErrorKind::Panicked, 7),
    (ErrorKind::Other, 8),
    (ErrorKind::Fault, 9),
];

/// Code of a kind of refusal.
pub fn kind_code(kind: ErrorKind) -> u32 {
    KINDS.iter().find(|(k, _)| *k == kind).map_or(8, |(_, code)| *code)
}

/// Kind of a code; unknown codes are [`ErrorKind::Other`].
pub fn kind_from_code(code: u32) -> ErrorKind {
    KINDS.iter().find(|(_, c)| *c == code).map_or(ErrorKind::Other, |(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_survive_the_crossing() {
        for (kind, _) in KINDS {
            assert_eq!(kind_from_code(kind_code(kind)), kind);
        }
        assert_eq!(kind_from_code(4711), ErrorKind::Other);
    }
}
