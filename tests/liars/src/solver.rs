//! The lying solver: projected Gauss-Seidel for problems of class Cone, then the lie.

use nalgebra::{DMatrix, DVector};
use vinci_sdk::core::problem::{Cone, ConeBlock, project_disc};
use vinci_sdk::prelude::*;
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// What the solver lies about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Lie {
    /// Nothing.
    #[default]
    None,
    /// The answer is `size` times what it should be.
    Scaled,
    /// Zeros, converged.
    Zeros,
    /// The row with the smallest scale is off by `size` times what the problem's tolerance lets pass.
    LightRows,
    /// There is no solution, with something for a proof.
    Infeasible,
    /// The same without a proof.
    InfeasibleUnproved,
    /// The friction of the contact with the smallest bound is turned round.
    LightFriction,
    /// The smallest normal impulse is left out.
    LightNormal,
    /// All friction is `size` times what it should be.
    Friction,
    /// All friction is turned by `size` degrees.
    Turned,
}

/// Options.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// What is lied about.
    lie: Lie,
    /// How much.
    size: f64,
    /// Solves that are honest before the first lie.
    from: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { lie: Lie::None, size: 1.0, from: 0 }
    }
}

/// The solver.
#[derive(Debug)]
pub struct LyingSolver {
    config: Config,
    solves: u64,
    z: Vec<f64>,
    certificate: Vec<f64>,
}

/// Free rows eliminated: w_C = S z_C + s.
struct Reduced {
    free: Vec<usize>,
    rest: Vec<usize>,
    m: DMatrix<f64>,
    inverse: DMatrix<f64>,
    q: DVector<f64>,
    s_matrix: DMatrix<f64>,
    s: DVector<f64>,
}

impl Reduced {
    fn new(p: &Cone<'_>) -> Result<Self, StageError> {
        let mut blocked = Vec::new();
        p.mark_block_rows(&mut blocked);
        let (free, rest): (Vec<usize>, Vec<usize>) =
            (0..p.n()).partition(|&i| !blocked[i] && p.rows.is_free(i));
        let (m, q) = (p.rows.m.to_dense(), DVector::from_column_slice(p.rows.q));
        let part = |a: &[usize], b: &[usize]| DMatrix::from_fn(a.len(), b.len(), |i, j| m[(a[i], b[j])]);
        let pick = |a: &[usize]| DVector::from_fn(a.len(), |i, _| q[a[i]]);
        let singular = || StageError::unsupported("free rows that do not determine their unknowns");
        let inverse = part(&free, &free).try_inverse().ok_or_else(singular)?;
        let lift = part(&rest, &free) * &inverse;
        let s_matrix = part(&rest, &rest) - &lift * part(&free, &rest);
        let s = pick(&rest) - lift * pick(&free);
        Ok(Self { free, rest, m, inverse, q, s_matrix, s })
    }

    /// All unknowns from those of the reduced problem.
    fn expand(&self, z: &DVector<f64>, out: &mut [f64]) {
        self.rest.iter().zip(z.iter()).for_each(|(&i, &x)| out[i] = x);
        let right = DVector::from_fn(self.free.len(), |k, _| {
            let i = self.free[k];
            -self.q[i] - self.rest.iter().zip(z.iter()).map(|(&j, x)| self.m[(i, j)] * x).sum::<f64>()
        });
        let free = &self.inverse * right;
        self.free.iter().zip(free.iter()).for_each(|(&i, &x)| out[i] = x);
    }

    fn rate(&self, i: usize, z: &DVector<f64>) -> f64 {
        self.s_matrix.row(i).transpose().dot(z) + self.s[i]
    }
}

impl LyingSolver {
    /// Sweeps until core's own residual is far below the tolerance.
    fn honest(&mut self, p: &Cone<'_>) -> Result<Status, StageError> {
        let reduced = Reduced::new(p)?;
        let at = |row: u32| reduced.rest.iter().position(|&i| i == row as usize).unwrap_or(0);
        let blocks: Vec<(ConeBlock, usize, usize)> =
            p.blocks.iter().map(|b| (b, if b.is_disc() { 0 } else { at(b.normal) }, at(b.tangent))).collect();
        let mut blocked = Vec::new();
        p.mark_block_rows(&mut blocked);
        let mut z = DVector::zeros(reduced.rest.len());
        self.z.clear();
        self.z.resize(p.n(), 0.0);
        for _ in 0..20_000 {
            reduced.expand(&z, &mut self.z);
            if p.residual(&self.z).natural <= 1e-6 * p.rows.tolerance {
                break;
            }
            for (k, &i) in reduced.rest.iter().enumerate().filter(|(_, i)| !blocked[**i]) {
                let step = reduced.rate(k, &z) / reduced.s_matrix[(k, k)];
                z[k] = (z[k] - step).clamp(p.rows.lower[i], p.rows.upper[i]);
            }
            blocks.iter().for_each(|b| sweep_block(&reduced, b, &mut z));
        }
        reduced.expand(&z, &mut self.z);
        let good = p.residual(&self.z).natural <= p.rows.tolerance;
        Ok(if good { Status::Converged } else { Status::MaxIterations })
    }

    /// Other friction of one block.
    fn rub(&mut self, b: &ConeBlock) {
        let (t, size) = (b.tangent as usize, self.config.size);
        let (part, angle) =
            if self.config.lie == Lie::Friction { (size, 0.0) } else { (1.0, size.to_radians()) };
        let (sin, cos) = angle.sin_cos();
        let other = if b.dim == 2 { self.z[t + 1] } else { 0.0 };
        let one = self.z[t];
        self.z[t] = part * (cos * one - sin * other);
        if b.dim == 2 {
            self.z[t + 1] = part * (sin * one + cos * other);
        }
    }

    /// Falsifies the answer; the status that is claimed with it.
    fn tell(&mut self, p: &Cone<'_>) -> Status {
        let size = self.config.size;
        match self.config.lie {
            Lie::Scaled => self.z.iter_mut().for_each(|z| *z *= size),
            Lie::Zeros => self.z.fill(0.0),
            Lie::LightRows => {
                let (mut blocked, scale) = (Vec::new(), &p.rows.w_scale);
                p.mark_block_rows(&mut blocked);
                let light = (0..p.n())
                    .filter(|&i| !blocked[i] && p.rows.is_free(i))
                    .min_by(|&a, &b| scale[a].total_cmp(&scale[b]));
                if let Some(i) = light {
                    let diagonal: f64 = p.rows.m.entries(i).filter(|e| e.0 == i).map(|e| e.1).sum();
                    self.z[i] += size * p.rows.tolerance * p.scale() / diagonal;
                }
            }
            Lie::LightFriction => {
                let pressed = p.blocks.iter().filter(|b| !b.is_disc() && self.z[b.normal as usize] > 0.0);
                let bound = |b: &ConeBlock| b.size * self.z[b.normal as usize];
                if let Some(b) = pressed.min_by(|a, b| bound(a).total_cmp(&bound(b))) {
                    (0..b.dim).for_each(|k| self.z[(b.tangent + k) as usize] *= -1.0);
                }
            }
            Lie::LightNormal => {
                let pressed = p.blocks.iter().filter(|b| !b.is_disc() && self.z[b.normal as usize] > 0.0);
                let normal = pressed.map(|b| b.normal as usize);
                if let Some(i) = normal.min_by(|&a, &b| self.z[a].total_cmp(&self.z[b])) {
                    self.z[i] = 0.0;
                }
            }
            Lie::Friction | Lie::Turned => p.blocks.iter().for_each(|b| self.rub(&b)),
            Lie::Infeasible => {
                self.certificate = vec![1.0; p.n()];
                return Status::Infeasible;
            }
            Lie::InfeasibleUnproved => return Status::Infeasible,
            Lie::None => {}
        }
        Status::Converged
    }
}

/// Normal, then friction of one block.
fn sweep_block(reduced: &Reduced, (b, n, t): &(ConeBlock, usize, usize), z: &mut DVector<f64>) {
    let (n, t) = (*n, *t);
    let mut radius = b.size;
    if !b.is_disc() {
        z[n] = (z[n] - reduced.rate(n, z) / reduced.s_matrix[(n, n)]).max(0.0);
        radius *= z[n];
    }
    let largest = (0..b.dim as usize).fold(0.0_f64, |m, k| m.max(reduced.s_matrix[(t + k, t + k)]));
    let mut target = [0.0; 2];
    for k in 0..b.dim as usize {
        target[k] = z[t + k] - reduced.rate(t + k, z) / largest;
    }
    let (x, y) = project_disc((target[0], target[1]), radius);
    z[t] = x;
    if b.dim == 2 {
        z[t + 1] = y;
    }
}

impl Solver for LyingSolver {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Cone(p) = problem else {
            return Err(StageError::unsupported("only problems of class Cone are taken"));
        };
        let mut status = self.honest(p)?;
        self.solves += 1;
        if self.solves > self.config.from {
            status = self.tell(p);
        }
        Ok(Solution { status, z: &self.z, certificate: &self.certificate, ..Solution::default() })
    }
}

impl SolverPlugin for LyingSolver {
    fn manifest() -> Manifest {
        Manifest::new("test.solver.liar", Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Lies on demand")
            .classes(&[ProblemClass::Cone])
            .options::<Config>()
    }

    fn create(options: &str, _: &SystemView<'_>) -> Result<Self, StageError> {
        let config: Config = parse_options(options)?;
        Ok(Self { config, solves: 0, z: Vec::new(), certificate: Vec::new() })
    }
}
