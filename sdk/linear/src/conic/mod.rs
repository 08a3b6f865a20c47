//! What solvers of convex programs share: balanced units, Newton steps that finish an answer, and proofs.

mod balanced;
mod certificate;
mod newton;
pub mod rays;

pub use balanced::Balanced;
pub use certificate::Certificate;
pub use newton::Newton;
