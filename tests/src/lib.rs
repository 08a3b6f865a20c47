//! Helpers of the outside tests.
