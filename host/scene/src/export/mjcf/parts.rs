//! Joints between points, couplers and springs: equalities and tendons.

use nalgebra::Vector3;
use vinci_core::model::Anchor;

use super::super::xml::numbers;
use super::Writing;

/// Ends of springs and joints, each with the name of its site.
fn ends(w: &Writing<'_>) -> Vec<(String, Anchor)> {
    let system = w.subject.system;
    let springs = system.springs.iter().enumerate().map(|(k, s)| (format!("spring{k}"), [s.a, s.b]));
    let joints = system.joints.iter().enumerate().map(|(k, j)| (format!("joint{k}"), [j.a, j.b]));
    let sides = |(name, [a, b]): (String, [Anchor; 2])| [(format!("{name}.a"), a), (format!("{name}.b"), b)];
    springs.chain(joints).flat_map(sides).collect()
}

impl Writing<'_> {
    /// Sites of a body whose centre of mass stands at `com` in the frame that is written.
    pub(super) fn sites_of(&mut self, body: u32, com: Vector3<f64>) {
        for (name, end) in ends(self) {
            if let Anchor::Body(of, point) = end
                && of == body
            {
                self.site(name, point + com);
            }
        }
    }

    pub(super) fn world_sites(&mut self) {
        for (name, end) in ends(self) {
            if let Anchor::World(point) = end {
                self.site(name, point);
            }
        }
    }

    fn site(&mut self, name: String, point: Vector3<f64>) {
        self.xml.leaf("site", &[("name", name), ("pos", numbers(point.as_slice()))]);
    }

    pub(super) fn parts(&mut self) {
        let system = self.subject.system;
        if !system.springs.is_empty() {
            self.springs();
        }
        if system.joints.is_empty() && system.couplers.is_empty() {
            return;
        }
        self.xml.open("equality", &[]);
        for (k, joint) in system.joints.iter().enumerate() {
            let held = joint.along[..system.space.dim()].iter().all(|held| *held);
            if !held {
                self.unsaid(format!("joint `{}` holds along some axes only: it holds along all", joint.name));
            }
            self.xml.leaf("connect", &[("site1", format!("joint{k}.a")), ("site2", format!("joint{k}.b"))]);
        }
        for coupler in &system.couplers {
            let name = |(tree, dof): (u32, u32)| {
                let tree = &system.trees[tree as usize].tree;
                format!("{}.{}", tree.name(), tree.joints()[tree.joint_of_v(dof as usize)].name)
            };
            let [a, b] = coupler.joints.map(name);
            let polynomial = numbers(&[coupler.offset, coupler.ratio, 0.0, 0.0, 0.0]);
            self.xml.leaf("joint", &[("joint1", a), ("joint2", b), ("polycoef", polynomial)]);
        }
        self.xml.close();
        self.unsaid("joints and couplers are held softly, not exactly".to_owned());
    }

    fn springs(&mut self) {
        self.xml.open("tendon", &[]);
        for (k, spring) in self.subject.system.springs.iter().enumerate() {
            self.xml.open(
                "spatial",
                &[
                    ("name", spring.name.clone()),
                    ("stiffness", numbers(&[spring.stiffness])),
                    ("damping", numbers(&[spring.damping])),
                    ("springlength", numbers(&[spring.rest_length])),
                ],
            );
            self.xml.leaf("site", &[("site", format!("spring{k}.a"))]);
            self.xml.leaf("site", &[("site", format!("spring{k}.b"))]);
            self.xml.close();
        }
        self.xml.close();
    }
}
