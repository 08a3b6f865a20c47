//! Coulomb problems of the collections, small ones, and the collections' own measure.

use std::path::{Path, PathBuf};

use serde_json::Value;
use vinci_core::CsrBuf;
use vinci_core::problem::{Cone, ConeBlock, ConeBuf, MlcpBuf, NO_NORMAL, project_cone};

use crate::{INF, floats as numbers};

/// One problem of a collection.
pub struct Case {
    pub name: String,
    pub planar: bool,
    pub problem: ConeBuf,
}

/// Coulomb problems (fc2d, fc3d) of one file.
pub fn read(path: &Path, tolerance: f64) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    list.as_array().unwrap().iter().filter(|c| c["mu"].is_array()).map(|c| case(c, tolerance)).collect()
}

/// All Coulomb problems of the collection.
pub fn collection(tolerance: f64) -> Vec<Case> {
    let folder = crate::folder().join("siconos");
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("the collection {} cannot be read: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.sort();
    files.retain(|f| f.file_name().unwrap().to_str().unwrap().starts_with("coulomb-"));
    files.iter().flat_map(|f| read(f, tolerance)).collect()
}

fn case(c: &Value, tolerance: f64) -> Case {
    let dim = c["dim"].as_u64().unwrap() as usize;
    let (i, j, v) = (numbers(&c["W"]["i"]), numbers(&c["W"]["j"]), numbers(&c["W"]["v"]));
    let triplets: Vec<_> = (0..v.len()).map(|k| (i[k] as usize, j[k] as usize, v[k])).collect();
    let (q, mu) = (numbers(&c["q"]), numbers(&c["mu"]));
    let n = q.len();
    let m = CsrBuf::from_triplets(n, n, &triplets);
    let rows = MlcpBuf::from_parts(m, q, vec![-INF; n], vec![INF; n], tolerance);
    let mut problem = ConeBuf { rows, ..ConeBuf::default() };
    for (k, &mu) in mu.iter().enumerate() {
        let at = (k * dim) as u32;
        problem.push_block(ConeBlock { normal: at, tangent: at + 1, dim: dim as u32 - 1, size: mu });
    }
    Case { name: c["name"].as_str().unwrap().into(), planar: dim == 2, problem }
}

/// |r − P_K(r − (u + μ |u_t| e_n))|₂ / |q|₂, the measure of the collection.
pub fn collection_error(p: &Cone<'_>, r: &[f64]) -> f64 {
    let u = |i: u32| p.rows.m.row_dot(i as usize, r) + p.rows.q[i as usize];
    let square = |x: f64| x * x;
    let mut sum = 0.0;
    for b in p.blocks.iter() {
        let p_t = b.tangential(r);
        let u_t = (u(b.tangent), if b.dim == 2 { u(b.tangent + 1) } else { 0.0 });
        let p_n = r[b.normal as usize];
        let (n, t) = project_cone(
            p_n - u(b.normal) - b.size * u_t.0.hypot(u_t.1),
            (p_t.0 - u_t.0, p_t.1 - u_t.1),
            b.size,
        );
        sum += square(p_n - n) + square(p_t.0 - t.0) + square(p_t.1 - t.1);
    }
    let size = p.rows.q.iter().map(|x| x * x).sum::<f64>().sqrt();
    sum.sqrt() / if size > 0.0 { size } else { 1.0 }
}

/// A Cone from dense rows; blocks as (normal or None, tangent, dim, size).
pub fn cone(
    rows: &[&[f64]],
    q: &[f64],
    bounds: &[(f64, f64)],
    blocks: &[(Option<u32>, u32, u32, f64)],
) -> ConeBuf {
    let n = q.len();
    let triplets: Vec<_> =
        (0..n).flat_map(|i| (0..n).map(move |j| (i, j, rows[i][j]))).filter(|t| t.2 != 0.0).collect();
    let (lower, upper) = bounds.iter().copied().unzip();
    let m = CsrBuf::from_triplets(n, n, &triplets);
    let mut out =
        ConeBuf { rows: MlcpBuf::from_parts(m, q.to_vec(), lower, upper, 1e-10), ..ConeBuf::default() };
    for &(normal, tangent, dim, size) in blocks {
        out.push_block(ConeBlock { normal: normal.unwrap_or(NO_NORMAL), tangent, dim, size });
    }
    out
}
