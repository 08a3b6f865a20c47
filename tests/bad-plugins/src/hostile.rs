//! Misdeeds that no host survives in its own process, and attempts to get out of a process of one's own.

use std::hint::black_box;
use std::io::Write;
use std::time::Duration;

use vinci_sdk::prelude::*;

use crate::misdeeds::Deed;

/// Commits the deed. Attempts come back: as a refusal that begins with "kept from it" where the system said no.
pub(crate) fn commit(deed: Deed) -> Result<(), StageError> {
    match deed {
        Deed::Spin => loop {
            black_box(0);
        },
        Deed::Overflow => drop(black_box(deeper(0))),
        Deed::Hog => hog(),
        Deed::Close => (0..1024).for_each(|descriptor| {
            // SAFETY: none; closing what others own is the misdeed.
            unsafe { libc::close(descriptor) };
        }),
        Deed::Kill => signal(libc::SIGKILL),
        Deed::Terminate => signal(libc::SIGTERM),
        Deed::Illegal => signal(libc::SIGILL),
        Deed::Stop => signal(libc::SIGSTOP),
        Deed::Alarm => {
            // SAFETY: a clock of this very process.
            unsafe { libc::alarm(1) };
            sleep();
        }
        Deed::Escape => {
            let _ = std::io::stderr().write_all(b"\x1b]0;owned\x07\x1b[2J red\n");
            std::process::abort();
        }
        Deed::HogFile => return hog_file().map_err(|e| StageError::bad_input(format!("kept from it: {e}"))),
        Deed::Chatter => chatter(),
        Deed::Deaf => deaf(),
        Deed::Threads => (0..32).for_each(|_| drop(std::thread::spawn(sleep))),
        Deed::ScribbleShared => drop(std::thread::spawn(scribble_shared)),
        attempt => return attempted(attempt),
    }
    Ok(())
}

/// Attempts that a process of its own is kept from.
fn attempted(deed: Deed) -> Result<(), StageError> {
    let done = match deed {
        // SAFETY: an uncatchable signal to whoever started this process: the misdeed.
        Deed::KillParent => c(|| unsafe { libc::kill(libc::getppid(), libc::SIGKILL) }),
        Deed::Connect => std::net::TcpStream::connect("127.0.0.1:1").map(drop),
        Deed::HogShared => hog_shared(),
        // SAFETY: a class of the scheduler, for this process.
        Deed::Schedule => c(|| unsafe {
            libc::sched_setscheduler(0, libc::SCHED_FIFO, &libc::sched_param { sched_priority: 1 })
        }),
        Deed::Clock => {
            let then = libc::timespec { tv_sec: 1_000_000_000, tv_nsec: 0 };
            // SAFETY: the clock of the machine, which is the misdeed.
            c(|| unsafe { libc::clock_settime(libc::CLOCK_REALTIME, &then) })
        }
        Deed::Execute => std::process::Command::new("/bin/true").status().map(drop),
        Deed::Read => std::fs::read("/etc/passwd").map(drop),
        Deed::Write => std::fs::write(std::env::temp_dir().join("vinci-bad-plugin"), "x"),
        // SAFETY: a setting of this process.
        Deed::Outlive => c(|| unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, 0) }),
        Deed::Starve => {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: a limit of another process, which is the misdeed; the old one is not asked for.
            c(|| unsafe { libc::prlimit(libc::getppid(), libc::RLIMIT_FSIZE, &none, std::ptr::null_mut()) })
        }
        other => return Err(StageError::bad_input(format!("{other:?} is no deed"))),
    };
    match done {
        Ok(()) => Err(StageError::bad_input(format!("nobody kept me from it: {deed:?}"))),
        Err(e) => Err(StageError::bad_input(format!("kept from it: {deed:?}: {e}"))),
    }
}

/// A call of the C library that gives less than 0 where it fails.
fn c(call: impl FnOnce() -> i32) -> std::io::Result<()> {
    if call() < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

#[allow(unconditional_recursion)]
fn deeper(depth: u64) -> u64 {
    let here = black_box([depth; 512]);
    deeper(depth + 1) + here[0]
}

fn hog() {
    let mut all = Vec::new();
    loop {
        all.push(black_box(vec![1_u8; 16 << 20]));
    }
}

/// A mapping that is shared with nobody, but could be.
fn hog_shared() -> std::io::Result<()> {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: new memory at an address that the system chooses.
    let place = unsafe { libc::mmap(std::ptr::null_mut(), 1 << 30, access, kind, -1, 0) };
    if place == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

fn hog_file() -> std::io::Result<()> {
    // SAFETY: a refusal in the place of a signal of this process.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    // SAFETY: a new file without a place.
    let descriptor = unsafe { libc::memfd_create(c"hog".as_ptr(), 0) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor that nobody else owns.
    let mut file: std::fs::File = unsafe { std::os::fd::FromRawFd::from_raw_fd(descriptor) };
    (0..1024).try_for_each(|_| file.write_all(&[1; 1 << 20]))
}

fn signal(signal: i32) {
    // SAFETY: a signal to this very process.
    unsafe { libc::kill(libc::getpid(), signal) };
    sleep();
}

fn sleep() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn chatter() {
    let line = [b'x'; 1 << 10];
    for _ in 0..50_000 {
        // Whether anybody listens is no matter here.
        let _ = std::io::stdout().write_all(&line);
        let _ = std::io::stderr().write_all(&line);
    }
}

fn deaf() {
    for signal in 1..64 {
        // SAFETY: ignoring signals that are not its own is the misdeed.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    sleep();
}

/// Fills every shared mapping of the process with ones, again and again.
fn scribble_shared() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let shared = maps.lines().filter(|line| line.contains("rw-s") && line.contains("memfd"));
    let starts = shared.filter_map(|line| usize::from_str_radix(line.split('-').next()?, 16).ok());
    let starts: Vec<*mut u64> = starts.map(|start| start as *mut u64).collect();
    loop {
        for start in &starts {
            for word in 0..4096 {
                // SAFETY: none; writing to what others read is the misdeed.
                unsafe { start.add(word).write_volatile(u64::MAX) };
            }
        }
    }
}
