//! Colours and dashes of runs, and which of many runs are drawn.

/// Largest number of runs in one figure and in the page: there are so many colours.
pub(super) const MOST: usize = 8;

/// Colour and dashes of a run, in figures and in the page that draws the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Place of the colour: that of its model.
    pub colour: usize,
    /// Place of the dashes: that of its step.
    pub dash: usize,
}

/// Looks of runs by their values of the axes.
pub fn looks<'a>(axes: &[String], runs: impl Iterator<Item = &'a [String]>) -> Vec<Look> {
    let step = step(axes);
    let (mut models, mut steps): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    let look = |values: &'a [String]| Look {
        colour: place(&mut models, model(values, step)),
        dash: place(&mut steps, step.map_or("", |at| &values[at])),
    };
    runs.map(look).collect()
}

/// Looks of the runs that a page draws, with their places among all: where these are too many, every model has the run of its
/// shortest step. Eight of them at most.
pub fn drawn_looks(axes: &[String], runs: &[&[String]]) -> Vec<(usize, Look)> {
    let (step, looks) = (step(axes), looks(axes, runs.iter().copied()));
    let all: Vec<(f64, (usize, Look))> =
        looks.into_iter().enumerate().map(|(k, look)| (size(runs[k], step), (k, look))).collect();
    let mut kept = if runs.len() > MOST { of_the_shortest_steps(all, |(_, look)| *look) } else { all };
    if runs.len() > kept.len() {
        kept.iter_mut().for_each(|(_, (_, look))| look.dash = 0);
    }
    kept.into_iter().take(MOST).map(|(_, one)| one).collect()
}

/// One entry for each colour: that of the shortest step.
pub(super) fn of_the_shortest_steps<T>(all: Vec<(f64, T)>, look: impl Fn(&T) -> Look) -> Vec<(f64, T)> {
    let mut kept: Vec<(f64, T)> = Vec::new();
    for (step, one) in all {
        match kept.iter_mut().find(|(_, known)| look(known).colour == look(&one).colour) {
            Some(known) if step < known.0 => *known = (step, one),
            Some(_) => {}
            None => kept.push((step, one)),
        }
    }
    kept
}

/// Place of a word in a list, to which it is added where it is new.
pub(super) fn place<T: PartialEq>(known: &mut Vec<T>, word: T) -> usize {
    known.iter().position(|one| *one == word).unwrap_or_else(|| {
        known.push(word);
        known.len() - 1
    })
}

/// The axis of steps.
pub(super) fn step(axes: &[String]) -> Option<usize> {
    axes.iter().position(|axis| axis == "step")
}

/// Step of a run, s; 0 where it is not varied.
pub(super) fn size(values: &[String], step: Option<usize>) -> f64 {
    step.and_then(|at| values[at].parse::<f64>().ok()).unwrap_or(0.0)
}

/// Values of a run without its step.
pub(super) fn model(values: &[String], step: Option<usize>) -> String {
    let own = values.iter().enumerate().filter(|(k, _)| Some(*k) != step).map(|(_, v)| v.as_str());
    own.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first eight of 18 runs were drawn: three of six models.
    #[test]
    fn every_model_of_many_runs_is_in_the_page() {
        let axes = ["model".to_owned(), "step".to_owned()];
        let runs = |models: usize| -> Vec<[String; 2]> {
            let of = |m: usize| ["0.04", "0.01", "0.02"].map(|step| [format!("m{m}"), step.to_owned()]);
            (0..models).flat_map(of).collect()
        };
        let drawn = |models: usize| {
            let runs = runs(models);
            drawn_looks(&axes, &runs.iter().map(|run| run.as_slice()).collect::<Vec<_>>())
        };
        let looks =
            |list: &[(usize, Look)]| list.iter().map(|(k, look)| (*k, look.colour)).collect::<Vec<_>>();
        assert_eq!(looks(&drawn(6)), [(1, 0), (4, 1), (7, 2), (10, 3), (13, 4), (16, 5)]);
        assert!(drawn(6).iter().all(|(_, look)| look.dash == 0));
        assert_eq!(drawn(2).len(), 6, "few are all there");
        assert_eq!(drawn(20).len(), MOST);
    }
}
