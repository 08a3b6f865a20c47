//! Performance profiles (Dolan and Moré, Benchmarking optimization software with performance profiles, 2002).

use vinci_run::plot::{Chart, Line, Scale, lines};

/// Times of one solver, s, problem by problem; none where it did not solve the problem.
pub(super) struct Times {
    pub(super) solver: String,
    pub(super) seconds: Vec<Option<f64>>,
}

/// Points (log₁₀ τ, ρ_s(τ)) of every solver, as stairs: ρ_s(τ) is the part of the problems that solver s solves within τ times the
/// least time that any of the solvers needs. Problems that nobody solves count as not solved by anybody.
fn profiles(all: &[Times]) -> Vec<Vec<(f64, f64)>> {
    let problems = all.first().map_or(0, |one| one.seconds.len());
    let least = |p: usize| all.iter().filter_map(|one| one.seconds[p]).fold(f64::INFINITY, f64::min);
    // A clock may say 0.
    let ratio = |p: usize, t: f64| if t > 0.0 { (t / least(p).max(f64::MIN_POSITIVE)).log10() } else { 0.0 };
    let ratios = |one: &Times| -> Vec<f64> {
        let solved = one.seconds.iter().enumerate().filter_map(|(p, t)| Some(ratio(p, (*t)?)));
        let mut ratios: Vec<f64> = solved.collect();
        ratios.sort_by(f64::total_cmp);
        ratios
    };
    let ratios: Vec<Vec<f64>> = all.iter().map(ratios).collect();
    let end = ratios.iter().filter_map(|r| r.last()).fold(0.0, |m: f64, r| m.max(*r)) + 0.05;
    let stairs = |ratios: &Vec<f64>| {
        let part = |k: usize| k as f64 / problems.max(1) as f64;
        let steps = ratios.iter().enumerate().flat_map(|(k, r)| [(*r, part(k)), (*r, part(k + 1))]);
        [(0.0, 0.0)].into_iter().chain(steps).chain([(end, part(ratios.len()))]).collect()
    };
    ratios.iter().map(stairs).collect()
}

/// The profiles as SVG.
///
/// # Errors
/// What the library for plots says.
pub(super) fn picture(all: &[Times]) -> Result<String, String> {
    let tau = |(x, y): (f64, f64)| (10.0_f64.powf(x), y);
    let curves: Vec<Vec<_>> =
        profiles(all).into_iter().map(|curve| curve.into_iter().map(tau).collect()).collect();
    lines(&Chart {
        title: "",
        labels: ["time, as a multiple of the fastest solver's", "part of the problems solved"],
        scales: [Scale::Decades, Scale::Linear],
        lines: all
            .iter()
            .zip(&curves)
            .enumerate()
            .map(|(k, (one, curve))| Line::new(&one.solver, curve, k))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two problems of three are solved by a, at once and ten times slower than b; b solves one.
    #[test]
    fn a_profile_counts_what_is_solved_within_a_multiple_of_the_least_time() {
        let times = |solver: &str, seconds: [Option<f64>; 3]| Times {
            solver: solver.into(),
            seconds: seconds.to_vec(),
        };
        let all = [times("a", [Some(1.0), Some(10.0), None]), times("b", [None, Some(1.0), None])];
        let [a, b] = profiles(&all).try_into().unwrap();
        let third = 1.0 / 3.0;
        let stairs =
            [(0.0, 0.0), (0.0, 0.0), (0.0, third), (1.0, third), (1.0, 2.0 * third), (1.05, 2.0 * third)];
        assert_eq!(a, stairs);
        assert_eq!(b, [(0.0, 0.0), (0.0, 0.0), (0.0, third), (1.05, third)]);
    }

    #[test]
    fn a_clock_that_says_nothing_is_no_division_by_zero() {
        let all = [Times { solver: "a".into(), seconds: vec![Some(0.0), Some(0.0)] }];
        assert!(profiles(&all)[0].iter().all(|(x, y)| x.is_finite() && y.is_finite()));
        assert!(picture(&all).unwrap().contains("<svg"));
    }
}
