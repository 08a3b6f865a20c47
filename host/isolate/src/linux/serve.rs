//! The worker: it answers its host until that sees it off.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use vinci_abi::load::{LoadError, LoadedPlugin, load_if};
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::stage::Oracle;

use super::held::Held;
use super::line::{Line, Side, Silence};
use super::order::{Description, LibraryFile, Order, Refusal, code, pack, unpack};
use super::region::Region;
use super::sandbox;
use super::words::{Flat, Reader};

/// Answers the process `host` over the memory that is the standard input, until it is seen off or the host is gone.
///
/// # Errors
/// The standard input is no memory that is shared with a host.
pub fn serve(host: u32) -> io::Result<()> {
    sandbox::die_with(host)?;
    let region = Region::of(io::stdin())?;
    sandbox::leave_input()?;
    let server = Server {
        host,
        line: Line::new(region, Side::Worker),
        held: RefCell::default(),
        libraries: RefCell::default(),
    };
    let (mut question, mut answer) = (Vec::new(), Vec::new());
    while server.next(&mut question) {
        let goes_on = server.reply(&question, &mut answer);
        if !server.hand_over(&answer) || !goes_on {
            break;
        }
    }
    Ok(())
}

/// The side of the worker.
struct Server {
    host: u32,
    line: Line,
    held: RefCell<BTreeMap<u64, Rc<RefCell<Held>>>>,
    /// Libraries by digest.
    libraries: RefCell<BTreeMap<String, LoadedPlugin>>,
}

impl Server {
    /// Waits for the next message; false where the host is gone.
    fn next(&self, into: &mut Vec<u64>) -> bool {
        let heard: Result<(), Silence<()>> = self.line.receive(into, || sandbox::is_child_of(self.host));
        heard.is_ok()
    }

    /// Hands an answer over, or why there is none; false where not even that can be.
    fn hand_over(&self, answer: &[u64]) -> bool {
        let Err(bytes) = self.line.send(answer) else { return true };
        let error =
            StageError::new(ErrorKind::Fault, format!("answered {bytes} bytes, more than can be taken"));
        let mut refusal = Vec::new();
        pack(code::REFUSED, &Refusal::from(&error), &mut refusal).is_ok() && self.line.send(&refusal).is_ok()
    }

    /// The answer to a message; false if it was the last one.
    fn reply(&self, question: &[u64], answer: &mut Vec<u64>) -> bool {
        answer.clear();
        answer.push(code::DONE);
        let done = match question.split_first() {
            Some((&code::ORDER, order)) => self.order(order, answer),
            Some((&code, rest)) => self.question(code, rest, answer).map(|()| true),
            None => Err(StageError::bad_input("an empty message")),
        };
        done.unwrap_or_else(|error| {
            // What cannot be packed is text of this program.
            let _ = pack(code::REFUSED, &Refusal::from(&error), answer);
            true
        })
    }

    fn question(&self, code: u64, rest: &[u64], answer: &mut Vec<u64>) -> Result<(), StageError> {
        let mut rest = Reader::new(rest);
        let held = self.instance(u64::read(&mut rest)?)?;
        if code == code::EVALUATE {
            return held.try_borrow().map_err(|_| busy())?.evaluate(rest, answer);
        }
        held.try_borrow_mut().map_err(|_| busy())?.answer(code, rest, self, answer)
    }

    fn instance(&self, number: u64) -> Result<Rc<RefCell<Held>>, StageError> {
        let missing = || StageError::bad_input(format!("there is no instance {number}"));
        self.held.borrow().get(&number).cloned().ok_or_else(missing)
    }

    /// Carries an order out; false if it was the last one.
    fn order(&self, words: &[u64], answer: &mut Vec<u64>) -> Result<bool, StageError> {
        let order = unpack(words)?;
        let goes_on = order != Order::Bye;
        match order {
            Order::Begin { limits, readable } => {
                let readable: Vec<PathBuf> = readable.into_iter().map(PathBuf::from).collect();
                pack(code::DONE, &sandbox::confine(limits, &readable), answer)
            }
            Order::Describe(file) => pack(code::DONE, &self.description(file)?, answer),
            Order::Create { library, role, options, system, instance } => {
                let plugin = self.library(library)?;
                let made = system.shown(|system| Held::create(&plugin, role, &options, system))??;
                self.held.borrow_mut().insert(instance, Rc::new(RefCell::new(made)));
                pack(code::DONE, &(), answer)
            }
            Order::Save(number) => pack(code::DONE, &self.asked(number, Held::saved)?, answer),
            Order::Load(number, bytes) => {
                pack(code::DONE, &self.asked(number, |held| held.load(&bytes))?, answer)
            }
            Order::Extension(number, id, input) => {
                let output = |held: &mut Held| held.extension(&id, &input).map(<[u8]>::to_vec);
                pack(code::DONE, &self.asked(number, output)?, answer)
            }
            Order::Destroy(number) => {
                let held = self.held.borrow_mut().remove(&number);
                // An instance that is in a call is dropped when that call returns.
                held.and_then(Rc::into_inner).map_or(Ok(()), |held| held.into_inner().end())?;
                pack(code::DONE, &(), answer)
            }
            Order::Bye => pack(code::DONE, &(), answer),
        }?;
        Ok(goes_on)
    }

    /// An answer of an instance that is in no call.
    fn asked<T>(
        &self,
        number: u64,
        question: impl FnOnce(&mut Held) -> Result<T, StageError>,
    ) -> Result<T, StageError> {
        question(&mut *self.instance(number)?.try_borrow_mut().map_err(|_| busy())?)
    }

    fn library(&self, file: LibraryFile) -> Result<LoadedPlugin, StageError> {
        if let Some(known) = self.libraries.borrow().get(&file.digest) {
            return Ok(known.clone());
        }
        let plugin =
            loaded(&file).map_err(|refusal| StageError::new(ErrorKind::Other, refusal.to_string()))?;
        self.libraries.borrow_mut().insert(file.digest, plugin.clone());
        Ok(plugin)
    }

    fn description(&self, file: LibraryFile) -> Result<Description, StageError> {
        let plugin = self.library(file)?;
        let manifests = serde_json::to_string(plugin.manifests());
        let manifests = manifests.map_err(|e| StageError::bad_input(e.to_string()))?;
        Ok(Description { manifests, warnings: plugin.warnings().to_vec() })
    }
}

fn busy() -> StageError {
    StageError::bad_input("the instance is in a call")
}

fn loaded(file: &LibraryFile) -> Result<LoadedPlugin, LoadError> {
    let path = PathBuf::from(file.path.clone());
    load_if(&path, |found| {
        if found == file.digest {
            return Ok(());
        }
        let (by, advice) = ("was found a moment before".to_owned(), "it is being written to".to_owned());
        Err(LoadError::Changed { path: path.clone(), found: found.to_owned(), by, advice })
    })
}

/// Functions of a problem that is being solved: the host evaluates them, and may ask something itself meanwhile.
impl Oracle for Server {
    fn call(&self, what: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        let mut message = vec![code::ASK, what.into(), output.len() as u64];
        input.write(&mut message);
        let gone = || StageError::new(ErrorKind::Other, "the host does not answer");
        self.line.send(&message).map_err(|_| gone())?;
        loop {
            if !self.next(&mut message) {
                return Err(gone());
            }
            match message.split_first() {
                Some((&code::RETURN, rest)) => {
                    let values: &[f64] = Reader::new(rest).last()?;
                    if values.len() != output.len() {
                        return Err(StageError::bad_input("a call back gave another number of numbers"));
                    }
                    output.copy_from_slice(values);
                    return Ok(());
                }
                Some((&code::RETURN_REFUSED, rest)) => return Err(unpack::<Refusal>(rest)?.into()),
                _ => {
                    let mut answer = Vec::new();
                    self.reply(&message, &mut answer);
                    self.hand_over(&answer);
                }
            }
        }
    }
}
