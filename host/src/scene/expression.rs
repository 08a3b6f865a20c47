//! Formulas in drives: `0.1*sin(2*pi*t)`, `-50*x - 2*vx`.
//!
//! The usual grammar: `+ -` below `* /` below the sign below `^` (to the right), so that -x^2 is -(x²). Numbers as in JSON,
//! parentheses, the constant `pi`, and the functions of [`FUNCTIONS`] and [`FUNCTIONS_OF_TWO`]. Compiled once to a stack program;
//! evaluation allocates nothing.

use crate::diagnostics::{did_you_mean, list};

/// A name and what it stands for.
pub type Named<F> = (&'static str, F);

/// Functions of one argument. `step(x)` is 0 for x < 0 and 1 otherwise, `sign(0)` is 0.
pub const FUNCTIONS: [Named<fn(f64) -> f64>; 19] = [
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
pub const FUNCTIONS_OF_TWO: [Named<fn(f64, f64) -> f64>; 3] =
    [("atan2", f64::atan2), ("min", f64::min), ("max", f64::max)];

/// Values on the stack of a program at most.
const DEEPEST: usize = 64;

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

fn step(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { 1.0 }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Op {
    Number(f64),
    Time,
    State(u8),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Call(u8),
    CallTwo(u8),
}

/// A compiled formula.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    program: Vec<Op>,
}

/// What is wrong with a formula, and where (bytes from its start).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// One sentence.
    pub message: String,
    /// What to do.
    pub help: String,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Expression {
    /// Compiles `text`, a formula of t, pi and the variables named in `state`.
    ///
    /// # Errors
    /// What cannot be read, with its place.
    pub fn parse(text: &str, state: &[&str]) -> Result<Self, ExpressionError> {
        let mut parser = Parser { text, at: 0, state, program: Vec::new(), depth: 0, nesting: 0 };
        parser.sum()?;
        match parser.peek() {
            None => Ok(Self { program: parser.program }),
            Some(')') => Err(parser.error_here("a closing parenthesis without an opening one", "")),
            Some(_) => Err(parser.error_here("an operator is missing here", "write products with `*`: 2*t")),
        }
    }

    /// The value at time t; `state` in the order of the names given to [`Expression::parse`]. Not finite where the formula
    /// is not defined.
    pub fn at(&self, t: f64, state: &[f64]) -> f64 {
        let mut stack = [0.0; DEEPEST];
        let mut top = 0;
        for op in &self.program {
            let two = |stack: &[f64; DEEPEST]| (stack[top - 2], stack[top - 1]);
            let (takes, result) = match *op {
                Op::Number(x) => (0, x),
                Op::Time => (0, t),
                Op::State(i) => (0, state[usize::from(i)]),
                Op::Negate => (1, -stack[top - 1]),
                Op::Call(f) => (1, FUNCTIONS[usize::from(f)].1(stack[top - 1])),
                Op::Add => (2, two(&stack).0 + two(&stack).1),
                Op::Subtract => (2, two(&stack).0 - two(&stack).1),
                Op::Multiply => (2, two(&stack).0 * two(&stack).1),
                Op::Divide => (2, two(&stack).0 / two(&stack).1),
                Op::Power => (2, power(two(&stack).0, two(&stack).1)),
                Op::CallTwo(f) => (2, FUNCTIONS_OF_TWO[usize::from(f)].1(two(&stack).0, two(&stack).1)),
            };
            top -= takes;
            stack[top] = result;
            top += 1;
        }
        stack[0]
    }
}

/// Small whole powers by multiplication, so that x^2 is x*x to the bit.
fn power(x: f64, n: f64) -> f64 {
    if n.fract() == 0.0 && n.abs() <= 64.0 { x.powi(n as i32) } else { x.powf(n) }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    state: &'a [&'a str],
    program: Vec<Op>,
    depth: usize,
    nesting: usize,
}

type Parsed = Result<(), ExpressionError>;

impl Parser<'_> {
    /// The next character that is no blank.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn error(
        &self,
        start: usize,
        end: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ExpressionError {
        ExpressionError { message: message.into(), help: help.into(), start, end }
    }

    fn error_here(&self, message: impl Into<String>, help: impl Into<String>) -> ExpressionError {
        let width = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        self.error(self.at, self.at + width, message, help)
    }

    fn emit(&mut self, op: Op) -> Parsed {
        match op {
            Op::Number(_) | Op::Time | Op::State(_) => self.depth += 1,
            Op::Negate | Op::Call(_) => {}
            _ => self.depth -= 1,
        }
        if self.depth > DEEPEST {
            return Err(self.error_here("the formula is nested too deeply", "use fewer parentheses"));
        }
        self.program.push(op);
        Ok(())
    }

    /// term (("+" | "-") term)*
    fn sum(&mut self) -> Parsed {
        self.product()?;
        while let Some(sign @ ('+' | '-')) = self.peek() {
            self.at += 1;
            self.product()?;
            self.emit(if sign == '+' { Op::Add } else { Op::Subtract })?;
        }
        Ok(())
    }

    /// signed (("*" | "/") signed)*
    fn product(&mut self) -> Parsed {
        self.signed()?;
        while let Some(sign @ ('*' | '/')) = self.peek() {
            self.at += 1;
            if self.text[self.at..].starts_with('*') {
                return Err(self.error(
                    self.at - 1,
                    self.at + 1,
                    "unknown operator `**`",
                    "write powers with `^`: t^2",
                ));
            }
            self.signed()?;
            self.emit(if sign == '*' { Op::Multiply } else { Op::Divide })?;
        }
        Ok(())
    }

    /// ("-" | "+")* atom ("^" signed)?: the sign binds less than the power.
    fn signed(&mut self) -> Parsed {
        let sign = self.peek();
        if let Some('-' | '+') = sign {
            self.at += 1;
            self.nested(Self::signed)?;
            return if sign == Some('-') { self.emit(Op::Negate) } else { Ok(()) };
        }
        self.atom()?;
        if self.peek() == Some('^') {
            self.at += 1;
            self.nested(Self::signed)?;
            self.emit(Op::Power)?;
        }
        Ok(())
    }

    fn nested(&mut self, rule: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.nesting += 1;
        if self.nesting > DEEPEST {
            return Err(self.error_here("the formula is nested too deeply", "use fewer parentheses"));
        }
        rule(self)?;
        self.nesting -= 1;
        Ok(())
    }

    /// number | name | name "(" sum ("," sum)? ")" | "(" sum ")"
    fn atom(&mut self) -> Parsed {
        match self.peek() {
            None => Err(self.error_here("the formula ends where a value is expected", "")),
            Some('(') => {
                let open = self.at;
                self.at += 1;
                self.nested(Self::sum)?;
                self.close(open)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.name(),
            Some(c) => Err(self.error_here(format!("a value is expected, found `{c}`"), "")),
        }
    }

    fn close(&mut self, open: usize) -> Parsed {
        match self.peek() {
            Some(')') => {
                self.at += 1;
                Ok(())
            }
            None => {
                Err(self.error(open, open + 1, "this parenthesis is never closed", "add the missing `)`"))
            }
            Some(_) => {
                Err(self.error_here("an operator or `)` is missing here", "write products with `*`: 2*t"))
            }
        }
    }

    fn number(&mut self) -> Parsed {
        let (start, bytes) = (self.at, self.text.as_bytes());
        let digits = |mut i: usize| {
            while bytes.get(i).is_some_and(u8::is_ascii_digit) {
                i += 1;
            }
            i
        };
        let mut end = digits(start);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if let Some(b'e' | b'E') = bytes.get(end) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let after = digits(end + 1 + sign);
            end = if after > end + 1 + sign { after } else { end };
        }
        self.at = end;
        match self.text[start..end].parse::<f64>() {
            Ok(x) if x.is_finite() => self.emit(Op::Number(x)),
            _ => Err(self.error(
                start,
                end,
                format!("`{}` is not a finite number", &self.text[start..end]),
                "",
            )),
        }
    }

    fn name(&mut self) -> Parsed {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..length];
        self.at += length;
        if self.peek() == Some('(') {
            return self.call(name, start);
        }
        let state = self.state.iter().position(|v| *v == name);
        match (name, state) {
            (_, Some(i)) => return self.emit(Op::State(i as u8)),
            ("t", _) => return self.emit(Op::Time),
            ("pi", _) => return self.emit(Op::Number(std::f64::consts::PI)),
            _ => {}
        }
        let is_function = function_names().any(|f| f == name);
        let message = match is_function {
            true => format!("`{name}` is a function and needs its argument: {name}(…)"),
            false => format!("unknown variable `{name}`"),
        };
        let known = ["t", "pi"].into_iter().chain(self.state.iter().copied());
        let meant =
            did_you_mean(name, known.clone()).filter(|_| !is_function).map_or_else(String::new, |m| m + " ");
        Err(self.error(start, start + length, message, format!("{meant}known here: {}", list(known))))
    }

    fn call(&mut self, name: &str, start: usize) -> Parsed {
        let one = FUNCTIONS.iter().position(|(f, _)| *f == name);
        let two = FUNCTIONS_OF_TWO.iter().position(|(f, _)| *f == name);
        if one.is_none() && two.is_none() {
            let meant = did_you_mean(name, function_names()).map_or_else(String::new, |m| m + " ");
            let help = format!("{meant}known functions: {}", list(function_names()));
            return Err(self.error(start, start + name.len(), format!("unknown function `{name}`"), help));
        }
        let open = self.at;
        self.at += 1;
        self.nested(Self::sum)?;
        if two.is_some() && self.peek() != Some(',') {
            return Err(self.error(
                start,
                self.at,
                format!("`{name}` needs two arguments"),
                format!("{name}(a, b)"),
            ));
        }
        if two.is_some() {
            self.at += 1;
            self.nested(Self::sum)?;
        }
        if self.peek() == Some(',') {
            let takes = if two.is_some() { "two arguments" } else { "one argument" };
            return Err(self.error_here(format!("`{name}` takes {takes}"), ""));
        }
        self.close(open)?;
        match (one, two) {
            (Some(f), _) => self.emit(Op::Call(f as u8)),
            (_, Some(f)) => self.emit(Op::CallTwo(f as u8)),
            _ => Ok(()),
        }
    }
}

fn function_names() -> impl Iterator<Item = &'static str> + Clone {
    FUNCTIONS.iter().map(|(f, _)| *f).chain(FUNCTIONS_OF_TWO.iter().map(|(f, _)| *f))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        Expression::parse(text, &["x"]).unwrap_or_else(|e| panic!("{text}: {}", e.message)).at(3.0, &[2.0])
    }

    #[test]
    fn formulas_follow_the_usual_rules() {
        for (text, expected) in [
            ("-x^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("1-2-3", -4.0),
            ("12/2/3", 2.0),
            ("1e-3*2.5E+2", 0.25),
            (".5 + 5.", 5.5),
            ("--x", 2.0),
            ("2*-x", -4.0),
            ("(1+t)*x", 8.0),
            ("max(t, x) - min(t,x)", 1.0),
            ("atan2(0, -1) - pi", 0.0),
            ("step(t-3) + step(t-3.1)", 1.0),
            ("sign(0*t) + abs(-x)", 2.0),
            ("sqrt(x)^2 - 2 < 1", f64::NAN),
        ] {
            if expected.is_nan() {
                assert!(Expression::parse(text, &["x"]).is_err());
            } else {
                assert!((value(text) - expected).abs() < 1e-15, "{text} = {}", value(text));
            }
        }
    }

    #[test]
    fn errors_have_a_place_and_advice() {
        let cases = [
            ("", 0, 0, "the formula ends where a value is expected"),
            ("2 t", 2, 3, "an operator is missing here"),
            ("2*(t+1", 2, 3, "this parenthesis is never closed"),
            ("t)", 1, 2, "a closing parenthesis without an opening one"),
            ("sin(q)", 4, 5, "unknown variable `q`"),
            ("sn(t)", 0, 2, "unknown function `sn`"),
            ("t**2", 1, 3, "unknown operator `**`"),
            ("sin + 1", 0, 3, "`sin` is a function and needs its argument: sin(…)"),
            ("min(t)", 0, 5, "`min` needs two arguments"),
            ("sin(t, t)", 5, 6, "`sin` takes one argument"),
            ("t + ", 4, 4, "the formula ends where a value is expected"),
            ("1e999", 0, 5, "`1e999` is not a finite number"),
            ("3 + ²", 4, 6, "a value is expected, found `²`"),
            ("$", 0, 1, "a value is expected, found `$`"),
        ];
        for (text, start, end, message) in cases {
            let e = Expression::parse(text, &[]).expect_err(text);
            assert_eq!((e.start, e.end, e.message.as_str()), (start, end, message), "{text}");
        }
        let help = Expression::parse("sn(t)", &[]).unwrap_err().help;
        assert!(help.starts_with("did you mean `sin`? known functions: `sin`, "), "{help}");
        assert_eq!(Expression::parse("T", &[]).unwrap_err().help, "did you mean `t`? known here: `t`, `pi`");
    }

    #[test]
    fn deep_nesting_is_refused_not_suffered() {
        for text in ["(".repeat(100_000), "-".repeat(100_000), "2^".repeat(100_000)] {
            let e = Expression::parse(&text, &[]).unwrap_err();
            assert_eq!(e.message, "the formula is nested too deeply");
        }
        let wide = vec!["t"; 10_000].join("+");
        assert_eq!(Expression::parse(&wide, &[]).unwrap().at(1.0, &[]), 10_000.0);
        let right = "1+(".repeat(60) + "t" + &")".repeat(60);
        assert_eq!(Expression::parse(&right, &[]).unwrap().at(1.0, &[]), 61.0);
    }
}
