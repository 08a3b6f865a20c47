//! Modes of contacts.

/// Contact mode seen in an accepted step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// No normal impulse.
    Open,
    /// Pressed and not slipping.
    Stick,
    /// Pressed and slipping.
    Slip,
}

impl Mode {
    /// Name as `contacts.csv` writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stick => "stick",
            Self::Slip => "slip",
        }
    }
}
