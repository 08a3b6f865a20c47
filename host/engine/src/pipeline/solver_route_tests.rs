//! The solver that is named where none of a chain takes a problem.

use vinci_core::StageError;
use vinci_core::problem::{Mlcp, MlcpBuf, ProblemClass};
use vinci_core::sparse::CsrBuf;
use vinci_core::stage::Solver;

use super::*;

/// Says always the same.
struct Says(StageError);

impl Solver for Says {
    fn solve<'s>(&'s mut self, _: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        Err(self.0.clone())
    }
}

fn blamed(errors: [StageError; 2]) -> StageError {
    let named = |(k, error): (usize, StageError)| {
        let id = ["first", "second"][k];
        NamedSolver { id: id.into(), takes: ProblemClass::Mlcp.bit(), solver: Box::new(Says(error.by(id))) }
    };
    let mut chain = errors.into_iter().enumerate().map(named);
    let mut chain = SolverRoute::new(chain.next().unwrap(), chain.collect());
    let one = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    let problem = MlcpBuf::from_parts(one, vec![-1.0], vec![0.0], vec![f64::INFINITY], 1e-10);
    let view: Mlcp<'_> = problem.view();
    chain.solve(&Problem::Mlcp(view)).err().unwrap()
}

#[test]
fn a_fault_of_a_fallback_is_not_told_as_the_refusal_of_the_first_solver() {
    let refusal = || StageError::unsupported("not this one");
    let fault = || StageError::new(ErrorKind::Fault, "returned nonsense");
    for (errors, who, kind) in [
        ([refusal(), refusal()], "first", ErrorKind::Unsupported),
        ([refusal(), fault()], "second", ErrorKind::Fault),
        ([fault(), refusal()], "first", ErrorKind::Fault),
        ([fault(), fault()], "first", ErrorKind::Fault),
    ] {
        let told = blamed(errors);
        assert_eq!((told.plugin.as_deref(), told.kind), (Some(who), kind));
    }
}
