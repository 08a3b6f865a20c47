//! Entrants that are threads alone, each of its own kind.

use std::sync::atomic::Ordering;
use std::time::Instant;

use vinci_core::CsrBuf;
use vinci_core::problem::MlcpBuf;

use super::*;

/// Behaviour of an entrant.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Solves at once.
    Quick,
    /// Comes back only when it is stopped.
    Hangs,
    /// Takes a while to be made, and solves at once then.
    Late,
    /// Answers, but not with a solution.
    Fails,
    /// Refuses.
    Refuses,
    Panics,
    /// Solves, and then its state cannot be saved.
    Unsaved,
}

struct Double {
    kind: Kind,
    stopped: Arc<AtomicBool>,
    made: AtomicU64,
}

struct Instance(Kind, Arc<AtomicBool>);

impl Entrant for Double {
    fn make(&self) -> Result<Box<dyn Alone>, StageError> {
        self.made.fetch_add(1, Ordering::SeqCst);
        self.stopped.store(false, Ordering::SeqCst);
        for _ in 0..if self.kind == Kind::Late { 50 } else { 0 } {
            std::thread::sleep(Duration::from_millis(1));
            if self.stopped.load(Ordering::SeqCst) {
                return Err(StageError::new(ErrorKind::Fault, "was ended"));
            }
        }
        Ok(Box::new(Instance(self.kind, self.stopped.clone())))
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    fn unreported(&self) -> Vec<StageError> {
        let fault = StageError::new(ErrorKind::Fault, "no state");
        if self.kind == Kind::Unsaved { vec![fault] } else { Vec::new() }
    }
}

impl Alone for Instance {
    fn solve_alone(&mut self, problem: &Problem<'_>, state: &[u8]) -> Result<Outcome, StageError> {
        let Self(kind, stopped) = self;
        match kind {
            Kind::Hangs => {
                while !stopped.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Err(StageError::new(ErrorKind::Fault, "was ended"));
            }
            Kind::Refuses => return Err(StageError::unsupported("not this one")),
            Kind::Panics => panic!("of a solver"),
            _ => {}
        }
        let status = if *kind == Kind::Fails { Status::MaxIterations } else { Status::Converged };
        let answer = Answer { status, z: vec![1.0; problem.len()], ..Answer::default() };
        let state = state.iter().map(|b| b + 1).collect();
        Ok(Outcome { answer, state, ..Outcome::default() })
    }
}

fn race(kinds: &[Kind]) -> (Race, Vec<Arc<Double>>) {
    let double =
        |kind: &Kind| Arc::new(Double { kind: *kind, stopped: Arc::default(), made: AtomicU64::new(0) });
    let doubles: Vec<_> = kinds.iter().map(double).collect();
    let entrants = doubles.iter().map(|d| d.clone() as Arc<dyn Entrant>).collect();
    (Race::new(entrants).unwrap(), doubles)
}

fn run(race: &mut Race) -> Finish {
    let one = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    let problem = MlcpBuf::from_parts(one, vec![-1.0], vec![0.0], vec![f64::INFINITY], 1e-10);
    let states = vec![vec![7]; race.runners.len()];
    race.run(Stored::Mlcp(problem), 1e-10, &states)
}

fn winner(finish: Finish) -> (usize, Vec<u8>) {
    match finish {
        Finish::Won(k, outcome) => (k, outcome.state),
        Finish::Lost(_) => panic!("nobody won"),
    }
}

/// The winner's state is that after one problem from the given state, whoever else was at work.
#[test]
fn one_that_hangs_loses_and_is_made_anew() {
    let (mut race, doubles) = race(&[Kind::Hangs, Kind::Quick]);
    for _ in 0..5 {
        assert_eq!(winner(run(&mut race)), (1, vec![8]));
    }
    let made = |k: usize| doubles[k].made.load(Ordering::SeqCst);
    assert_eq!(made(1), 1);
    // Five quick problems may be over before its thread has begun.
    let patience = Instant::now();
    while made(0) == 0 && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!((1..=5).contains(&made(0)), "{}", made(0));
    let before = Instant::now();
    drop(race);
    assert!(before.elapsed() < Duration::from_secs(5), "the end waits for one that hangs");
}

/// Ended while it is made, it would never take part where problems are small.
#[test]
fn one_that_takes_long_to_be_made_comes_to_take_part() {
    let (mut race, doubles) = race(&[Kind::Quick, Kind::Late]);
    for _ in 0..200 {
        run(&mut race);
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(race);
    let made: Vec<_> = doubles.iter().map(|double| double.made.load(Ordering::SeqCst)).collect();
    // A machine that is busy may catch it at work when the next problem comes.
    assert!(made[0] < 10 && made[1] < 10, "{made:?}");
}

#[test]
fn refusals_panics_and_lost_states_lose() {
    let (mut others, _) = race(&[Kind::Refuses, Kind::Panics, Kind::Unsaved, Kind::Fails, Kind::Quick]);
    for _ in 0..3 {
        assert_eq!(winner(run(&mut others)).0, 4);
    }
}

#[test]
fn a_race_that_all_lose_tells_of_each_at_its_place() {
    let (mut all, _) = race(&[Kind::Refuses, Kind::Panics, Kind::Fails, Kind::Unsaved]);
    for _ in 0..3 {
        let Finish::Lost(lost) = run(&mut all) else { panic!("somebody won") };
        let kinds: Vec<_> = lost.iter().map(|o| o.end.as_ref().map(|error| error.kind)).collect();
        let fault = Some(ErrorKind::Fault);
        assert_eq!(kinds, [Some(ErrorKind::Unsupported), Some(ErrorKind::Panicked), None, fault]);
        assert_eq!(lost[2].answer.status, Status::MaxIterations);
    }
}
