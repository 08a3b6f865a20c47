//! Refusals: links and joints that make no tree, and the messages.

use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::{joint, link};
use crate::tree::{Joint, JointKind, Limits, Link, Tree, TreeState};

fn refusal(links: Vec<Link>, joints: Vec<Joint>) -> String {
    Tree::new("t", links, joints).unwrap_err().to_string()
}

fn solid(name: &str) -> Link {
    link(name, 1.0, Vector3::new(0.1, 0.0, 0.0), [0.1, 0.1, 0.1])
}

fn hinge(name: &str, parent: Option<usize>) -> Joint {
    joint(name, JointKind::Revolute, parent, [0.0; 3])
}

#[test]
fn numbers_names_and_order() {
    assert_eq!(refusal(vec![], vec![]), "tree `t` has no links");
    assert_eq!(
        refusal(vec![solid("a")], vec![]),
        "tree `t` has 1 links and 0 joints: joint i moves link i, so their numbers must agree"
    );
    let two = || vec![solid("a"), solid("b")];
    let same = vec![solid("a"), solid("a")];
    assert_eq!(refusal(same, vec![hinge("j", None), hinge("k", None)]), "tree `t` has two links named `a`");
    assert_eq!(refusal(two(), vec![hinge("j", None), hinge("j", None)]), "tree `t` has two joints named `j`");
    for parent in [1, 7] {
        assert_eq!(
            refusal(two(), vec![hinge("j", None), hinge("k", Some(parent))]),
            format!(
                "joint `k` moves link 1 and its parent is link {parent}: parents come before their children"
            )
        );
    }
}

#[test]
fn joints() {
    let refused = |change: &dyn Fn(&mut Joint)| {
        let mut j = hinge("j", None);
        change(&mut j);
        refusal(vec![solid("a")], vec![j])
    };
    let frame = "joint `j`: its frame must be finite, its rotation a unit quaternion";
    assert_eq!(refused(&|j| j.frame = Isometry3::translation(f64::NAN, 0.0, 0.0)), frame);
    let long = UnitQuaternion::new_unchecked(Quaternion::new(1.0, 0.1, 0.0, 0.0));
    assert_eq!(refused(&|j| j.frame = Isometry3::from_parts(Translation3::identity(), long)), frame);
    assert_eq!(
        refused(&|j| j.axis = Vector3::new(0.0, 0.0, 2.0)),
        "joint `j`: its axis must have length 1, found 2"
    );
    assert_eq!(
        refused(&|j| j.axis = Vector3::new(0.0, f64::NAN, 0.0)),
        "joint `j`: its axis must have length 1, found NaN"
    );
}

#[test]
fn drives() {
    let refused = |change: &dyn Fn(&mut Joint)| {
        let mut j = hinge("j", None);
        change(&mut j);
        refusal(vec![solid("a")], vec![j])
    };
    assert_eq!(
        refused(&|j| j.damping = -1.0),
        "joint `j`: its damping must be finite and not negative, found -1"
    );
    assert_eq!(
        refused(&|j| j.friction = f64::INFINITY),
        "joint `j`: its friction must be finite and not negative, found inf"
    );
    assert_eq!(
        refused(&|j| j.rotor_inertia = f64::NAN),
        "joint `j`: its rotor inertia must be finite and not negative, found NaN"
    );
    assert_eq!(refused(&|j| j.gear_ratio = f64::NAN), "joint `j`: its gear ratio must be finite, found NaN");
}

#[test]
fn limits() {
    let tree = |kind, lower, upper| {
        let j = Joint { limits: Some(Limits { lower, upper }), ..joint("j", kind, None, [0.0; 3]) };
        Tree::new("t", vec![solid("a")], vec![j])
    };
    for (lower, upper, found) in
        [(1.0, -1.0, "1 … -1"), (f64::NAN, 1.0, "NaN … 1"), (0.0, f64::NAN, "0 … NaN")]
    {
        let refused = tree(JointKind::Revolute, lower, upper).unwrap_err().to_string();
        assert_eq!(refused, format!("joint `j`: its limits {found} leave nothing"));
    }
    assert_eq!(
        tree(JointKind::Ball, -1.0, 1.0).unwrap_err().to_string(),
        "joint `j`: only revolute and prismatic joints have limits, this one is ball"
    );
    assert!(tree(JointKind::Prismatic, 0.0, f64::INFINITY).is_ok());
    assert!(tree(JointKind::Revolute, 0.5, 0.5).is_ok());
}

#[test]
fn links() {
    let refused = |change: &dyn Fn(&mut Link)| {
        let mut l = solid("a");
        change(&mut l);
        refusal(vec![l], vec![hinge("j", None)])
    };
    assert_eq!(refused(&|l| l.mass = -1.0), "link `a`: its mass must be finite and not negative, found -1");
    assert_eq!(
        refused(&|l| l.mass = f64::NAN),
        "link `a`: its mass must be finite and not negative, found NaN"
    );
    assert_eq!(refused(&|l| l.com.x = f64::INFINITY), "link `a`: its centre of mass must be finite");
    assert_eq!(refused(&|l| l.inertia[(0, 1)] = f64::NAN), "link `a`: its inertia must be finite");
    assert_eq!(refused(&|l| l.mass = 0.0), "link `a`: it has inertia but no mass");
    assert_eq!(refused(&|l| l.inertia[(0, 1)] = 0.01), "link `a`: the inertia tensor is not symmetric");
    assert_eq!(
        refused(&|l| l.inertia = Matrix3::zeros()),
        "link `a`: the smallest principal moment is 0.000e0, it must be positive"
    );
    assert_eq!(
        refused(&|l| l.inertia[(2, 2)] = 0.3),
        "link `a`: principal moments 1.0000e-1, 1.0000e-1, 3.0000e-1: no body has one larger than the sum of the others"
    );
}

#[test]
fn dofs_that_move_nothing() {
    let refused = |joint: &str, dof: usize| {
        format!(
            "joint `{joint}`: its degree of freedom {dof} moves no inertia beyond what the joints after it move: give mass to its link \
             or inertia to its rotor"
        )
    };
    let frame = Link::massless;
    assert_eq!(refusal(vec![frame("a")], vec![hinge("j", None)]), refused("j", 0));
    // The last dof is named first: nothing is beyond it.
    let free = joint("j", JointKind::Free, None, [0.0; 3]);
    assert_eq!(refusal(vec![frame("a")], vec![free]), refused("j", 5));
    // A mere frame at the end of an arm of mass.
    let joints = vec![hinge("j", None), hinge("k", Some(0))];
    assert_eq!(refusal(vec![solid("a"), frame("b")], joints.clone()), refused("k", 0));
    // Two hinges on one axis: only their sum moves.
    assert_eq!(refusal(vec![frame("a"), solid("b")], joints), refused("j", 0));
}

#[test]
fn frames_without_mass_move_what_is_below_or_fixed_to_them() {
    let frame = Link::massless;
    let below = vec![hinge("j", None), joint("k", JointKind::Revolute, Some(0), [0.5, 0.0, 0.0])];
    assert!(Tree::new("t", vec![frame("a"), solid("b")], below).is_ok());
    let fixed = vec![hinge("j", None), joint("k", JointKind::Fixed, Some(0), [0.5, 0.0, 0.0])];
    let tree = Tree::new("t", vec![frame("a"), solid("b")], fixed).unwrap();
    let (mut state, mut mass) = (TreeState::default(), [0.0]);
    state.update(&tree, &[0.7]);
    state.mass(&tree, &mut mass);
    assert!((mass[0] - (0.1 + 0.6 * 0.6)).abs() < 1e-15);
    // A rotor is inertia enough, and what stands on the world needs none.
    let rotor = Joint { rotor_inertia: 1e-4, ..hinge("j", None) };
    assert!(Tree::new("t", vec![frame("a")], vec![rotor]).is_ok());
    let base = joint("base", JointKind::Fixed, None, [0.0; 3]);
    let tree = Tree::new("t", vec![frame("world")], vec![base]).unwrap();
    assert_eq!((tree.nq(), tree.nv(), tree.dof_path(0).len()), (0, 0, 0));
}

/// A hinge on a mere frame that itself moves freely: seven dofs move six motions, and rotors further out hide it.
#[test]
fn a_hinge_between_frames_that_move_freely_is_found() {
    let links =
        vec![solid("a"), solid("b"), Link::massless("c"), Link::massless("d"), solid("e"), solid("f")];
    let turned = |name, kind, parent, at: [f64; 3]| {
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(at[1], 1.0, at[0]));
        Joint {
            frame: Isometry3::from_parts(Translation3::new(at[0], at[1], at[2]), rotation),
            ..joint(name, kind, parent, at)
        }
    };
    let joints = vec![
        turned("planar", JointKind::Planar, None, [0.1, 0.3, -0.2]),
        turned("slide", JointKind::Prismatic, Some(0), [0.4, -0.3, 0.2]),
        turned("free", JointKind::Free, Some(1), [-0.1, 0.2, 0.5]),
        turned("hinge", JointKind::Revolute, Some(2), [0.2, 0.2, 0.1]),
        Joint { rotor_inertia: 0.04, ..turned("plane", JointKind::Planar, Some(3), [0.3, 0.0, -0.4]) },
        turned("other", JointKind::Free, Some(4), [0.0, 0.1, 0.2]),
    ];
    let refused = refusal(links, joints);
    assert!(refused.starts_with("joint `free`: its degree of freedom"), "{refused}");
}
