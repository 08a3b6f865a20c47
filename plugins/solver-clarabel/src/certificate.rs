//! Proofs from the interior point's rays: what it gives is right to its tolerance; here it becomes right to rounding.
//!
//! Infeasibility: y in the dual recession cone with Gᵀy = 0. Unboundedness: d with P d = 0 and G d in the recession cone.
//! Small entries are rounding and go; what is left of the equations is removed by the nearest correction (least squares).
