//! Kinds of findings.

/// Kind of a finding; the name is stable for scripts, the exit code follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Code {
    /// A file that is named does not exist.
    NoSuchFile,
    /// A file exists but could not be read, or is a directory.
    UnreadableFile,
    /// The text is not JSON (with comments), or not UTF-8.
    Syntax,
    /// A key occurs twice in one object.
    DuplicateKey,
    /// A number is too large for double precision.
    NonFinite,
    /// `format` names another format or version.
    WrongFormat,
    /// A key that the format does not have.
    UnknownKey,
    /// A key that must be there is not.
    MissingKey,
    /// A value of the wrong JSON type, or an array of the wrong length.
    WrongType,
    /// A number outside its range.
    OutOfRange,
    /// A word that is not among the allowed ones.
    UnknownValue,
    /// `extends` leads back to itself.
    ExtendsCycle,
    /// A command line that asks for what cannot be.
    Usage,
    /// A `--set` that cannot be applied.
    BadSet,
    /// Two things with one name.
    DuplicateName,
    /// A reference to a body, material or file entry that is not there.
    UnknownName,
    /// Two values that contradict each other.
    Contradiction,
    /// A stepper that makes something else of a scene than the scene says.
    Physics,
    /// Values that no physical body has.
    Unphysical,
    /// A shape without meaning (self-intersecting polygon, degenerate hull).
    BadShape,
    /// An expression that cannot be parsed.
    BadExpression,
    /// Keyframes whose times do not increase.
    BadKeyframes,
    /// A plugin option the plugin does not take.
    BadOption,
    /// A plugin that was not found or was refused.
    Plugin,
    /// A declaration of a stepper that the referee does not know, or with a number out of its bounds.
    UnknownDeclaration,
    /// A plugin that broke the contract.
    PluginFault,
    /// Bodies that overlap at the start.
    Overlap,
    /// A joint whose points are apart at the start.
    OpenJoint,
    /// A run that did not succeed (its exit code says how).
    Run,
    /// A measure without a derivative: its one-sided values differ.
    Kink,
    /// Derivatives that a stepper, or an experiment, does not have.
    NoDerivative,
    /// A parameter that nothing in a run depends on.
    Unused,
    /// A parameter that the measurements do not identify, or residuals that are no noise.
    NotIdentified,
    /// A run that a command needs and that does not come to its end.
    Unsolved,
    /// A file could not be written.
    Io,
    /// A command that was stopped from outside and can go on.
    Stopped,
}

impl Code {
    /// The name as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoSuchFile => "no-such-file",
            Self::UnreadableFile => "unreadable-file",
            Self::Syntax => "syntax",
            Self::DuplicateKey => "duplicate-key",
            Self::NonFinite => "non-finite",
            Self::WrongFormat => "wrong-format",
            Self::UnknownKey => "unknown-key",
            Self::MissingKey => "missing-key",
            Self::WrongType => "wrong-type",
            Self::OutOfRange => "out-of-range",
            Self::UnknownValue => "unknown-value",
            Self::ExtendsCycle => "extends-cycle",
            Self::Usage => "usage",
            Self::BadSet => "bad-set",
            Self::DuplicateName => "duplicate-name",
            Self::UnknownName => "unknown-name",
            Self::Contradiction => "contradiction",
            Self::Physics => "physics",
            Self::Unphysical => "unphysical",
            Self::BadShape => "bad-shape",
            Self::BadExpression => "bad-expression",
            Self::BadKeyframes => "bad-keyframes",
            Self::BadOption => "bad-option",
            Self::Plugin => "plugin",
            Self::PluginFault => "plugin-fault",
            Self::Overlap => "overlap",
            Self::OpenJoint => "open-joint",
            Self::UnknownDeclaration => "unknown-declaration",
            Self::Run => "run",
            Self::Kink => "kink",
            Self::NoDerivative => "no-derivative",
            Self::Unused => "unused",
            Self::NotIdentified => "not-identified",
            Self::Unsolved => "unsolved",
            Self::Io => "io",
            Self::Stopped => "stopped",
        }
    }

    /// Exit code of a program that ends with an error of this kind: 2 usage, 3 invalid experiment or scene, 4 plugin refused,
    /// 6 a run that fails, 7 input or output, 8 stopped.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::Plugin => 4,
            Self::PluginFault => 5,
            Self::Unsolved => 6,
            Self::UnreadableFile | Self::Io => 7,
            Self::Stopped => 8,
            _ => 3,
        }
    }
}
