//! Modes of contacts.

/// Contact mode seen in an accepted step, in the order of what moves. `as usize` it is its place in [`Mode::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// No normal impulse.
    Open,
    /// Pressed and not slipping; under a regularised law slipping by no more than its stiction velocity.
    Stick,
    /// Pressed and slipping.
    Slip,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Open, Self::Stick, Self::Slip];

    /// The mode that `contacts.csv` writes so.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Name as `contacts.csv` writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stick => "stick",
            Self::Slip => "slip",
        }
    }
}
