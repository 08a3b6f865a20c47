//! Faults of contact laws, from the words that steppers declare.

use vinci_core::referee::{ContactLaw, Declaration};

/// Parameters that a scene uses, as far as faults of laws hang on them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Uses {
    pub(super) restitution: bool,
    pub(super) stiffness: bool,
    /// Bodies that move quasi-dynamically.
    pub(super) quasi_dynamic: bool,
}

/// Faults of a law by its declared words, in a step of h, in a scene that uses these parameters. Polygons are none of
/// them: whether there are any is up to the solver, and stands with each model.
pub(super) fn wrong(
    declared: &Declaration,
    h: f64,
    Uses { restitution: bounces, stiffness, quasi_dynamic }: Uses,
) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut tell = |is_so: bool, what: String| {
        if is_so {
            out.push(what);
        }
    };
    match declared.law {
        ContactLaw::Position => tell(
            bounces && declared.restitution.is_some(),
            "impacts with restitution come up to a step early: bodies bounce off at the gap that they had"
                .to_owned(),
        ),
        ContactLaw::Velocity { tolerance } => tell(
            true,
            format!(
                "contacts are rigid on the level of velocities: gaps up to {tolerance:e} m count as closed, and overlaps stay; \
                 impacts come up to a step late, as deep as a step of the approach"
            ),
        ),
        ContactLaw::Convex { lagged } => tell(
            true,
            match lagged {
                true => {
                    "a contact whose slide begins or ends may lift or sink by μ times the change of its slip"
                        .to_owned()
                }
                false => format!("sliding contacts hover: h μ |v_t| above the surface, {h} s × μ × the slip"),
            },
        ),
        ContactLaw::Regularized { friction, .. } => tell(
            true,
            format!(
                "what sticks creeps, by up to {:e} m/s; bodies sink in as stiffness lets them",
                friction.stiction_velocity
            ),
        ),
        ContactLaw::Layers { .. } => {
            tell(stiffness, "bodies sink in and shift as their layers deform".to_owned())
        }
    }
    tell(
        declared.compliance > 0.0,
        format!("contacts give way by a part {:e} of what they carry", declared.compliance),
    );
    tell(
        declared.resting_gap > 0.0,
        format!("gaps up to {:e} m rest as if they were closed", declared.resting_gap),
    );
    tell(declared.barrier.is_some(), "contacts press at a distance, by a barrier".to_owned());
    tell(declared.scaled_mass && quasi_dynamic, "masses of quasi-dynamic bodies are scaled".to_owned());
    tell(bounces && declared.restitution.is_none(), "restitution is ignored".to_owned());
    out
}

#[cfg(test)]
mod tests {
    use vinci_core::referee::LayerCoupling;

    use super::*;

    fn words(list: &[&str]) -> Vec<String> {
        let list: Vec<String> = list.iter().map(|word| (*word).to_owned()).collect();
        wrong(&Declaration::read(&list, |_| None), 0.01, Uses::default())
    }

    /// Every scene was told how impacts with restitution go wrong, also where nothing bounces.
    #[test]
    fn restitution_is_told_where_something_bounces() {
        let strict = Declaration::read(&[], |_| None);
        let [calm, bouncing] = [false, true].map(|restitution| Uses { restitution, ..Uses::default() });
        assert!(wrong(&strict, 0.01, calm).is_empty());
        assert!(wrong(&strict, 0.01, bouncing)[0].contains("come up to a step early"));
        let dead = Declaration { restitution: None, ..strict };
        assert_eq!(wrong(&dead, 0.01, bouncing), ["restitution is ignored"]);
        assert!(wrong(&dead, 0.01, calm).is_empty());
    }

    /// Bodies of rigid scenes were said to sink in as layers deform that they do not have.
    #[test]
    fn layers_are_told_where_something_is_soft() {
        let coupling = LayerCoupling { strength: 0.0, length: 1.0, half_space: f64::INFINITY };
        let law = ContactLaw::Layers { ratio: 1.0, local: true, coupling, nodes: 1 };
        let declared = Declaration { law, ..Declaration::read(&[], |_| None) };
        assert!(wrong(&declared, 0.01, Uses::default()).is_empty());
        let soft = Uses { stiffness: true, ..Uses::default() };
        assert_eq!(wrong(&declared, 0.01, soft), ["bodies sink in and shift as their layers deform"]);
    }

    #[test]
    fn what_is_wrong_follows_from_the_declared_words() {
        assert!(words(&[]).is_empty(), "the strictest law departs from nothing");
        assert!(words(&["law=convex"])[0].contains("hover: h μ |v_t|"));
        assert!(words(&["law=regularized", "stiction-velocity=1e-3"])[0].contains("1e-3 m/s"));
        assert!(words(&["polygon=8"]).is_empty(), "a solver that takes circles gets circles");
        assert_eq!(words(&["law=velocity", "compliance=0.01"]).len(), 2);
    }

    /// Scenes in which everything moves dynamically were told how masses of quasi-dynamic bodies go wrong.
    #[test]
    fn scaled_masses_are_told_where_something_is_quasi_dynamic() {
        let declared = Declaration::read(&["scaled-mass".to_owned()], |_| None);
        assert!(wrong(&declared, 0.01, Uses::default()).is_empty());
        let slow = Uses { quasi_dynamic: true, ..Uses::default() };
        assert_eq!(wrong(&declared, 0.01, slow), ["masses of quasi-dynamic bodies are scaled"]);
    }
}
