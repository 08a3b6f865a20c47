//! From the text of a formula to its program.

use super::program::{Comparison, DEEPEST, ExpressionError, FUNCTIONS, FUNCTIONS_OF_TWO, Op, function_names};
use crate::suggest::{did_you_mean, list};

/// Recursive descent over the text; emits the program in the order of evaluation.
pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    state: &'a [&'a str],
    conditions: bool,
    program: Vec<Op>,
    depth: usize,
    nesting: usize,
}

type Parsed = Result<(), ExpressionError>;

impl<'a> Parser<'a> {
    /// At the start of a formula that may use the variables `state`.
    pub(super) fn new(text: &'a str, state: &'a [&'a str]) -> Self {
        Self { text, at: 0, state, conditions: false, program: Vec::new(), depth: 0, nesting: 0 }
    }

    /// Comparisons, `not`, `and`, `or` too.
    pub(super) fn with_conditions(self) -> Self {
        Self { conditions: true, ..self }
    }

    /// The program of a text that must hold or not.
    pub(super) fn condition(mut self) -> Result<Vec<Op>, ExpressionError> {
        let start = self.start();
        self.whole()?;
        self.ends()?;
        self.must_hold_or_not(start)?;
        Ok(self.program)
    }

    /// The program of the whole text.
    pub(super) fn program(mut self) -> Result<Vec<Op>, ExpressionError> {
        self.whole()?;
        self.ends()?;
        Ok(self.program)
    }

    /// Checks that nothing stands behind the formula.
    fn ends(&mut self) -> Parsed {
        match self.peek() {
            None => Ok(()),
            Some('=' | '&' | '|' | '!') if self.conditions => Err(self.unknown_operator()),
            Some(')') => Err(self.error_here("a closing parenthesis without an opening one", "")),
            Some(_) => Err(self.error_here("an operator is missing here", "write products with `*`: 2*t")),
        }
    }

    /// The next character that is no blank.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    /// Where the next word or sign begins.
    fn start(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Checks that what was read since `start` is a condition, not a number. The last operation of a program is its outermost.
    fn must_hold_or_not(&self, start: usize) -> Parsed {
        self.is_condition(start, self.at)
    }

    fn is_condition(&self, start: usize, end: usize) -> Parsed {
        if matches!(self.program.last(), Some(Op::Compare(_) | Op::Not | Op::And | Op::Or)) {
            return Ok(());
        }
        let end = start + self.text[start..end].trim_end().len();
        let message = format!("a condition is expected, `{}` is a number", &self.text[start..end]);
        Err(self.error(start, end, message, "compare it: < <= > >= == !="))
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
            Op::Negate | Op::Not | Op::Call(_) => {}
            _ => self.depth -= 1,
        }
        if self.depth > DEEPEST {
            return Err(self.error_here("the formula is nested too deeply", "use fewer parentheses"));
        }
        self.program.push(op);
        Ok(())
    }

    /// A formula; where there may be conditions: conjunction ("or" conjunction)*
    fn whole(&mut self) -> Parsed {
        if !self.conditions {
            return self.sum();
        }
        self.chain("or", Op::Or, Self::conjunction)
    }

    /// denial ("and" denial)*
    fn conjunction(&mut self) -> Parsed {
        self.chain("and", Op::And, Self::denial)
    }

    /// part (word part)*, where there is such a word all parts are conditions.
    fn chain(&mut self, word: &str, op: Op, part: fn(&mut Self) -> Parsed) -> Parsed {
        let start = self.start();
        part(self)?;
        while self.word(word) {
            self.is_condition(start, self.at - word.len())?;
            let next = self.start();
            part(self)?;
            self.must_hold_or_not(next)?;
            self.emit(op)?;
        }
        Ok(())
    }

    /// "not"* comparison
    fn denial(&mut self) -> Parsed {
        if self.word("not") {
            let start = self.start();
            self.nested(Self::denial)?;
            self.must_hold_or_not(start)?;
            return self.emit(Op::Not);
        }
        self.comparison()
    }

    /// sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)?
    fn comparison(&mut self) -> Parsed {
        self.sum()?;
        let Some(comparison) = self.comparator() else { return Ok(()) };
        self.sum()?;
        if self.comparator().is_some() {
            return Err(self.error_here("comparisons cannot be chained", "write a < b and b < c"));
        }
        self.emit(Op::Compare(comparison))
    }

    fn comparator(&mut self) -> Option<Comparison> {
        const SIGNS: [(&str, Comparison); 6] = [
            ("<=", Comparison::AtMost),
            (">=", Comparison::AtLeast),
            ("==", Comparison::Equal),
            ("!=", Comparison::Different),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        self.peek();
        let (sign, comparison) = SIGNS.into_iter().find(|(s, _)| self.text[self.at..].starts_with(s))?;
        self.at += sign.len();
        Some(comparison)
    }

    /// Returns true if this word stands here and is none of the variables; then it is read.
    fn word(&mut self, word: &str) -> bool {
        self.peek();
        let found = self.name_length() == word.len()
            && self.text[self.at..].starts_with(word)
            && !self.state.contains(&word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn unknown_operator(&self) -> ExpressionError {
        let signs = |c: char| matches!(c, '=' | '&' | '|' | '!');
        let rest = &self.text[self.at..];
        let length = rest.len() - rest.trim_start_matches(signs).len();
        let message = format!("unknown operator `{}`", &rest[..length]);
        self.error(self.at, self.at + length, message, "there are < <= > >= == !=, `and`, `or` and `not`")
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
                self.nested(Self::whole)?;
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

    /// Length of the name that begins here: of the longest variable whose letters stand here, otherwise up to what no name has.
    fn name_length(&self) -> usize {
        let rest = &self.text[self.at..];
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let ends = |name: &str| !rest[name.len()..].starts_with(part);
        let known = self.state.iter().filter(|v| rest.starts_with(**v) && ends(v)).map(|v| v.len()).max();
        let more = |c: char| part(c) || (self.conditions && c == '.');
        known.unwrap_or_else(|| rest.find(|c| !more(c)).unwrap_or(rest.len()))
    }

    fn name(&mut self) -> Parsed {
        let start = self.at;
        let length = self.name_length();
        let rest = &self.text[start..];
        let name = &rest[..length];
        self.at += length;
        if self.peek() == Some('(') {
            return self.call(name, start);
        }
        let state = self.state.iter().position(|v| *v == name);
        match (name, state) {
            (_, Some(i)) => return self.emit(Op::State(i as u32)),
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
        self.nested(Self::whole)?;
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
            self.nested(Self::whole)?;
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
