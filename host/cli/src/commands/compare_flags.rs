//! Flags of a comparison that ask for more than errors.

use crate::cli::CompareArgs;
use vinci_compare::measures::Reference;
use vinci_compare::protocols::{Localised, Looks, Protocols, SameState};
use vinci_compare::types::Restart;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Measures that the flags ask for.
///
/// # Errors
/// A leading run that is none.
pub(super) fn of_flags(args: &CompareArgs) -> Result<Protocols, Diagnostics> {
    let lead = |text: &str| match text {
        "" => Ok(None),
        text => match Reference::parse(text) {
            Ok(Reference::Run(values)) => Ok(Some(values)),
            _ => {
                let message = format!("`--same-state={text}` names no run");
                let help = "write values of one run, for example --same-state=solver=lemke,step=0.001";
                Err(Diagnostics::from(Diagnostic::error(Code::Usage, message).help(help)))
            }
        },
    };
    let of = |text: &str| Ok::<_, Diagnostics>(SameState { lead: lead(text)?, every: None });
    let window = |window: f64| Localised { window, restart: Restart::Models };
    Ok(Protocols {
        same_state: args.same_state.as_deref().map(of).transpose()?,
        localised: args.localised.map(window),
        indeterminacy: args.indeterminacy.map(Looks::Count),
    })
}
