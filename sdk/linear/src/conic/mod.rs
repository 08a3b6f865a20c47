//! What solvers of convex programs share: balanced units, Newton steps that finish an answer, and proofs.

mod answer;
mod balanced;
mod certificate;
mod newton;
pub mod rays;

pub use answer::Answer;
pub use balanced::Balanced;
pub use certificate::{Certificate, Proof};
pub use newton::Newton;
