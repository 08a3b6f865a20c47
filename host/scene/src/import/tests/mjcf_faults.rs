//! MJCF models that are wrong, or that strangers made to do harm.

use super::*;

/// Kind, line and message of the first error about a model, with these files beside it.
fn first_error(model: &str, files: &[(&str, &str)]) -> (Code, usize, String) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files.iter().chain([&("m.xml", model)]) {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    let mut diagnostics = Diagnostics::new();
    let path = directory.path().join("m.xml");
    let model = read_model(&path, None, &ModelOptions::default(), &mut diagnostics);
    if let Some(model) = &model {
        let _ = check_of(&model.scene("m", false), &mut diagnostics);
    }
    let first = diagnostics
        .iter()
        .find(|d| d.severity == crate::diagnostics::Severity::Error)
        .unwrap_or_else(|| panic!("nothing is wrong with {path:?}"));
    (first.code, first.place.as_ref().map_or(0, TextSpan::line), first.message.clone())
}

fn check_of(scene: &crate::Node, diagnostics: &mut Diagnostics) -> Option<Scene> {
    crate::check_scene(scene, diagnostics)
}

fn body(inside: &str) -> String {
    format!("<mujoco>\n<worldbody><body name=\"b\">\n{inside}\n</body></worldbody></mujoco>")
}

#[track_caller]
fn refused(model: &str, code: Code, line: usize, message: &str) {
    let (found, at, said) = first_error(model, &[]);
    assert_eq!((found, at), (code, line), "{said}");
    assert!(said.contains(message), "{said}");
}

const JOINT: &str = "<joint name=\"j\"/>";
const GEOM: &str = "<geom size=\"0.1\"/>";

#[test]
fn values_that_are_wrong_are_named_with_their_line() {
    let all = [
        ("<joint type=\"wheel\"/>", Code::UnknownValue, "unknown type \"wheel\""),
        ("<joint axis=\"0 0 0\"/>", Code::Unphysical, "length zero"),
        ("<joint range=\"1 -1\" limited=\"true\"/>", Code::Contradiction, "is empty"),
        ("<joint damping=\"-1\"/>", Code::OutOfRange, "damping -1"),
        ("<joint class=\"none\"/>", Code::UnknownName, "no default class `none`"),
        ("<joint/><geom size=\"NaN\"/>", Code::NonFinite, "not finite"),
        ("<joint/><geom size=\"0.1 x\"/>", Code::WrongType, "no number"),
        ("<joint/><geom size=\"1 2 3 4\"/>", Code::WrongType, "takes 1 to 3 numbers, found 4"),
        ("<joint/><geom size=\"-1\"/>", Code::OutOfRange, "found -1"),
        ("<joint/><geom size=\"1\" mass=\"-2\"/>", Code::Unphysical, "negative mass"),
        ("<joint/><geom size=\"1\" density=\"-2\"/>", Code::Unphysical, "negative density"),
        ("<joint/><geom type=\"blob\" size=\"1\"/>", Code::UnknownValue, "unknown type \"blob\""),
        ("<joint/><geom type=\"mesh\" mesh=\"m\"/>", Code::UnknownName, "mesh `m`"),
        ("<joint/><geom size=\"1\" quat=\"0 0 0 0\"/>", Code::Unphysical, "gives no direction"),
        (
            "<joint/><geom size=\"1\" quat=\"1 0 0 0\" euler=\"0 0 0\"/>",
            Code::Contradiction,
            "two orientations",
        ),
        ("<joint/><geom size=\"1\" condim=\"2\"/>", Code::UnknownValue, "condim 2"),
        ("<joint/><geom size=\"1\" friction=\"-1\"/>", Code::OutOfRange, "friction -1"),
        (
            "<joint/><geom type=\"plane\" size=\"1 1 1\"/>",
            Code::BadShape,
            "a plane stands in a body that moves",
        ),
        ("<joint/><inertial pos=\"0 0 0\" mass=\"-1\" diaginertia=\"1 1 1\"/>", Code::Unphysical, "mass -1"),
        (
            "<joint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 -1 1\"/>",
            Code::Unphysical,
            "negative moment",
        ),
        (
            "<joint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 9\"/>",
            Code::Unphysical,
            "larger than the sum",
        ),
        ("<joint/><inertial pos=\"0 0 0\" diaginertia=\"1 1 1\"/>", Code::MissingKey, "no `mass`"),
        ("<freejoint/><joint/><geom size=\"1\"/>", Code::Contradiction, "more than six"),
        ("<joint name=\"j\"/><joint name=\"j\"/><geom size=\"1\"/>", Code::DuplicateName, "a second joint"),
        ("<composite/>", Code::UnknownKey, "<composite> makes bodies"),
        ("<joint/>", Code::Unphysical, ""),
    ];
    for (inside, code, message) in all {
        refused(&body(inside), code, 3, message);
    }
}

#[test]
fn names_that_are_not_there_are_named() {
    let around = |more: &str| {
        format!("<mujoco>\n{more}\n<worldbody><body name=\"b\">{JOINT}{GEOM}</body></worldbody></mujoco>")
    };
    let all = [
        ("<contact><exclude body1=\"b\" body2=\"c\"/></contact>", "body `c`"),
        ("<contact><pair geom1=\"b\" geom2=\"c\"/></contact>", "geom `b`"),
        ("<equality><joint joint1=\"j\" joint2=\"k\"/></equality>", "joint `k`"),
        ("<equality><connect site1=\"j\" site2=\"k\"/></equality>", "site `j`"),
        ("<actuator><motor joint=\"k\"/></actuator>", "joint `k`"),
        ("<actuator><motor joint=\"j\" class=\"c\"/></actuator>", "class `c`"),
    ];
    for (more, message) in all {
        refused(&around(more), Code::UnknownName, 2, message);
    }
    let key = "<keyframe><key name=\"k\" qpos=\"1 2\"/></keyframe>";
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("m.xml"), around(key)).unwrap();
    for (wanted, code) in [("k", Code::WrongType), ("other", Code::UnknownName)] {
        let options = ModelOptions { keyframe: Some(wanted.into()), ..ModelOptions::default() };
        let mut diagnostics = Diagnostics::new();
        assert!(read_model(&directory.path().join("m.xml"), None, &options, &mut diagnostics).is_none());
        assert_eq!(diagnostics.iter().next().unwrap().code, code);
    }
}

#[test]
fn includes_are_read_once_and_from_the_models_folder() {
    let model = |file: &str| format!("<mujoco>\n<include file=\"{file}\"/></mujoco>");
    let (code, line, said) = first_error(&model("m.xml"), &[]);
    assert_eq!((code, line), (Code::ExtendsCycle, 2), "{said}");
    let other = ("o.xml", "<mujoco><include file=\"o.xml\"/></mujoco>");
    assert_eq!(first_error(&model("o.xml"), &[other]).0, Code::ExtendsCycle);
    let back = ("o.xml", "<mujocoinclude><include file=\"m.xml\"/></mujocoinclude>");
    assert_eq!(first_error(&model("o.xml"), &[back]).0, Code::ExtendsCycle);
    assert_eq!(first_error(&model("none.xml"), &[]).0, Code::NoSuchFile);
    assert_eq!(first_error(&model("../o.xml"), &[]).0, Code::UnreadableFile);
    assert_eq!(first_error(&model("/etc/passwd"), &[]).0, Code::UnreadableFile);
    assert_eq!(first_error(&model("o.xml"), &[("o.xml", "<robot/>")]).0, Code::WrongFormat);
    assert_eq!(first_error(&model("o.xml"), &[("o.xml", "<mujoco>")]).0, Code::Syntax);
}

/// Small files that would take the stack, all memory, or hours. Counts refuse them, so no clock is asked.
#[test]
fn harmful_models_are_refused() {
    let deep = "<body>".repeat(200_000);
    assert_eq!(first_error(&format!("<mujoco><worldbody>{deep}"), &[]).0, Code::Syntax);
    let entities: String = (1..30).map(|i| format!("<!ENTITY e{i} \"&e{};&e{};\">", i - 1, i - 1)).collect();
    let bomb = format!("<!DOCTYPE m [<!ENTITY e0 \"x\">{entities}]><mujoco model=\"&e29;\"/>");
    assert_eq!(first_error(&bomb, &[]).0, Code::Syntax);
    let copies = (0..9).fold("<geom size=\"1\"/>".to_owned(), |inside, _| {
        format!("<replicate count=\"1000\" offset=\"1 0 0\">{inside}</replicate>")
    });
    let (code, _, said) = first_error(&body(&format!("<joint/>{copies}")), &[]);
    assert_eq!(code, Code::Syntax, "{said}");
    assert!(said.contains("more than 1000000"), "{said}");
    let empty = body("<replicate count=\"999999999\"><replicate count=\"999999999\"/></replicate>");
    assert!(first_error(&empty, &[]).2.contains("more than 1000000"));
    let bodies =
        "<replicate count=\"5000\" sep=\"_\"><body><freejoint/><geom size=\"1\"/></body></replicate>";
    let many = format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>");
    assert!(first_error(&many, &[]).2.contains("more than 2000 bodies with shapes"));
}

#[test]
fn nothing_is_left_out_in_silence() {
    let model = format!(
        "<mujoco><option density=\"1\" shiny=\"2\"/><sensor><touch site=\"s\"/></sensor><tendon><fixed stiffness=\"1\"/></tendon><newthing/>\
         <worldbody><light/><body gravcomp=\"1\"><joint solreflimit=\"1 1\" newkey=\"3\"/>{GEOM}\
         <geom type=\"hfield\" hfield=\"h\"/></body></worldbody></mujoco>"
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.xml");
    std::fs::write(&path, model).unwrap();
    let read = read_model(&path, None, &ModelOptions::default(), &mut Diagnostics::new()).unwrap();
    let left: Vec<(&str, &str)> = read.report.dropped.iter().map(|d| (d.what.as_str(), d.why)).collect();
    for what in [
        "option@density",
        "option@shiny",
        "mujoco/sensor",
        "tendon/fixed",
        "mujoco/newthing",
        "worldbody/light",
        "body@gravcomp",
        "joint@solreflimit",
        "joint@newkey",
        "geom[hfield]",
        "geom@hfield",
    ] {
        assert!(left.iter().any(|(w, _)| *w == what), "{what} is not in {left:?}");
    }
    assert!(left.iter().all(|(_, why)| !why.is_empty()));
}
