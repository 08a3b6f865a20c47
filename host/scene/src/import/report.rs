//! The report of an import: what was read from a model, and what was not.

use crate::diagnostics::TextSpan;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Report of an import: what was read from a model, what was left out, and notes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The file.
    pub model: String,
    /// Name of the robot in it.
    pub robot: String,
    /// Links, and how many of them have no mass.
    pub links: (usize, usize),
    /// Joints by kind.
    pub joints: BTreeMap<&'static str, usize>,
    /// Degrees of freedom of the joints.
    pub dofs: usize,
    /// Sum of all masses, kg.
    pub mass: f64,
    /// Collision shapes by kind.
    pub shapes: BTreeMap<&'static str, usize>,
    /// Meshes that became hulls.
    pub meshes: Vec<MeshRead>,
    /// Parts of the model that the scene does not have.
    pub dropped: Vec<Dropped>,
    /// Notes, each with its place.
    pub notes: Vec<(String, TextSpan)>,
    /// Places in `dropped` by what was dropped: a file may hold very many names.
    pub(super) known: BTreeMap<String, usize>,
}

/// A mesh that became a convex hull.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshRead {
    /// Name of the file as the model writes it.
    pub file: String,
    /// Vertices of the mesh.
    pub vertices: usize,
    /// Corners of its hull.
    pub corners: usize,
}

/// Elements or attributes that were not taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped {
    /// The part: `link/visual`, `joint@x`.
    pub what: String,
    /// Number of times.
    pub count: usize,
    /// The first.
    pub first: TextSpan,
    /// Consequence for the user.
    pub why: &'static str,
}

impl Report {
    pub(super) fn drop(&mut self, what: String, place: TextSpan, why: &'static str) {
        match self.known.get(&what) {
            Some(&known) => self.dropped[known].count += 1,
            None => {
                self.known.insert(what.clone(), self.dropped.len());
                self.dropped.push(Dropped { what, count: 1, first: place, why });
            }
        }
    }

    pub(super) fn note(&mut self, text: String, place: TextSpan) {
        self.notes.push((text, place));
    }

    /// One line: what was read.
    pub fn summary(&self) -> String {
        let list = |counts: &BTreeMap<&'static str, usize>| {
            let parts: Vec<String> = counts.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
            if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
        };
        let (links, massless) = self.links;
        format!(
            "robot `{}`: {links} links ({massless} without mass), {:.6} kg; joints: {}; {} degrees of freedom; shapes: {}",
            self.robot,
            self.mass,
            list(&self.joints),
            self.dofs,
            list(&self.shapes)
        )
    }

    /// A line, with its file where that is not the model.
    fn line(&self, place: &TextSpan) -> String {
        let file = place.source.name();
        if file == self.model {
            format!("line {}", place.line())
        } else {
            format!("{file}, line {}", place.line())
        }
    }

    /// The report for people.
    pub fn render(&self) -> String {
        let mut out = format!("{}: {}\n", self.model, self.summary());
        // Writing to a string cannot fail.
        for mesh in &self.meshes {
            let _ = writeln!(
                out,
                "  mesh {}: {} vertices, convex hull of {} corners",
                mesh.file, mesh.vertices, mesh.corners
            );
        }
        for (text, place) in &self.notes {
            let _ = writeln!(out, "  note ({}): {text}", self.line(place));
        }
        if !self.dropped.is_empty() {
            let _ = writeln!(out, "  not taken:");
        }
        for d in &self.dropped {
            let _ =
                writeln!(out, "    {} × {} (first at {}): {}", d.count, d.what, self.line(&d.first), d.why);
        }
        out
    }
}
