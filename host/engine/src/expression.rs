//! Formulas in drives: `0.1*sin(2*pi*t)`, `-50*x - 2*vx`.
//!
//! The usual grammar: `+ -` below `* /` below the sign below `^` (to the right), so that -x^2 is -(x²). Numbers as in JSON,
//! parentheses, the constant `pi`, and the functions of [`FUNCTIONS`] and [`FUNCTIONS_OF_TWO`]. Compiled once to a stack program;
//! evaluation allocates nothing.
//!
//! Conditions (`cup.y < -0.1 and not abs(cup.angle) > 1`) have, below the sums, the comparisons `< <= > >= == !=`, below them `not`, `and`,
//! `or`, which take conditions only; what holds is 1 in sums, what does not is 0.
//!
//! Ours because drives need derivatives, findings need places, and results must be the same bits everywhere: see "Own expressions"
//! in `docs/src/decisions.md`.

mod jet;
mod parser;
mod program;

use parser::Parser;
use program::{DEEPEST, Op, power, truth};

pub use program::{ExpressionError, FUNCTIONS, FUNCTIONS_OF_TWO, Function, FunctionOfTwo};

/// Returns true if the value of a condition means that it holds. Comparisons with what is undefined do not hold, but for `!=`.
pub fn is_true(value: f64) -> bool {
    value != 0.0 && !value.is_nan()
}

/// A compiled formula.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    program: Vec<Op>,
}

impl Expression {
    /// Compiles `text`, a formula of t, pi and the variables named in `state`.
    ///
    /// # Errors
    /// What cannot be read, with its place.
    pub fn parse(text: &str, state: &[&str]) -> Result<Self, ExpressionError> {
        Ok(Self { program: Parser::new(text, state).program()? })
    }

    /// Reads a formula that may hold conditions, `(cup.y < 0) * 3`. Names may have any letters that hold no place in a
    /// formula at their beginning; the longest known name that stands in the text is meant (`left-jaw.x` where there is a `left-jaw`).
    ///
    /// # Errors
    /// What cannot be read, with its place.
    pub fn value(text: &str, state: &[&str]) -> Result<Self, ExpressionError> {
        Ok(Self { program: Parser::new(text, state).with_conditions().program()? })
    }

    /// Reads a condition, which is true or false and not a number.
    ///
    /// # Errors
    /// What cannot be read, with its place.
    pub fn condition(text: &str, state: &[&str]) -> Result<Self, ExpressionError> {
        Ok(Self { program: Parser::new(text, state).with_conditions().condition()? })
    }

    /// Returns true if it speaks of the time.
    pub fn uses_time(&self) -> bool {
        self.program.contains(&Op::Time)
    }

    /// Numbers of the variables it uses, in the order of the names it was given; ascending, each once.
    pub fn variables(&self) -> Vec<usize> {
        let used = self.program.iter().filter_map(|op| match op {
            Op::State(i) => Some(*i as usize),
            _ => None,
        });
        used.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
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
                Op::State(i) => (0, state[i as usize]),
                Op::Negate => (1, -stack[top - 1]),
                Op::Not => (1, truth(stack[top - 1] == 0.0)),
                Op::Call(f) => (1, FUNCTIONS[usize::from(f)].1(stack[top - 1])),
                Op::Add => (2, two(&stack).0 + two(&stack).1),
                Op::Subtract => (2, two(&stack).0 - two(&stack).1),
                Op::Multiply => (2, two(&stack).0 * two(&stack).1),
                Op::Divide => (2, two(&stack).0 / two(&stack).1),
                Op::Power => (2, power(two(&stack).0, two(&stack).1)),
                Op::Compare(c) => (2, c.of(two(&stack).0, two(&stack).1)),
                Op::And => (2, truth(two(&stack).0 != 0.0 && two(&stack).1 != 0.0)),
                Op::Or => (2, truth(two(&stack).0 != 0.0 || two(&stack).1 != 0.0)),
                Op::CallTwo(f) => (2, FUNCTIONS_OF_TWO[usize::from(f)].1(two(&stack).0, two(&stack).1)),
            };
            top -= takes;
            stack[top] = result;
            top += 1;
        }
        stack[0]
    }
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
    fn conditions_stand_below_sums_and_know_long_names() {
        let names = ["left-jaw.x", "left", "jaw.x", "cup.y"];
        let state = [1.0, 10.0, 100.0, -2.0];
        for (text, expected) in [
            ("left-jaw.x", 1.0),
            ("left - jaw.x", -90.0),
            ("cup.y + 1 < -0.5 and left == 10", 1.0),
            ("not cup.y < 0 or left != 10", 0.0),
            ("not (cup.y < 0 and left >= 10.5)", 1.0),
            ("1 < 2 and 2 < 1 or 3 <= 3", 1.0),
            ("(cup.y > 0) * 3 + (t > 1) * 5", 5.0),
            ("0/0 < 1 or 0/0 > 1 or 0/0 == 0/0", 0.0),
        ] {
            let e = Expression::value(text, &names).unwrap_or_else(|e| panic!("{text}: {}", e.message));
            assert_eq!(e.at(2.0, &state), expected, "{text}");
        }
        assert_eq!(Expression::value("cup.y + left*left", &names).unwrap().variables(), [1, 3]);
        for (text, message) in [
            ("cup.z < 1", "unknown variable `cup.z`"),
            ("1 < 2 < 3", "comparisons cannot be chained"),
            ("1 = 2", "unknown operator `=`"),
            ("1 < 2 && 2 < 3", "unknown operator `&&`"),
            ("left < 1 and", "the formula ends where a value is expected"),
            ("left ", "a condition is expected, `left` is a number"),
            ("left < 1 or cup.y+1", "a condition is expected, `cup.y+1` is a number"),
            ("cup.y and left < 1", "a condition is expected, `cup.y` is a number"),
            ("not (cup.y) < 1 and not 2", "a condition is expected, `2` is a number"),
        ] {
            assert_eq!(Expression::condition(text, &names).unwrap_err().message, message, "{text}");
        }
        assert!(Expression::parse("1 < 2", &[]).is_err());
    }

    /// The number of a variable was cut to 16 bits: a large scene's last columns were its first ones.
    #[test]
    fn more_variables_than_sixteen_bits_count_are_told_apart() {
        let names: Vec<String> = (0..70_000).map(|k| format!("b{k}.x")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let state: Vec<f64> = (0..70_000).map(f64::from).collect();
        let e = Expression::value("b65537.x - b69999.x", &names).unwrap();
        assert_eq!((e.at(0.0, &state), e.variables()), (65_537.0 - 69_999.0, vec![65_537, 69_999]));
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
