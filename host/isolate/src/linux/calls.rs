//! Calls of the system that a process of a plugin may not make: a filter that the kernel asks at every call.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

/// `fchmodat2`, whose number is the same on all processors.
const FCHMODAT2: libc::c_long = 452;

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
    libc::SYS_process_mrelease,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_kcmp,
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
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_inotify_init1,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_utimensat,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
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
    libc::SYS_inotify_init,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_setrlimit,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[libc::c_long] = &[];

/// Newest call that the list above was made with (`mseal`, Linux 6.10). Those that came later are unknown to the process, for nobody has
/// looked at them here; and so are the numbers that are kept for programs with pointers of 32 bits, which lie far above.
const NEWEST: u32 = 462;

/// Commands of `fcntl` that fail: `F_SETOWN`, `F_SETSIG` and `F_SETOWN_EX` have the kernel send signals to others, `F_SETLEASE` and `F_NOTIFY` tell
/// what others do, `F_SETPIPE_SZ` takes memory that no limit counts.
const COMMANDS: [u64; 6] = [8, 10, 15, 1024, 1026, 1031];

/// Requests of `ioctl` that fail: `FS_IOC_SETFLAGS` and `FS_IOC_FSSETXATTR` change attributes of files that are only open to be read.
const REQUESTS: [u64; 2] = [0x4008_6602, 0x401c_5820];

/// Has the kernel refuse calls of all threads that there are and will be. `becomes`: the process is about to become another program.
pub(super) fn refuse(becomes: bool) -> Result<(), String> {
    let arch = std::env::consts::ARCH.try_into().map_err(|e: seccompiler::BackendError| e.to_string())?;
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let refused = filter(rules(becomes)?, refuse, arch)?;
    // The C library then makes threads by `clone`, whose flags can be looked at.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let unknown = filter(unknown, SeccompAction::Errno(libc::ENOSYS as u32), arch)?;
    for program in [refused, unknown, newer()] {
        seccompiler::apply_filter_all_threads(&program).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn filter(rules: Rules, then: SeccompAction, arch: TargetArch) -> Result<BpfProgram, String> {
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, then, arch).map_err(|e| e.to_string())?;
    filter.try_into().map_err(|e: seccompiler::BackendError| e.to_string())
}

/// A filter under which calls beyond [`NEWEST`] are unknown. The other filters look at the processor that a call is made for.
fn newer() -> BpfProgram {
    let of = |code: u32, (jt, jf), k| sock_filter { code: code as u16, jt, jf, k };
    let unknown = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    vec![
        // The number of the call is the first word of what a filter is given.
        of(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, (0, 0), 0),
        of(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, (0, 1), NEWEST),
        of(libc::BPF_RET | libc::BPF_K, (0, 0), unknown),
        of(libc::BPF_RET | libc::BPF_K, (0, 0), libc::SECCOMP_RET_ALLOW),
    ]
}

type Rules = BTreeMap<libc::c_long, Vec<SeccompRule>>;

/// A rule that holds where all of some comparisons of arguments with numbers do.
fn all(of: &[(u8, SeccompCmpArgLen, SeccompCmpOp, u64)]) -> Result<SeccompRule, String> {
    let conditions = of.iter().map(|(argument, length, op, value)| {
        SeccompCondition::new(*argument, length.clone(), op.clone(), *value).map_err(|e| e.to_string())
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?).map_err(|e| e.to_string())
}

/// A rule about the lower half of an argument.
fn half(argument: u8, op: SeccompCmpOp, value: u64) -> Result<SeccompRule, String> {
    all(&[(argument, SeccompCmpArgLen::Dword, op, value)])
}

fn rules(becomes: bool) -> Result<Rules, String> {
    let refused = REFUSED.iter().chain(OLDER).filter(|call| !(becomes && **call == libc::SYS_execve));
    let mut rules: Rules = refused.map(|call| (*call, Vec::new())).collect();
    let own = u64::from(std::process::id());
    // A copy of the process, in contrast to a thread.
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![half(0, SeccompCmpOp::MaskedEq(thread), 0)?]);
    // Memory that is shared counts for no limit: whatever this process shares was mapped before.
    let shared = libc::MAP_SHARED as u64;
    rules.insert(libc::SYS_mmap, vec![half(3, SeccompCmpOp::MaskedEq(shared), shared)?]);
    // Signals to itself alone.
    rules.insert(libc::SYS_kill, vec![half(0, SeccompCmpOp::Ne, own)?]);
    rules.insert(libc::SYS_tgkill, vec![half(0, SeccompCmpOp::Ne, own)?]);
    // Limits are read, its own alone, and stay as they are; processors of its own alone. 0 means itself.
    let not = |pid| (0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, pid);
    let others = || all(&[not(0), not(own)]);
    let sets = all(&[(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)])?;
    rules.insert(libc::SYS_prlimit64, vec![others()?, sets]);
    rules.insert(libc::SYS_sched_setaffinity, vec![others()?]);
    // It is to end with its host.
    rules.insert(libc::SYS_prctl, vec![half(0, SeccompCmpOp::Eq, libc::PR_SET_PDEATHSIG as u64)?]);
    rules.insert(libc::SYS_fcntl, equal(&COMMANDS)?);
    rules.insert(libc::SYS_ioctl, equal(&REQUESTS)?);
    Ok(rules)
}

/// Rules for a second argument that is one of some numbers.
fn equal(values: &[u64]) -> Result<Vec<SeccompRule>, String> {
    values.iter().map(|value| half(1, SeccompCmpOp::Eq, *value)).collect()
}
