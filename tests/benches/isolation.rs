//! Round trips to a worker: a query of 16 kB to a detector, 16 kB of contacts back; beside them the same calls in this process.

#![allow(clippy::print_stdout)] // what it measures

use std::path::Path;
use std::time::Instant;

use vinci_abi::Role;
use vinci_conformance::fixture::build_member;
use vinci_core::model::{ShapeView, SystemView};
use vinci_core::stage::{DetectQuery, Detector};
use vinci_engine::registry::{Isolation, Registry};
use vinci_tests::house;

const BODIES: usize = 256;
const CALLS: usize = 50_000;

fn main() {
    let library = build_member("vinci-bad-plugins").expect("the library builds");
    let registry = Registry::new(&[house::build().to_path_buf()])
        .beside(house::program())
        .allowing(std::slice::from_ref(&library));
    let shape = ShapeView { kind: 1, body: 0, pose: &[], params: &[], indices: &[] };
    let (names, fixed, shapes) = ([""; BODIES], [0; BODIES], [shape, ShapeView { body: 1, ..shape }]);
    let system = SystemView {
        space: vinci_core::model::Space::Spatial,
        body_names: &names,
        is_static: &fixed,
        shapes: &shapes,
        ..SystemView::NOTHING
    };
    let (pose, margin) = ([0.5; 7 * BODIES], [0.1; BODIES]);
    let query = DetectQuery { t: 0.0, pose: &pose, margin: &margin };
    for isolation in [Isolation::None, Isolation::All] {
        let found = registry.clone().isolating(isolation).find(
            &library.to_string_lossy(),
            Role::Detector,
            Path::new(""),
        );
        let options = r#"{"at": "detect", "do": "many"}"#;
        let made = found.expect("the library loads").create_detector(options, &system);
        let mut detector = made.expect("lawful options");
        let mut call = || {
            let begun = Instant::now();
            let contacts = detector.detect(&query).expect("lawful contacts");
            assert_eq!(contacts.len(), 170);
            begun.elapsed().as_secs_f64() * 1e6
        };
        (0..1000).for_each(|_| {
            call();
        });
        let mut times: Vec<f64> = (0..CALLS).map(|_| call()).collect();
        times.sort_by(f64::total_cmp);
        let part = |p: f64| times[(p * CALLS as f64) as usize];
        println!(
            "isolation {}: median {:.2} us, 99 % {:.2} us, 99.9 % {:.2} us, longest {:.0} us",
            isolation.name(),
            part(0.5),
            part(0.99),
            part(0.999),
            times[CALLS - 1]
        );
    }
}
