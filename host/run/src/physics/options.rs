//! Values of options in force: given, or default.

use crate::used::Used;
use vinci_engine::declared::value_of;

/// The value of an option in force as text, given or default; none where it is null, false or unknown.
pub fn option_in_force(used: &Used, name: &str) -> Option<String> {
    value_of(&used.manifest, &used.options, name).filter(|value| value != "false")
}
