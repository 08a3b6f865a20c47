//! The sites of a problem: every law with its rows, its panel Ŵ = L⁻¹ W and its D = Ŵᵀ Ŵ (+ what the problem adds itself).
//!
//! No product of two sites is ever formed. A problem may bring such products (its rows then hold entries in columns of other
//! rows: a compliance, or a Delassus matrix in the place of velocities): those stand as links beside the panels.

use vinci_sdk::core::problem::{Cone, ConeBlock};

use crate::inertia::{Inertia, Lanes, NONE};
use crate::local::{Law, Local};

/// Rows that one law binds together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site {
    pub(crate) law: Law,
    pub(crate) local: Local,
    /// Constants of its rows.
    pub(crate) q: [f64; 3],
    /// Unknown in each lane, or [`NONE`].
    pub(crate) rows: [u32; 3],
    /// Its velocities: a range of [`Sites::dof`], and of [`Sites::panel`].
    first: u32,
    end: u32,
    /// Where its panel of impulses begins, if it is another one than that of rates: rows whose wrench is not their rate.
    wrench: u32,
    /// Its links.
    links: (u32, u32),
}

/// `value` times lane `other` of the impulse of site `site` acts on lane `lane`.
#[derive(Debug, Clone, Copy)]
struct Link {
    lane: u32,
    site: u32,
    other: u32,
    value: f64,
}

/// All sites; memory is kept between problems.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    pub(crate) list: Vec<Site>,
    dof: Vec<u32>,
    /// Ŵᵀ beside `dof`: lane a of entry k is the rate of row a by velocity k.
    panel: Vec<Lanes>,
    /// Panels of impulses of rows whose wrench is not their rate.
    wrench: Vec<Lanes>,
    links: Vec<Link>,
    /// Site and lane of every unknown that is no velocity.
    place: Vec<(u32, u32)>,
    /// Next entry of every row to be met among the velocity rows.
    cursor: Vec<u32>,
    /// Marks of unknowns whose column is another than minus their row.
    skew: Vec<bool>,
    any_skew: bool,
    /// (unknown, velocity, −entry) of those columns.
    columns: Vec<(u32, u32, f64)>,
    /// Place of a velocity in the site under construction, valid where `stamp` is its number.
    local: Vec<u32>,
    stamp: Vec<u32>,
}

impl Sites {
    /// Lists the sites of a problem whose velocity rows are factorised.
    pub(crate) fn load(&mut self, p: &Cone<'_>, in_block: &[bool], inertia: &Inertia) {
        self.list.clear();
        self.dof.clear();
        self.panel.clear();
        self.wrench.clear();
        self.links.clear();
        self.compare_columns(p, inertia);
        self.list_single(p, in_block, inertia);
        for b in p.blocks.iter() {
            self.push(block_law(&b), block_rows(&b));
        }
        self.mark_places(p.n());
        self.local.resize(inertia.row.len(), 0);
        self.stamp.clear();
        self.stamp.resize(inertia.row.len(), NONE);
        for k in 0..self.list.len() {
            self.build(k, p, inertia);
        }
    }

    fn push(&mut self, law: Law, rows: [u32; 3]) {
        let local = Local::default();
        self.list.push(Site { law, local, q: [0.0; 3], rows, first: 0, end: 0, wrench: NONE, links: (0, 0) });
    }

    /// Rows outside blocks: one by one where they are bounded; equations on the same velocities up to three together.
    fn list_single(&mut self, p: &Cone<'_>, in_block: &[bool], inertia: &Inertia) {
        let mut open: Option<u32> = None; // the last row of the joint that may grow
        for i in (0..p.n()).filter(|&i| !in_block[i] && inertia.index[i] == NONE) {
            if !p.rows.is_free(i) {
                open = None;
                self.push(Law::Bounds(p.rows.lower[i], p.rows.upper[i]), [i as u32, NONE, NONE]);
                continue;
            }
            let same = open.is_some_and(|last| p.rows.m.row(last as usize).0 == p.rows.m.row(i).0);
            let joint = self.list.last_mut().filter(|_| same);
            match joint.and_then(|s| s.rows.iter_mut().find(|row| **row == NONE)) {
                Some(lane) => *lane = i as u32,
                None => self.push(Law::Joint, [i as u32, NONE, NONE]),
            }
            open = Some(i as u32);
        }
    }

    fn mark_places(&mut self, n: usize) {
        self.place.clear();
        self.place.resize(n, (NONE, 0));
        for (k, site) in self.list.iter().enumerate() {
            for (lane, &row) in site.rows.iter().enumerate().filter(|(_, row)| **row != NONE) {
                self.place[row as usize] = (k as u32, lane as u32);
            }
        }
    }

    /// Which columns are minus their rows: as a rule all. Velocity rows are walked in the order in which the entries of a
    /// row usually stand, so that most are met at its cursor.
    fn compare_columns(&mut self, p: &Cone<'_>, inertia: &Inertia) {
        let m = p.rows.m;
        self.cursor.clear();
        self.skew.clear();
        self.columns.clear();
        self.cursor.resize(p.n(), 0);
        self.skew.resize(p.n(), false);
        for i in (0..p.n()).filter(|&i| inertia.index[i] != NONE) {
            for (j, value) in m.entries(i).filter(|&(j, _)| inertia.index[j] == NONE) {
                let met = |k: usize| m.column[k] == i as u32 && m.value[k] == -value;
                let (first, end) = (m.row_start[j] as usize, m.row_start[j + 1] as usize);
                let next = first + self.cursor[j] as usize;
                if (next < end && met(next)) || (first..end).any(met) {
                    self.cursor[j] += 1;
                } else if value != 0.0 {
                    self.skew[j] = true;
                }
            }
        }
        for j in (0..p.n()).filter(|&j| inertia.index[j] == NONE) {
            let rates = m.entries(j).filter(|&(i, value)| inertia.index[i] != NONE && value != 0.0).count();
            self.skew[j] |= rates > self.cursor[j] as usize;
        }
        self.any_skew = self.skew.contains(&true);
        if self.any_skew {
            self.list_columns(p, inertia);
        }
    }

    fn list_columns(&mut self, p: &Cone<'_>, inertia: &Inertia) {
        for (k, &i) in inertia.row.iter().enumerate() {
            for (j, value) in p.rows.m.entries(i as usize) {
                if inertia.index[j] == NONE && self.skew[j] {
                    self.columns.push((j as u32, k as u32, -value));
                }
            }
        }
        self.columns.sort_unstable_by_key(|&(j, k, _)| (j, k));
    }

    /// Entries of the column of unknown `j`, with the sign of W.
    fn column(&self, j: u32) -> std::ops::Range<usize> {
        self.columns.partition_point(|c| c.0 < j)..self.columns.partition_point(|c| c.0 <= j)
    }

    /// Panel, D, constants and links of site `k`.
    fn build(&mut self, k: usize, p: &Cone<'_>, inertia: &Inertia) {
        let mut site = self.list[k];
        let skew = self.any_skew && site.rows.iter().any(|&row| row != NONE && self.skew[row as usize]);
        self.find_velocities(&mut site, k as u32, p, inertia, skew);
        self.fill_panels(&mut site, p, inertia, skew);
        let mut d = self.product(&site);
        site.links.0 = self.links.len() as u32;
        for (lane, &row) in site.rows.iter().enumerate().filter(|(_, row)| **row != NONE) {
            site.q[lane] = p.rows.q[row as usize];
            for (j, value) in
                p.rows.m.entries(row as usize).filter(|&(j, v)| inertia.index[j] == NONE && v != 0.0)
            {
                let (other_site, other) = self.place[j];
                if other_site as usize == k {
                    d[lane][other as usize] += value;
                }
                self.links.push(Link { lane: lane as u32, site: other_site, other, value });
            }
        }
        site.links.1 = self.links.len() as u32;
        let lanes = match site.law {
            Law::Disc(_) => 1..3,
            _ => 0..3,
        };
        let used = lanes.start..lanes.clone().rfind(|&a| site.rows[a] != NONE).map_or(lanes.start, |a| a + 1);
        site.local = Local::new(d, used);
        self.list[k] = site;
    }

    /// The velocities of all blocks of A that the site touches.
    fn find_velocities(&mut self, site: &mut Site, k: u32, p: &Cone<'_>, inertia: &Inertia, skew: bool) {
        site.first = self.dof.len() as u32;
        for &row in site.rows.iter().filter(|row| **row != NONE) {
            for &j in p.rows.m.row(row as usize).0 {
                if inertia.index[j as usize] != NONE {
                    self.take_block(inertia.index[j as usize], k, site.first, inertia);
                }
            }
            if skew {
                for c in self.column(row) {
                    self.take_block(self.columns[c].1, k, site.first, inertia);
                }
            }
        }
        site.end = self.dof.len() as u32;
    }

    #[inline]
    fn take_block(&mut self, velocity: u32, k: u32, first: u32, inertia: &Inertia) {
        if self.stamp[velocity as usize] == k {
            return;
        }
        for v in inertia.range(inertia.block[velocity as usize] as usize) {
            self.stamp[v] = k;
            self.local[v] = self.dof.len() as u32 - first;
            self.dof.push(v as u32);
        }
    }

    /// Ŵ = L⁻¹ W of the site's rows, and of its columns where they are others.
    fn fill_panels(&mut self, site: &mut Site, p: &Cone<'_>, inertia: &Inertia, skew: bool) {
        let count = (site.end - site.first) as usize;
        let first = self.panel.len();
        self.panel.resize(first + count, [0.0; 4]);
        for (lane, &row) in site.rows.iter().enumerate().filter(|(_, row)| **row != NONE) {
            for (j, value) in p.rows.m.entries(row as usize) {
                if inertia.index[j] != NONE {
                    let at = self.local[inertia.index[j] as usize] as usize;
                    self.panel[first + at][lane] += value;
                }
            }
        }
        let dofs = &self.dof[site.first as usize..];
        scale(inertia, dofs, &mut self.panel[first..]);
        if !skew {
            return;
        }
        site.wrench = self.wrench.len() as u32;
        let first = self.wrench.len();
        self.wrench.resize(first + count, [0.0; 4]);
        for (lane, &row) in site.rows.iter().enumerate().filter(|(_, row)| **row != NONE) {
            for c in self.column(row) {
                let (_, velocity, value) = self.columns[c];
                self.wrench[first + self.local[velocity as usize] as usize][lane] += value;
            }
        }
        scale(inertia, dofs, &mut self.wrench[first..]);
    }

    /// Ŵᵀ Ŵ of one site.
    fn product(&self, site: &Site) -> [[f64; 3]; 3] {
        let mut d = [[0.0; 3]; 3];
        for (c, b) in self.rates(site).1.iter().zip(self.wrenches(site)) {
            for a in 0..3 {
                (0..3).for_each(|e| d[a][e] += c[a] * b[e]);
            }
        }
        d
    }

    /// Velocities of a site with the lanes by which they are felt.
    #[inline]
    fn rates(&self, site: &Site) -> (&[u32], &[Lanes]) {
        let range = site.first as usize..site.end as usize;
        (&self.dof[range.clone()], &self.panel[range])
    }

    /// The lanes by which an impulse moves them.
    #[inline]
    fn wrenches(&self, site: &Site) -> &[Lanes] {
        if site.wrench == NONE {
            return &self.panel[site.first as usize..site.end as usize];
        }
        &self.wrench[site.wrench as usize..][..(site.end - site.first) as usize]
    }

    /// Returns true if a row is an equation that only impulses of other rows could satisfy: a velocity without inertia.
    pub(crate) fn any_massless(&self) -> bool {
        self.list.iter().any(|s| s.law == Law::Joint && s.links.0 < s.links.1 && s.local.d[0][0] == 0.0)
    }

    /// Returns true if the impulse of a site acts on the rate of another one directly, and not through velocities.
    pub(crate) fn any_linked(&self) -> bool {
        let links = |site: &Site| &self.links[site.links.0 as usize..site.links.1 as usize];
        self.list.iter().enumerate().any(|(k, site)| links(site).iter().any(|link| link.site as usize != k))
    }

    /// u = Ŵᵀ v̂ + q (+ links) of a site.
    #[inline]
    pub(crate) fn rate(&self, site: &Site, v: &[f64], p: &[[f64; 3]]) -> [f64; 3] {
        let mut u = [site.q[0], site.q[1], site.q[2], 0.0];
        let (dofs, panel) = self.rates(site);
        for (&k, c) in dofs.iter().zip(panel) {
            let v = v[k as usize];
            (0..4).for_each(|a| u[a] += c[a] * v);
        }
        for link in &self.links[site.links.0 as usize..site.links.1 as usize] {
            u[link.lane as usize] += link.value * p[link.site as usize][link.other as usize];
        }
        [u[0], u[1], u[2]]
    }

    /// v̂ += Ŵ Δp of a site.
    #[inline]
    pub(crate) fn push_velocity(&self, site: &Site, dp: &[f64; 3], v: &mut [f64]) {
        let dofs = self.rates(site).0;
        for (&k, b) in dofs.iter().zip(self.wrenches(site)) {
            v[k as usize] += b[0] * dp[0] + b[1] * dp[1] + b[2] * dp[2];
        }
    }
}

/// L⁻¹ on a panel, block by block.
fn scale(inertia: &Inertia, dofs: &[u32], panel: &mut [Lanes]) {
    let mut k = 0;
    while k < panel.len() {
        let block = inertia.block[dofs[k] as usize] as usize;
        let end = k + inertia.range(block).len();
        inertia.forward(block, &mut panel[k..end]);
        k = end;
    }
}

fn block_law(b: &ConeBlock) -> Law {
    if b.is_disc() { Law::Disc(b.size) } else { Law::Coulomb(b.size) }
}

fn block_rows(b: &ConeBlock) -> [u32; 3] {
    let normal = if b.is_disc() { NONE } else { b.normal };
    [normal, b.tangent, if b.dim == 2 { b.tangent + 1 } else { NONE }]
}
