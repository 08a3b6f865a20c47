//! Restrictions of a worker: memory, files, network, other processes. It takes them upon itself before it loads anything.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::process::{Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit};
use vinci_abi::load::linked;

use super::calls;
use crate::limits::Limits;

/// Newest version of Landlock that is made use of; older kernels have less.
const LANDLOCK: ABI = ABI::V6;

/// Files that may be open at once beside those of libraries: with the bound on their size also one on memory, for files in memory count for no other limit.
const OPEN_FILES: u64 = 64;

/// Addresses that a program of ours takes by itself, bytes.
const UNWATCHED: u64 = 1 << 30;

/// Directories and files of the system that the loader of libraries reads, and devices that give nothing away.
const SYSTEM: [&str; 10] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/proc/self",
];

/// Ends this process with its parent, which is to be `host`.
///
/// # Errors
/// The host is gone already.
pub(crate) fn die_with(host: u32) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    is_child_of(host).map_err(|()| io::Error::other("the process that started this worker is gone"))
}

/// Checks that the parent of this process is `host`.
pub(crate) fn is_child_of(host: u32) -> Result<(), ()> {
    let parent = getppid().map(|pid| pid.as_raw_nonzero().get());
    if parent.is_some_and(|pid| u32::try_from(pid) == Ok(host)) { Ok(()) } else { Err(()) }
}

/// Puts nothing in the place of the standard input, which was the shared memory.
pub(crate) fn leave_input() -> io::Result<()> {
    Ok(rustix::stdio::dup2_stdin(File::open("/dev/null")?)?)
}

/// Keeps this process, for good, from more memory than the limits allow, from files but the system's libraries and those that are named (to be
/// read), from the network and from other processes. Returns what the system lacks for that, in words.
pub(crate) fn confine(limits: Limits, readable: &[PathBuf]) -> Vec<String> {
    confined(limits, readable, false)
}

/// Keeps this process, which no host watches while it looks at libraries, for good from more memory than the limits allow (its addresses are
/// limited, too), from files but the system's libraries and those that are named (to be read), from the network and from other processes. It
/// ends with its parent. Returns what the system lacks for that, in words.
pub fn confine_unwatched(limits: Limits, readable: &[PathBuf]) -> Vec<String> {
    let most = Some(limits.memory.saturating_add(UNWATCHED));
    let ends = set_parent_process_death_signal(Some(Signal::KILL));
    let limited = setrlimit(Resource::As, Rlimit { current: most, maximum: most });
    let failed = [ends, limited].into_iter().filter_map(|done| done.err());
    let lacks: Vec<String> = failed.map(|e| format!("no limit of life or memory: {e}")).collect();
    lacks.into_iter().chain(confine(limits, readable)).collect()
}

/// As [`confine`] for a process that is about to become another program: it may do that, and take the same restrictions along.
pub(crate) fn confine_program(limits: Limits, readable: &[PathBuf]) -> Vec<String> {
    confined(limits, readable, true)
}

fn confined(limits: Limits, readable: &[PathBuf], becomes: bool) -> Vec<String> {
    let mut lacks = Vec::new();
    let limits = [(Resource::Data, limits.memory), (Resource::Fsize, largest(readable)), (Resource::Core, 0)];
    let confined = files(readable);
    for (resource, most) in limits.into_iter().chain([(Resource::Nofile, OPEN_FILES + readable.len() as u64)])
    {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        if let Err(e) = setrlimit(resource, limit) {
            lacks.push(format!("no limit of memory: {e}"));
        }
    }
    match confined {
        Ok(RulesetStatus::NotEnforced) => {
            lacks.push("no limit of files: the kernel has no Landlock".to_owned())
        }
        Ok(_) => {}
        Err(e) => lacks.push(format!("no limit of files: {e}")),
    }
    if let Err(e) = calls::refuse(becomes) {
        lacks.push(format!("no limit of network and processes: {e}"));
    }
    lacks
}

/// Size of the largest library: a worker loads each from a file in memory, and makes no others.
fn largest(libraries: &[PathBuf]) -> u64 {
    libraries.iter().filter_map(|path| Some(path.metadata().ok()?.len())).max().unwrap_or(0)
}

/// Files that may still be opened: the system's libraries and those that are named, with what they link, to be read.
fn files(readable: &[PathBuf]) -> Result<RulesetStatus, RulesetError> {
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(LANDLOCK))?
        .handle_access(AccessNet::from_all(LANDLOCK))?
        .scope(Scope::from_all(LANDLOCK))?;
    let mut rules = rules.create()?;
    let search = readable.iter().filter_map(|library| linked(library).ok()).flat_map(|linked| linked.search);
    let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let named = std::env::split_paths(&path).filter(|directory| directory.is_absolute());
    let system = SYSTEM.into_iter().map(PathBuf::from);
    for path in system.chain(search).chain(named).chain(readable.iter().cloned()) {
        rules = allow(rules, &path)?;
    }
    Ok(rules.restrict_self()?.ruleset)
}

fn allow(rules: RulesetCreated, path: &Path) -> Result<RulesetCreated, RulesetError> {
    // What is not there needs no permission.
    let Ok(file) = PathFd::new(path) else { return Ok(rules) };
    let access = AccessFs::ReadFile | AccessFs::Execute;
    rules.add_rule(PathBeneath::new(file, if path.is_dir() { access | AccessFs::ReadDir } else { access }))
}
