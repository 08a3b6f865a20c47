//! The record of races: who won each, in their order, and the record that is followed in the place of racing.

use std::collections::VecDeque;

use vinci_core::StageError;
use vinci_core::error::ErrorKind;

/// Result of a race: the winner of one problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raced {
    /// Number of the step that the problem is of, from 1.
    pub step: u64,
    /// Place of the winner in the chain, from 1; 0 where all failed.
    pub entrant: usize,
    /// Id of the winner; empty where all failed.
    pub id: String,
}

/// The races of a run.
#[derive(Debug, Default)]
pub struct RaceLog {
    /// Number of the step at hand, from 1.
    step: u64,
    held: Vec<Raced>,
    to_follow: VecDeque<Raced>,
    /// True if nobody races where the record to follow has ended.
    to_the_end: bool,
    followed: u64,
}

impl RaceLog {
    /// Follows the record of another run: where it ends, so does this one.
    pub fn follow(&mut self, record: Vec<Raced>) {
        self.to_follow = record.into();
        self.to_the_end = true;
    }

    /// Returns true if the record of another run is followed.
    pub fn follows(&self) -> bool {
        self.to_the_end
    }

    /// Goes on behind the races `before`. Where no other record is followed, `after` are the races that this run held next before it was
    /// stopped: they are followed, and from there on races are held.
    ///
    /// # Errors
    /// The record that is followed begins otherwise.
    pub fn go_on(&mut self, before: &[Raced], after: Vec<Raced>) -> Result<(), StageError> {
        if !self.to_the_end {
            self.to_follow = after.into();
            return Ok(());
        }
        for raced in before {
            if self.to_follow.pop_front().as_ref() != Some(raced) {
                return Err(unlike(format!("it begins otherwise (step {})", raced.step)));
            }
            self.followed += 1;
        }
        Ok(())
    }

    /// Takes the races out that were held since the last call.
    pub fn take(&mut self) -> impl Iterator<Item = Raced> {
        self.held.drain(..)
    }

    /// The step that problems are of from here on, from 0.
    pub(super) fn begin_step(&mut self, step: u64) {
        self.step = step + 1;
    }

    /// Notes the end of a race.
    pub(super) fn note(&mut self, entrant: usize, id: &str) {
        self.held.push(Raced { step: self.step, entrant, id: id.to_owned() });
    }

    /// The next race of the record that is followed; none where races are held.
    ///
    /// # Errors
    /// The record ends here, or is of another run.
    pub(super) fn next(&mut self) -> Result<Option<Raced>, StageError> {
        let Some(raced) = self.to_follow.pop_front() else {
            let (step, n) = (self.step, self.followed);
            return match self.to_the_end {
                false => Ok(None),
                true => Err(unlike(format!("it ends after {n} problems, and step {step} has another one"))),
            };
        };
        self.followed += 1;
        let (n, step) = (self.followed, self.step);
        match raced.step == step {
            true => Ok(Some(raced)),
            false => {
                Err(unlike(format!("its problem {n} is of step {}, and here of step {step}", raced.step)))
            }
        }
    }
}

/// A record that this run cannot follow, and why.
pub(super) fn unlike(why: String) -> StageError {
    let message = format!("the record of races that is followed is not one of this run: {why}");
    StageError::new(ErrorKind::Other, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raced(step: u64) -> Raced {
        Raced { step, entrant: 1, id: "a".to_owned() }
    }

    #[test]
    fn a_record_is_followed_to_its_end_and_no_further() {
        let (mut log, mut own) = (RaceLog::default(), RaceLog::default());
        log.follow(vec![raced(1), raced(1)]);
        own.go_on(&[], vec![raced(1)]).unwrap();
        for log in [&mut log, &mut own] {
            log.begin_step(0);
        }
        assert_eq!((log.next(), log.next()), (Ok(Some(raced(1))), Ok(Some(raced(1)))));
        let error = log.next().unwrap_err().message;
        assert!(error.ends_with("it ends after 2 problems, and step 1 has another one"), "{error}");
        assert_eq!((own.next(), own.next()), (Ok(Some(raced(1))), Ok(None)));
    }

    #[test]
    fn a_run_that_goes_on_follows_from_where_it_stands() {
        let begun = |before: &[Raced]| {
            let mut log = RaceLog::default();
            log.follow(vec![raced(1), raced(2)]);
            log.go_on(before, vec![raced(9)]).map(|()| {
                log.begin_step(1);
                log.next().unwrap()
            })
        };
        assert_eq!(begun(&[raced(1)]), Ok(Some(raced(2))));
        let error = begun(&[raced(2)]).unwrap_err().message;
        assert!(error.ends_with("it begins otherwise (step 2)"), "{error}");
    }

    #[test]
    fn a_record_of_other_steps_is_refused() {
        let mut log = RaceLog::default();
        log.follow(vec![raced(1), raced(3)]);
        log.begin_step(0);
        log.next().unwrap();
        log.begin_step(1);
        let error = log.next().unwrap_err().message;
        assert!(error.ends_with("its problem 2 is of step 3, and here of step 2"), "{error}");
    }
}
