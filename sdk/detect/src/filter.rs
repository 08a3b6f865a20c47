//! Filter of pairs: which bodies may touch each other.

use vinci_core::model::SystemView;

/// The rule of [`SystemView::may_collide`] in memory of one's own, with O(log n) per question for n ignored pairs.
#[derive(Debug, Clone)]
pub struct Filter {
    is_static: Vec<bool>,
    /// Pairs of bodies a < b whose contacts are not wanted, sorted.
    ignored: Vec<[u32; 2]>,
}

impl Filter {
    /// Copies the rule of a system.
    pub fn new(system: &SystemView<'_>) -> Self {
        let pairs = system.ignored_pairs.chunks_exact(2);
        let mut ignored: Vec<[u32; 2]> = pairs.map(|p| [p[0].min(p[1]), p[0].max(p[1])]).collect();
        ignored.sort_unstable();
        Self { is_static: system.is_static.iter().map(|s| *s != 0).collect(), ignored }
    }

    /// Returns true if contacts between two bodies are wanted: different, not both static, not ignored.
    ///
    /// # Panics
    /// For bodies that the system does not have.
    #[inline]
    pub fn may_collide(&self, a: u32, b: u32) -> bool {
        a != b
            && !(self.is_static[a as usize] && self.is_static[b as usize])
            && self.ignored.binary_search(&[a.min(b), a.max(b)]).is_err()
    }
}
