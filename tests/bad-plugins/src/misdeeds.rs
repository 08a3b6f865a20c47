//! Misdeeds of plugins: what is done wrong, and when.

use std::cell::Cell;

use vinci_sdk::prelude::*;
use vinci_sdk::tracing;

use crate::{escapes, hostile};

/// When to misbehave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "lowercase")]
#[schemars(crate = "vinci_sdk::schemars")]
pub(crate) enum At {
    /// Never.
    #[default]
    Never,
    /// While being made.
    Create,
    /// In detect.
    Detect,
    /// In formulate.
    Formulate,
    /// In update.
    Update,
    /// In solve.
    Solve,
    /// In control.
    Control,
    /// While saving.
    Save,
    /// While loading.
    Load,
    /// While being dropped.
    Drop,
}

/// How to misbehave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub(crate) enum Deed {
    /// Only talks about it.
    #[default]
    Log,
    /// Refuses, which is no misdeed.
    Refuse,
    /// Panics.
    Panic,
    /// Panics with a payload whose drop panics.
    Bomb,
    /// Flushes denormals to zero from now on.
    Flush,
    /// Returns NaN.
    Nan,
    /// Returns too few numbers.
    Short,
    /// Returns nonsense and claims success.
    Lie,
    /// Solves honestly, and as slowly as it likes.
    Dawdle,
    /// The same, and its answer is a little beside the point, within what the tolerance allows.
    Stray,
    /// Returns as many contacts as 16 kB hold, which are lawful.
    Many,
    /// Returns a contact of a shape that is not there.
    Stranger,
    /// Ends the process, successfully.
    Exit,
    /// Aborts the process.
    Abort,
    /// Writes where it must not.
    Crash,
    /// Never returns.
    Stall,
    /// Flushes denormals to zero from now on, and refuses.
    FlushAndRefuse,
    /// Ends the process, successfully, from a thread of its own.
    ExitThread,
    /// Ends the process, successfully, without anybody's leave.
    ExitNow,
    /// Makes a copy of the process, which goes on as the process does.
    Fork,
    /// Goes to another directory.
    Chdir,
    /// Moves the standard output elsewhere.
    Redirect,
    /// Writes into every file that the process has open.
    Scribble,
    /// Computes for ever.
    Spin,
    /// Calls itself for ever.
    Overflow,
    /// Takes memory for ever, and writes to it.
    Hog,
    /// Closes every file that the process has open.
    Close,
    /// Ends the process by a signal that nobody can catch.
    Kill,
    /// Executes what is no instruction.
    Illegal,
    /// Asks for a signal that ends the process without memory of it.
    Terminate,
    /// Prints a hundred megabytes on both streams.
    Chatter,
    /// Ignores all signals that can be ignored, and never returns.
    Deaf,
    /// Starts threads that never end.
    Threads,
    /// Ends the process that started this one.
    KillParent,
    /// Opens a connection.
    Connect,
    /// Starts another program.
    Execute,
    /// Reads a file of the system that is not its own.
    Read,
    /// Makes a file.
    Write,
    /// Stops dying with the process that started this one.
    Outlive,
    /// Lowers the limits of the process that started this one.
    Starve,
    /// Writes nonsense into the memory that it shares with other processes, from now on.
    ScribbleShared,
    /// Stops its process, as a debugger does.
    Stop,
    /// Has a clock end its process.
    Alarm,
    /// Prints what moves the cursor of a terminal, and aborts.
    Escape,
    /// Takes memory that processes share, which no limit counts.
    HogShared,
    /// Fills a file in memory.
    HogFile,
    /// Asks to be served before all other processes.
    Schedule,
    /// Sets the clock of the machine.
    Clock,
    /// Changes what may be done with files, by calls that are seldom.
    Permit,
    /// Raises its own limits.
    Unlimit,
    /// Has the system send signals to the process that started this one.
    Delegate,
    /// Takes memory that it gives up writing to, page by page.
    HogSealed,
    /// Takes memory that passes for a stack.
    HogStack,
    /// Logs a hundred thousand lines.
    Spam,
    /// Refuses with words that look like lines of the program.
    Forge,
    /// Calls back for ever.
    Storm,
    /// Returns an array that is longer than memory.
    Huge,
    /// Returns an array at an address where nothing is.
    Nowhere,
}

/// Options.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub(crate) struct Config {
    /// When.
    pub(crate) at: At,
    /// How.
    #[serde(rename = "do")]
    pub(crate) deed: Deed,
    /// How many times it behaves first.
    pub(crate) after: u32,
    /// How many times that has been.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) behaved: Cell<u32>,
}

impl Config {
    /// Returns true if it is time to misbehave.
    fn is_due(&self, now: At) -> bool {
        self.at == now && {
            self.behaved.set(self.behaved.get() + 1);
            self.behaved.get() > self.after
        }
    }
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("the payload's drop panics too");
    }
}

/// Misbehaves if it is time to; what consists in returning something wrong is left to the caller.
pub(crate) fn misbehave(config: &Config, now: At) -> Result<(), StageError> {
    if !config.is_due(now) {
        return Ok(());
    }
    match config.deed {
        Deed::Log => {
            tracing::info!(n = 3, "bad at {now:?}");
            tracing::trace!("not wanted by anybody");
        }
        Deed::Refuse => return Err(StageError::bad_input(format!("refused at {now:?}, as asked"))),
        Deed::Panic => panic!("asked to panic at {now:?}"),
        Deed::Bomb => std::panic::panic_any(Bomb),
        Deed::Flush => flush_denormals(),
        Deed::FlushAndRefuse => {
            flush_denormals();
            return Err(StageError::unsupported("refused with another rounding"));
        }
        Deed::ExitThread => drop(std::thread::spawn(|| std::process::exit(0)).join()),
        // SAFETY: ends the process, as broken plugins do.
        Deed::ExitNow => unsafe { libc::_exit(0) },
        // SAFETY: what a broken plugin does: both processes go on with what they share.
        Deed::Fork => drop(unsafe { libc::fork() }),
        Deed::Chdir => drop(std::env::set_current_dir("/")),
        Deed::Redirect => redirect(),
        Deed::Scribble => scribble(),
        Deed::Exit => std::process::exit(0),
        Deed::Abort => std::process::abort(),
        Deed::Crash => crash(),
        Deed::Stall => loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        },
        Deed::Dawdle
        | Deed::Stray
        | Deed::Storm
        | Deed::Nan
        | Deed::Short
        | Deed::Lie
        | Deed::Stranger
        | Deed::Many
        | Deed::Huge
        | Deed::Nowhere => {}
        Deed::Permit
        | Deed::Unlimit
        | Deed::Delegate
        | Deed::HogSealed
        | Deed::HogStack
        | Deed::Spam
        | Deed::Forge => return escapes::commit(config.deed),
        other => return hostile::commit(other),
    }
    Ok(())
}

#[allow(deprecated)]
fn flush_denormals() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: sets flush-to-zero and denormals-are-zero, which every x86-64 has.
    unsafe {
        std::arch::x86_64::_mm_setcsr(std::arch::x86_64::_mm_getcsr() | 0x8040);
    }
}

fn redirect() {
    if let Ok(file) = std::fs::File::create("/dev/null") {
        // SAFETY: two descriptors of this process; that the second is not its to move is the misdeed.
        unsafe { libc::dup2(std::os::fd::AsRawFd::as_raw_fd(&file), 1) };
    }
}

fn scribble() {
    let text = b"scribble";
    for descriptor in 3..64 {
        // SAFETY: reads a text of its own; that the descriptors are not its own is the misdeed.
        unsafe { libc::write(descriptor, text.as_ptr().cast(), text.len()) };
    }
}

fn crash() {
    let nowhere = std::ptr::without_provenance_mut::<u8>(std::hint::black_box(8));
    // SAFETY: none; this is what a broken plugin does, and only the tests of crash isolation ask for it.
    unsafe { nowhere.write_volatile(1) };
}

/// Runs while the library is being loaded, as the initialiser that `gcc -ffast-math -shared` links in.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the section holds pointers to functions that the loader of the system calls.
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;

extern "C" fn at_load() {
    if std::env::var_os("VINCI_BAD_FLUSH_AT_LOAD").is_some() {
        flush_denormals();
    }
}
