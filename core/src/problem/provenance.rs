//! Provenance of a problem's rows: the part of the model that each comes from, and its units.

/// Role of a row and its unknown within its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u32)]
#[non_exhaustive]
pub enum Part {
    /// No known origin.
    #[default]
    Generic = 0,
    /// Momentum balance of a velocity (subject: velocity index). z: velocity, w: impulse.
    Velocity = 1,
    /// Non-penetration of a contact. z: normal impulse p_n, w: ρ_n (gap rate).
    Normal = 2,
    /// Friction direction of a contact. z: friction impulse p_f, w: ρ_f (slip speed).
    Friction = 3,
    /// Friction bound of a contact. z: σ (slip speed), w: s (impulse).
    Slip = 4,
    /// Bilateral row (joint). z: impulse, w: rate.
    Bilateral = 5,
    /// Unilateral row that is not a contact (joint limit). z: impulse, w: rate.
    Limit = 6,
    /// Local deformation of a compliant contact. z: deformation, w: impulse.
    Deformation = 7,
    /// Friction of a support point in 2.5D. z: impulse, w: slip speed.
    Support = 8,
    /// Friction bound of a support point. z: σ, w: impulse.
    SupportSlip = 9,
    /// Ray of a contact's friction pyramid, or row of its cone (Anitescu). s: rate along the ray, y: impulse β.
    Ray = 10,
    /// Least normal impulse of a contact (squeeze bound). s: impulse.
    Squeeze = 11,
    /// Bound of a single unknown. s: the unknown.
    Bound = 12,
}

impl Part {
    /// All parts in the order of their codes.
    pub const ALL: [Self; 13] = [
        Self::Generic,
        Self::Velocity,
        Self::Normal,
        Self::Friction,
        Self::Slip,
        Self::Bilateral,
        Self::Limit,
        Self::Deformation,
        Self::Support,
        Self::SupportSlip,
        Self::Ray,
        Self::Squeeze,
        Self::Bound,
    ];

    /// The part of a code; unknown codes are generic.
    pub fn from_code(code: u32) -> Self {
        Self::ALL.into_iter().find(|p| *p as u32 == code).unwrap_or_default()
    }

    /// Name as problem files and messages write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Velocity => "velocity",
            Self::Normal => "normal",
            Self::Friction => "friction",
            Self::Slip => "slip",
            Self::Bilateral => "bilateral",
            Self::Limit => "limit",
            Self::Deformation => "deformation",
            Self::Support => "support",
            Self::SupportSlip => "support-slip",
            Self::Ray => "ray",
            Self::Squeeze => "squeeze",
            Self::Bound => "bound",
        }
    }

    /// The part of a name; unknown names are generic.
    pub fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|p| p.name() == name).unwrap_or_default()
    }

    /// Units of the unknown z and of the row w (rotational rows: rad for m, N m s for N s).
    pub fn units(self) -> (&'static str, &'static str) {
        match self {
            Self::Generic | Self::Bound => ("1", "1"),
            Self::Squeeze => ("N s", "N s"),
            Self::Velocity | Self::Slip | Self::SupportSlip => ("m/s", "N s"),
            Self::Normal | Self::Friction | Self::Bilateral | Self::Limit | Self::Support | Self::Ray => {
                ("N s", "m/s")
            }
            Self::Deformation => ("m", "N s"),
        }
    }
}

/// Subject of rows that belong to nothing.
pub const UNTAGGED: u32 = u32::MAX;

/// Provenance of one row: which contact, velocity or joint, and which part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C)]
pub struct RowTag {
    /// Index of the contact, velocity or joint (by `part`), or [`UNTAGGED`].
    pub subject: u32,
    /// Part of the subject that the row describes.
    pub part: Part,
}

impl Default for RowTag {
    fn default() -> Self {
        Self { subject: UNTAGGED, part: Part::Generic }
    }
}
