//! Ways of an object under quasi-static models and under the dynamic reference.

use std::fmt::Write as _;

use serde_json::{Value, json};
use vinci_tests::experiment::with;
use vinci_tests::run::simulation;

/// Mass of a robot, kg.
const MASS: f64 = 0.1;

/// (t, x, y) of the object.
pub(crate) type Path = Vec<[f64; 3]>;

/// The way of an object in an experiment.
pub(crate) fn path(e: &Value, object: &str) -> Result<Path, String> {
    let mut run = simulation(e);
    let system = &run.system;
    let block = (0..system.n_blocks()).find(|&b| system.block_name(b) == object).ok_or("no such body")?;
    let mut out = vec![[0.0, run.q()[3 * block], run.q()[3 * block + 1]]];
    let steps =
        (e["time"]["duration"].as_f64().unwrap_or(0.0) / e["time"]["step"].as_f64().unwrap_or(1.0)).round();
    while (run.grid_count() as f64) < steps {
        run.advance_to(run.next_grid_time()).map_err(|failure| failure.to_string())?;
        out.push([run.time(), run.q()[3 * block], run.q()[3 * block + 1]]);
    }
    Ok(out)
}

/// The robots as masses behind springs and dampers.
pub(crate) fn dynamic(e: &Value) -> Value {
    let mut out = with(e, "stewart-trinkle", "lemke");
    out["stepper"]["options"] = json!({});
    for body in out["scene"]["bodies"].as_array_mut().expect("scenes have bodies") {
        let Some(dofs) = body.get_mut("dofs").and_then(Value::as_object_mut) else { continue };
        for (name, dof) in dofs {
            if let Some(drive) = dof.get("impedance") {
                let k = drive["stiffness"].as_f64().unwrap_or(0.0);
                let points: Vec<(f64, f64)> =
                    serde_json::from_value(drive["command"]["keyframes"].clone()).expect("keyframes");
                *dof = json!({"force": {"expression": servo(name, k, 2.0 * (k * MASS).sqrt(), &points)}});
            }
        }
    }
    out
}

/// K (c(t) − x) + C (c'(t) − v) with c through the points.
fn servo(dof: &str, k: f64, c: f64, points: &[(f64, f64)]) -> String {
    let (mut place, mut rate) = (format!("{}", points[0].1), String::from("0"));
    for pair in points.windows(2) {
        let ((t0, a), (t1, b)) = (pair[0], pair[1]);
        let _ = write!(place, " + ({})*min(max((t - {t0})/{}, 0), 1)", b - a, t1 - t0);
        let _ = write!(rate, " + ({})*(step(t - {t0}) - step(t - {t1}))", (b - a) / (t1 - t0));
    }
    format!("{k}*({place} - {dof}) + {c}*({rate} - v{dof})")
}

/// Where the object is at a time, m.
pub(crate) fn at(path: &Path, t: f64) -> [f64; 2] {
    let i = path.partition_point(|p| p[0] <= t).clamp(1, path.len() - 1);
    let (a, b) = (path[i - 1], path[i]);
    let s = ((t - a[0]) / (b[0] - a[0])).clamp(0.0, 1.0);
    [1, 2].map(|k| a[k] + s * (b[k] - a[k]))
}
