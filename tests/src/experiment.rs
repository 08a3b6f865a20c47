//! Scenes and experiments as JSON values.

use serde_json::{Value, json};

use crate::house;

/// The steppers this house ships for rigid contact with pyramid friction.
pub const STEPPERS: [&str; 2] = ["stewart-trinkle", "anitescu-potra"];

/// The exact solvers.
pub const SOLVERS: [&str; 2] = ["lemke", "newton"];

/// Stewart and Trinkle.
pub const ST: &str = "stewart-trinkle";

/// Anitescu and Potra.
pub const AP: &str = "anitescu-potra";

/// An experiment that ships, with its scene inside.
pub fn shipped(name: &str) -> Value {
    let directory = house::root().join("host/scenes");
    let read = |file: &str| -> Value {
        let text = std::fs::read_to_string(directory.join(file)).expect("the scene ships");
        serde_json::from_str(&text).expect("the scene is JSON")
    };
    let mut experiment = read(&format!("{name}.json"));
    let scene = experiment["scene"].as_str().expect("shipped experiments name their scene").to_owned();
    experiment["scene"] = read(&scene);
    experiment
}

/// An experiment on a scene: `space` from the scene chooses the detector; Stewart-Trinkle and Lemke until said otherwise.
pub fn experiment(scene: Value, step: f64, duration: f64) -> Value {
    let detector = if scene["space"] == "planar" { "vinci.detector.planar" } else { "vinci.detector.parry" };
    json!({
        "format": "vinci/experiment@1",
        "scene": scene,
        "time": { "step": step, "duration": duration },
        "detector": { "plugin": detector },
        "stepper": { "plugin": ST },
        "solver": { "plugin": "lemke" },
    })
}

/// A planar scene; gravity (0, −9.81), every material friction μ and restitution e.
pub fn planar(mu: f64, e: f64, bodies: Value) -> Value {
    scene("planar", mu, e, bodies)
}

/// A spatial scene; gravity (0, 0, −9.81), every material friction μ and restitution e.
pub fn spatial(mu: f64, e: f64, bodies: Value) -> Value {
    scene("spatial", mu, e, bodies)
}

fn scene(space: &str, mu: f64, e: f64, bodies: Value) -> Value {
    json!({
        "format": "vinci/scene@1",
        "space": space,
        "materials": { "default": { "friction": mu, "restitution": e } },
        "bodies": bodies,
    })
}

/// A static half-plane or half-space through the origin, upwards.
pub fn ground(space: &str) -> Value {
    let kind = if space == "planar" { "half-plane" } else { "half-space" };
    json!({ "name": "ground", "static": true, "shapes": [{ "type": kind }] })
}

/// The same experiment with other plugins.
pub fn with(experiment: &Value, stepper: &str, solver: &str) -> Value {
    let mut changed = experiment.clone();
    changed["stepper"]["plugin"] = stepper.into();
    changed["solver"]["plugin"] = solver.into();
    changed
}

/// The same experiment with another value at a JSON pointer (`/time/step`); objects on the way are made.
pub fn set(experiment: &Value, pointer: &str, value: impl Into<Value>) -> Value {
    let mut changed = experiment.clone();
    let mut place = &mut changed;
    for key in pointer.split('/').skip(1) {
        place = match key.parse::<usize>() {
            Ok(index) => &mut place[index],
            Err(_) => &mut place[key],
        };
    }
    *place = value.into();
    changed
}

/// The same experiment on another time grid.
pub fn timed(experiment: &Value, step: f64, duration: f64) -> Value {
    set(&set(experiment, "/time/step", step), "/time/duration", duration)
}

/// Calls `body` with every pair of [`STEPPERS`] and [`SOLVERS`] put into the experiment, and their names for messages.
pub fn for_all(experiment: &Value, mut body: impl FnMut(&Value, &str)) {
    for stepper in STEPPERS {
        for solver in SOLVERS {
            body(&with(experiment, stepper, solver), &format!("{stepper} + {solver}"));
        }
    }
}
