//! Surroundings that all plugins of a process share: the working directory and the standard streams.

use std::io;
use std::path::PathBuf;

/// The standard output for this program alone: what plugins print goes to the error stream from here on.
///
/// # Errors
/// Of the system.
#[cfg(unix)]
pub fn own_stdout() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(output.into())
}

/// The standard output. What plugins print goes there too.
///
/// # Errors
/// Of the system.
#[cfg(windows)]
pub fn own_stdout() -> io::Result<std::fs::File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
}

/// The working directory and the standard streams as they were at one moment.
#[derive(Debug)]
pub struct Surroundings {
    directory: Option<PathBuf>,
    streams: Vec<Stream>,
}

impl Surroundings {
    /// Surroundings as they are now.
    pub fn now() -> Self {
        Self { directory: std::env::current_dir().ok(), streams: streams() }
    }

    /// Puts back what has changed since; what that was, in words.
    pub fn restore(&self) -> Option<String> {
        let mut changed = Vec::new();
        if let Some(directory) = &self.directory
            && std::env::current_dir().ok().as_ref() != Some(directory)
        {
            let put_back = std::env::set_current_dir(directory);
            changed.push(told("the working directory", put_back));
        }
        changed.extend(self.streams.iter().filter_map(Stream::restore));
        (!changed.is_empty()).then(|| {
            format!(
                "while plugins ran somebody changed {}; a plugin must leave them alone",
                changed.join(" and ")
            )
        })
    }
}

fn told(what: &str, put_back: io::Result<()>) -> String {
    match put_back {
        Ok(()) => format!("{what} (it was put back)"),
        Err(error) => format!("{what} (it cannot be put back: {error})"),
    }
}

#[cfg(unix)]
use unix::{Stream, streams};

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd};

    /// A standard stream.
    #[derive(Debug)]
    pub(super) struct Stream {
        name: &'static str,
        number: usize,
        /// A second name of what it was.
        kept: File,
    }

    pub(super) fn streams() -> Vec<Stream> {
        let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
        let all = [
            ("standard input", stdin.as_fd()),
            ("standard output", stdout.as_fd()),
            ("the error stream", stderr.as_fd()),
        ];
        let keep = |(number, (name, fd)): (usize, (&'static str, BorrowedFd<'_>))| {
            // A stream that was closed before we began is nobody's.
            Some(Stream { name, number, kept: File::from(fd.try_clone_to_owned().ok()?) })
        };
        all.into_iter().enumerate().filter_map(keep).collect()
    }

    /// Identity of an open file; none where it is closed.
    fn identity(file: BorrowedFd<'_>) -> Option<impl PartialEq + use<>> {
        rustix::fs::fstat(file).map(|found| (found.st_dev, found.st_ino, found.st_rdev)).ok()
    }

    impl Stream {
        pub(super) fn restore(&self) -> Option<String> {
            // No descriptor is opened: there may be none left.
            let now = match self.number {
                0 => identity(io::stdin().as_fd()),
                1 => identity(io::stdout().as_fd()),
                _ => identity(io::stderr().as_fd()),
            };
            (now != identity(self.kept.as_fd())).then(|| super::told(self.name, self.put_back()))
        }

        fn put_back(&self) -> io::Result<()> {
            match self.number {
                0 => rustix::stdio::dup2_stdin(&self.kept)?,
                1 => rustix::stdio::dup2_stdout(&self.kept)?,
                _ => rustix::stdio::dup2_stderr(&self.kept)?,
            }
            Ok(())
        }
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
struct Stream;

#[cfg(not(unix))]
fn streams() -> Vec<Stream> {
    Vec::new()
}

#[cfg(not(unix))]
impl Stream {
    fn restore(&self) -> Option<String> {
        None
    }
}
