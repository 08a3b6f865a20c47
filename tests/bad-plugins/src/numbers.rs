//! Numbers that a stepper's state ends with, or what the environment wants in their place.

use vinci_sdk::prelude::StageError;
use vinci_sdk::state::{append_numbers, foreign, split_numbers};

/// Two numbers that no step changes.
#[derive(Debug)]
pub struct Numbers([f64; 2]);

impl Default for Numbers {
    fn default() -> Self {
        Self([1.0, -2.0])
    }
}

fn lie() -> String {
    std::env::var("VINCI_BAD_NUMBERS").unwrap_or_default()
}

impl Numbers {
    /// Appends them to a state: none of them, a count of a thousand, both with one label. Who is not asked has no state.
    pub fn save(&self, bytes: &mut Vec<u8>) {
        let lie = lie();
        let labels = if lie == "twice" { [7, 7] } else { [7, 8] };
        match lie.as_str() {
            "" => {}
            "none" => bytes.extend([1, 2, 3]),
            "count" => bytes.extend(1000_u32.to_le_bytes()),
            _ => append_numbers(labels.into_iter().zip(self.0), bytes),
        }
    }

    /// Takes them back, or hears nothing.
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        if bytes.is_empty() || !matches!(lie().as_str(), "honest" | "twice") {
            return Ok(());
        }
        let found = split_numbers(bytes).map(|(_, entries)| entries.map(|(_, x)| x).collect::<Vec<f64>>());
        match found.and_then(|list| list.try_into().ok()) {
            Some(numbers) => self.0 = numbers,
            None => return Err(foreign("test.stepper.bad", bytes)),
        }
        Ok(())
    }
}
