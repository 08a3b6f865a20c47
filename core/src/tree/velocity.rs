//! Velocities of links, energies and momentum.

use nalgebra::Vector3;

use super::model::{Body, NONE};
use super::spatial::LinkMotion;
use super::{Column, JointKind, Tree, TreeState};

impl TreeState {
    /// Velocities of all links at v (length nv).
    pub fn set_velocity(&mut self, tree: &Tree, v: &[f64]) {
        for (b, body) in tree.bodies.iter().enumerate() {
            let (w, u) = self.relative(body, v);
            let motion = match body.parent {
                NONE => LinkMotion { angular: w, linear: u },
                p => {
                    let parent = &self.link_motions[tree.bodies[p].link];
                    let d = self.poses[b].origin - self.poses[p].origin;
                    let carried = parent.linear + parent.angular.cross(&d);
                    LinkMotion { angular: parent.angular + w, linear: carried + u }
                }
            };
            self.link_motions[body.link] = motion;
        }
        for attached in &tree.attached {
            self.link_motions[attached.link] = match attached.body {
                NONE => LinkMotion::REST,
                b => {
                    let motion = self.link_motions[tree.bodies[b].link];
                    let d = self.frames[attached.link].translation.vector - self.poses[b].origin;
                    LinkMotion { linear: motion.linear + motion.angular.cross(&d), ..motion }
                }
            };
        }
    }

    /// Velocity relative to the parent: angular, and of the origin.
    #[inline(always)]
    pub(super) fn relative(&self, body: &Body, v: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        let columns = &self.columns[body.dofs()];
        let v = &v[body.dofs()];
        match body.kind {
            JointKind::Fixed => (Vector3::zeros(), Vector3::zeros()),
            JointKind::Revolute => (columns[0].angular * v[0], Vector3::zeros()),
            JointKind::Prismatic => (Vector3::zeros(), columns[0].linear * v[0]),
            JointKind::Cylindrical | JointKind::Planar | JointKind::Ball | JointKind::Free => {
                let n = body.kind.n_translations();
                let slide = columns[..n].iter().zip(&v[..n]).map(|(c, v)| c.linear * *v).sum();
                let turn = columns[n..].iter().zip(&v[n..]).map(|(c, v)| c.angular * *v).sum();
                (turn, slide)
            }
        }
    }

    /// Velocity of a world point of a link and the link's angular velocity, as [`TreeState::set_velocity`] left them:
    /// (linear, angular), m/s and rad/s, world axes.
    #[inline]
    pub fn link_velocity(&self, link: usize, point: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let motion = &self.link_motions[link];
        let from = point - self.frames[link].translation.vector;
        (motion.linear + motion.angular.cross(&from), motion.angular)
    }

    /// T = ½ vᵀ M v = Σ ½ (m |v_c|² + ω·J ω) + Σ ½ (rotor · gear²) v², J. For diagnostics: nv × depth products.
    pub fn kinetic_energy(&self, tree: &Tree, v: &[f64]) -> f64 {
        let mut twice = 0.0;
        for (b, body) in tree.bodies.iter().enumerate() {
            let (w, u) = self.body_velocity(tree, body, v);
            let pose = &self.poses[b];
            let centre = u + w.cross(&pose.com);
            twice += body.lump.mass * centre.norm_squared() + w.dot(&(pose.inertia * w));
            twice += v[body.dofs()].iter().map(|v| body.rotor * v * v).sum::<f64>();
        }
        0.5 * twice
    }

    /// Angular velocity of a body and velocity of its point at the reference.
    fn body_velocity(&self, tree: &Tree, body: &Body, v: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        let sum = |(w, u): (Vector3<f64>, Vector3<f64>), &k: &usize| {
            let Column { angular, linear } = &self.columns[k];
            (w + angular * v[k], u + linear * v[k])
        };
        tree.path(body).iter().fold((Vector3::zeros(), Vector3::zeros()), sum)
    }

    /// V = −Σ m g·c over the moving links, J; zero where their centre of mass is at height zero.
    pub fn potential_energy(&self, tree: &Tree, g: &Vector3<f64>) -> f64 {
        let roots = tree.bodies.iter().enumerate().filter(|(_, body)| body.parent == NONE);
        roots
            .map(|(b, body)| {
                let all = &self.composites[b];
                -g.dot(&(all.first + self.references[body.root] * all.mass))
            })
            .sum()
    }

    /// Momentum P = Σ m v_c, N s, and angular momentum L = Σ (J ω + c × m v_c) about the world's origin, N m s, of the
    /// links at v. Rotors have none beyond their links'.
    pub fn momentum(&self, tree: &Tree, v: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for (b, body) in tree.bodies.iter().enumerate() {
            let reference = &self.references[body.root];
            for k in body.dofs() {
                let (p, l) = self.composites[b].momentum(&self.columns[k]);
                linear += p * v[k];
                angular += (l + reference.cross(&p)) * v[k];
            }
        }
        (linear, angular)
    }
}
