//! SDF models that are wrong, or that strangers made to do harm.

use super::*;

/// Kind, line and message of the first error about a model, with these files beside it.
fn first_error(model: &str, files: &[(&str, &str)]) -> (Code, usize, String) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files.iter().chain([&("m.sdf", model)]) {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    let mut diagnostics = Diagnostics::new();
    let path = directory.path().join("m.sdf");
    let model = read_model(&path, None, &ModelOptions::default(), &mut diagnostics);
    if let Some(model) = &model {
        let _ = crate::check_scene(&model.scene("m", false), &mut diagnostics);
    }
    let first = diagnostics
        .iter()
        .find(|d| d.severity == crate::diagnostics::Severity::Error)
        .unwrap_or_else(|| panic!("nothing is wrong with {path:?}"));
    (first.code, first.place.as_ref().map_or(0, TextSpan::line), first.message.clone())
}

/// A model with these elements on its third line.
fn model(inside: &str) -> String {
    format!("<sdf version=\"1.9\">\n<model name=\"m\">\n{inside}\n</model></sdf>")
}

fn world(inside: &str) -> String {
    format!("<sdf version=\"1.9\">\n<world name=\"w\">\n{inside}\n</world></sdf>")
}

#[track_caller]
fn refused(model: &str, code: Code, line: usize, message: &str) {
    let (found, at, said) = first_error(model, &[]);
    assert_eq!((found, at), (code, line), "{said}");
    assert_eq!(said, message);
}

/// Two links, and a joint with this inside.
fn joint(kind: &str, inside: &str) -> String {
    model(&format!(
        "<link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"{kind}\"><parent>a</parent><child>b</child>{inside}</joint>"
    ))
}

#[test]
fn values_that_are_wrong_are_named_with_their_line() {
    let mass = |inside: &str| model(&format!("<link name=\"a\"><inertial>{inside}</inertial></link>"));
    let shape = |inside: &str| {
        model(&format!(
            "<link name=\"a\"><collision name=\"c\"><geometry>{inside}</geometry></collision></link>"
        ))
    };
    let all = [
        (mass("<mass>0</mass>"), Code::Unphysical, "link `a` has the mass 0 kg"),
        (mass("<mass>-1</mass>"), Code::Unphysical, "link `a` has the mass -1 kg"),
        (
            mass("<mass>NaN</mass>"),
            Code::NonFinite,
            "link `a`: <mass> holds \"NaN\": a number that is not finite",
        ),
        (mass("<mass>one</mass>"), Code::WrongType, "link `a`: <mass> holds \"one\": no number"),
        (
            mass("<inertia><iyy>-2</iyy></inertia>"),
            Code::Unphysical,
            "link `a` has the moment of inertia iyy = -2 kg m²",
        ),
        (mass("<pose>0 0 1</pose>"), Code::WrongType, "link `a`: <pose> takes 6 numbers, found 3"),
        (
            mass("<pose rotation_format=\"quat_xyzw\">0 0 0 0 0 0 0</pose>"),
            Code::Unphysical,
            "link `a`: <pose> gives no rotation: its quaternion is too small",
        ),
        (
            mass("<pose rotation_format=\"matrix\">0</pose>"),
            Code::UnknownValue,
            "link `a` has the unknown rotation_format \"matrix\"",
        ),
        (mass("<mass>1</mass><mass>2</mass>"), Code::Contradiction, "link `a` has two <mass>"),
        (shape("<sphere/>"), Code::MissingKey, "collision `c` of link `a` has no <radius>"),
        (
            shape("<sphere><radius>-1</radius></sphere>"),
            Code::OutOfRange,
            "collision `c` of link `a`: <radius> of <sphere> must be above 0, found -1",
        ),
        (shape("<blob/>"), Code::UnknownValue, "collision `c` of link `a`: unknown geometry <blob>"),
        (shape(""), Code::BadShape, "collision `c` of link `a`: <geometry> must hold one shape, found 0"),
        (
            shape("<plane><normal>0 0 0</normal></plane>"),
            Code::BadShape,
            "collision `c` of link `a`: the <normal> of its <plane> has length zero",
        ),
        (shape("<plane/>"), Code::BadShape, "a plane stands in a body that moves"),
        (joint("wheel", "<axis/>"), Code::UnknownValue, "joint `j` has the unknown type \"wheel\""),
        (joint("revolute", ""), Code::MissingKey, "joint `j` has no <axis>"),
        (
            joint("revolute", "<axis><xyz>0 0 0</xyz></axis>"),
            Code::Unphysical,
            "the axis of joint `j` has length zero",
        ),
        (
            joint("revolute", "<axis><limit><lower>1</lower><upper>-1</upper></limit></axis>"),
            Code::Contradiction,
            "the limits of joint `j` leave no room: 1 … -1",
        ),
        (
            joint("revolute", "<axis><dynamics><damping>-1</damping></dynamics></axis>"),
            Code::OutOfRange,
            "joint `j` has the damping -1",
        ),
        (
            joint("gearbox", "<gearbox_ratio>2</gearbox_ratio>"),
            Code::UnknownValue,
            "joint `j` is a gearbox, which holds the angles of two other joints together",
        ),
        (
            joint("screw", "<axis/><thread_pitch>0</thread_pitch>"),
            Code::OutOfRange,
            "joint `j` has the thread_pitch 0",
        ),
    ];
    for (text, code, message) in all {
        refused(&text, code, 3, message);
    }
}

#[test]
fn names_that_are_wrong_are_named() {
    let two = "<link name=\"a\"/><link name=\"b\"/>";
    let all = [
        ("<link name=\"a\"/><link name=\"a\"/>", Code::DuplicateName, "a second body is named `a`"),
        (
            "<link name=\"a.b\"/><link name=\"a:b\"/>",
            Code::DuplicateName,
            "the bodies `a.b` and `a:b` would both be called `a_b`",
        ),
        (
            "<link name=\"a\"/><frame name=\"a\"/>",
            Code::DuplicateName,
            "a second frame, link or model of its model is named `a`",
        ),
        ("<link name=\"__a__\"/>", Code::DuplicateName, "`__a__` is a name of the format's own"),
        ("<link/>", Code::MissingKey, "a <link> has no `name`"),
        (
            "<link name=\"a\"><pose relative_to=\"b\"/></link>",
            Code::UnknownName,
            "a pose names the frame `b`, which its model does not have",
        ),
        (
            "<link name=\"a\"/><frame name=\"f\" attached_to=\"g\"/>",
            Code::UnknownName,
            "a pose names the frame `g`, which its model does not have",
        ),
        (
            "<frame name=\"f\"><pose relative_to=\"g\"/></frame><frame name=\"g\"><pose relative_to=\"f\"/></frame>",
            Code::Contradiction,
            "frames are given relative to one another in a circle: `f`, `g`",
        ),
        (
            "<link name=\"a\"><pose relative_to=\"a\"/></link>",
            Code::Contradiction,
            "frames are given relative to one another in a circle: `a`",
        ),
        (
            "<link name=\"a\"/><frame name=\"f\" attached_to=\"g\"><pose relative_to=\"a\"/></frame><frame name=\"g\" attached_to=\"f\"><pose relative_to=\"a\"/></frame>",
            Code::Contradiction,
            "frames are attached to one another in a circle: `f`, `g`",
        ),
    ];
    for (inside, code, message) in all {
        refused(&model(inside), code, 3, message);
    }
    let joints = |more: &str| model(&format!("{two}<joint name=\"j\" type=\"fixed\">{more}</joint>"));
    let ends = |a: &str, b: &str| joints(&format!("<parent>{a}</parent><child>{b}</child>"));
    refused(
        &ends("c", "b"),
        Code::UnknownName,
        3,
        "joint `j` names the frame `c`, which its model does not have",
    );
    refused(
        &ends("a", "c"),
        Code::UnknownName,
        3,
        "a pose names the frame `c`, which its model does not have",
    );
    refused(&ends("a", "a"), Code::Contradiction, 3, "joint `j` joins the link `a` to itself");
    refused(&joints("<parent>a</parent>"), Code::MissingKey, 3, "joint `j` has no <child>");
    let again = "<joint name=\"k\" type=\"fixed\"><parent>a</parent><child>b</child></joint>";
    let twice = model(&format!("{two}{again}{}", again.replace("\"k\"", "\"l\"")));
    refused(&twice, Code::Contradiction, 3, "link `b` has two parents: the joints `k` and `l` both move it");
    let round = model(&format!(
        "{two}{again}<joint name=\"l\" type=\"fixed\"><parent>b</parent><child>a</child></joint>"
    ));
    refused(&round, Code::Contradiction, 3, "links hang on one another in a circle: `a`, `b`");
    let follower = joint("revolute", "<axis><mimic joint=\"none\"/></axis>");
    refused(
        &follower,
        Code::UnknownName,
        3,
        "joint `j` follows the joint `none`, which its model does not have",
    );
    let group = "<link name=\"a\"/><drake:collision_filter_group name=\"g\"><drake:member>a</drake:member><drake:ignored_collision_filter_group>h</drake:ignored_collision_filter_group></drake:collision_filter_group>";
    let text = model(group).replace("<sdf ", "<sdf xmlns:drake=\"http://drake.mit.edu\" ");
    refused(&text, Code::UnknownName, 3, "there is no group `h` in its model");
}

#[test]
fn files_that_are_no_sdf_of_a_known_version_are_refused() {
    let all = [
        ("<sdf><model name=\"m\"/></sdf>", Code::MissingKey, "a <sdf> has no `version`"),
        ("<sdf version=\"1.3\"/>", Code::UnknownValue, "this file is of version 1.3 of SDF"),
        ("<sdf version=\"2.0\"/>", Code::UnknownValue, "this file is of version 2.0 of SDF"),
        ("<sdf version=\"1.9\"/>", Code::Contradiction, "this file holds 0 worlds and 0 models"),
        (
            "<sdf version=\"1.9\"><model name=\"a\"/><model name=\"b\"/></sdf>",
            Code::Contradiction,
            "this file holds 0 worlds and 2 models",
        ),
        (
            "<sdf version=\"1.9\"><world name=\"w\"><population/></world></sdf>",
            Code::UnknownKey,
            "<population> changes what moves in a way that is not read",
        ),
    ];
    for (text, code, message) in all {
        refused(text, code, 1, message);
    }
}

#[test]
fn includes_never_hold_themselves_and_stay_in_the_models_folder() {
    let including = |uri: &str| world(&format!("<include><uri>{uri}</uri></include>"));
    let nested = |uri: &str| model(&format!("<include><uri>{uri}</uri></include>"));
    let (code, line, said) = first_error(&including("m.sdf"), &[]);
    assert_eq!((code, line, said.as_str()), (Code::ExtendsCycle, 3, "the model `m.sdf` includes itself"));
    let (other, back) = (nested("p.sdf"), nested("o.sdf"));
    let files = [("o.sdf", other.as_str()), ("p.sdf", back.as_str())];
    assert_eq!(first_error(&including("o.sdf"), &files).0, Code::ExtendsCycle);
    let (code, _, said) = first_error(&including("none.sdf"), &[]);
    assert_eq!(code, Code::NoSuchFile);
    assert!(said.starts_with("the included file `none.sdf` is not there: no file "), "{said}");
    for (uri, code, message) in [
        (
            "../o.sdf",
            Code::UnreadableFile,
            "the file `../o.sdf` lies outside the model's folder and its packages",
        ),
        (
            "/etc/passwd",
            Code::UnreadableFile,
            "the file `/etc/passwd` lies outside the model's folder and its packages",
        ),
        ("model://none", Code::NoSuchFile, "the file `model://none` cannot be found"),
        (
            "https://example.org/m",
            Code::NoSuchFile,
            "the model `https://example.org/m` lies elsewhere: nothing is fetched",
        ),
    ] {
        assert_eq!(first_error(&including(uri), &[]), (code, 3, message.to_owned()));
    }
    assert_eq!(first_error(&including("o.sdf"), &[("o.sdf", "<robot/>")]).0, Code::WrongFormat);
    assert_eq!(first_error(&including("o.sdf"), &[("o.sdf", "<sdf")]).0, Code::Syntax);
    let empty = "<sdf version=\"1.9\"/>";
    let (code, _, said) = first_error(&including("o.sdf"), &[("o.sdf", empty)]);
    assert_eq!((code, said.as_str()), (Code::Contradiction, "the included file `o.sdf` holds 0 models"));
    let merged = world("<include merge=\"true\"><uri>o.sdf</uri></include>");
    assert_eq!(first_error(&merged, &[]).2, "an include merges its model into the one around it");
}

#[test]
fn meshes_that_are_not_there_are_named_or_left_out() {
    let text = model(
        "<link name=\"a\"><collision name=\"c\"><geometry><mesh><uri>none.obj</uri></mesh></geometry></collision></link>",
    );
    let (code, line, said) = first_error(&text, &[]);
    assert_eq!((code, line), (Code::NoSuchFile, 3));
    assert!(
        said.starts_with("collision `c` of link `a`: the mesh `none.obj` is not there: no file "),
        "{said}"
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.sdf");
    std::fs::write(&path, text).unwrap();
    let options = ModelOptions { skip_meshes: true, ..ModelOptions::default() };
    let read = read_model(&path, None, &options, &mut Diagnostics::new()).unwrap();
    assert!(read.report.dropped[0].what.contains("none.obj"));
}

/// Small files that would take the stack, all memory, or hours. Counts refuse them, so no clock is asked.
#[test]
fn harmful_models_are_refused() {
    let deep = "<model name=\"m\">".repeat(200_000);
    assert_eq!(first_error(&format!("<sdf version=\"1.9\">{deep}"), &[]).0, Code::Syntax);
    let entities: String = (1..30).map(|i| format!("<!ENTITY e{i} \"&e{};&e{};\">", i - 1, i - 1)).collect();
    let bomb = format!("<!DOCTYPE m [<!ENTITY e0 \"x\">{entities}]><sdf version=\"&e29;\"/>");
    assert_eq!(first_error(&bomb, &[]).0, Code::Syntax);
    // Every file holds the next one a hundred times.
    let chain: Vec<(String, String)> = (0..8)
        .map(|k| {
            let one = |i: usize| format!("<include><name>n{i}</name><uri>f{}.sdf</uri></include>", k + 1);
            (format!("f{k}.sdf"), model(&(0..100).map(one).collect::<String>()))
        })
        .chain([("f8.sdf".to_owned(), model("<link name=\"a\"/>"))])
        .collect();
    let files: Vec<(&str, &str)> = chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (code, _, said) = first_error(&world("<include><uri>f0.sdf</uri></include>"), &files);
    assert_eq!(code, Code::Syntax, "{said}");
    assert_eq!(said, "this model includes others more than 20000 times");
    // A long way of files, each in the next.
    let long: Vec<(String, String)> = (0..200)
        .map(|k| (format!("g{k}.sdf"), model(&format!("<include><uri>g{}.sdf</uri></include>", k + 1))))
        .collect();
    let files: Vec<(&str, &str)> = long.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (code, _, said) = first_error(&world("<include><uri>g0.sdf</uri></include>"), &files);
    assert_eq!((code, said.as_str()), (Code::Syntax, "more than 128 elements stand inside each other"));
    // A frame on a frame on a frame: as far as one likes.
    let frames: String = (1..20_000)
        .map(|k| format!("<frame name=\"f{k}\"><pose relative_to=\"f{}\">0 0 1 0 0 0</pose></frame>", k - 1))
        .collect();
    let text =
        model(&format!("<frame name=\"f0\"/>{frames}<link name=\"a\"><pose relative_to=\"f19999\"/></link>"));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.sdf");
    std::fs::write(&path, text).unwrap();
    let read = read_model(&path, None, &ModelOptions::default(), &mut Diagnostics::new()).unwrap();
    assert_eq!(read.extras.start[0].1[2], 19_999.0);
}

#[test]
fn nothing_is_left_out_in_silence() {
    let text = "<sdf version=\"1.9\"><world name=\"w\"><light name=\"l\"/><plugin name=\"p\" filename=\"f\"/><physics type=\"ode\"/><newthing/>\
        <model name=\"m\"><link name=\"a\" shiny=\"1\"><gravity>0</gravity><sensor name=\"s\" type=\"imu\"/><visual name=\"v\"/>\
        <velocity_decay><linear>1</linear></velocity_decay>\
        <collision name=\"c\"><geometry><heightmap/></geometry></collision><collision name=\"d\"><geometry><sphere><radius>1</radius></sphere></geometry>\
        <surface><friction><torsional><coefficient>1</coefficient></torsional><ode><mu>1</mu><mu2>2</mu2><slip1>0.1</slip1></ode></friction>\
        <bounce><restitution_coefficient>1</restitution_coefficient></bounce></surface></collision></link></model></world></sdf>";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("m.sdf");
    std::fs::write(&path, text).unwrap();
    let read = read_model(&path, None, &ModelOptions::default(), &mut Diagnostics::new()).unwrap();
    let left: Vec<(&str, &str)> = read.report.dropped.iter().map(|d| (d.what.as_str(), d.why)).collect();
    for what in [
        "world/light",
        "world/plugin",
        "world/physics",
        "world/newthing",
        "link@shiny",
        "link/gravity (false)",
        "link/sensor",
        "link/visual",
        "link/velocity_decay",
        "geometry/heightmap",
        "friction/torsional",
        "ode/mu2 (other than mu)",
        "ode/slip1",
        "surface/bounce",
    ] {
        assert!(left.iter().any(|(w, _)| *w == what), "{what} is not in {left:?}");
    }
    assert!(left.iter().all(|(_, why)| !why.is_empty()));
}
