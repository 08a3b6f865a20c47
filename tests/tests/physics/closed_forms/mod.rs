//! Cases with a closed form, run through the whole house: JSON in, plugins loaded, states out.
//!
//! Expected values are derived where they are used. Where a tolerance is not rounding, the derivation says what it is made
//! of. Discrete values (exact for the scheme at any h) are preferred to continuous ones.

mod ellipses;
mod free_bodies;
mod impacts;
mod pyramid;
mod rocking;
mod sliding;
mod statics;
