//! `vinci plugin install | remove | note`: copies of libraries by id and version, and notes beside libraries.

use std::path::{Path, PathBuf};

use serde_json::json;
use vinci_abi::load::{digest_of, is_program, read_program};
use vinci_engine::registry::{
    Installed, Note, Origin, Registry, Version, folder_of, installed, installed_in, is_plugin_file,
    linked_files, may_be_installed,
};
use vinci_run::exit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use super::files::{io_error, put_file};
use super::printing::{names, report, tell};
use super::refused::not_found;
use crate::cli::Global;

/// Outcome for one library.
enum Done {
    Installed,
    WasThere,
}

pub(super) fn install(
    global: &Global,
    registry: &Registry,
    paths: &[PathBuf],
    force: bool,
) -> Result<u8, Diagnostics> {
    let store = store()?;
    let (mut lines, mut all, mut folders) = (Vec::new(), Vec::new(), Vec::new());
    for (library, note) in noted(registry, paths)? {
        let (one, done) = put(&store, &library, &note, force)?;
        let word = match done {
            Done::Installed => "installed",
            Done::WasThere => "was installed",
        };
        lines.push(format!("{word} {} {} in {}\n", one.id, one.version, one.folder.display()));
        all.push(json!({ "id": one.id, "version": one.version.to_string(), "sha256": note.sha256,
            "directory": one.folder.to_string_lossy(), "new": matches!(done, Done::Installed) }));
        report(global, &links(&library));
        folders.push(one.folder);
    }
    report(global, &hidden(registry, &folders));
    tell(global, ("plugin install", exit::OK), || lines.concat(), || json!({ "plugins": all }))?;
    Ok(exit::OK)
}

/// Warnings about plugins of the program that those in some folders hide: who names one of these ids gets another plugin than before.
fn hidden(registry: &Registry, folders: &[PathBuf]) -> Diagnostics {
    let survey = registry.survey();
    let own = survey.iter().filter(|one| one.origin == Origin::Program);
    let hidden =
        own.flat_map(|one| &one.shadowed).filter(|(_, by)| folders.iter().any(|f| by.starts_with(f)));
    let warning = |(id, by): &(String, PathBuf)| {
        let message = format!("`{id}` came with the program, and from now on means {}", by.display());
        Diagnostic::warning(Code::Plugin, message).help(format!("`vinci plugin remove {id}` undoes that"))
    };
    hidden.map(warning).collect()
}

fn store() -> Result<PathBuf, Diagnostics> {
    installed_in().ok_or_else(|| {
        Diagnostic::error(
            Code::Io,
            "there is no place to install to: neither XDG_DATA_HOME nor HOME is a whole path",
        )
        .into()
    })
}

/// The libraries that are meant, with their notes. In a folder, libraries of others are passed over.
fn noted(registry: &Registry, paths: &[PathBuf]) -> Result<Vec<(PathBuf, Note)>, Diagnostics> {
    let mut all = Vec::new();
    for path in paths {
        let before = all.len();
        for library in libraries(path)? {
            match registry.note_on(&library) {
                Ok(note) => all.push((library, note)),
                Err(None) if path.is_dir() => {}
                Err(None) => return Err(not_found(&format!("{} is no Vinci plugin", library.display()))),
                Err(Some(why)) => return Err(not_found(&why)),
            }
        }
        if all.len() == before {
            return Err(not_found(&format!("{} holds no plugins", path.display())));
        }
    }
    Ok(all)
}

fn libraries(path: &Path) -> Result<Vec<PathBuf>, Diagnostics> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path).map_err(|e| io_error("cannot read", path, &e))?;
    let mut all: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| is_plugin_file(p)).collect();
    all.sort();
    Ok(all)
}

/// Copies a library into its folder, whole or not at all.
fn put(store: &Path, library: &Path, note: &Note, force: bool) -> Result<(Installed, Done), Diagnostics> {
    let one = named(store, note)?;
    // Looked at before: what stands there now may be what another process has just installed.
    let is_taken = one.folder.exists();
    if is_there(&one, note) {
        return Ok((one, Done::WasThere));
    }
    if is_taken && !force {
        let message =
            format!("another build of {} {} is installed in {}", one.id, one.version, one.folder.display());
        let help = "--force replaces it; a new version gets a place of its own";
        return Err(Diagnostic::error(Code::Plugin, message).help(help).into());
    }
    let fresh = store.join(format!(".{}@{}.{}", one.id, one.version, std::process::id()));
    let done = copy(library, note, &fresh).and_then(|()| rename_over(&fresh, &one, note, force));
    let _ = std::fs::remove_dir_all(&fresh);
    let done = done.map_err(|e| io_error("cannot install into", store, &e))?;
    Ok((one, done))
}

/// Returns true if this very library is installed.
fn is_there(one: &Installed, note: &Note) -> bool {
    let file = one.folder.join(&note.file);
    digest_of(&file).is_ok_and(|digest| digest == note.sha256) && Note::beside(&file).as_ref() == Some(note)
}

/// Attempts to take a place that other processes install into at the same time.
const TRIES: u32 = 100;

/// Puts a folder in its place. What another process put there meanwhile stays where it is the same; otherwise it is replaced under
/// `force`, and an error without.
fn rename_over(fresh: &Path, one: &Installed, note: &Note, force: bool) -> std::io::Result<Done> {
    for left in (0..TRIES).rev() {
        if force {
            // What cannot be removed is told by the renaming.
            let _ = std::fs::remove_dir_all(&one.folder);
        }
        match std::fs::rename(fresh, &one.folder) {
            Ok(()) => return Ok(Done::Installed),
            Err(_) if is_there(one, note) => return Ok(Done::WasThere),
            Err(e) if !force || left == 0 => return Err(e),
            Err(_) => {}
        }
    }
    Err(std::io::ErrorKind::ResourceBusy.into())
}

/// The installation that a library becomes: the id of its first role, and its version.
fn named(store: &Path, note: &Note) -> Result<Installed, Diagnostics> {
    let first = &note.manifests[0];
    if !may_be_installed(&first.id) {
        let message = format!("{} calls itself {:?}, which is no id", note.file, first.id);
        return Err(not_found(&message));
    }
    let version = Version::parse(&first.version).map_err(|e| {
        not_found(&format!("{} has the version {:?}, which is none: {e}", first.id, first.version))
    })?;
    let folder = folder_of(store, &first.id, &version);
    Ok(Installed { id: first.id.clone(), version, folder })
}

fn copy(library: &Path, note: &Note, fresh: &Path) -> std::io::Result<()> {
    let _ = std::fs::remove_dir_all(fresh);
    std::fs::create_dir_all(fresh)?;
    let file = fresh.join(&note.file);
    if is_program(library) {
        copy_program(library, fresh)?;
    } else {
        std::fs::copy(library, &file)?;
    }
    // It may have been built again since it was looked at.
    if digest_of(&file).map_err(std::io::Error::other)? != note.sha256 {
        return Err(std::io::Error::other("the library changed meanwhile"));
    }
    let text = serde_json::to_string_pretty(note)? + "\n";
    std::fs::write(Note::place(&file), text)?;
    std::fs::File::open(&file)?.sync_all()
}

/// Copies the description of a program with its files.
fn copy_program(description: &Path, fresh: &Path) -> std::io::Result<()> {
    let program = read_program(description).map_err(std::io::Error::other)?;
    let folder = description.parent().unwrap_or(Path::new(""));
    for file in &program.files {
        let place = fresh.join(&file.name);
        place.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::copy(folder.join(&file.name), &place)?;
    }
    Ok(())
}

/// Warnings about files that a library links: they are not copied with it.
fn links(library: &Path) -> Diagnostics {
    let files = linked_files(library).unwrap_or_default();
    let warning = |name: &str| {
        let message = format!("{} links {name}, which is not copied with it", library.display());
        Diagnostic::warning(Code::Plugin, message).help("it must stay where it is")
    };
    files.iter().map(|file| warning(&file.name)).collect()
}

pub(super) fn remove(global: &Global, id: &str) -> Result<u8, Diagnostics> {
    let all = installed(&store()?);
    let named = |list: &[&Installed]| {
        let names: Vec<_> = list.iter().map(|one| format!("{}@={}", one.id, one.version)).collect();
        if names.is_empty() { "none".into() } else { names.join(", ") }
    };
    let meant: Vec<&Installed> = all.iter().filter(|one| one.answers_to(id)).collect();
    let [one] = meant[..] else {
        let message = match meant.is_empty() {
            true => format!("`{id}` is not installed; installed: {}", named(&all.iter().collect::<Vec<_>>())),
            false => format!("`{id}` fits several plugins: {}; write one of them", named(&meant)),
        };
        return Err(not_found(&message));
    };
    std::fs::remove_dir_all(&one.folder).map_err(|e| io_error("cannot remove", &one.folder, &e))?;
    let text = || format!("removed {} {} from {}\n", one.id, one.version, one.folder.display());
    let value = || json!({ "id": one.id, "version": one.version.to_string(), "directory": one.folder.to_string_lossy() });
    tell(global, ("plugin remove", exit::OK), text, value)?;
    Ok(exit::OK)
}

pub(super) fn note(global: &Global, registry: &Registry, paths: &[PathBuf]) -> Result<u8, Diagnostics> {
    let mut written = Vec::new();
    for (library, note) in noted(registry, paths)? {
        let place = Note::place(&library);
        let text =
            serde_json::to_string_pretty(&note).map_err(|e| io_error("cannot write", &place, &e.into()))?;
        put_file(&place, (text + "\n").as_bytes(), [library.as_path()])?;
        written.push(place);
    }
    let text = || written.iter().map(|place| format!("{}: written\n", place.display())).collect();
    tell(global, ("plugin note", exit::OK), text, || json!({ "files": names(&written) }))?;
    Ok(exit::OK)
}
