//! Energy of impacts: Newton's law with friction can make it, and is caught; without restitution nothing does.

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::{AP, experiment, ground, planar, set, with};
use vinci_tests::run::run;

/// A rod with m = l = 1, I = 1/3 whose tip at r = (c, −s) from its centre touches the ground, tan θ = 2, so that with
/// c² = 1/5, s² = 4/5, c s = 2/5 the tip feels A_nn = 1 + 3 c² = 1.6, A_tt = 1 + 3 s² = 3.4, A_nt = 3 c s = 1.2. It does not
/// turn: the tip has the velocity (ν_t, ν_n) of the centre.
fn rod(law: &str, e: f64, mu: f64, v: [f64; 2]) -> Value {
    let mut scene = planar(
        mu,
        e,
        json!([ground("planar"), {
            "name": "rod", "mass": 1, "inertia": 1.0 / 3.0, "shapes": [{"type": "segment", "from": [-1, 0], "to": [1, 0]}],
            "position": [0, 2.0 / 5.0_f64.sqrt()], "angle": -(2.0_f64.atan()), "velocity": v
        }]),
    );
    scene["gravity"] = json!([0, 0]);
    set(&with(&experiment(scene, 1e-3, 1e-3), AP, "lemke"), "/stepper/options/impact_law", law)
}

/// ν⁻ = (−0.75, −1), e = 1, μ = 1/2; the tip sticks. Newton: A p = (ν_n⁺ − ν_n⁻, ν_t⁺ − ν_t⁻) = (2, 0.75), det A = 4:
/// p_n = (6.8 − 0.9)/4, p_t = (1.2 − 2.4)/4, and ΔT = ½ p · (ν⁻ + ν⁺) = ½ p_t ν_t⁻ = 0.1125 J: energy out of nothing.
///
/// Poisson: compression p^c = A⁻¹ (1, 0.75) = (0.625, 0); decompression with p_n = 0.625 and ν_t = 0: p_t = −1.2 · 0.625/3.4,
/// ν_n⁺ = 1.6 · 0.625 + 1.2 p_t, and ΔT < 0.
#[test]
fn newtons_law_with_friction_makes_energy_and_is_flagged_poissons_does_not() {
    let run_of = |law: &str| run(&rod(law, 1.0, 0.5, [-0.75, -1.0]));
    let newton = run_of("newton");
    let [impact] = &newton.moments[1].impacts[..] else { panic!("{:?}", newton.moments[1].impacts) };
    close("Newton", impact.energy_change, 0.1125, 1e-12);
    close("kinetic energy", newton.end().energy - newton.moments[0].energy, 0.1125, 1e-12);
    assert!(impact.grew);

    let poisson = run_of("poisson");
    let [impact] = &poisson.moments[1].impacts[..] else { panic!("{:?}", poisson.moments[1].impacts) };
    let p_t = -1.2 * 0.625 / 3.4;
    let nu_n = 1.6 * 0.625 + 1.2 * p_t;
    let change = 0.5 * (1.25 * (nu_n - 1.0) - 0.75 * p_t);
    assert!(change < -0.08, "{change}");
    close("Poisson", impact.energy_change, change, 1e-12);
    close("kinetic energy", poisson.end().energy - poisson.moments[0].energy, change, 1e-12);
    assert!(!impact.grew);
}

#[test]
fn the_summary_warns_of_impacts_that_made_energy() {
    let out = tempfile::tempdir().unwrap();
    let prepared = vinci_tests::run::prepared(&rod("newton", 1.0, 0.5, [-0.75, -1.0]));
    let end = vinci_run::execute(prepared, out.path(), |_| {}).unwrap();
    assert_eq!((end.summary.impacts.count, end.summary.impacts.grew), (1, 1));
    close("largest", end.summary.impacts.largest_energy_change, 0.1125, 1e-12);
    assert_eq!(
        end.summary.warnings,
        ["1 of 1 impacts made energy, at most 1.125e-1 J: the law of impact is not dissipative there"]
    );
    let events = std::fs::read_to_string(out.path().join("events.csv")).unwrap();
    let row: Vec<&str> = events.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(row[..3], ["0.0", "impact", "ground/rod"]);
    close("events.csv", row[3].parse().unwrap(), 0.1125, 1e-12);
    let report = std::fs::read_to_string(out.path().join("report.html")).unwrap();
    assert!(report.contains("made energy"));
}

/// With e = 0 an impact is part of the step: no restitution, no impact that could make energy. With e next to 0 the impact
/// is one by itself, and by maximum dissipation loses energy whatever the slip.
#[test]
#[ignore = "long"]
fn without_restitution_no_impact_makes_energy() {
    let mut impacts = 0;
    for k in 0..21 {
        for mu in [0.0, 0.3, 2.0] {
            for e in [0.0, 1e-12] {
                for law in ["newton", "poisson"] {
                    let run = run(&rod(law, e, mu, [-2.0 + 0.2 * f64::from(k), -1.0]));
                    let list = &run.moments[1].impacts;
                    impacts += list.len();
                    assert!(list.iter().all(|i| !i.grew && i.energy_change < 1e-12), "{law} {k} {mu} {e}");
                    assert!(e > 0.0 || list.is_empty());
                    assert!(run.end().energy <= run.moments[0].energy + 1e-12, "{law} {k} {mu} {e}");
                }
            }
        }
    }
    assert_eq!(impacts, 21 * 3 * 2);
}

/// Below the threshold a contact does not bounce under either law, also in an impact that another contact calls for.
#[test]
fn slow_contacts_take_no_restitution_in_the_impacts_of_others() {
    let disc = |name: &str, x: f64, speed: f64| {
        json!({"name": name, "mass": 1.0, "shapes": [{"type": "disc", "radius": 0.1}], "position": [x, 0.1],
               "velocity": [0, -speed]})
    };
    for law in ["newton", "poisson"] {
        let bodies = json!([ground("planar"), disc("fast", 0.0, 1.0), disc("slow", 1.0, 0.005)]);
        let mut scene = planar(0.0, 0.5, bodies);
        scene["gravity"] = json!([0, 0]);
        let mut e = with(&experiment(scene, 0.01, 0.01), AP, "lemke");
        e["stepper"]["options"] = json!({"impact_law": law, "restitution_threshold": 0.01});
        let end = run(&e).end().v.clone();
        close(law, end[1], 0.5, 1e-12);
        close(law, end[4], 0.0, 1e-12);
    }
}
