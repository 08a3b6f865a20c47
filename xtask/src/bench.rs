//! `cargo xtask bench`: processor time of the steps of scenes of every size, beside other engines where they are installed, as a page of the book.
//!
//! `vinci bench steps` measures Vinci, `tests/peers/warm.py` MuJoCo and Rapier on the scenes that `vinci export` gives away, and
//! `tests/peers/run.py` MuJoCo and Drake on the scenes of the paper on TAMSI.

mod case;
mod ours;
mod page;
mod peers;
mod piles;

use serde_json::{Value, json};

use crate::shell::{cargo, json, put, root, run, target};
use case::Case;
use peers::Found;
use piles::Pile;

/// Experiments that ship and whose steps are measured with their own plugins.
const SHIPPED: [&str; 14] = [
    "sliding-block",
    "tamsi-box",
    "tamsi-gripper-mug",
    "tamsi-allegro-mug",
    "block-stack-10",
    "arch-27",
    "card-house",
    "wall-500",
    "disc-pile-1000",
    "arms-50",
    "chain-1e6",
    "sphere-pile-50",
    SETTLED[0],
    SETTLED[1],
];

/// Settled piles: measured as they are, and after a kick.
const SETTLED: [&str; 2] = ["sphere-pile-200", "sphere-pile-1000"];

/// Widths of beds, in balls: from some hundred contacts to a hundred thousand.
const BEDS: [usize; 5] = [4, 10, 20, 40, 58];

/// Widths of boxes as high as they are wide, in balls.
const DEEP: [usize; 2] = [10, 16];

/// Steps of generated scenes.
const STEPS: u32 = 20;

/// Balls up to which other engines are given a generated scene.
const SHARED: usize = 5000;

/// Measures, and writes the page; with `--peers` other engines are installed first where they are missing.
pub(crate) fn build(arguments: &[String]) -> Result<(), String> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["--peers"] => peers::install()?,
        _ => return Err("`bench` takes `--peers`".into()),
    }
    run(cargo().args(["build", "--release"]))?;
    let cases = cases()?;
    let ours = cases.iter().map(ours::measure).collect::<Result<Vec<_>, _>>()?;
    let shared: Vec<_> = cases.iter().filter(|case| case.is_shared).collect();
    let found = peers::measure(&shared)?;
    let all = json!({ "ours": ours, "peers": found.as_ref().map(Found::as_json) });
    put(&target().join("bench/bench.json"), &format!("{all:#}\n"))?;
    page::write(&cases, &ours, found.as_ref())
}

/// Everything that is measured, in the order of the page.
fn cases() -> Result<Vec<Case>, String> {
    let scenes = root().join("host/scenes");
    let of = |name: &&str| Case {
        name: (*name).to_owned(),
        experiment: scenes.join(format!("{name}.json")),
        counts: None,
        is_shared: SETTLED.contains(name),
    };
    let mut all: Vec<_> = SHIPPED.iter().map(of).collect();
    for name in SETTLED {
        let scene = piles::kicked(json(&scenes.join(format!("{name}.scene.json")))?);
        all.push(made(&format!("{name}-kicked"), &scene, 100, None)?);
    }
    let beds = BEDS.map(|n| piles::full_box(n, piles::BED));
    let deep = DEEP.map(|n| piles::full_box(n, n));
    let others = [piles::boxes(4, 1), piles::boxes(4, 4), piles::pyramid(5)];
    for pile in beds.iter().chain(&deep).chain(&others) {
        all.push(made_pile(pile)?);
    }
    Ok(all)
}

fn made_pile(pile: &Pile) -> Result<Case, String> {
    let mut case = made(&pile.name, &pile.scene, STEPS, Some((pile.balls, pile.contacts)))?;
    case.is_shared = pile.balls <= SHARED;
    Ok(case)
}

/// Writes a scene and an experiment with the model of the settled piles, with conic programs behind its solver.
fn made(name: &str, scene: &Value, steps: u32, counts: Option<(usize, usize)>) -> Result<Case, String> {
    let folder = target().join("bench");
    let mut experiment: Value = json(&root().join("host/scenes/sphere-pile-1000.json"))?;
    let step = experiment["time"]["step"].as_f64().ok_or("sphere-pile-1000.json has no step")?;
    experiment["description"] = json!("Made by cargo xtask bench.");
    experiment["scene"] = json!(format!("{name}.scene.json"));
    experiment["solver"]["fallback"] = json!(["vinci.solver.clarabel"]);
    experiment["time"]["duration"] = json!(step * f64::from(steps));
    put(&folder.join(format!("{name}.scene.json")), &scene.to_string())?;
    let path = folder.join(format!("{name}.json"));
    put(&path, &format!("{experiment:#}\n"))?;
    Ok(Case { name: name.to_owned(), experiment: path, counts, is_shared: true })
}
