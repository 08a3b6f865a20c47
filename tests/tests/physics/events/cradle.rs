//! Laws and policies of impacts: the cradle of three balls.

use vinci_tests::close;
use vinci_tests::experiment::{AP, SOLVERS, set, shipped, with};
use vinci_tests::run::run;

/// e = 1, masses equal. Simultaneous, both laws: (−1/3, 2/3, 2/3). One after another, both laws: (0, 0, 1).
#[test]
fn the_policy_decides_what_the_cradle_does() {
    for (policy, expected, impacts) in
        [("simultaneous", [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], 1), ("sequential", [0.0, 0.0, 1.0], 2)]
    {
        for law in ["newton", "poisson"] {
            for solver in SOLVERS {
                let cradle = with(&shipped(&format!("newton-cradle-3-{policy}")), AP, solver);
                let run = run(&set(&cradle, "/stepper/options/impact_law", law));
                let what = format!("{policy}, {law}, {solver}");
                for (ball, v) in expected.into_iter().enumerate() {
                    close(&format!("{what}: ball {ball}"), run.end().v[3 * ball], v, 1e-12);
                }
                let found: Vec<_> = run.moments.iter().flat_map(|m| &m.impacts).collect();
                assert_eq!(found.len(), impacts, "{what}");
                assert!(found.iter().all(|i| i.energy_change.abs() < 1e-12 && !i.grew), "{what}: {found:?}");
            }
        }
    }
}

/// e < 1, by hand. Newton: ν⁺ = (e, 0) with ν⁻ = (−1, 0): 2 p₁ − p₂ = 1 + e, 2 p₂ − p₁ = 0. Poisson: compression gives
/// p = (2/3, 1/3) and decompression e times that; both laws agree: p₁ = 2 (1 + e)/3, p₂ = (1 + e)/3. One after another:
/// v = ((1 − e)/2, (1 + e)/2, 0), then the second hits the third: ((1 − e)/2, (1 − e²)/4, (1 + e)²/4), and the first and
/// second part for e > 1/3: (1 − e)(1 + e)/4 − (1 − e)/2 = (1 − e)(e − 1)/4 < 0, so they meet again, with less and less
/// speed. The first two impacts are checked.
#[test]
fn the_cradle_with_less_than_full_restitution() {
    let e = 0.5;
    for law in ["newton", "poisson"] {
        let at = |policy: &str| {
            let cradle = set(
                &shipped(&format!("newton-cradle-3-{policy}")),
                "/scene/materials/default/restitution",
                e,
            );
            run(&set(&cradle, "/stepper/options/impact_law", law))
        };
        let simultaneous = at("simultaneous");
        let (p1, p2) = (2.0 * (1.0 + e) / 3.0, (1.0 + e) / 3.0);
        for (ball, v) in [1.0 - p1, p1 - p2, p2].into_iter().enumerate() {
            close(&format!("{law}: ball {ball}"), simultaneous.end().v[3 * ball], v, 1e-12);
        }
        let impact = &simultaneous.moments[1].impacts[0];
        let kinetic = 0.5 * ((1.0 - p1).powi(2) + (p1 - p2).powi(2) + p2 * p2);
        close(law, impact.energy_change, kinetic - 0.5, 1e-12);
        let sequential = at("sequential");
        let first: Vec<_> = sequential.moments[1].impacts.iter().take(2).collect();
        let expected = [
            [0.5 * (1.0 - e), 0.5 * (1.0 + e), 0.0],
            [0.5 * (1.0 - e), 0.25 * (1.0 - e * e), 0.25 * (1.0 + e) * (1.0 + e)],
        ];
        for (impact, v) in first.iter().zip(expected) {
            (0..3).for_each(|ball| close(law, impact.v[3 * ball], v[ball], 1e-12));
        }
        let end = sequential.end();
        assert!(end.v[0] <= end.v[3] + 0.011 && end.v[3] <= end.v[6] + 0.011, "{law}: {:?}", end.v);
        close("momentum", end.v[0] + end.v[3] + end.v[6], 1.0, 1e-12);
        assert!(sequential.moments[1].impacts.iter().all(|i| i.energy_change < 0.0), "{law}");
    }
}
