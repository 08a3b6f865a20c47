//! A grid time built by hand: discs over the ground, and what a controller of their degrees of freedom sees.

use vinci_abi::ForeignController;
use vinci_core::StageError;
use vinci_core::model::{Space, SystemView};
use vinci_core::stage::{ControlView, Controller};

use crate::random::Random;
use crate::stepper::world::World;
use crate::subject::{Stop, Subject, governs};

/// Discs, and what their controller is to follow.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) world: World,
    pub(crate) grid: u64,
    /// Numbers of efforts and set-points.
    channels: [usize; 2],
    pose: Vec<f64>,
    twist: Vec<f64>,
    reference: Vec<f64>,
    has_reference: Vec<u8>,
}

impl Place {
    /// n discs that touch the ground, side by side.
    pub(crate) fn new(subject: &Subject, n: usize) -> Self {
        let places: Vec<_> = (0..n).map(|k| (3.0 * k as f64, 0.5)).collect();
        let [efforts, set_points] = governs(subject, 3 * n).map(|list| list.len());
        let channels = efforts + set_points;
        let (world, reference, has_reference) =
            (World::new(&places, 0.5), vec![0.0; 3 * channels], vec![1; channels]);
        let (pose, twist) = (Vec::new(), Vec::new());
        Self { world, grid: 0, channels: [efforts, set_points], pose, twist, reference, has_reference }
    }

    /// Another state, other references and other forces of contacts.
    pub(crate) fn shuffle(&mut self, random: &mut Random) {
        let mut shake =
            |list: &mut Vec<f64>, size: f64| list.iter_mut().for_each(|x| *x = random.between(-size, size));
        shake(&mut self.world.v, 2.0);
        shake(&mut self.reference, 3.0);
        shake(&mut self.world.force, 20.0);
        self.world.press(|| random.between(0.0, 0.2));
        self.has_reference.iter_mut().for_each(|has| *has = u8::from(random.below(4) > 0));
        for (k, jet) in self.reference.chunks_exact_mut(3).enumerate() {
            jet.iter_mut().for_each(|x| *x *= f64::from(self.has_reference[k]));
        }
        self.grid += 1;
    }

    /// Hands the view to `body`.
    pub(crate) fn with_view<R>(&mut self, body: impl FnOnce(&ControlView<'_>) -> R) -> R {
        let Self { world, grid, pose, twist, reference, has_reference, .. } = self;
        let ground = [0.0; 3];
        *pose = [ground.as_slice(), &world.q].concat();
        *twist = [ground.as_slice(), &world.v].concat();
        let (t, h) = (*grid as f64 * world.h, world.h);
        world.with_view(0, 0, |step| {
            body(&ControlView {
                grid: *grid,
                t,
                h,
                period: 2.0 * h,
                h_last: h,
                space: Space::Planar,
                q: step.q,
                v: step.v,
                block_start: step.block_start,
                q_start: step.q_start,
                block_kind: step.block_kind,
                quaternion: step.quaternion,
                pose,
                twist,
                mass: step.mass,
                force: step.force,
                bias: step.bias,
                reference,
                has_reference,
                contacts: step.contacts,
            })
        })
    }

    /// One call: the bits of its answer, efforts first.
    pub(crate) fn ask(&mut self, controller: &mut ForeignController) -> Result<Vec<u64>, StageError> {
        self.with_view(|view| {
            let commands = controller.control(view)?;
            Ok(commands.effort.iter().chain(commands.set_point).map(|x| x.to_bits()).collect())
        })
    }

    /// A controller of n discs and the ground.
    pub(crate) fn controller(&self, subject: &Subject) -> Result<ForeignController, Stop> {
        if !subject.manifest.works_in(Space::Planar) {
            return Err(Stop::Skipped("does not work in planar scenes".into()));
        }
        let n = self.world.n();
        let name = |k: usize| if k == 0 { "ground".into() } else { format!("disc{k}") };
        let bodies: Vec<String> = (0..=n).map(name).collect();
        let dofs: Vec<String> =
            (1..=n).flat_map(|k| ["x", "y", "angle"].map(|d| format!("disc{k}.{d}"))).collect();
        let (bodies, dofs) = (words(&bodies), words(&dofs));
        let is_static: Vec<u8> = (0..=n).map(|k| u8::from(k == 0)).collect();
        let coordinates: Vec<u32> = (0..3 * n as u32).collect();
        let [efforts, set_points] = governs(subject, 3 * n);
        debug_assert_eq!([efforts.len(), set_points.len()], self.channels);
        let system = SystemView {
            body_names: &bodies,
            is_static: &is_static,
            nv: 3 * n as u32,
            nq: 3 * n as u32,
            dof_names: &dofs,
            dof_coordinate: &coordinates,
            efforts: &efforts,
            set_points: &set_points,
            ..SystemView::NOTHING
        };
        Ok(subject.controller(&system)?)
    }
}

fn words(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}
