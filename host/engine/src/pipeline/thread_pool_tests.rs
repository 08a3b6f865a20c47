//! A pool answers as one thread does: the same bits, counts and failures.

use std::sync::atomic::{AtomicUsize, Ordering};

use vinci_core::problem::{MlcpBuf, Problem, ProblemClass, RowTag, Solution, Status};
use vinci_core::stage::Solver;

use super::super::solver_route::{NamedSolver, Solve, SolverRoute};
use super::*;

/// Solves m z + q = 0, a row at a time; gives up on a q beyond 1000, panics on one beyond a million.
struct Divides {
    z: Vec<f64>,
    /// Its state, if it keeps one: a byte for each problem that it has solved.
    state: Option<Vec<u8>>,
}

impl Solver for Divides {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Mlcp(p) = problem else { return Err(StageError::unsupported("not of this class")) };
        if p.q.iter().any(|q| *q > 1e6) {
            return Err(StageError::new(ErrorKind::Panicked, "too much"));
        }
        self.z.clear();
        self.z.extend((0..p.n()).map(|i| -p.q[i] / p.m.entries(i).map(|(_, m)| m).sum::<f64>()));
        if let Some(state) = &mut self.state {
            state.push(1);
        }
        let status = if p.q.iter().any(|q| *q > 1e3) { Status::MaxIterations } else { Status::Converged };
        Ok(Solution { status, z: &self.z, iterations: p.n() as u32, ..Solution::default() })
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.state.as_deref().unwrap_or_default());
    }
}

fn route(state: Option<Vec<u8>>) -> SolverRoute {
    let solver = Box::new(Divides { z: Vec::new(), state });
    SolverRoute::new(NamedSolver { id: "d".into(), takes: ProblemClass::Mlcp.bit(), solver }, Vec::new())
}

/// Islands of 2, 3, 4, 2, 3, 4, … unknowns, with one right side that is another. (Unknowns that nothing touches would be one island together.)
fn many(count: usize, (other, q): (usize, f64)) -> MlcpBuf {
    let mut out = MlcpBuf::default();
    let n = (0..count).map(|k| 2 + k % 3).sum();
    out.clear(n, 1e-9);
    let mut first = 0;
    for k in 0..count {
        let rows = first..first + 2 + k % 3;
        for i in rows.clone() {
            // All rows of an island have the same solution.
            rows.clone().for_each(|j| out.m.push(j, if i == j { 3.0 } else { -0.5 }));
            let q = if k == other { q } else { -1.0 / (2 + k) as f64 };
            out.end_row(q, (0.0, 1e9), RowTag::default(), (1.0, 1.0));
        }
        first = rows.end;
    }
    out
}

fn on(threads: usize, state: Option<Vec<u8>>, made: &Arc<AtomicUsize>) -> SolverRoute {
    let (counter, copy) = (made.clone(), state.clone());
    let make = move || {
        counter.fetch_add(1, Ordering::SeqCst);
        Ok(route(copy.clone()))
    };
    route(state).by_islands(true).on_threads(threads, Arc::new(make))
}

#[test]
fn any_number_of_threads_gives_the_same_bits_and_counts() {
    let problem = many(97, (usize::MAX, 0.0));
    let run = |threads: usize| {
        let made = Arc::new(AtomicUsize::new(0));
        let mut route = on(threads, None, &made);
        for _ in 0..20 {
            assert!(matches!(route.solve(&Problem::Mlcp(problem.view())), Ok(Solve::Solved { .. })));
        }
        let bits: Vec<u64> = route.solution().z.iter().map(|z| z.to_bits()).collect();
        let (stats, made) = (route.stats, made.load(Ordering::SeqCst));
        assert!(made < threads, "this thread has its own solvers");
        (bits, stats)
    };
    let one = run(1);
    assert!(
        problem.view().residual(&one.0.iter().map(|z| f64::from_bits(*z)).collect::<Vec<_>>()).natural
            < 1e-12
    );
    (2..=5).for_each(|threads| assert_eq!(run(threads), one, "{threads} threads"));
}

#[test]
fn an_island_that_is_not_solved_ends_the_same_way() {
    for (q, fails) in [(1e4, false), (1e7, true)] {
        let problem = many(31, (17, q));
        let told = |threads: usize| {
            let mut route = on(threads, None, &Arc::default());
            let ends: Vec<String> = (0..3)
                .map(|_| match route.solve(&Problem::Mlcp(problem.view())) {
                    Ok(Solve::Unsolved(failed, _)) => format!("unsolved by {}", failed.len()),
                    Ok(_) => "solved".into(),
                    Err(error) => error.message,
                })
                .collect();
            (ends, route.stats)
        };
        let one = told(1);
        assert_eq!(one.0[0] == "too much", fails, "{one:?}");
        (2..=4).for_each(|threads| assert_eq!(told(threads), one, "{threads} threads, q = {q}"));
    }
}

#[test]
fn a_solver_with_a_state_gets_every_island_in_order() {
    let (problem, made) = (many(30, (usize::MAX, 0.0)), Arc::default());
    let mut route = on(3, Some(Vec::new()), &made);
    for _ in 0..4 {
        assert!(route.solve(&Problem::Mlcp(problem.view())).is_ok());
    }
    let mut states = [Vec::new()];
    route.save_states(&mut states);
    assert_eq!((states[0].len(), made.load(Ordering::SeqCst)), (4 * 30, 0));
}

#[test]
fn solvers_that_cannot_be_made_elsewhere_are_told() {
    let make: MakeSolver = Arc::new(|| Err(StageError::unsupported("one instance at a time")));
    let ((to_do, waiting), (finished, done)) = (unbounded(), unbounded());
    to_do.send(Batch { first: 3, islands: vec![Island::default(), Island::default()] }).unwrap();
    drop(to_do);
    work(&make, &waiting, &finished);
    let batch: Batch = done.recv().unwrap();
    let IslandEnd::Failed(error) = &batch.islands[0].answer.end else { panic!("not failed") };
    assert_eq!((batch.first, error.message.as_str()), (3, "one instance at a time"));
}

#[test]
fn a_panic_of_the_host_comes_back_as_an_error() {
    let make: MakeSolver = Arc::new(|| panic!("no solver"));
    let ((to_do, waiting), (finished, done)) = (unbounded(), unbounded());
    (0..2).for_each(|first| to_do.send(Batch { first, islands: vec![Island::default()] }).unwrap());
    drop(to_do);
    work(&make, &waiting, &finished);
    for batch in done.try_iter() {
        let IslandEnd::Failed(error) = &batch.islands[0].answer.end else { panic!("not failed") };
        assert_eq!(error.kind, ErrorKind::Panicked);
    }
}

/// A step of a run with sleep: bits, islands that slept, iterations.
fn slept(route: &mut SolverRoute, problem: &MlcpBuf) -> (Vec<u64>, u64, u64) {
    let before = route.stats;
    assert!(matches!(route.solve(&Problem::Mlcp(problem.view())), Ok(Solve::Solved { .. })));
    let bits = route.solution().z.iter().map(|z| z.to_bits()).collect();
    (bits, route.stats.asleep - before.asleep, route.stats.iterations_total - before.iterations_total)
}

#[test]
fn an_island_sleeps_while_its_guess_solves_it() {
    for threads in [1, 3] {
        let mut route = on(threads, None, &Arc::default()).sleeping(Some(1e-4));
        let mut problem = many(10, (usize::MAX, 0.0));
        let (bits, count, all) = slept(&mut route, &problem);
        assert_eq!((count, all), (0, problem.q.len() as u64), "without a guess");
        problem.guess = bits.iter().map(|z| f64::from_bits(*z)).collect();
        assert_eq!(slept(&mut route, &problem), (bits.clone(), 10, 0));
        // Less than the part of the tolerance, then more, of the largest q of the island; the guess of nobody else counts.
        problem.q[3] *= 1.0 + 1e-14;
        assert_eq!(slept(&mut route, &problem), (bits.clone(), 10, 0));
        problem.q[2] *= 1.0 + 1e-12;
        (problem.q[3], problem.q[4]) = (problem.q[2], problem.q[2]);
        let (now, count, iterations) = slept(&mut route, &problem);
        assert_eq!((count, iterations), (9, 3));
        let moved: Vec<usize> = (0..now.len()).filter(|i| now[*i] != bits[*i]).collect();
        assert_eq!(moved, [2, 3, 4], "{threads} threads");
    }
}

#[test]
fn a_problem_that_is_one_island_sleeps_too_and_a_state_keeps_all_awake() {
    let mut one = many(1, (usize::MAX, 0.0));
    one.guess = vec![-one.q[0] / 2.5; 2];
    assert_eq!(slept(&mut on(1, None, &Arc::default()).sleeping(Some(1.0)), &one).1, 1);
    assert_eq!(slept(&mut on(1, Some(vec![1]), &Arc::default()).sleeping(Some(1.0)), &one).1, 0);
}
