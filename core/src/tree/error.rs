//! Errors of trees: links and joints that make none.

use thiserror::Error;

/// Reason why [`super::Tree::new`] refuses.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The tree has no links.
    #[error("tree `{tree}` has no links")]
    Empty {
        /// Name of the tree.
        tree: String,
    },
    /// Joint i must move link i.
    #[error(
        "tree `{tree}` has {links} links and {joints} joints: joint i moves link i, so their numbers must agree"
    )]
    Count {
        /// Name of the tree.
        tree: String,
        /// How many links.
        links: usize,
        /// How many joints.
        joints: usize,
    },
    /// Two links or joints of one name.
    #[error("tree `{tree}` has two {what}s named `{name}`")]
    Duplicate {
        /// Name of the tree.
        tree: String,
        /// `link` or `joint`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A parent that does not come before.
    #[error(
        "joint `{joint}` moves link {link} and its parent is link {parent}: parents come before their children"
    )]
    Parent {
        /// Name of the joint.
        joint: String,
        /// The link it moves.
        link: usize,
        /// The parent it names.
        parent: usize,
    },
    /// A joint with impossible properties.
    #[error("joint `{joint}`: {reason}")]
    BadJoint {
        /// Name of the joint.
        joint: String,
        /// Fault, in words.
        reason: String,
    },
    /// A link with impossible mass properties.
    #[error("link `{link}`: {reason}")]
    BadLink {
        /// Name of the link.
        link: String,
        /// Fault, in words.
        reason: String,
    },
    /// A degree of freedom that nothing resists: M would be singular in every configuration.
    #[error(
        "joint `{joint}`: its degree of freedom {dof} moves no inertia beyond what the joints after it move: give mass to its link or \
         inertia to its rotor"
    )]
    NoInertia {
        /// Name of the joint.
        joint: String,
        /// Which of its degrees of freedom, from 0.
        dof: usize,
    },
}
