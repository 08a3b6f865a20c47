//! Which routes there are, and in what order.

use super::*;

fn routes(form: ProblemForm, takes: u32) -> Vec<String> {
    Route::all(form, takes).iter().map(Route::names).collect()
}

#[test]
fn the_most_exact_and_shortest_route_comes_first() {
    let (mlcp, conic, qpcc) = (ProblemClass::Mlcp.bit(), ProblemClass::Conic.bit(), ProblemClass::Qpcc.bit());
    assert_eq!(routes(ProblemForm::Mlcp, mlcp), [""]);
    assert_eq!(routes(ProblemForm::Mlcp, conic), ["Mlcp as Conic"]);
    assert_eq!(routes(ProblemForm::Mlcp, qpcc), ["Mlcp as Qpcc"]);
    assert_eq!(routes(ProblemForm::Linear, conic), [""]);
    assert_eq!(routes(ProblemForm::Linear, qpcc), ["Conic as Mlcp, Mlcp as Qpcc"]);
    assert_eq!(routes(ProblemForm::Conic, mlcp), ["Conic as linear Conic, Conic as Mlcp"]);
    assert_eq!(routes(ProblemForm::Conic, conic), ["Conic as linear Conic"]);
    assert_eq!(routes(ProblemForm::Conic, conic | SECOND_ORDER_CONES), [""]);
    assert_eq!(
        routes(ProblemForm::Cone, conic | SECOND_ORDER_CONES),
        ["Cone as Conic", "Cone as Mlcp, Mlcp as Conic"]
    );
    // Polygons never refuse: the longer route by programs is not tried.
    assert_eq!(routes(ProblemForm::Cone, qpcc), ["Cone as Mlcp, Mlcp as Qpcc"]);
    assert_eq!(routes(ProblemForm::Mlcp, conic | qpcc), ["Mlcp as Conic", "Mlcp as Qpcc"]);
    assert!(
        routes(ProblemForm::Qpcc, mlcp).is_empty()
            && routes(ProblemForm::Root, mlcp | conic | qpcc).is_empty()
    );
    assert!(!Route::exists(ProblemClass::Mlcp, ProblemClass::Cone.bit()));
    assert!(Route::exists(ProblemClass::Conic, mlcp));
}

#[test]
fn routes_are_told_bridge_by_bridge() {
    let route = &Route::all(ProblemForm::Cone, ProblemClass::Qpcc.bit())[0];
    assert_eq!(
        route.sentence(16).unwrap(),
        "Cone as Mlcp, approximate: 16 directions for every friction circle, friction up to 1.921 % too weak; exact on \
         planar contacts; then Mlcp as Qpcc, exact: every row with bounds as complementarity pairs, decided by cases"
    );
    assert_eq!(Route::default().sentence(16), None);
}
