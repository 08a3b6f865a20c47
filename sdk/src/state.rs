//! State of a stage from step to step, as bytes for snapshots and checkpoints.
//!
//! A stage gathers all that lasts in one value with `Serialize` and `Deserialize` and hands it to [`save`] and [`load`]. Floating
//! point numbers, infinities and NaN included, come back to the bit. Steppers with the capability `state-numbers` put what changes smoothly
//! behind it, with [`append_numbers`].

use serde::Serialize;
use serde::de::DeserializeOwned;
use vinci_core::error::{ErrorKind, StageError};
pub use vinci_core::stage::{append_numbers, split_numbers};

/// Appends a state. `mark`: the same four bytes for all states of a stage; another number where its layout changes.
///
/// Nothing is appended where the type has no binary form (a sequence that does not know its length); [`load`] then gives the state
/// of a new stage.
pub fn save<T: Serialize + ?Sized>(mark: u32, state: &T, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    let sink = Sink(bytes);
    if let Err(why) = postcard::to_extend(&(mark.to_le_bytes(), state), sink) {
        tracing::error!("a state was not saved: {why}");
        bytes.truncate(start);
    }
}

/// The state that [`save`] wrote with the same mark; that of a new stage where there are no bytes.
///
/// `who` is the stage, for the error of kind [`ErrorKind::BadState`]: bytes that are no such state, are cut short or go on behind it.
/// The stage has to see for itself if the values make sense.
pub fn load<T: DeserializeOwned + Default>(mark: u32, who: &str, bytes: &[u8]) -> Result<T, StageError> {
    if bytes.is_empty() {
        return Ok(T::default());
    }
    match postcard::take_from_bytes::<([u8; 4], T)>(bytes) {
        Ok(((found, state), [])) if found == mark.to_le_bytes() => Ok(state),
        _ => Err(foreign(who, bytes)),
    }
}

/// The error for bytes that hold no state of a stage.
pub fn foreign(who: &str, bytes: &[u8]) -> StageError {
    StageError::new(ErrorKind::BadState, format!("{} bytes that are no state of {who}", bytes.len()))
}

/// Bytes that others are appended to.
struct Sink<'a>(&'a mut Vec<u8>);

impl Extend<u8> for Sink<'_> {
    fn extend<I: IntoIterator<Item = u8>>(&mut self, bytes: I) {
        self.0.extend(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Remembered {
        longest: f64,
        modes: Vec<u32>,
        pending: Option<(u64, f64)>,
    }

    #[test]
    fn states_come_back_to_the_bit_and_nothing_else_is_one() {
        let state =
            Remembered { longest: f64::INFINITY, modes: vec![0, 300, 7], pending: Some((1 << 40, -0.0)) };
        let mut bytes = b"before".to_vec();
        save(7, &state, &mut bytes);
        let bytes = &bytes[6..];
        assert_eq!(load::<Remembered>(7, "it", bytes).unwrap(), state);
        assert_eq!(load::<Remembered>(7, "it", &[]).unwrap(), Remembered::default());
        for cut in 1..bytes.len() {
            let error = load::<Remembered>(7, "it", &bytes[..cut]).unwrap_err();
            assert_eq!(error.kind, ErrorKind::BadState, "{cut}");
        }
        let longer = [bytes, &[0]].concat();
        assert!(load::<Remembered>(7, "it", &longer).is_err() && load::<Remembered>(8, "it", bytes).is_err());
        let error = load::<Remembered>(7, "vinci.stepper.x", &[1, 2]).unwrap_err();
        assert_eq!(error.message, "2 bytes that are no state of vinci.stepper.x");
    }

    /// A list that says it has 2^60 entries takes no memory.
    #[test]
    fn lengths_that_lie_are_refused() {
        let mut bytes = 7_u32.to_le_bytes().to_vec();
        bytes.extend([0; 8]);
        bytes.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]);
        assert!(load::<Remembered>(7, "it", &bytes).is_err());
    }

    #[test]
    fn numbers_that_are_none_come_back() {
        let mut bytes = Vec::new();
        save(1, &f64::NAN, &mut bytes);
        assert!(load::<f64>(1, "it", &bytes).unwrap().is_nan());
    }
}
