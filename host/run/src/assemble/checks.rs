//! Checks of a stepper against a scene.

use vinci_abi::Role;
use vinci_core::model::System;

use super::maker::Maker;
use crate::used::Used;
use vinci_engine::pipeline::EVENT_TOLERANCE;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, list};
use vinci_scene::{Path, experiment};

impl Maker<'_> {
    /// A contact whose closing was located must be closed for the stepper too: where it has an option `contact_tolerance`,
    /// the events' tolerance is at most that.
    pub(super) fn check_event_tolerance(&self, stepper: &Used, diagnostics: &mut Diagnostics) {
        let time = &self.loaded.experiment.time;
        if time.events == experiment::ContactEventLocation::None {
            return;
        }
        let given = serde_json::from_str::<serde_json::Value>(&stepper.options)
            .ok()
            .and_then(|options| options.get("contact_tolerance")?.as_f64());
        let default = stepper.manifest.options.pointer("/properties/contact_tolerance/default");
        let Some(closed) = given.or_else(|| default?.as_f64()) else { return };
        let located = time.event_tolerance.unwrap_or(EVENT_TOLERANCE);
        if located > closed {
            let message = format!(
                "contacts are located to {located} m, but {} takes them as closed up to {closed} m only",
                stepper.manifest.id
            );
            let help = "set `time.event_tolerance` to the stepper's `contact_tolerance` or less";
            let place = self.loaded.place(&Path::root().join("time").join("event_tolerance"));
            diagnostics.push(Diagnostic::error(Code::Contradiction, message).help(help).at(place));
        }
    }

    /// Detectors that are asked for alternatives at corners, under a stepper that gets one of them only.
    pub(super) fn warn_of_single_alternatives(
        &self,
        detectors: &[Used],
        stepper: &Used,
        diagnostics: &mut Diagnostics,
    ) {
        let events = self.loaded.experiment.time.events != experiment::ContactEventLocation::None;
        if stepper.manifest.has_capability("or-groups") && !events {
            return;
        }
        let asked = |used: &&Used| {
            let options = serde_json::from_str::<serde_json::Value>(&used.options).ok();
            used.manifest.has_capability("or-groups")
                && options.is_some_and(|o| o.get("corners").is_some_and(|corners| corners == "or"))
        };
        for used in detectors.iter().filter(asked) {
            let why =
                if events { "with `time.events`".to_owned() } else { format!("for {}", stepper.manifest.id) };
            let message = format!("{why} the most open alternative at a corner is taken, as `nearest` does");
            let help = "a body may be held beyond an edge for a step; stewart-trinkle without `time.events` takes alternatives";
            let place = self.loaded.place(&used.path.join("options").join("corners"));
            diagnostics.push(Diagnostic::warning(Code::Contradiction, message).help(help).at(place));
        }
    }

    /// Threads have something to do where problems are divided.
    pub(super) fn warn_of_idle_threads(&self, diagnostics: &mut Diagnostics) {
        let experiment = &self.loaded.experiment;
        let divides =
            experiment.solver.as_ref().is_some_and(|solver| solver.islands || solver.sleeping.is_some());
        let Some(threads) = experiment.threads.filter(|threads| *threads > 1 && !divides) else { return };
        let message = format!("{threads} threads solve islands, and problems are not divided into islands");
        let help = "set `solver.islands` to true, or leave `threads` out";
        let place = self.loaded.place(&Path::root().join("threads"));
        diagnostics.push(Diagnostic::warning(Code::Contradiction, message).help(help).at(place));
    }

    /// Support points need a stepper that knows them: one that does not would let parts slide without friction.
    pub(super) fn check_supports(&self, stepper: &Used, system: &System, diagnostics: &mut Diagnostics) {
        let Some(point) = system.supports.first().filter(|_| !stepper.manifest.has_capability("supports"))
        else {
            return;
        };
        let body = &system.bodies[point.body as usize].name;
        let message = format!(
            "{} does not know support points (body `{body}`): its manifest lacks the capability `supports`",
            stepper.manifest.id
        );
        let knowing: Vec<String> = self
            .registry
            .survey()
            .iter()
            .filter_map(|diagnostics| diagnostics.manifest(Role::Stepper).cloned())
            .filter(|m| m.has_capability("supports"))
            .map(|m| m.id)
            .collect();
        let help = format!("steppers that do: {}", list(knowing.iter().map(String::as_str)));
        diagnostics.push(self.at_plugin(stepper, Diagnostic::error(Code::Contradiction, message).help(help)));
    }
}
