//! The only file that names the backend: a program in, an outcome out.

use highs::{HessianFormat, HighsModelStatus, Model, RowProblem, Sense};

use crate::config::Config;
use vinci_sdk::core::problem::Conic;

/// Identifier of the plugin.
pub(crate) const ID: &str = "vinci.solver.highs";

/// Tolerances and what is added to the diagonal of a quadratic objective, tried in turn: the smallest tolerance that the
/// backend takes, and looser settings where its active sets go in circles.
pub(crate) const TOLERANCES: [(f64, f64); 4] = [(1e-10, 1e-7), (1e-8, 1e-9), (1e-7, 1e-5), (1e-6, 1e-4)];

/// A row l ≤ a·(x, b) ≤ u over unknowns and binaries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cut {
    pub(crate) entries: Vec<(usize, f64)>,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

/// min ½ xᵀP x + cᵀx over the rows of a program with changed bounds, and binaries b with rows of their own.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) conic: Conic<'a>,
    /// Binaries stand behind the unknowns.
    pub(crate) binaries: usize,
    pub(crate) cuts: Vec<Cut>,
}

impl<'a> Program<'a> {
    /// A program without binaries.
    pub(crate) fn continuous(conic: Conic<'a>) -> Self {
        Self { conic, binaries: 0, cuts: Vec::new() }
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ended {
    Optimal,
    /// No lawful point, or no lowest value: which, is for others to prove.
    Hopeless,
    /// Iterations or nodes.
    Limit,
    Time,
    #[default]
    Failed,
}

/// Results of a run.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) ended: Ended,
    /// Unknowns and binaries; empty without a lawful point.
    pub(crate) x: Vec<f64>,
    /// Duals of the rows (not of the cuts); empty for programs with binaries.
    pub(crate) y: Vec<f64>,
    /// Lower bound of the objective that the search proved (programs with binaries).
    pub(crate) bound: f64,
    pub(crate) iterations: u32,
}

/// Solves a program at one of [`TOLERANCES`]. The message is the backend's refusal.
pub(crate) fn run(program: &Program<'_>, config: &Config, tolerance: (f64, f64)) -> Result<Outcome, String> {
    let model = build(program, config, tolerance)?;
    let solved = match model.try_solve() {
        Ok(solved) => solved,
        Err(_) => return Ok(Outcome { bound: f64::NAN, ..Outcome::default() }),
    };
    let ended = match solved.status() {
        HighsModelStatus::Optimal => Ended::Optimal,
        HighsModelStatus::Infeasible
        | HighsModelStatus::Unbounded
        | HighsModelStatus::UnboundedOrInfeasible => Ended::Hopeless,
        HighsModelStatus::ReachedIterationLimit | HighsModelStatus::ReachedSolutionLimit => Ended::Limit,
        HighsModelStatus::ReachedTimeLimit => Ended::Time,
        _ => Ended::Failed,
    };
    let solution = solved.get_solution();
    let usable = |v: &[f64]| v.iter().all(|x| x.is_finite());
    // A point of a continuous program is judged by its residual; one with binaries must be lawful.
    let lawful =
        solved.primal_solution_status() == highs::HighsSolutionStatus::Feasible || program.binaries == 0;
    let x = if lawful && usable(solution.columns()) { solution.columns().to_vec() } else { Vec::new() };
    let duals = solution.dual_rows();
    let m = program.conic.m();
    let y = if program.binaries == 0 && duals.len() >= m && usable(duals) {
        duals[..m].to_vec()
    } else {
        Vec::new()
    };
    let nodes = solved.int_info_value(c"mip_node_count").unwrap_or(0);
    let steps = solved.simplex_iteration_count().max(0) + solved.qp_iteration_count().max(0);
    Ok(Outcome {
        ended,
        x,
        y,
        bound: solved.double_info_value(c"mip_dual_bound").unwrap_or(f64::NAN),
        iterations: if program.binaries > 0 { nodes.max(1) } else { steps } as u32,
    })
}

fn build(program: &Program<'_>, config: &Config, tolerance: (f64, f64)) -> Result<Model, String> {
    let p = &program.conic;
    let mut rows = RowProblem::default();
    let mut columns: Vec<_> = p.c.iter().map(|&c| rows.add_column::<f64, _>(c, ..)).collect();
    columns.extend((0..program.binaries).map(|_| rows.add_integer_column(0.0, 0.0..=1.0)));
    for i in 0..p.m() {
        let entries: Vec<_> = p.rows.entries(i).map(|(j, v)| (columns[j], v)).collect();
        rows.add_row(p.lower[i] - p.g[i]..=p.upper[i] - p.g[i], entries);
    }
    for cut in &program.cuts {
        let entries: Vec<_> = cut.entries.iter().map(|&(j, v)| (columns[j], v)).collect();
        rows.add_row(cut.lower..=cut.upper, entries);
    }
    let refused = |what: &str| format!("the backend refuses {what}");
    let mut model = rows.try_optimise(Sense::Minimise).map_err(|_| refused("the program"))?;
    set_options(&mut model, program, config, tolerance).map_err(refused)?;
    let column = |j: usize| p.p.entries(j).filter(move |&(i, v)| i >= j && v != 0.0);
    let lower = (0..p.n()).map(|j| sorted(column(j)));
    if (0..p.n()).any(|j| column(j).next().is_some()) {
        model.try_pass_hessian(HessianFormat::Triangular, lower).map_err(|e| e.to_string())?;
    }
    Ok(model)
}

fn sorted(entries: impl Iterator<Item = (usize, f64)>) -> Vec<(i32, f64)> {
    let mut all: Vec<(i32, f64)> = entries.map(|(i, v)| (i as i32, v)).collect();
    all.sort_unstable_by_key(|e| e.0);
    all
}

/// One thread, no output, the tightest tolerances, no gap; the error is the option that was refused.
fn set_options(
    model: &mut Model,
    program: &Program<'_>,
    config: &Config,
    (tolerance, regularization): (f64, f64),
) -> Result<(), &'static str> {
    model.make_quiet();
    let iterations = config.max_iterations as i32;
    let whole = [
        ("threads", 1),
        ("random_seed", 0),
        ("simplex_iteration_limit", iterations),
        ("qp_iteration_limit", iterations),
        ("mip_max_nodes", config.max_nodes as i32),
    ];
    for (name, value) in whole {
        model.try_set_option(name, value).map_err(|_| name)?;
    }
    let real = [
        ("primal_feasibility_tolerance", tolerance),
        ("dual_feasibility_tolerance", tolerance),
        ("mip_feasibility_tolerance", tolerance),
        ("qp_regularization_value", regularization),
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", 1e-10),
    ];
    for (name, value) in real {
        model.try_set_option(name, value).map_err(|_| name)?;
    }
    model.try_set_option("parallel", "off").map_err(|_| "parallel")?;
    if let Some(seconds) = config.time_limit.filter(|_| program.binaries > 0) {
        model.try_set_option("time_limit", seconds).map_err(|_| "time_limit")?;
    }
    Ok(())
}
