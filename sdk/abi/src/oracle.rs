//! Functions called back across the contract: offered on one side, called on the other.

use std::ffi::c_void;
use std::sync::Arc;

use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::stage::Oracle;

use crate::codes::{self, OK, PANICKED, REFUSED};
use crate::float_env::FloatEnv;
use crate::panics::{catch, report};
use crate::raw::{ErrorText, OracleView, Slice, SliceMut};

/// Keeps the two words of a `&dyn Oracle` at an address that one word can name.
#[derive(Default)]
pub struct OracleSlot(Option<*const (dyn Oracle + 'static)>);

impl OracleSlot {
    /// The view of `oracle`; callable as long as the oracle lives and nothing else is offered here.
    pub fn offer(&mut self, oracle: &dyn Oracle) -> OracleView {
        // SAFETY: only the lifetime is forgotten, and a pointer has none; the documentation above is the promise that
        // `called_back` relies on.
        let oracle =
            unsafe { std::mem::transmute::<*const (dyn Oracle + '_), *const (dyn Oracle + 'static)>(oracle) };
        let ctx: *const _ = self.0.insert(oracle);
        OracleView { ctx: ctx.cast(), call: Some(called_back) }
    }
}

/// # Safety
/// `ctx` must come from [`OracleSlot::offer`] and the oracle must be alive.
unsafe extern "C" fn called_back(
    ctx: *const c_void,
    what: u32,
    input: Slice<f64>,
    output: SliceMut<f64>,
    error: *mut ErrorText,
) -> i32 {
    // SAFETY: the caller's promise; the slot holds a pointer to a live oracle.
    let oracle = unsafe { &**ctx.cast::<*const dyn Oracle>() };
    // SAFETY: arguments are readable and writable during the call.
    let (input, output) = unsafe { (input.get(), output.get()) };
    match catch(|| oracle.call(what, input, output)) {
        Ok(Ok(())) => OK,
        Ok(Err(refusal)) => {
            // SAFETY: the text is the caller's, here and below.
            unsafe { report(error, refusal.kind, &refusal.message) };
            REFUSED
        }
        Err(panic) => {
            unsafe { report(error, ErrorKind::Panicked, &panic) };
            PANICKED
        }
    }
}

/// An oracle of another library.
pub struct ForeignOracle {
    view: OracleView,
    owner: Arc<str>,
}

impl ForeignOracle {
    /// The oracle behind a view, unless the view has none. `owner` names it in messages; empty where they name it already.
    ///
    /// # Safety
    /// The function in `view` must be callable as long as the result lives.
    pub unsafe fn new(view: OracleView, owner: Arc<str>) -> Option<Self> {
        view.call.map(|_| Self { view, owner })
    }
}

impl Oracle for ForeignOracle {
    fn call(&self, what: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        let Some(function) = self.view.call else {
            return Err(StageError::unsupported(format!("{} offers nothing to call back", self.owner)));
        };
        let mut buffer = [0_u8; 512];
        let mut error = ErrorText::new(&mut buffer);
        let env = FloatEnv::now();
        // SAFETY: `new` was promised a callable function; the slices are borrowed for the call.
        let code = unsafe { function(self.view.ctx, what, input.into(), output.into(), &mut error) };
        if env.restore().is_some() {
            let message =
                format!("{}: changed the floating-point environment in call-back {what}", self.owner);
            return Err(StageError::new(ErrorKind::Fault, message));
        }
        if code == OK {
            return Ok(());
        }
        let (kind, len) = (codes::kind_from_code(error.kind), (error.len as usize).min(buffer.len()));
        let message = String::from_utf8_lossy(&buffer[..len]);
        let kind = if code == REFUSED { kind } else { ErrorKind::Panicked };
        // Towards the solver's side the host has named the owner already.
        let message = match &*self.owner {
            "" => message.into_owned(),
            owner => format!("{owner}: call-back {what} {message}"),
        };
        Err(StageError::new(kind, message))
    }
}
