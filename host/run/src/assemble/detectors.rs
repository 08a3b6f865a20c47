//! Detectors: which of them looks at which pairs of shapes, and what nobody looks at.

use vinci_abi::Role;
use vinci_core::model::{ShapeKind, Space, System, SystemView};
use vinci_core::stage::Detector;

use super::super::composite::{Composite, Shares};
use super::maker::Maker;
use crate::used::Used;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, list};

impl Maker<'_> {
    /// Assigns pairs of shapes to detectors. A single detector has all of them and must know every kind.
    pub(super) fn check_shapes(
        &self,
        detectors: &[Used],
        system: &System,
        view: &SystemView<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Shares {
        let knows = |used: &Used, kind| used.manifest.shapes.is_empty() || used.manifest.knows_shape(kind);
        let of = |used: &Used| system.shapes.iter().map(|s| knows(used, s.kind)).collect::<Vec<bool>>();
        let lists: Vec<Vec<bool>> = detectors.iter().map(of).collect();
        let unknown = (0..system.shapes.len()).find(|i| lists.iter().all(|list| !list[*i]));
        let left = |used: &Used| {
            let leaves = used.manifest.has_capability("no-polytope-pairs");
            system.shapes.iter().map(|s| leaves && s.kind.is_polytope()).collect::<Vec<bool>>()
        };
        let shares = Shares::new(lists).leaving(detectors.iter().map(left).collect());
        let fits_space = |used: &&Used| used.manifest.works_in(system.space);
        if let Some(used) = detectors.iter().find(|used| !fits_space(used)) {
            self.wrong_space(used, system, diagnostics);
            return shares;
        }
        let words: Vec<&str> =
            detectors.iter().flat_map(|d| d.manifest.shapes.iter().map(String::as_str)).collect();
        let named = |i: usize| {
            let shape = &system.shapes[i];
            (&system.bodies[shape.body as usize].name, vinci_abi::shape_name(shape.kind))
        };
        let ids: Vec<&str> = detectors.iter().map(|d| d.manifest.id.as_str()).collect();
        let (message, help) = if let Some(i) = unknown {
            let (body, kind) = named(i);
            let (do_not, know) =
                if ids.len() == 1 { ("does not", "it knows") } else { ("do not", "they know") };
            let message =
                format!("{} {do_not} know shapes of kind {kind} (body `{body}`)", ids.join(" and "));
            let others = self.knowing(system.shapes[i].kind, system.space);
            let more = match others.is_empty() {
                true => String::new(),
                false => format!(
                    "; {} takes this kind: name it as the detector, or beside others in `detector.others`",
                    list(others.iter().map(String::as_str))
                ),
            };
            (message, format!("{know} {}{more}", list(words.iter().copied())))
        } else if let Some((a, b)) = shares.orphans(system, view) {
            let ((body_a, kind_a), (body_b, kind_b)) = (named(a), named(b));
            let message = format!(
                "no detector ({}) takes pairs of shapes of the kinds {kind_a} and {kind_b} (bodies `{body_a}` and `{body_b}`)",
                ids.join(", ")
            );
            let help =
                "add a detector that takes them to `detector.others`, or the two bodies to `ignore_contacts`";
            (message, help.to_string())
        } else {
            return shares;
        };
        diagnostics
            .push(self.at_plugin(&detectors[0], Diagnostic::error(Code::Contradiction, message).help(help)));
        shares
    }

    /// Ids of the detectors at hand that know a kind of shape and work in this space.
    fn knowing(&self, kind: ShapeKind, space: Space) -> Vec<String> {
        let surveyed = self.registry.survey();
        let manifests = surveyed.iter().flat_map(|found| found.manifest(Role::Detector));
        let fits = manifests.filter(|m| m.knows_shape(kind) && m.works_in(space)).map(|m| m.id.clone());
        fits.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    fn wrong_space(&self, detector: &Used, system: &System, diagnostics: &mut Diagnostics) {
        let manifest = &detector.manifest;
        let (spaces, space) = (manifest.spaces.join(" and "), system.space.name());
        let message = format!("{} works in {spaces} scenes, this scene is {space}", manifest.id);
        let help = "choose a detector for this space; `vinci plugin list` shows them";
        diagnostics
            .push(self.at_plugin(detector, Diagnostic::error(Code::Contradiction, message).help(help)));
    }

    /// The one detector, or several as one.
    pub(super) fn create_detector(
        &self,
        (used, shares): (&[Used], Shares),
        view: &SystemView<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Box<dyn Detector>> {
        if let [only] = used {
            let created =
                self.created(only.plugin.create_detector(&only.options, view), only, diagnostics)?;
            return Some(Box::new(created));
        }
        let mut all: Vec<(String, Box<dyn Detector>)> = Vec::new();
        for (k, one) in used.iter().enumerate() {
            let created = shares.with_view(k, view, |view| one.plugin.create_detector(&one.options, view));
            all.push((one.manifest.id.clone(), Box::new(self.created(created, one, diagnostics)?)));
        }
        Some(Box::new(Composite::new(all, shares)))
    }
}
