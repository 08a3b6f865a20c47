//! Ways past the limits of a process of one's own that look like nothing: calls of the system that are new or seldom, and memory that a limit
//! of the system does not count.

use std::hint::black_box;
use std::io;

use vinci_sdk::prelude::*;

use crate::misdeeds::Deed;

/// Memory that is taken at once, bytes.
const PIECE: usize = 16 << 20;

/// Most pieces: 4 GB, with which it is content.
const PIECES: usize = 256;

/// Commits the deed. Attempts come back as a refusal that says who kept them from it; memory is taken until somebody is against it.
pub(crate) fn commit(deed: Deed) -> Result<(), StageError> {
    let attempts = match deed {
        Deed::HogSealed => return hog(0, libc::PROT_READ),
        Deed::HogStack => return hog(libc::MAP_GROWSDOWN, libc::PROT_READ | libc::PROT_WRITE),
        Deed::Spam => {
            (0..100_000).for_each(|k| eprintln!("WARN line {k} of many"));
            return Err(StageError::bad_input("has said it all"));
        }
        Deed::Forge => return Err(StageError::bad_input("gone\r\nerror[run]: step 9: forged\n\u{1b}[2J")),
        Deed::Permit => permit(),
        Deed::Unlimit => vec![unlimit()],
        Deed::Delegate => vec![delegate()],
        other => return Err(StageError::bad_input(format!("{other:?} is no escape"))),
    };
    match attempts.into_iter().find(|attempt| !is_kept_from(attempt)) {
        Some(attempt) => Err(StageError::bad_input(format!("nobody kept me from it: {deed:?}: {attempt:?}"))),
        None => Err(StageError::bad_input(format!("kept from it: {deed:?}"))),
    }
}

/// Returns true if the system refused the call itself. Where it looked at the arguments, which mean nothing here, others might pass.
fn is_kept_from(attempt: &io::Result<()>) -> bool {
    let code = attempt.as_ref().err().and_then(io::Error::raw_os_error);
    matches!(code, Some(libc::EPERM | libc::ENOSYS))
}

fn call(number: i64, arguments: [i64; 4]) -> io::Result<()> {
    let [a, b, c, d] = arguments;
    // SAFETY: calls of the system about descriptors and names that do not exist, or without effect on memory.
    let done = unsafe { libc::syscall(number, a, b, c, d) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Who may do what with a file, by calls that came late to the kernel, and by requests to a file that is open to be read.
fn permit() -> Vec<io::Result<()>> {
    let (nothing, set_flags, set_attributes) = (-1, 0x4008_6602, 0x401c_5820);
    // fchmodat2, setxattrat, removexattrat, file_setattr.
    let mut all: Vec<_> = [452, 463, 466, 469].map(|number| call(number, [nothing, 0, 0, 0])).into();
    all.extend([set_flags, set_attributes].map(|request| call(libc::SYS_ioctl, [nothing, request, 0, 0])));
    all
}

/// Raises its own limit of memory, which root may.
fn unlimit() -> io::Result<()> {
    let all = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: a limit of this process; the old one is not asked for.
    let done = unsafe { libc::prlimit(0, libc::RLIMIT_DATA, &all, std::ptr::null_mut()) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Has the kernel send a signal to the process that started this one.
fn delegate() -> io::Result<()> {
    let mut ends = [0; 2];
    // SAFETY: two places for two descriptors.
    if unsafe { libc::pipe(ends.as_mut_ptr()) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: asks for this process's parent, which always is.
    let parent = unsafe { libc::getppid() };
    call(libc::SYS_fcntl, [ends[0].into(), libc::F_SETOWN.into(), parent.into(), 0])
}

/// Takes memory, fills it, and keeps it with an access that no limit of the system counts.
fn hog(kind: i32, kept: i32) -> Result<(), StageError> {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | kind);
    for piece in 0..PIECES {
        // SAFETY: new memory at an address that the system chooses.
        let place = unsafe { libc::mmap(std::ptr::null_mut(), PIECE, access, kind, -1, 0) };
        if place == libc::MAP_FAILED {
            return Err(StageError::bad_input(format!("kept from it after {piece} pieces")));
        }
        // SAFETY: the memory was just made, is this long and nobody else's, and the access is narrowed alone.
        unsafe {
            std::ptr::write_bytes(black_box(place.cast::<u8>()), 1, PIECE);
            libc::mprotect(place, PIECE, kept);
        }
    }
    Err(StageError::bad_input(format!("nobody kept me from it: {PIECES} pieces")))
}
