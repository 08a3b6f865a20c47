//! The word that `solve --solver auto` has for small problems that once had a wrong one: what was said is named in each case.

use std::process::Command;

use vinci_test_problems as shared;
use vinci_tests::house;
use vinci_tests::program::output_text;

/// A problem: name, class, n, m, then P (or M), c (or q), G, g, lower, upper as JSON, and what else there is.
struct Case {
    name: &'static str,
    problem: &'static str,
    /// Exit code, and what the line says after the name.
    exit: i32,
    says: &'static str,
}

const CASES: [Case; 33] = [
    // "Converged, objective 0": both pairs were held at their first side, as if their exchanges did not meet.
    Case {
        name: "pairs that share unknowns in opposite order",
        problem: r#""class": "Qpcc", "n": 2, "m": 4, "P": {"i": [0, 1], "j": [0, 1], "v": [1, 1]}, "c": [-1, -1],
            "G": {"i": [0, 1, 2, 3], "j": [0, 1, 1, 0], "v": [1, 1, 1, 1]}, "g": [0, 0, 0, 0], "lower": [0, 0, 0, 0],
            "upper": [null, null, null, null], "pairs": [{"first": 0, "second": 1}, {"first": 2, "second": 3}]"#,
        exit: 0,
        says: "Converged, objective -5.000000000e-1",
    },
    // "Converged, objective 1.00003e-3, bound 1.000024e-3": 2.000000003 beside 2 was taken for 2, and the mode for one without a point.
    Case {
        name: "rows that are all but parallel",
        problem: r#""class": "Qpcc", "n": 5, "m": 8, "P": {"i": [], "j": [], "v": []}, "c": [-1.0, 0.0, 10.0, -1.0, -1.0], "G":
            {"i": [0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 7], "j": [2, 0, 1, 0, 1, 0, 1, 2, 0, 3, 3, 4, 3, 4], "v": [1.0,
            -1.0, -1.0, -2.0, -1.0, 2.000000003, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0, -1.0]}, "g": [0.0, 3.0, 2.0, -2.0001,
            1000000.0, 0.0, 0.0, 0.0], "lower": [0, 0, 0, 0, 0, 0, 0, -1.0], "upper": [null, null, null, null, null, null,
            null, 1.0], "pairs": [{"first": 0, "second": 1}, {"first": 5, "second": 6}]"#,
        exit: 0,
        says: "Converged, residual 0.00e0 of the data's size (5 unknowns, 8 rows, 2 pairs), objective -1.000002000e6",
    },
    // "Converged, residual 0.00e0": terms of 1e11 cancel, and no x of this precision leaves less than 3e-5.
    Case {
        name: "a curvature that is all but singular, to rounding",
        problem: r#""class": "Conic", "n": 2, "m": 3, "P": {"i": [0, 0, 1, 1], "j": [0, 1, 0, 1], "v": [4.000000000014552, 4.0,
            4.0, 4.000000000014552]}, "c": [3.0, -1.0], "G": {"i": [0, 1, 1, 2, 2], "j": [0, 0, 1, 0, 1], "v": [-1.0, 1.0,
            1.0, -1.0, 2.0]}, "g": [0.0, 0.0, -3.0], "lower": [0.0, 0.0, 0.0], "upper": [null, null, null]"#,
        exit: 0,
        says: "Converged to rounding of its terms",
    },
    // "Converged, residual 0.00e0", and the objective is off by a thousandth.
    Case {
        name: "a curvature that is all but singular",
        problem: r#""class": "Conic", "n": 3, "m": 1, "P": {"i": [0, 0, 0, 1, 1, 1, 2, 2, 2], "j": [0, 1, 2, 0, 1, 2, 0, 1, 2],
            "v": [4.000000000000227, -2.0, 4.0, -2.0, 1.0000000000002274, -2.0, 4.0, -2.0, 4.000000000000227]}, "c":
            [-3.0, 3.0, 0.0], "G": {"i": [0, 0, 0], "j": [0, 1, 2], "v": [2.0, -2.0, -1.0]}, "g": [-2.0], "lower": [0.0],
            "upper": [null]"#,
        exit: 6,
        says: "NumericalFailure (claimed Converged, which the host's check denies: summed in twice the working precision",
    },
    // "Unbounded, proof checked": x_0 ≥ 1 and x_0 ≤ 0 beside an unknown that falls for ever.
    Case {
        name: "a fall without a point",
        problem: r#""class": "Conic", "n": 2, "m": 2, "P": {"i": [], "j": [], "v": []}, "c": [0, -1],
            "G": {"i": [0, 1], "j": [0, 0], "v": [1, 1]}, "g": [0, 0], "lower": [1, null], "upper": [null, 0]"#,
        exit: 6,
        says: "Infeasible, proof checked",
    },
    Case {
        name: "a fall from a point",
        problem: r#""class": "Conic", "n": 2, "m": 2, "P": {"i": [], "j": [], "v": []}, "c": [0, -1],
            "G": {"i": [0, 1], "j": [0, 0], "v": [1, 1]}, "g": [0, 0], "lower": [1, null], "upper": [null, 2]"#,
        exit: 6,
        says: "Unbounded, proof checked",
    },
    // The same under a cone: |x_0 − 3| ≤ 1 and x_0 ≤ 0.
    Case {
        name: "a fall without a point under a cone",
        problem: r#""class": "Conic", "n": 2, "m": 3, "P": {"i": [], "j": [], "v": []}, "c": [0, -1],
            "G": {"i": [1, 2], "j": [0, 0], "v": [1, 1]}, "g": [1, -3, 0], "lower": [null, null, null],
            "upper": [null, null, 0], "cones": [{"first": 0, "dim": 2}]"#,
        exit: 6,
        says: "Infeasible",
    },
    // "Unbounded, proof checked": x_1 = ½ was a point of x_1 ≥ 1 and x_1 ≤ 0 beside x_0 + x_1 ≥ 1e12.
    Case {
        name: "a fall from a point that is none beside large numbers",
        problem: r#""class": "Conic", "n": 2, "m": 3, "P": {"i": [], "j": [], "v": []}, "c": [-1, 0],
            "G": {"i": [0, 1, 2, 2], "j": [1, 1, 0, 1], "v": [1, 1, 1, 1]}, "g": [0, 0, 0],
            "lower": [1, null, 1e12], "upper": [null, 0, null]"#,
        exit: 6,
        says: "Infeasible|NumericalFailure",
    },
    // "Converged": an inactive row ties x_1 to a part of 1e12.
    Case {
        name: "a contradiction that is small beside its own part",
        problem: r#""class": "Conic", "n": 2, "m": 3, "P": {"i": [0], "j": [0], "v": [1]}, "c": [-1e12, 0],
            "G": {"i": [0, 1, 2, 2], "j": [1, 1, 0, 1], "v": [1, 1, 1e-12, 1]}, "g": [0, 0, 0],
            "lower": [1, null, -1], "upper": [null, 0, null]"#,
        exit: 6,
        says: "Infeasible|NumericalFailure",
    },
    // "Unbounded, proof checked": |(1e12 (x_0 − x_1) + 1e-12 x_2, x_0 − x_1)| ≤ 1e-12 and x_0 = x_2 has a best point near 1e12.
    Case {
        name: "a direction along the apex of a cone",
        problem: r#""class": "Conic", "n": 3, "m": 4, "P": {"i": [], "j": [], "v": []}, "c": [0, 0, -1],
            "G": {"i": [1, 1, 1, 2, 2, 3, 3], "j": [0, 1, 2, 0, 1, 0, 2], "v": [1e12, -1e12, 1e-12, 1, -1, 1, -1]},
            "g": [1e-12, 0, 0, 0], "lower": [null, null, null, 0], "upper": [null, null, null, 0],
            "cones": [{"first": 0, "dim": 3}]"#,
        exit: 6,
        says: "Unbounded to rounding|NumericalFailure|Infeasible to rounding",
    },
    // "Converged" at x_1 = 0: a millimetre was rounding beside what another unknown, tied to nothing, costs.
    Case {
        name: "a contradiction that is small beside another part",
        problem: r#""class": "Conic", "n": 2, "m": 2, "P": {"i": [0], "j": [0], "v": [1]}, "c": [-1e12, 0],
            "G": {"i": [0, 1], "j": [1, 1], "v": [1, 1]}, "g": [0, 0], "lower": [1e-3, null], "upper": [null, 0]"#,
        exit: 6,
        says: "NumericalFailure|Infeasible",
    },
    Case {
        name: "a row without entries that is wrong by little",
        problem: r#""class": "Mlcp", "n": 3, "m": {"i": [], "j": [], "v": []}, "q": [7e-9, 1.7e11, -3.6e-12],
            "lower": [0, 0, 0], "upper": [null, null, null]"#,
        exit: 6,
        says: "NumericalFailure|Infeasible",
    },
    // "Infeasible, proof checked": it has the solution (1e17, 1e29, 1), and the proof is off by 1e-29 of its terms.
    Case {
        name: "a solution far out",
        problem: r#""class": "Conic", "n": 3, "m": 3, "P": {"i": [], "j": [], "v": []}, "c": [0, 0, 0],
            "G": {"i": [0, 0, 1, 1, 1, 2, 2], "j": [0, 1, 0, 1, 2, 0, 2], "v": [1e12, -1, -1e12, 1, 1, 1e-12, -1e5]},
            "g": [0, 0, 0], "lower": [1, 0, 0], "upper": [null, null, null]"#,
        exit: 6,
        says: "Infeasible to rounding: no solution with unknowns below|NumericalFailure",
    },
    // "to rounding, no exact proof": small integers, whose proof was right to 1e-16 and never refined.
    Case {
        name: "an infeasible program of small integers",
        problem: r#""class": "Qpcc", "n": 3, "m": 5,
            "P": {"i": [0, 0, 2, 2], "j": [0, 2, 0, 2], "v": [80, -80, -80, 80]}, "c": [48, 48, -32],
            "G": {"i": [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4], "j": [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1],
                  "v": [3, -1, -1, 3, -1, -3, -1, -2, 1, 2, 1, -2, 1, 2]},
            "g": [-2, 1, -3, 2, -2], "lower": [3, -3, -1, 0, 0], "upper": [3, null, -1, null, null],
            "pairs": [{"first": 3, "second": 4}]"#,
        exit: 6,
        says: "Infeasible, proof checked",
    },
    // "Converged" at z = (1e23, 2e15): what the terms round to is more than all that the first row asks for.
    Case {
        name: "an answer that leaves nothing of the data",
        problem: r#""class": "Mlcp", "n": 2,
            "m": {"i": [0, 0, 1, 1], "j": [0, 1, 0, 1],
                  "v": [2.220446049250314e-16, -1.4901161193847656e-08, -2.9802322387695312e-08, 2]},
            "q": [-1.4901161193847656e-08, -2], "lower": [0, 0], "upper": [null, null]"#,
        exit: 6,
        says: "NumericalFailure|Infeasible to rounding",
    },
    // The answer was denied: multipliers of 2e-31 were the unit of a balance without cost.
    Case {
        name: "a balance whose unknown costs nothing",
        problem: r#""class": "Qpcc", "n": 5, "m": 13,
            "P": {"i": [], "j": [], "v": []}, "c": [3, -1, 2, 0, 3],
            "G": {"i": [1, 2, 2, 2, 3, 4, 4, 4, 4, 4, 5, 6, 6, 6, 6, 6, 7, 8, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 11, 11, 12, 12, 12],
                  "j": [1, 0, 1, 4, 3, 0, 1, 2, 3, 4, 0, 0, 1, 2, 3, 4, 3, 1, 0, 2, 4, 1, 2, 3, 4, 0, 1, 2, 3, 4, 1, 2, 3],
                  "v": [1, -3, -3, -2, 1, 1, 3, -1, -1, 1, 1, 1, -2, -3, 1, 3, 2, 1, -3, 2, 3, -2, 3, 3, -1, 3, -1, -2, -2, -2, 3, -2, -2]},
            "g": [0, 0, 0, 0, 0, 3, 0, -1, 0, 0, 0, 0, -2], "lower": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, null, null], "upper": [null, null, null, null, null, null, null, null, null, null, 3, 3, null],
            "pairs": [{"first": 1, "second": 8}, {"first": 4, "second": 0}, {"first": 5, "second": 2}, {"first": 3, "second": 9}, {"first": 6, "second": 7}]"#,
        exit: 0,
        says: "Converged, objective -1.800000000e1",
    },
    // The search in balanced units ended with a bound that the given units did not take for one, and nothing else was tried.
    Case {
        name: "one unknown in units of 1e-6",
        problem: r#""class": "Qpcc", "n": 1, "m": 2, "P": {"i": [], "j": [], "v": []}, "c": [1],
            "G": {"i": [0, 1], "j": [0, 0], "v": [9e-6, -9e-6]}, "g": [0, 1],
            "lower": [0, 0], "upper": [null, null], "pairs": [{"first": 0, "second": 1}]"#,
        exit: 0,
        says: "Converged",
    },
    // "Unbounded, proof checked": the point that it started from broke a row by 5e-6, beside 1e9.
    Case {
        name: "no point within the tolerance",
        problem: r#""class": "Conic", "n": 4, "m": 3, "P": {"i": [0, 0, 2, 2, 3], "j": [0, 2, 0, 2, 3], "v": [1.0, -1.0, -1.0, 1.0, 1.0]}, "c": [-3.0, 1.0, -1.0, -1000000000.0], "G": {"i": [0, 1, 2], "j": [2, 2, 3], "v": [2.0, -2.0, 1.0]}, "g": [5e-06, -5e-06, 0.0], "lower": [null, null, -1000000000.0], "upper": [1.0, -1.000005, 1000000000.0]"#,
        exit: 6,
        says: "Infeasible, proof checked",
    },
    // 2.0 was the optimum: the other unknown's ½ p X² of 5e8 was what a gap was measured by.
    Case {
        name: "a stiff unknown beside the objective",
        problem: r#""class": "Qpcc", "n": 2, "m": 3, "P": {"i": [0, 1], "j": [0, 1], "v": [1e9, 1]}, "c": [0, 0],
            "G": {"i": [0, 1, 2, 2], "j": [1, 1, 0, 1], "v": [-1, 1, 1, 1]}, "g": [2, -1, 0],
            "lower": [0, 0, 0], "upper": [null, null, null], "pairs": [{"first": 0, "second": 1, "mode": 1}]"#,
        exit: 0,
        says: "Converged, objective 5.000000000e-1",
    },
    // "Converged" along a direction that falls for ever: a row without bounds tied it to numbers beside which its slope was nothing.
    Case {
        name: "a row that asks for nothing",
        problem: r#""class": "Conic", "n": 3, "m": 1,
            "P": {"i": [0, 0, 1, 1, 2], "j": [0, 1, 0, 1, 2], "v": [0.0625, 524288, 524288, 4398046511104, 16384]},
            "c": [1.1920928955078125e-07, -0.75, 50331648], "G": {"i": [0, 0], "j": [0, 2], "v": [-0.000244140625, 65536]},
            "g": [64], "lower": [null], "upper": [null]"#,
        exit: 6,
        says: "NumericalFailure|Unbounded",
    },
    // The program broke off: free rows outside of blocks were counted by a difference.
    Case {
        name: "bounds on a normal impulse",
        problem: r#""class": "Cone", "n": 2, "m": {"i": [0, 1], "j": [0, 1], "v": [1, 1]}, "q": [-1, 0.5], "lower": [0, null],
            "upper": [null, null], "blocks": [{"normal": 0, "tangent": 1, "dim": 1, "size": 0.5}]"#,
        exit: 0,
        says: "Converged, 0 free",
    },
    // 4499998.5 was the optimum: the program of the better mode was uncertain, and what was left after it was taken for the whole.
    Case {
        name: "a bound of what an uncertain mode has left",
        problem: r#""class": "Qpcc", "n": 2, "m": 2,
            "P": {"i": [0, 0, 1, 1], "j": [0, 1, 0, 1], "v": [1000001, 3000000, 3000000, 9000001]}, "c": [0, -2],
            "G": {"i": [0, 1], "j": [1, 0], "v": [1, -1]}, "g": [-1, 0], "lower": [0, 0], "upper": [null, null],
            "pairs": [{"first": 0, "second": 1}]"#,
        exit: 0,
        says: "Converged, objective 2.999995499",
    },
    // 2.0e8 was the optimum: the least motion of a soft direction was below what the stiff one rounds to.
    Case {
        name: "a soft direction across two unknowns",
        problem: r#""class": "Qpcc", "n": 2, "m": 2,
            "P": {"i": [0, 0, 1, 1], "j": [0, 1, 0, 1], "v": [100000001, -200000000, -200000000, 400000001]}, "c": [0, 0],
            "G": {"i": [0, 1], "j": [1, 0], "v": [-1, -1]}, "g": [-1, 0], "lower": [0, 0], "upper": [null, null],
            "pairs": [{"first": 0, "second": 1}]"#,
        exit: 0,
        says: "Converged to rounding, objective 2.49999998, bound 2.500000000e0",
    },
    // 2.0e7 was the optimum: masses of 1 between springs of 1e7.
    Case {
        name: "a chain of stiff springs",
        problem: r#""class": "Qpcc", "n": 3, "m": 4, "P": {"i": [0, 0, 1, 1, 1, 2, 2], "j": [0, 1, 0, 1, 2, 1, 2],
                  "v": [10000001, -10000000, -10000000, 20000001, -10000000, -10000000, 10000001]}, "c": [1, 3, 3],
            "G": {"i": [0, 1, 2, 3], "j": [2, 1, 1, 2], "v": [-1, 1, 1, -1]}, "g": [2, 0, 1, 2],
            "lower": [0, 0, 0, 0], "upper": [null, null, null, null],
            "pairs": [{"first": 0, "second": 1}, {"first": 2, "second": 3}]"#,
        exit: 0,
        says: "Converged, objective 1.999999",
    },
    // 1.28 was the optimum: a row without bounds gave its unknown a unit in which the better mode had no point.
    Case {
        name: "a unit that a row without bounds gave",
        problem: r#""class": "Qpcc", "n": 2, "m": 4, "P": {"i": [0, 1], "j": [0, 1], "v": [1e-12, 1e6]}, "c": [0, 0],
            "G": {"i": [0, 0, 1, 2, 3], "j": [0, 1, 0, 1, 0], "v": [0.001, 1e5, -0.0625, 1, 1e9]}, "g": [1.5, 1e5, 0, 0],
            "lower": [0, 0, 0, null], "upper": [null, null, null, null], "pairs": [{"first": 0, "second": 1}]"#,
        exit: 0,
        says: "Converged, objective 1.125000000e-6",
    },
    // Converged at 0, bound 0: the cost of x_0 made a gain of 1 rounding.
    Case {
        name: "a dear unknown that stays at 0",
        problem: r#""class": "Qpcc", "n": 2, "m": 5, "P": {"i": [], "j": [], "v": []}, "c": [1e11, -1],
            "G": {"i": [0, 1, 2, 2, 3, 4], "j": [0, 1, 0, 1, 1, 0], "v": [1, 1, 1, 2, 1, -1]}, "g": [0, 0, 0, 0, 0],
            "lower": [0, -5, null, 0, 0], "upper": [null, 1e6, 1e6, null, null], "pairs": [{"first": 3, "second": 4}]"#,
        exit: 0,
        says: "Converged, objective -5.000000000e5",
    },
    // Converged at −1.5 with the bound −2: the tolerance was a part of what x_0 = 1 would cost.
    Case {
        name: "a gap excused by a price that nobody pays",
        problem: r#""class": "Qpcc", "n": 3, "m": 6, "P": {"i": [0, 1], "j": [0, 1], "v": [1, 1]}, "c": [1e8, -2, 0],
            "G": {"i": [0, 1, 2, 3, 3, 3, 4, 5], "j": [0, 1, 2, 0, 1, 2, 2, 1], "v": [1, 1, 1, 1, 2, 1, 1, -1]},
            "g": [0, 0, 0, 0, 5, 3], "lower": [0, -5, -5, -1e5, 0, 0], "upper": [null, 1e5, 1e5, 1e5, null, null],
            "pairs": [{"first": 4, "second": 5}]"#,
        exit: 0,
        says: "Converged, objective -2.000000000e0",
    },
    // Denied: the slack of the pair had bought an objective below the bound, and no other was tried.
    Case {
        name: "a pair on one stiff unknown",
        problem: r#""class": "Qpcc", "n": 2, "m": 2, "P": {"i": [0, 0, 1, 1], "j": [0, 1, 0, 1], "v": [10001, -10000, -10000, 10001]},
            "c": [-1, -1], "G": {"i": [0, 1], "j": [0, 0], "v": [1, -1]}, "g": [0, 2], "lower": [0, 0], "upper": [null, null],
            "pairs": [{"first": 0, "second": 1}]"#,
        exit: 0,
        says: "Converged, objective -4.999500",
    },
    // -7 without a word: the offsets of parallel rows differ by 1e-11, which no program of the search tells from none. 0 is exact.
    Case {
        name: "parallel rows of pairs whose offsets differ by a hair",
        problem: r#""class": "Qpcc", "n": 2, "m": 4, "P": {"i": [0, 1], "j": [0, 1], "v": [1, 1]}, "c": [-3, 3],
            "G": {"i": [0, 0, 1, 1, 2, 2, 3, 3], "j": [0, 1, 0, 1, 0, 1, 0, 1], "v": [2, -2, 1, 3, -1, -2, 1, 3]}, "g": [0, 1e-11, 1, 0],
            "lower": [0, 0, 0, 0], "upper": [null, null, null, null], "pairs": [{"first": 0, "second": 1}, {"first": 2, "second": 3}]"#,
        exit: 0,
        says: "a row holds to, of its terms: exact numbers may have no such point",
    },
    Case {
        name: "rows of a pair that tilt by a hair in the units of an unknown",
        problem: r#""class": "Qpcc", "n": 2, "m": 3, "P": {"i": [0], "j": [0], "v": [1]}, "c": [-1, 0],
            "G": {"i": [0, 0, 1, 1, 2], "j": [0, 1, 0, 1, 0], "v": [-1.52587890625e-5, -1, 4.57763671875e-5, 3.000003, 1]}, "g": [0, 0, 0],
            "lower": [0, 0, -4], "upper": [null, null, 4], "pairs": [{"first": 0, "second": 1}]"#,
        exit: 0,
        says: "a row holds to, of its terms: exact numbers may have no such point",
    },
    // -20448 without a word: rows that tilt by 5e-10 where terms of 131072 cancel. 1056 is exact.
    Case {
        name: "tilted rows of pairs between large terms",
        problem: r#""class": "Qpcc", "n": 2, "m": 6, "P": {"i": [], "j": [], "v": []}, "c": [32, 1024],
            "G": {"i": [0, 1, 2, 2, 4, 4], "j": [0, 1, 0, 1, 0, 1], "v": [1, 1, -131072, -2, -131071.99993896484375, -2]},
            "g": [0, 0, 131074, 1, 131073.99993896484375, 1], "lower": [-20, -20, 0, 0, 0, 0], "upper": [20, 20, null, null, null, null],
            "pairs": [{"first": 2, "second": 3}, {"first": 4, "second": 5}]"#,
        exit: 0,
        says: "a row holds to, of its terms: exact numbers may have no such point|objective 1.056000000e3",
    },
    // -9.00002: far bounds of which none was 1e4 times its neighbour.
    Case {
        name: "a ladder of idle bounds beside a cone",
        problem: r#""class": "Conic", "n": 1, "m": 5, "P": {"i": [], "j": [], "v": []}, "c": [3],
            "G": {"i": [0, 1, 2, 3, 4], "j": [0, 0, 0, 0, 0], "v": [1, -1, -1, -2, 2]}, "g": [0, -3, 2, 2, 1],
            "lower": [-3, -1, 1, null, null], "upper": [1e7, null, 1e4, null, null], "cones": [{"first": 3, "dim": 2}]"#,
        exit: 0,
        says: "Converged, objective -9.000000000e0",
    },
    // 0.9958: an idle row of 1e12 let the point wander off to where the terms of the objective have no digits left.
    Case {
        name: "an idle bound beside a cone and zeros",
        problem: r#""class": "Conic", "n": 3, "m": 4, "P": {"i": [], "j": [], "v": []}, "c": [-2, -1, 2],
            "G": {"i": [0, 1, 1, 1, 2, 2, 2, 3, 3, 3], "j": [0, 0, 1, 2, 0, 1, 2, 0, 1, 2], "v": [-1, 2, 2, -2, 1, 1, -2, 2, -1, -3]},
            "g": [6, 4, 7, 0], "lower": [null, null, null, -1e12], "upper": [null, null, null, 1e12], "cones": [{"first": 0, "dim": 3}]"#,
        exit: 0,
        says: "Converged, objective 1.000000000e0|Converged, objective 9.99999999",
    },
];

#[test]
fn small_problems_have_the_word_that_is_true() {
    let dir = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for case in &CASES {
        let path = dir.path().join("problem.json");
        let text = format!(r#"{{"format": "vinci/problem@1", "name": "it", {}}}"#, case.problem);
        std::fs::write(&path, text).unwrap();
        let output = Command::new(house::program())
            .args(["solve", path.to_str().unwrap(), "--solver", "auto"])
            .output()
            .unwrap();
        let said = output_text(&output);
        let has = |words: &str| words.split(", ").all(|word| said.contains(word));
        if output.status.code() != Some(case.exit) || !case.says.split('|').any(has) {
            wrong.push(format!("{}: exit {:?}, {said}", case.name, output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The answers were right and eighteen of them were denied: noise was the unit of balances without cost.
#[test]
fn steps_of_the_collections_are_solved_and_believed() {
    for name in ["miqp-cylinder36", "miqp-box72"] {
        let file = shared::folder().join(format!("{name}.json"));
        let output = Command::new(house::program())
            .arg("solve")
            .arg(&file)
            .args(["--solver", "auto"])
            .output()
            .unwrap();
        let said = output_text(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert_eq!(said.matches(": Converged, residual").count(), 20, "{said}");
    }
}
