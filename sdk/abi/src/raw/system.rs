//! The unchanging side of a system.

use abi_stable::StableAbi;
use vinci_core::StageError;
use vinci_core::model::{self, Space};

use super::{Channel, Slice};

/// Mirrors [`model::ShapeView`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct ShapeView {
    /// Kind.
    pub kind: u32,
    /// Body.
    pub body: u32,
    /// Pose in the body frame.
    pub pose: Slice<f64>,
    /// Parameters.
    pub params: Slice<f64>,
    /// Vertex indices.
    pub indices: Slice<u32>,
}

/// Mirrors [`model::SystemView`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct SystemView {
    /// 2 planar, 3 spatial.
    pub space: u32,
    /// Number of velocity coordinates.
    pub nv: u32,
    /// Number of position coordinates.
    pub nq: u32,
    /// Set of the problem classes that every solver of the run takes.
    pub accepted: u32,
    /// Names of the bodies, UTF-8.
    pub body_names: Slice<Slice<u8>>,
    /// 1 where the body never moves.
    pub is_static: Slice<u8>,
    /// Shapes.
    pub shapes: Slice<ShapeView>,
    /// Pairs of bodies without contacts, flattened.
    pub ignored_pairs: Slice<u32>,
    /// Prescribed velocities that a drive commands.
    pub driven: Slice<u32>,
    /// Names of the degrees of freedom, UTF-8; for controllers, as the next ones.
    pub dof_names: Slice<Slice<u8>>,
    /// Where in q their coordinates stand.
    pub dof_coordinate: Slice<u32>,
    /// Velocities along which the controller puts forces.
    pub efforts: Slice<u32>,
    /// Velocities whose drives the controller gives values.
    pub set_points: Slice<u32>,
    /// Growth.
    pub channels: Slice<Channel>,
}

/// The lists a system is rebuilt from on the other side: of names and shapes, whose elements have another layout there.
/// Made once per instance, never during a step.
pub struct SystemParts<N, S> {
    names: Vec<N>,
    dofs: Vec<N>,
    shapes: Vec<S>,
}

impl SystemParts<Slice<u8>, ShapeView> {
    /// The lists in their crossing form.
    pub fn outgoing(system: &model::SystemView<'_>) -> Self {
        let shape = |s: &model::ShapeView<'_>| ShapeView {
            kind: s.kind,
            body: s.body,
            pose: s.pose.into(),
            params: s.params.into(),
            indices: s.indices.into(),
        };
        Self {
            names: system.body_names.iter().map(|&name| name.into()).collect(),
            dofs: system.dof_names.iter().map(|&name| name.into()).collect(),
            shapes: system.shapes.iter().map(shape).collect(),
        }
    }

    /// The view to pass; borrows `self` and `system`.
    pub fn view(&self, system: &model::SystemView<'_>) -> SystemView {
        SystemView {
            space: system.space as u32,
            nv: system.nv,
            nq: system.nq,
            accepted: system.accepted,
            body_names: self.names.as_slice().into(),
            is_static: system.is_static.into(),
            shapes: self.shapes.as_slice().into(),
            ignored_pairs: system.ignored_pairs.into(),
            driven: system.driven.into(),
            dof_names: self.dofs.as_slice().into(),
            dof_coordinate: system.dof_coordinate.into(),
            efforts: system.efforts.into(),
            set_points: system.set_points.into(),
            channels: Slice::default(),
        }
    }
}

impl<'a> SystemParts<&'a str, model::ShapeView<'a>> {
    /// The lists as core writes them.
    ///
    /// # Safety
    /// All arrays of `view` must be readable during `'a`.
    pub unsafe fn incoming(view: &SystemView) -> Result<Self, StageError> {
        // SAFETY: the caller's promise, here and below.
        let (names, dofs, shapes) =
            unsafe { (view.body_names.get(), view.dof_names.get(), view.shapes.get()) };
        // SAFETY: as above.
        let text = |what| move |name: &Slice<u8>| unsafe { name.text(what) };
        let mut parts = Self {
            names: names.iter().map(text("body name")).collect::<Result<_, _>>()?,
            dofs: dofs.iter().map(text("name of a degree of freedom")).collect::<Result<_, _>>()?,
            shapes: Vec::with_capacity(shapes.len()),
        };
        for s in shapes {
            // SAFETY: as above.
            let (pose, params, indices) = unsafe { (s.pose.get(), s.params.get(), s.indices.get()) };
            parts.shapes.push(model::ShapeView { kind: s.kind, body: s.body, pose, params, indices });
        }
        Ok(parts)
    }

    /// The system as core writes it; borrows `self`.
    ///
    /// # Safety
    /// All arrays of `view` must be readable as long as the result lives.
    pub unsafe fn system(&'a self, view: &SystemView) -> Result<model::SystemView<'a>, StageError> {
        let space = Space::from_code(view.space)
            .ok_or_else(|| StageError::bad_input(format!("{} is not the code of a space", view.space)))?;
        // SAFETY: the caller's promise.
        let (is_static, ignored_pairs) = unsafe { (view.is_static.get(), view.ignored_pairs.get()) };
        // SAFETY: as above.
        let (driven, dof_coordinate) = unsafe { (view.driven.get(), view.dof_coordinate.get()) };
        // SAFETY: as above.
        let (efforts, set_points) = unsafe { (view.efforts.get(), view.set_points.get()) };
        Ok(model::SystemView {
            space,
            body_names: &self.names,
            is_static,
            shapes: &self.shapes,
            ignored_pairs,
            nv: view.nv,
            nq: view.nq,
            accepted: view.accepted,
            driven,
            dof_names: &self.dofs,
            dof_coordinate,
            efforts,
            set_points,
        })
    }
}
