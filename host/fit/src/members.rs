//! Parameters that share a pair of probes: values of keyframes act between their neighbours only, and of those that are far enough from each
//! other no step reads two.

use vinci_scene::Loaded;

use crate::parameter::Parameter;

/// A parameter with the times between which it acts, s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Member {
    pub(crate) parameter: usize,
    pub(crate) span: [f64; 2],
}

impl Member {
    /// A parameter that may act at any time.
    pub(crate) fn always(parameter: usize) -> Self {
        Self { parameter, span: [f64::NEG_INFINITY, f64::INFINITY] }
    }
}

/// All parameters in as few groups as there are keyframes that act at once; h is the step of the run, s.
pub(crate) fn groups(parameters: &[Parameter], loaded: &Loaded, h: f64) -> Vec<Vec<Member>> {
    let member = |(k, parameter): (usize, &Parameter)| match parameter.span(loaded) {
        Some(span) => Member { parameter: k, span },
        None => Member::always(k),
    };
    let mut members: Vec<Member> = parameters.iter().enumerate().map(member).collect();
    members.sort_by(|a, b| a.span[0].total_cmp(&b.span[0]));
    let mut groups: Vec<Vec<Member>> = Vec::new();
    for member in members {
        // No step reaches from one span into the next.
        let is_apart = |group: &&mut Vec<Member>| group[group.len() - 1].span[1] + 2.0 * h < member.span[0];
        match groups.iter_mut().find(is_apart) {
            Some(group) => group.push(member),
            None => groups.push(vec![member]),
        }
    }
    groups
}
