//! Restrictions of a worker: memory, files, network, other processes. It takes them upon itself before it loads anything.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::process::{Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use vinci_abi::load::linked;

use crate::limits::Limits;

/// Newest version of Landlock that is made use of; older kernels have less.
const LANDLOCK: ABI = ABI::V6;

/// Files that may be open at once beside those of libraries: with the bound on their size also one on memory, for files in memory count for no other limit.
const OPEN_FILES: u64 = 64;

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
pub fn confine(limits: Limits, readable: &[PathBuf]) -> Vec<String> {
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
    if let Err(e) = calls() {
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

/// Calls of the system that fail in a worker: those that reach the network, other processes, other programs, files past Landlock, or what all
/// processes share (clock, name, scheduler, modules), which they do where the host belongs to root.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_tkill,
    libc::SYS_setpriority,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_ioprio_set,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_open_by_handle_at,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_utimensat,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_fanotify_init,
];

/// Calls that only x86-64 has beside newer ones.
#[cfg(target_arch = "x86_64")]
const OLDER: &[libc::c_long] = &[
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[libc::c_long] = &[];

/// Installs the filter of calls on all threads that there are and will be.
fn calls() -> Result<(), String> {
    let arch = std::env::consts::ARCH.try_into().map_err(|e: seccompiler::BackendError| e.to_string())?;
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let refused = filter(rules()?, refuse, arch)?;
    // The C library then makes threads by `clone`, whose flags can be looked at.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let unknown = filter(unknown, SeccompAction::Errno(libc::ENOSYS as u32), arch)?;
    for program in [refused, unknown] {
        seccompiler::apply_filter_all_threads(&program).map_err(|e| e.to_string())?;
    }
    Ok(())
}

type Rules = BTreeMap<libc::c_long, Vec<SeccompRule>>;

fn filter(rules: Rules, then: SeccompAction, arch: seccompiler::TargetArch) -> Result<BpfProgram, String> {
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, then, arch).map_err(|e| e.to_string())?;
    filter.try_into().map_err(|e: seccompiler::BackendError| e.to_string())
}

fn rules() -> Result<Rules, String> {
    let mut rules: Rules = REFUSED.iter().chain(OLDER).map(|call| (*call, Vec::new())).collect();
    let own = u64::from(std::process::id());
    let rule = |argument, op, value| -> Result<SeccompRule, String> {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value);
        SeccompRule::new(vec![condition.map_err(|e| e.to_string())?]).map_err(|e| e.to_string())
    };
    // A copy of the process, in contrast to a thread.
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![rule(0, SeccompCmpOp::MaskedEq(thread), 0)?]);
    // Memory that is shared counts for no limit: whatever this process shares was mapped before.
    let shared = libc::MAP_SHARED as u64;
    rules.insert(libc::SYS_mmap, vec![rule(3, SeccompCmpOp::MaskedEq(shared), shared)?]);
    // Signals to itself alone.
    rules.insert(libc::SYS_kill, vec![rule(0, SeccompCmpOp::Ne, own)?]);
    rules.insert(libc::SYS_tgkill, vec![rule(0, SeccompCmpOp::Ne, own)?]);
    // Limits and processors of its own alone: 0 means itself.
    let others = || -> Result<SeccompRule, String> {
        let not = |pid| {
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, pid)
                .map_err(|e| e.to_string())
        };
        SeccompRule::new(vec![not(0)?, not(own)?]).map_err(|e| e.to_string())
    };
    rules.insert(libc::SYS_prlimit64, vec![others()?]);
    rules.insert(libc::SYS_sched_setaffinity, vec![others()?]);
    // It is to end with its host.
    let death = libc::PR_SET_PDEATHSIG as u64;
    rules.insert(libc::SYS_prctl, vec![rule(0, SeccompCmpOp::Eq, death)?]);
    Ok(rules)
}
