//! Parts that detector plugins share, whatever their geometry:
//!
//! - [`Frame`]: rigid motions of the plane and of space in one form;
//! - [`Placement`]: checks a query and says where every shape is;
//! - [`Filter`]: who may touch whom;
//! - [`DetectedContacts`]: the contacts as the host reads them, in memory that is kept.
//!
//! What is left to write is the geometry. Balls of one radius, every pair looked at:
//!
//! ```
//! use vinci_core::contact::RawContacts;
//! use vinci_core::error::StageError;
//! use vinci_core::model::SystemView;
//! use vinci_core::stage::{DetectQuery, Detector};
//! use vinci_detect::{DetectedContacts, Filter, Frame, Placement};
//!
//! struct Balls { radius: f64, bodies: Vec<u32>, placement: Placement, filter: Filter, report: DetectedContacts }
//!
//! impl Balls {
//!     fn new(system: &SystemView<'_>, radius: f64) -> Result<Self, StageError> {
//!         let mut shapes = Vec::new();
//!         for s in system.shapes {
//!             let local = Frame::from_pose(system.space, s.pose);
//!             shapes.push((s.body, local.ok_or_else(|| StageError::bad_input("a shape without a pose"))?));
//!         }
//!         Ok(Self {
//!             radius,
//!             bodies: shapes.iter().map(|s| s.0).collect(),
//!             placement: Placement::new(system, shapes),
//!             filter: Filter::new(system),
//!             report: DetectedContacts::default(),
//!         })
//!     }
//! }
//!
//! impl Detector for Balls {
//!     fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
//!         self.placement.place(query, "all must be finite")?;
//!         self.report.clear();
//!         for (j, &b) in self.bodies.iter().enumerate() {
//!             for (i, &a) in self.bodies[..j].iter().enumerate() {
//!                 let (x, y) = (self.placement.frame(i as u32).pos, self.placement.frame(j as u32).pos);
//!                 let (gap, n) = ((y - x).norm() - 2.0 * self.radius, (y - x).normalize());
//!                 let margin = query.margin[a as usize] + query.margin[b as usize];
//!                 if !self.filter.may_collide(a, b) || gap > margin {
//!                     continue;
//!                 }
//!                 let from = self.report.len();
//!                 let points = [n, x + n * self.radius, y - n * self.radius];
//!                 self.report.push([i as u32, j as u32], [0, 0], gap, points, 0);
//!                 if !self.report.is_finite(from) {
//!                     return Err(self.placement.lost([a, b], query.t));
//!                 }
//!             }
//!         }
//!         Ok(self.report.view())
//!     }
//! }
//! # use vinci_core::model::{ShapeKind, ShapeView, Space};
//! # let at = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
//! # let shape = |body| ShapeView { kind: ShapeKind::Ball as u32, body, pose: &at, params: &[0.5], indices: &[] };
//! # let (shapes, still, ignored) = ([shape(0), shape(1)], [0, 0], []);
//! # let system = SystemView {
//! #     space: Space::Spatial, body_names: &["a", "b"], is_static: &still, shapes: &shapes, ignored_pairs: &ignored,
//! #     nv: 12, nq: 14, ..SystemView::NOTHING
//! # };
//! # let mut balls = Balls::new(&system, 0.5)?;
//! # let mut pose = [at, at].concat();
//! # pose[9] = 1.25;
//! # let found = balls.detect(&DetectQuery { t: 0.0, pose: &pose, margin: &[0.2, 0.2] })?;
//! # assert_eq!((found.gap, found.point_a, found.point_b), (&[0.25][..], &[0.0, 0.0, 0.5][..], &[0.0, 0.0, 0.75][..]));
//! # pose[7..10].fill(0.0);
//! # assert!(balls.detect(&DetectQuery { t: 0.0, pose: &pose, margin: &[0.2, 0.2] }).is_err());
//! # Ok::<(), StageError>(())
//! ```

mod filter;
mod frame;
mod placement;

pub use filter::Filter;
pub use frame::{Frame, Vec3};
pub use placement::Placement;
pub use vinci_core::contact::DetectedContacts;
