//! Accelerations: M v̇ = f block by block, on the free velocities of each, by Cholesky's factorisation.

use vinci_linear::cholesky;
use vinci_sdk::prelude::*;

/// Which velocities are unknowns, and the factors of their masses. Keeps its memory between evaluations.
#[derive(Debug, Default)]
pub(crate) struct Masses {
    /// Free velocities, ascending.
    pub(crate) free: Vec<u32>,
    /// Where the free velocities of every block begin, blocks + 1.
    block: Vec<u32>,
    factor: Vec<f64>,
}

impl Masses {
    /// Finds the free velocities.
    pub(crate) fn layout(&mut self, step: &StepView<'_>) {
        self.free.clear();
        self.block.clear();
        self.block.push(0);
        for block in 0..step.n_blocks() {
            let dofs = step.block_start[block]..step.block_start[block + 1];
            let is_free = |dof: &u32| DofRole::from_code(step.role[*dof as usize]) != DofRole::Prescribed;
            self.free.extend(dofs.filter(is_free));
            self.block.push(self.free.len() as u32);
        }
    }

    /// The free velocities of a block.
    fn of_block(&self, block: usize) -> std::ops::Range<usize> {
        self.block[block] as usize..self.block[block + 1] as usize
    }

    /// a = M_ff⁻¹ (f_f − M_fp v̇_p), with v̇_p = (v_p − v_0p)/h the mean acceleration of prescribed velocities; over the free
    /// velocities.
    ///
    /// Errors: a block of M that is not positive definite.
    pub(crate) fn accelerations(
        &mut self,
        step: &StepView<'_>,
        start: &[f64],
        h: f64,
        force: &[f64],
        a: &mut Vec<f64>,
    ) -> Result<(), StageError> {
        a.clear();
        let mut at = 0;
        for block in 0..step.n_blocks() {
            let (first, end) = (step.block_start[block] as usize, step.block_start[block + 1] as usize);
            let n = end - first;
            let mass = &step.mass[at..at + n * n];
            at += n * n;
            let free = &self.free[self.of_block(block)];
            let begin = a.len();
            for &dof in free {
                let row = &mass[(dof as usize - first) * n..][..n];
                let prescribed = (first..end).filter(|j| free.binary_search(&(*j as u32)).is_err());
                let moved: f64 = prescribed.map(|j| row[j - first] * (step.v[j] - start[j]) / h).sum();
                a.push(force[dof as usize] - moved);
            }
            factorize(mass, n, free, first, &mut self.factor).ok_or_else(|| {
                StageError::bad_input(format!("the mass matrix of block {block} is not positive definite"))
            })?;
            solve(&self.factor, &mut a[begin..]);
        }
        Ok(())
    }

    /// M (v − v_0) − h f over all velocities, and the largest of the terms that every row is made of.
    pub(crate) fn balance(
        step: &StepView<'_>,
        start: &[f64],
        h: f64,
        force: &[f64],
        out: &mut Vec<f64>,
        size: &mut [f64],
    ) {
        out.clear();
        let mut at = 0;
        for block in 0..step.n_blocks() {
            let (first, end) = (step.block_start[block] as usize, step.block_start[block + 1] as usize);
            let n = end - first;
            for i in first..end {
                let row = &step.mass[at + (i - first) * n..][..n];
                let terms = row.iter().zip(first..end);
                let moved: f64 = terms.clone().map(|(m, j)| m * (step.v[j] - start[j])).sum();
                let largest =
                    terms.fold(0.0_f64, |s, (m, j)| s.max((m * step.v[j]).abs()).max((m * start[j]).abs()));
                size[i] = size[i].max(largest);
                out.push(moved - h * force[i]);
            }
            at += n * n;
        }
    }
}

/// L of M_ff = L Lᵀ by rows, lower triangle; None where M_ff is not positive definite.
fn factorize(mass: &[f64], n: usize, free: &[u32], first: usize, l: &mut Vec<f64>) -> Option<()> {
    let m = free.len();
    l.clear();
    l.resize(m * m, 0.0);
    for i in 0..m {
        for j in 0..=i {
            l[i * m + j] = mass[(free[i] as usize - first) * n + free[j] as usize - first];
        }
    }
    cholesky(l, m).then_some(())
}

/// x ← (L Lᵀ)⁻¹ x.
fn solve(l: &[f64], x: &mut [f64]) {
    let m = x.len();
    for i in 0..m {
        let dot: f64 = (0..i).map(|k| l[i * m + k] * x[k]).sum();
        x[i] = (x[i] - dot) / l[i * m + i];
    }
    for i in (0..m).rev() {
        let dot: f64 = (i + 1..m).map(|k| l[k * m + i] * x[k]).sum();
        x[i] = (x[i] - dot) / l[i * m + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_block_is_factorised_by_itself() {
        // M = [4 1 2; 1 9 3; 2 3 8], free: 0 and 2. M_ff (1, −2) = (0, −14).
        let (mass, free) = ([4.0, 1.0, 2.0, 1.0, 9.0, 3.0, 2.0, 3.0, 8.0], [5, 7]);
        let mut l = Vec::new();
        factorize(&mass, 3, &free, 5, &mut l).unwrap();
        let mut x = [0.0, -14.0];
        solve(&l, &mut x);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] + 2.0).abs() < 1e-15, "{x:?}");
        assert!(factorize(&[1.0, 2.0, 2.0, 1.0], 2, &[0, 1], 0, &mut l).is_none());
        assert!(factorize(&[f64::NAN], 1, &[0], 0, &mut l).is_none());
    }
}
