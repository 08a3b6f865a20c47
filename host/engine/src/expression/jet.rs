//! Values of formulas of t with their first and second derivative, by the chain rule.

use super::Expression;
use super::program::{DEEPEST, FUNCTIONS, FUNCTIONS_OF_TWO, Op, power, truth};

/// Value, first and second derivative by t.
type Jet = [f64; 3];

impl Expression {
    /// Value, first and second derivative at time t of a formula of t alone; variables of the state count as 0. Where a formula
    /// has a kink or a jump the derivatives are those of one side.
    pub fn jet(&self, t: f64) -> [f64; 3] {
        let mut stack = [[0.0; 3]; DEEPEST];
        let mut top = 0;
        for op in &self.program {
            let two = |stack: &[Jet; DEEPEST]| (stack[top - 2], stack[top - 1]);
            let (takes, result) = match *op {
                Op::Number(x) => (0, [x, 0.0, 0.0]),
                Op::Time => (0, [t, 1.0, 0.0]),
                Op::State(_) => (0, [0.0; 3]),
                Op::Negate => (1, stack[top - 1].map(|x| -x)),
                Op::Call(f) => (1, call(usize::from(f), stack[top - 1])),
                Op::Add => (2, add(two(&stack).0, two(&stack).1)),
                Op::Subtract => (2, add(two(&stack).0, two(&stack).1.map(|x| -x))),
                Op::Multiply => (2, multiply(two(&stack).0, two(&stack).1)),
                Op::Divide => (2, divide(two(&stack).0, two(&stack).1)),
                Op::Power => (2, raise(two(&stack).0, two(&stack).1)),
                // Conditions are constant between their jumps.
                Op::Not => (1, [truth(stack[top - 1][0] == 0.0), 0.0, 0.0]),
                Op::Compare(c) => (2, [c.of(two(&stack).0[0], two(&stack).1[0]), 0.0, 0.0]),
                Op::And => (2, [truth(two(&stack).0[0] != 0.0 && two(&stack).1[0] != 0.0), 0.0, 0.0]),
                Op::Or => (2, [truth(two(&stack).0[0] != 0.0 || two(&stack).1[0] != 0.0), 0.0, 0.0]),
                Op::CallTwo(f) => (2, call_two(usize::from(f), two(&stack).0, two(&stack).1)),
            };
            top -= takes;
            stack[top] = result;
            top += 1;
        }
        stack[0]
    }
}

fn add(a: Jet, b: Jet) -> Jet {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn multiply(a: Jet, b: Jet) -> Jet {
    [a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2]]
}

fn divide(a: Jet, b: Jet) -> Jet {
    let value = a[0] / b[0];
    let rate = (a[1] - value * b[1]) / b[0];
    [value, rate, (a[2] - 2.0 * rate * b[1] - value * b[2]) / b[0]]
}

/// f(x) with f, f′, f″ at x. What does not change has no derivatives, however steep f is.
fn chain(f: f64, [first, second]: [f64; 2], x: Jet) -> Jet {
    if x[1] == 0.0 && x[2] == 0.0 {
        return [f, 0.0, 0.0];
    }
    [f, first * x[1], second * x[1] * x[1] + first * x[2]]
}

fn raise(x: Jet, n: Jet) -> Jet {
    let value = power(x[0], n[0]);
    if n[1] == 0.0 && n[2] == 0.0 {
        let n = n[0];
        let first = if n == 0.0 { 0.0 } else { n * power(x[0], n - 1.0) };
        let second = if n == 0.0 || n == 1.0 { 0.0 } else { n * (n - 1.0) * power(x[0], n - 2.0) };
        return chain(value, [first, second], x);
    }
    let logarithm = chain(x[0].ln(), [1.0 / x[0], -1.0 / (x[0] * x[0])], x);
    chain(value, [value, value], multiply(n, logarithm))
}

fn call(index: usize, x: Jet) -> Jet {
    let (name, f) = FUNCTIONS[index];
    let (x0, value) = (x[0], f(x[0]));
    let logarithm = |base: f64| [1.0 / (x0 * base), -1.0 / (x0 * x0 * base)];
    let inside = 1.0 - x0 * x0;
    let derivatives = match name {
        "sin" => [x0.cos(), -value],
        "cos" => [-x0.sin(), -value],
        "tan" => [1.0 + value * value, 2.0 * value * (1.0 + value * value)],
        "asin" => [1.0 / inside.sqrt(), x0 / (inside * inside.sqrt())],
        "acos" => [-1.0 / inside.sqrt(), -x0 / (inside * inside.sqrt())],
        "atan" => [1.0 / (1.0 + x0 * x0), -2.0 * x0 / ((1.0 + x0 * x0) * (1.0 + x0 * x0))],
        "sinh" => [x0.cosh(), value],
        "cosh" => [x0.sinh(), value],
        "tanh" => [1.0 - value * value, -2.0 * value * (1.0 - value * value)],
        "exp" => [value, value],
        "ln" => logarithm(1.0),
        "log10" => logarithm(std::f64::consts::LN_10),
        "log2" => logarithm(std::f64::consts::LN_2),
        "sqrt" => [0.5 / value, -0.25 / (x0 * value)],
        "abs" => [if x0 < 0.0 { -1.0 } else { 1.0 }, 0.0],
        // floor, ceil, sign and step are constant between their jumps.
        _ => [0.0, 0.0],
    };
    chain(value, derivatives, x)
}

fn call_two(index: usize, a: Jet, b: Jet) -> Jet {
    let (name, f) = FUNCTIONS_OF_TWO[index];
    let value = f(a[0], b[0]);
    match name {
        "atan2" => {
            let square = a[0] * a[0] + b[0] * b[0];
            let rate = (b[0] * a[1] - a[0] * b[1]) / square;
            let growth = 2.0 * (a[0] * a[1] + b[0] * b[1]) / square;
            [value, rate, (b[0] * a[2] - a[0] * b[2]) / square - rate * growth]
        }
        _ if value == a[0] => a,
        _ => b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_values() {
        for text in [
            "0.3*sin(2*pi*t) - cos(t)^2/(1 + t)",
            "tan(t/3) + atan(2*t) + asin(t/4)*acos(t/5)",
            "sinh(t)*cosh(t) - tanh(t^2) + exp(-t)",
            "ln(1+t) + log10(2+t) - log2(3*t) + sqrt(t) + sqrt(4)",
            "abs(t-3)*max(t, 0.1)*min(2*t, 9) + floor(t/10) + sign(t) + step(t)",
            "(1+t)^t + 2^t + t^0 + t^1 + t^2.5 + t^-2",
            "atan2(sin(t), 1 + t^2)",
        ] {
            let e = Expression::parse(text, &[]).unwrap();
            for t in [0.4, 1.3] {
                let d = 1e-4;
                let [x, first, second] = e.jet(t);
                assert!((x - e.at(t, &[])).abs() <= 1e-14 * x.abs().max(1.0), "{text}");
                let slope = (e.at(t + d, &[]) - e.at(t - d, &[])) / (2.0 * d);
                let curve = (e.at(t + d, &[]) - 2.0 * x + e.at(t - d, &[])) / (d * d);
                assert!((first - slope).abs() < 1e-6 * slope.abs().max(1.0), "{text}: {first} {slope}");
                assert!((second - curve).abs() < 1e-5 * curve.abs().max(1.0), "{text}: {second} {curve}");
            }
        }
    }
}
