//! Parts that solvers of convex programs share: balanced units, Newton steps and the proximal
//! method of multipliers that finish an answer, and proofs.

mod answer;
mod balanced;
mod certificate;
mod line;
mod newton;
mod projection;
mod proximal;
pub mod rays;
mod system;

pub use answer::Answer;
pub use balanced::Balanced;
pub use certificate::{Certificate, Minimum, Proof, seek_point};
pub use newton::Newton;
