//! The plain data that crosses: `repr(C)` structs of scalars, codes, and pointer + length.
//!
//! Every struct mirrors one type of `vinci-core` field by field and could be written down in a C header. A view is a table, a line per
//! field, from which the struct, both ways across and the lengths of its arrays are made. Problems are numbered arrays
//! ([`crate::codes::channel`]), so that a new class is no new layout. Views end in `channels`, numbered arrays too, none in version
//! 2.0: a field can never be added within a major version, a channel can. Unknown numbers are ignored.
//!
//! Memory: whoever makes a view keeps the arrays in it alive. Arrays in an argument live until the call returns; arrays
//! in a result live until the next call on the same instance. Nobody frees what the other made.

mod contact;
mod control;
mod oracle;
mod problem;
mod slice;
mod step;
mod system;
mod view;

pub use contact::{Contacts, DetectQuery, RawContacts};
pub use control::{Commands, ControlView};
pub use oracle::OracleView;
pub use problem::{ProblemView, Scratch, SolutionView};
pub use slice::{Channel, ErrorText, Matrix, Slice, SliceMut};
pub use step::{Rows, StepView, Supports, UpdateView};
pub use system::{ShapeView, SystemParts, SystemView};
pub(crate) use view::Sizes;
pub use view::{Crossing, Key, Keys, SpaceCode, StatusCode, Text, VerdictCode};
