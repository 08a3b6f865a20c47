//! The Anitescu-Potra time-stepper: velocity-level contact, pyramid friction.
