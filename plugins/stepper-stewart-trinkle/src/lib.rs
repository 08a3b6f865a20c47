//! The Stewart-Trinkle time-stepper: position-level contact, pyramid friction.
