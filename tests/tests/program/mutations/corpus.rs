//! The corpus that is damaged: files that ship, a small robot with a mesh of every kind, MJCF and SDF models, small problems of every class and collections of large ones,
//! and what is handed over beside them.

use std::path::{Path, PathBuf};

use serde_json::json;
use vinci_tests::house;

use super::damage::Dice;
use super::handed;

/// What a file is, which says how the program reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Scene,
    Experiment,
    Sweep,
    Robot,
    Mjcf,
    Sdf,
    Mesh,
    Problem,
    Comparison,
    Motion,
    Plan,
    State,
}

/// Those that are given damaged problems: all that `cargo build` makes and that take a class which files of problems have.
const SOLVERS: [&str; 8] =
    ["lemke", "newton", "nsgs", "pgs", "accelerated-gs", "clarabel", "active-set", "branch-and-bound"];

const KINDS: [Kind; 12] = [
    Kind::Scene,
    Kind::Experiment,
    Kind::Sweep,
    Kind::Robot,
    Kind::Mjcf,
    Kind::Sdf,
    Kind::Mesh,
    Kind::Problem,
    Kind::Comparison,
    Kind::Motion,
    Kind::Plan,
    Kind::State,
];

/// What the block that slides is differentiated by.
const FRICTION: &str = "scene.materials.default.friction";

/// An undamaged file.
pub(crate) struct Seed {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) struct Corpus {
    seeds: Vec<Seed>,
}

impl Corpus {
    pub(crate) fn shipped() -> Self {
        let mut seeds: Vec<Seed> = scenes().iter().filter_map(|path| shipped(path)).collect();
        seeds.push(seed(Kind::Robot, "robot.urdf", robot().into_bytes()));
        seeds.extend(models(Kind::Mjcf, "tests/data/mjcf", "xml"));
        seeds.extend(models(Kind::Sdf, "tests/data/sdf", "sdf"));
        seeds.extend(meshes().into_iter().map(|(name, bytes)| seed(Kind::Mesh, name, bytes)));
        seeds.extend(problems().into_iter().map(|(name, text)| seed(Kind::Problem, name, text.into_bytes())));
        seeds.extend(collections());
        seeds.push(seed(Kind::Comparison, "comparison.json", handed::comparison().into_bytes()));
        seeds.push(seed(Kind::Motion, "motion.csv", handed::motion().into_bytes()));
        seeds.push(seed(Kind::State, "state.json", handed::state()));
        seeds.push(seed(Kind::Plan, "plan.json", handed::plan().into_bytes()));
        let corpus = Self { seeds };
        for kind in KINDS {
            assert!(corpus.seeds.iter().any(|s| s.kind == kind), "nothing of kind {kind:?}");
        }
        corpus
    }

    /// One of the kind whose turn it is.
    pub(crate) fn seed(&self, k: u64, dice: &mut Dice) -> &Seed {
        let kind = KINDS[(k % KINDS.len() as u64) as usize];
        let all: Vec<&Seed> = self.seeds.iter().filter(|s| s.kind == kind).collect();
        dice.choose(&all)
    }
}

fn seed(kind: Kind, name: &str, bytes: Vec<u8>) -> Seed {
    Seed { kind, name: name.into(), bytes }
}

fn scenes() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(house::root().join("host/scenes")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths
}

fn shipped(path: &Path) -> Option<Seed> {
    let name = path.file_name()?.to_str()?;
    let bytes = std::fs::read(path).unwrap();
    // Large scenes are large in number of contacts too: a short run of one would take the time of many.
    let kind = match name {
        _ if !name.ends_with(".json") || bytes.len() > 40_000 => return None,
        _ if name.ends_with(".scene.json") => Kind::Scene,
        _ if name.ends_with(".sweep.json") => Kind::Sweep,
        _ => Kind::Experiment,
    };
    Some(seed(kind, name, bytes))
}

/// Models that hold every element that is read.
fn models(kind: Kind, directory: &str, ending: &str) -> Vec<Seed> {
    let mut paths = files_in(directory);
    paths.retain(|path| path.extension().is_some_and(|e| e == ending));
    assert!(paths.len() >= 8, "{paths:?}");
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| seed(kind, &name(path), std::fs::read(path).unwrap())).collect()
}

fn files_in(directory: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(house::root().join(directory)).unwrap().map(|e| e.unwrap().path());
    let mut paths: Vec<PathBuf> = all.filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

/// Two links, every element that is read, and a mesh of every kind.
fn robot() -> String {
    let mesh = |file: &str| {
        format!(
            "<collision><origin xyz=\"0 0 1\" rpy=\"0 0.1 0\"/><geometry><mesh filename=\"{file}\" scale=\"1 1 2\"/></geometry></collision>"
        )
    };
    let meshes: String = ["box.obj", "text.stl", "box.stl", "box.gltf"].map(mesh).concat();
    format!(
        r#"<?xml version="1.0"?>
<robot name="arm" xmlns:drake="http://drake.mit.edu">
  <link name="base"><inertial><origin xyz="0 0 0.1" rpy="0 0 0"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="c"><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
    <collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision>
    <collision><geometry><drake:capsule radius="0.1" length="0.2"/></geometry></collision>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="hand"><inertial><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>{meshes}</link>
  <link name="tip"><inertial><mass value="0.1"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="wrist" type="revolute"><parent link="base"/><child link="hand"/><origin xyz="0 0 0.5" rpy="0 0 1.5"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="2" effort="30"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="slide" type="prismatic"><parent link="hand"/><child link="tip"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.1"/><mimic joint="wrist" multiplier="2" offset="0.01"/></joint>
  <transmission name="t"><type>x</type><joint name="wrist"/><actuator name="a">
    <drake:rotor_inertia value="1e-5"/><drake:gear_ratio value="100"/></actuator></transmission>
</robot>
"#
    )
}

/// Corners of a box, and its sides by corners.
const CORNERS: [[f32; 3]; 8] = [
    [-0.1, -0.1, -0.1],
    [0.1, -0.1, -0.1],
    [-0.1, 0.1, -0.1],
    [0.1, 0.1, -0.1],
    [-0.1, -0.1, 0.1],
    [0.1, -0.1, 0.1],
    [-0.1, 0.1, 0.1],
    [0.1, 0.1, 0.1],
];
const SIDES: [[usize; 4]; 6] =
    [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];

fn meshes() -> Vec<(&'static str, Vec<u8>)> {
    let mut obj = String::from("# a box\nmtllib none.mtl\no box\n");
    CORNERS.iter().for_each(|[x, y, z]| obj += &format!("v {x} {y} {z}\n"));
    SIDES.iter().for_each(|s| obj += &format!("f {} {} {} {}\n", s[0] + 1, s[1] + 1, s[2] + 1, s[3] + 1));
    let (mut text, mut binary, mut buffer) = (String::from("solid box\n"), vec![0_u8; 80], Vec::new());
    binary.extend(12_u32.to_le_bytes());
    for corners in SIDES.iter().flat_map(|s| [[s[0], s[1], s[2]], [s[0], s[2], s[3]]]) {
        text += "facet normal 0 0 1\nouter loop\n";
        binary.extend([0_u8; 12]);
        for p in corners.map(|c| CORNERS[c]) {
            text += &format!("vertex {} {} {}\n", p[0], p[1], p[2]);
            p.iter().for_each(|x| binary.extend(x.to_le_bytes()));
            p.iter().for_each(|x| buffer.extend(x.to_le_bytes()));
        }
        text += "endloop\nendfacet\n";
        binary.extend([0_u8; 2]);
    }
    text += "endsolid box\n";
    let gltf = gltf(buffer.len()).into_bytes();
    vec![
        ("box.obj", obj.into_bytes()),
        ("text.stl", text.into_bytes()),
        ("box.stl", binary),
        ("box.gltf", gltf),
        ("box.bin", buffer),
    ]
}

fn gltf(bytes: usize) -> String {
    let view = |offset: usize, length: usize| json!({"buffer": 0, "byteOffset": offset, "byteLength": length, "byteStride": 12});
    let gltf = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 2]}],
        "nodes": [{"children": [1], "translation": [0, 1, 0]}, {"mesh": 0, "scale": [2, 1, 1]}, {"mesh": 1}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}, {"primitives": [{"attributes": {"POSITION": 1}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": bytes / 12, "type": "VEC3",
             "min": [-0.1, -0.1, -0.1], "max": [0.1, 0.1, 0.1]},
            {"componentType": 5126, "count": 8, "type": "VEC3", "min": [-0.1, -0.1, -0.1], "max": [0.1, 0.1, 0.1],
             "sparse": {"count": 1, "indices": {"bufferView": 2, "componentType": 5125}, "values": {"bufferView": 1}}}],
        "bufferViews": [view(0, bytes), view(12, 24), {"buffer": 0, "byteOffset": 8, "byteLength": 4}],
        "buffers": [{"byteLength": bytes, "uri": "box.bin"}]
    });
    serde_json::to_string_pretty(&gltf).unwrap()
}

/// The collections of problems that the tests solve, of up to thousands of unknowns.
fn collections() -> Vec<Seed> {
    let directories = ["tests/data/problems", "tests/data/problems/siconos"].map(|d| house::root().join(d));
    let mut paths: Vec<PathBuf> =
        directories.iter().flat_map(|d| std::fs::read_dir(d).unwrap()).map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
    assert!(paths.len() >= 10, "{paths:?}");
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| seed(Kind::Problem, &name(path), std::fs::read(path).unwrap())).collect()
}

/// One of every class, and both kinds of collections.
fn problems() -> Vec<(&'static str, String)> {
    let part = json!({"part": "normal", "subject": 0});
    let diagonal = json!({"i": [0, 1, 2], "j": [0, 1, 2], "v": [2.0, 1.0, 0.5]});
    let mlcp = json!({
        "format": "vinci/problem@1", "class": "Mlcp", "name": "m", "n": 3, "m": diagonal, "q": [-1.0, 0.5, 0.25],
        "lower": [0.0, null, 0.0], "upper": [null, null, 5.0], "rows": [part, part, part],
        "z_scale": [1.0, 1.0, 1.0], "w_scale": [1.0, 1.0, 1.0], "guess": [], "tolerance": 1e-9});
    let mut cone = mlcp.clone();
    cone["class"] = json!("Cone");
    cone["lower"] = json!([null, null, null]);
    cone["upper"] = json!([null, null, null]);
    cone["blocks"] = json!([{"normal": 0, "tangent": 1, "dim": 2, "size": 0.4}]);
    let conic = json!({
        "format": "vinci/problem@1", "class": "Conic", "name": "c", "n": 2, "m": 3,
        "P": {"i": [0, 1], "j": [0, 1], "v": [1.0, 2.0]}, "c": [1.0, -1.0],
        "G": {"i": [0, 1, 2], "j": [0, 1, 0], "v": [1.0, 1.0, -1.0]}, "g": [0.0, 0.0, 3.0],
        "lower": [0.0, 0.0, 0.0], "upper": [null, null, null], "unknowns": [part, part], "rows": [part, part, part],
        "x_scale": [1.0, 1.0], "s_scale": [1.0, 1.0, 1.0], "guess": [], "dual_guess": [], "tolerance": 1e-9});
    let mut cones = conic.clone();
    cones["cones"] = json!([{"first": 0, "dim": 2}]);
    cones["lower"] = json!([null, null, 0.0]);
    let mut qpcc = conic.clone();
    qpcc["class"] = json!("Qpcc");
    qpcc["pairs"] = json!([{"first": 0, "second": 1, "group": 3, "mode": 1}]);
    let mixed =
        json!([{"name": "a", "n": 3, "nf": 1, "M": diagonal, "q": [1.0, -2.0, 3.0], "verdict": "solved"}]);
    let coulomb = json!([{"name": "b", "dim": 3, "n": 3, "W": diagonal, "q": [-1.0, 2.0, 3.0], "mu": [0.4]}]);
    let step = json!({"step": 1, "h": 0.1, "mu": [0.5], "K": [100.0], "nd": [2], "phi": [0.001], "Jnu": [[1.0]],
        "Jna": [[-1.0]], "Jfu": [[0.5], [-0.5]], "Jfa": [[0.0], [0.0]], "tau": [-1.0], "dqa_cmd": [0.01],
        "phibar_prev": [-0.001], "obj": 0.0, "proven": false});
    let steps = json!({"model": "s", "steps": [step]});
    let text = |value| serde_json::to_string_pretty(&value).unwrap();
    vec![
        ("mlcp.json", text(mlcp)),
        ("cone.json", text(cone)),
        ("conic.json", text(conic)),
        ("cones.json", text(cones)),
        ("qpcc.json", text(qpcc)),
        ("mixed.json", text(mixed)),
        ("coulomb.json", text(coulomb)),
        ("steps.json", text(steps)),
    ]
}

/// A directory with all undamaged files, in which one at a time is replaced.
pub(crate) struct Workshop {
    directory: tempfile::TempDir,
}

impl Workshop {
    pub(crate) fn new(corpus: &Corpus) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for path in scenes() {
            std::fs::copy(&path, directory.path().join(path.file_name().unwrap())).unwrap();
        }
        // What models include lies in a folder beside them.
        std::fs::create_dir(directory.path().join("parts")).unwrap();
        for path in files_in("tests/data/mjcf/parts") {
            std::fs::copy(&path, directory.path().join("parts").join(path.file_name().unwrap())).unwrap();
        }
        std::fs::create_dir(directory.path().join("swept")).unwrap();
        for seed in &corpus.seeds {
            std::fs::write(directory.path().join(&seed.name), &seed.bytes).unwrap();
        }
        Self { directory }
    }

    /// Puts a damaged file beside what it names: a mesh in its own place, others under a name of their own.
    pub(crate) fn place(&self, seed: &Seed, bytes: &[u8]) -> PathBuf {
        let at = |name: &str| self.directory.path().join(name);
        for (name, whole) in meshes() {
            std::fs::write(at(name), whole).unwrap();
        }
        let path = match seed.kind {
            Kind::Mesh => at(&seed.name),
            Kind::Robot => at("damaged.urdf"),
            Kind::Mjcf => at("damaged.xml"),
            Kind::Sdf => at("damaged.sdf"),
            Kind::Motion => at("damaged.csv"),
            Kind::Plan => at("swept/plan.json"),
            _ => at("damaged.json"),
        };
        std::fs::write(&path, bytes).unwrap();
        if seed.kind == Kind::Mesh { at("robot.urdf") } else { path }
    }

    /// How the program is called on it.
    pub(crate) fn command(&self, seed: &Seed, path: &Path, dice: &mut Dice) -> Vec<String> {
        let path = path.to_str().unwrap();
        let out = self.directory.path().join("results");
        let out = out.to_str().unwrap();
        // Flags win: a damaged step or duration must not make a long run of a sound experiment.
        let short = ["run", path, "--step", "0.005", "--duration", "0.01", "--force", "--out", out];
        let solver = dice.choose(&SOLVERS);
        let sound = self.directory.path().join("sliding-block.json");
        let sound = sound.to_str().unwrap();
        let swept = path.trim_end_matches("/plan.json");
        let words = match seed.kind {
            Kind::Scene => vec!["check", path],
            Kind::Experiment if dice.below(2) == 0 => vec!["check", path],
            Kind::Experiment => short.to_vec(),
            Kind::Sweep => vec!["explain", path],
            Kind::Robot | Kind::Mjcf | Kind::Sdf | Kind::Mesh => vec!["import", path],
            // The largest take a minute when they are sound.
            Kind::Comparison => vec!["check", path],
            Kind::Motion if dice.below(2) == 0 => vec!["judge", sound, path, "--set", "time.duration=0.11"],
            Kind::Motion => vec![
                "sensitivity",
                sound,
                "--data",
                path,
                "--of",
                "rms",
                "--by",
                FRICTION,
                "--duration",
                "0.11",
            ],
            Kind::Plan if dice.below(2) == 0 => vec!["sweep", "status", swept],
            Kind::Plan => vec!["sweep", "merge", swept, "--out", out],
            Kind::State => vec![
                "run",
                sound,
                "--from",
                path,
                "--step",
                "0.005",
                "--duration",
                "0.1",
                "--force",
                "--out",
                out,
            ],
            Kind::Problem => vec!["solve", path, "--solver", solver, "--time-limit", "4s"],
        };
        let program = house::program();
        std::iter::once(program.to_str().unwrap()).chain(words).map(str::to_owned).collect()
    }

    /// Keeps an input that was found, for a look at it.
    pub(crate) fn keep(&self, seed: &Seed, bytes: &[u8], k: u64) -> PathBuf {
        let directory = house::build().join("mutations");
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join(format!("{k}-{}", seed.name));
        std::fs::write(&path, bytes).unwrap();
        path
    }
}
