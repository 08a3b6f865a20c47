//! Messages through the standard input and output of a process. Both directions are watched at once, so that neither side can make the other
//! wait for ever.

use std::io::{ErrorKind, Read, Write};
use std::process::{ChildStdin, ChildStdout};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use vinci_abi::fault::Flaw;

use super::message::{Incoming, PREFIX, lengths};

/// Longest sleep without a look around, ns.
const NAP: i64 = 20_000_000;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// The host's ends of two pipes.
pub(crate) struct Pipe {
    to: ChildStdin,
    from: ChildStdout,
    /// Bytes of the answer so far.
    heard: Vec<u8>,
}

/// Reasons why no message came.
pub(crate) enum Silence {
    /// Something that can be no answer.
    Garbled(Flaw),
    /// The other side has closed its input or output.
    Closed,
    /// Whoever waits has seen a reason to stop.
    Broken(String),
}

impl Pipe {
    pub(crate) fn new(to: ChildStdin, from: ChildStdout) -> std::io::Result<Self> {
        fcntl_setfl(&to, fcntl_getfl(&to)? | OFlags::NONBLOCK)?;
        fcntl_setfl(&from, fcntl_getfl(&from)? | OFlags::NONBLOCK)?;
        Ok(Self { to, from, heard: Vec::new() })
    }

    /// Sends a message and waits for the answer. `look`: asked after every nap.
    pub(crate) fn exchange(
        &mut self,
        mut message: &[u8],
        mut look: impl FnMut() -> Result<(), String>,
    ) -> Result<Incoming, Silence> {
        self.heard.clear();
        loop {
            self.nap(!message.is_empty());
            let (rest, takes) = self.write(message);
            message = rest;
            let is_open = self.read()? && takes;
            if let Some(answer) = self.answer().map_err(Silence::Garbled)? {
                if message.is_empty() {
                    return Ok(answer);
                }
                return Err(Silence::Garbled(Flaw::output("an answer before the question was read".into())));
            }
            if !is_open {
                return Err(Silence::Closed);
            }
            look().map_err(Silence::Broken)?;
        }
    }

    /// Sleeps until there is something to read, or room to write, or for a while.
    fn nap(&self, writes: bool) {
        let wait = Timespec { tv_sec: 0, tv_nsec: NAP };
        let mut both = [PollFd::new(&self.from, PollFlags::IN), PollFd::new(&self.to, PollFlags::OUT)];
        let watched = if writes { &mut both[..] } else { &mut both[..1] };
        // Interrupted: whoever called looks.
        let _ = poll(watched, Some(&wait));
    }

    /// Writes as much as there is room for; the rest, and false where nobody will read it.
    fn write<'m>(&mut self, mut message: &'m [u8]) -> (&'m [u8], bool) {
        while !message.is_empty() {
            match self.to.write(message) {
                Ok(written) if written > 0 => message = &message[written..],
                Err(e) if e.kind() == ErrorKind::BrokenPipe => return (message, false),
                _ => break,
            }
        }
        (message, true)
    }

    /// Reads what is there, up to the end of an answer; false at the end of the output.
    fn read(&mut self) -> Result<bool, Silence> {
        loop {
            let wanted = self.wanted().map_err(Silence::Garbled)?;
            if wanted == 0 {
                return Ok(true);
            }
            let start = self.heard.len();
            self.heard.resize(start + wanted.min(CHUNK), 0);
            let read = self.from.read(&mut self.heard[start..]);
            self.heard.truncate(start + read.as_ref().copied().unwrap_or(0));
            match read {
                Ok(0) => return Ok(false),
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock || e.kind() == ErrorKind::Interrupted => {
                    return Ok(true);
                }
                Err(e) => return Err(Silence::Broken(format!("could not be read: {e}"))),
            }
        }
    }

    /// Lengths of head and body, once they are there.
    fn lengths(&self) -> Result<Option<(usize, usize)>, Flaw> {
        self.heard.first_chunk::<PREFIX>().map(|prefix| lengths(*prefix)).transpose()
    }

    /// Bytes that the answer lacks, as far as they are known.
    fn wanted(&self) -> Result<usize, Flaw> {
        let whole = self.lengths()?.map_or(PREFIX, |(head, body)| PREFIX + head + body);
        Ok(whole - self.heard.len())
    }

    /// The answer, once it is whole.
    fn answer(&self) -> Result<Option<Incoming>, Flaw> {
        match self.lengths()? {
            Some((head, body)) if self.heard.len() == PREFIX + head + body => {
                let (head, body) = self.heard[PREFIX..].split_at(head);
                Incoming::read(head, body).map(Some)
            }
            _ => Ok(None),
        }
    }
}
