//! PATH behind the contract: the adapter of `sdk/c/examples`, without its library and, where that is, with it.

use super::*;

/// The adapter, built as its page says.
fn adapter(directory: &Path) -> PathBuf {
    let place = directory.join(file_name("path_plugin"));
    built_in_c(&house::root().join("sdk/c/examples/path.c"), &place, true);
    place
}

/// The folder of PATH's library: that of the file which the variable VINCI_PATH_LIBRARY names, or that of the environment which `cargo xtask setup` makes.
fn library_of_path() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("VINCI_PATH_LIBRARY") {
        return Path::new(&named).parent().map(Path::to_owned);
    }
    let environment = house::build().parent().unwrap().join("python/lib");
    let versions = std::fs::read_dir(environment).ok()?.filter_map(Result::ok);
    let mut places = versions.map(|v| v.path().join("site-packages/gamspy_base"));
    places.find(|place| place.join("libpath52.so").is_file())
}

/// The program with PATH's library in that folder, in which workers look as their host does.
fn with_path(home: &Path, library: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(house::program());
    command.env("XDG_DATA_HOME", home.join("data")).env("LD_LIBRARY_PATH", library).current_dir(home);
    command.args(arguments).output().unwrap()
}

#[test]
fn without_its_library_the_adapter_says_what_is_missing() {
    let home = tempfile::tempdir().unwrap();
    let plugin = adapter(home.path()).display().to_string();
    let file = experiment(home.path(), |_| ());
    let nowhere = home.path().join("nowhere");
    let run = ["run", &file, "--solver", &plugin, "--allow-plugin", &plugin, "--out", "out"];
    let text = ends_with(&with_path(home.path(), &nowhere, &run), 3);
    let expected = "example.solver.path refuses: PATH's library, libpath52.so, was not found: name its folder in the variable LD_LIBRARY_PATH";
    assert!(text.contains(expected), "{text}");
    assert!(!home.path().join("out").exists(), "a refused run leaves a directory");
}

/// Ten blocks in a stack end where they end with Lemke's rule; of the suite only large problems fail, which need a licence.
#[test]
#[ignore = "long"]
fn path_solves_what_lemke_solves() {
    let Some(library) = library_of_path() else {
        println!("left out: PATH's library is missing; `cargo xtask setup` installs gamspy_base");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let (home, plugin) = (dir.path(), adapter(dir.path()).display().to_string());
    let checked = with_path(home, &library, &["plugin", "check", &plugin, "--json"]);
    let report: Value = serde_json::from_slice(&checked.stdout).unwrap();
    let failed: Vec<&Value> =
        report["results"].as_array().unwrap().iter().filter(|r| r["outcome"] == "failed").collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0]["name"], "solver/large");
    assert!(failed[0].to_string().contains("PATH has no licence for a problem of this size"), "{failed:?}");
    let stack = house::root().join("host/scenes/block-stack-10.json").display().to_string();
    let mut ends = Vec::new();
    for (solver, out) in [("lemke", "lemke"), (plugin.as_str(), "path")] {
        let run = ["run", &stack, "--solver", solver, "--allow-plugin", &plugin, "--out", out];
        ends_with(&with_path(home, &library, &run), 0);
        let table = std::fs::read_to_string(home.join(out).join("trajectory.csv")).unwrap();
        let last: Vec<f64> = table.lines().last().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
        ends.push(last);
    }
    assert_eq!(ends[0].len(), ends[1].len());
    assert!(ends[0].iter().zip(&ends[1]).all(|(a, b)| (a - b).abs() <= 1e-9), "{ends:?}");
}
