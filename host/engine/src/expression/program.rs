//! The program of a formula: operations on a stack, the functions they call, and what is wrong with a text that has none.

/// A function of one argument with its name.
pub type Function = (&'static str, fn(f64) -> f64);

/// A function of two arguments with its name.
pub type FunctionOfTwo = (&'static str, fn(f64, f64) -> f64);

/// Functions of one argument. `step(x)` is 0 for x < 0 and 1 otherwise, `sign(0)` is 0.
pub const FUNCTIONS: [Function; 19] = [
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("sinh", f64::sinh),
    ("cosh", f64::cosh),
    ("tanh", f64::tanh),
    ("exp", f64::exp),
    ("ln", f64::ln),
    ("log10", f64::log10),
    ("log2", f64::log2),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
    ("floor", f64::floor),
    ("ceil", f64::ceil),
    ("sign", sign),
    ("step", step),
];

/// Functions of two arguments.
pub const FUNCTIONS_OF_TWO: [FunctionOfTwo; 3] =
    [("atan2", f64::atan2), ("min", f64::min), ("max", f64::max)];

/// Values on the stack of a program at most.
pub(super) const DEEPEST: usize = 64;

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

fn step(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { 1.0 }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Op {
    Number(f64),
    Time,
    State(u32),
    Negate,
    Not,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Compare(Comparison),
    And,
    Or,
    Call(u8),
    CallTwo(u8),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Comparison {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Different,
}

impl Comparison {
    /// 1 where it holds, else 0 (numbers that are not comparable are only different).
    pub(super) fn of(self, a: f64, b: f64) -> f64 {
        let holds = match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::Greater => a > b,
            Self::AtLeast => a >= b,
            Self::Equal => a == b,
            Self::Different => a != b,
        };
        truth(holds)
    }
}

pub(super) fn truth(holds: bool) -> f64 {
    f64::from(holds)
}

/// Error in a formula, with its place (bytes from the start).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// One sentence.
    pub message: String,
    /// Advice.
    pub help: String,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Small whole powers by multiplication, so that x^2 is x*x to the bit.
pub(super) fn power(x: f64, n: f64) -> f64 {
    if n.fract() == 0.0 && n.abs() <= 64.0 { x.powi(n as i32) } else { x.powf(n) }
}

pub(super) fn function_names() -> impl Iterator<Item = &'static str> + Clone {
    FUNCTIONS.iter().map(|(f, _)| *f).chain(FUNCTIONS_OF_TWO.iter().map(|(f, _)| *f))
}
