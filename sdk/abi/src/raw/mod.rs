//! The plain data that crosses: `repr(C)` structs of scalars, codes, and pointer + length.
//!
//! Every struct mirrors one type of `vinci-core` field by field and could be written down in a C header. Views end in
//! `channels`: arrays with a number each (none in version 1.0; see [`crate::codes::channel`]). A field can never be added within a major
//! version, a channel can: who does not know its number does not look at it.
//!
//! Memory: whoever makes a view keeps the arrays in it alive. Arrays in an argument live until the call returns; arrays
//! in a result live until the next call on the same instance. Nobody frees what the other made.

mod contact;
mod oracle;
mod problem;
mod slice;
mod step;
mod system;

pub use contact::{Contacts, DetectQuery, Key, RawContacts};
pub use oracle::OracleView;
pub use problem::{ProblemView, Scratch, SolutionRoom, SolutionView};
pub use slice::{Channel, ErrorText, Matrix, Slice, SliceMut};
pub use step::{Rows, StepChannels, StepView, UpdateView};
pub use system::{ShapeView, SystemParts, SystemView};
