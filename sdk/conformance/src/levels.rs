//! Which tests stand on which level: each level asks more than the one below it.

/// The highest level.
pub const HIGHEST: u8 = 9;

/// The level that is checked unless another is asked for: everything but the long ones.
pub const DEFAULT_LEVEL: u8 = 7;

/// Subjects of the levels, from 1.
pub const LEVELS: [&str; HIGHEST as usize] = [
    "manifest",
    "misuse",
    "options within their schema",
    "known answers",
    "degenerate and infeasible",
    "determinism",
    "threads",
    "sizes 0, 1, 10⁴",
    "repeated calls",
];

/// The level of a test by its name without the role.
pub(crate) fn level(name: &str) -> u8 {
    match name {
        "manifest" | "option-schema" => 1,
        "option-unknown-key" | "option-wrong-types" | "unknown-extension" | "foreign-class"
        | "declared-class" | "unknown-shape" => 2,
        _ if name.contains("bad-") => 2,
        "option-defaults" | "option-fuzz" => 3,
        "honest-status" | "cone-honest-status" | "infeasible" | "coincident" | "large" | "empty-system"
        | "empty-scene" | "extreme-states" => 5,
        _ if name.ends_with("-proofs") || name.ends_with("-or-refusal") || name.ends_with("-limit") => 5,
        "instances" | "state" | "state-restored" | "interleaved" | "no-memory" | "stable-identity" => 6,
        _ if name.ends_with("deterministic") => 6,
        "threads" => 7,
        "sizes" => 8,
        "repeated-calls" => 9,
        _ => 4,
    }
}
