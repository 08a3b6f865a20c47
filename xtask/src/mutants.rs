//! Mutants: small faults put into a copy of the tree, one at a time; tests that are named beside each must fail.
//!
//! `tests/mutants/*.toml` has the list, its README the form. Nothing is changed in the tree itself: the copy, and what is built of it,
//! lie in `target/mutants`.

mod list;
mod scratch;

use list::Mutant;
use scratch::{Outcome, Scratch};

/// Fate of one mutant.
enum Fate {
    /// A test failed, or did not end in time: its name.
    Killed(String),
    /// All its tests passed.
    Survived,
    /// The text to be replaced does not stand exactly once in the file, or the replacement does not build.
    Useless(String),
}

/// Runs the mutants whose name or file contains one of `words` (all if there are none).
pub(crate) fn run(words: &[String]) -> Result<(), String> {
    let mut wanted = list::read()?;
    wanted.retain(|m| words.is_empty() || words.iter().any(|w| m.name.contains(w) || m.file.contains(w)));
    if wanted.is_empty() {
        return Err(format!("no mutant's name or file contains {}", words.join(" or ")));
    }
    let scratch = Scratch::new()?;
    sound(&scratch, &wanted)?;
    let (mut killed, mut lost) = (0, Vec::new());
    for (number, mutant) in wanted.iter().enumerate() {
        let fate = try_one(&scratch, mutant)?;
        let at = format!("{:>3}/{}", number + 1, wanted.len());
        match &fate {
            Fate::Killed(by) => eprintln!("{at} killed    {} (by {by})", mutant.name),
            Fate::Survived => eprintln!("{at} SURVIVED  {} in {}", mutant.name, mutant.file),
            Fate::Useless(why) => eprintln!("{at} USELESS   {} in {}: {why}", mutant.name, mutant.file),
        }
        match fate {
            Fate::Killed(_) => killed += 1,
            Fate::Survived | Fate::Useless(_) => lost.push(mutant.name.as_str()),
        }
    }
    eprintln!("{killed} of {} mutants killed", wanted.len());
    if lost.is_empty() { Ok(()) } else { Err(format!("not killed: {}", lost.join("; "))) }
}

/// All named tests must pass on the tree as it is, or their failing would prove nothing.
fn sound(scratch: &Scratch, wanted: &[Mutant]) -> Result<(), String> {
    let mut seen: Vec<(&[String], &[String])> = Vec::new();
    for mutant in wanted {
        let tests = (&mutant.test[..], &mutant.only[..]);
        if seen.contains(&tests) {
            continue;
        }
        seen.push(tests);
        match scratch.test(mutant)? {
            Outcome::Passed(0) => {
                return Err(format!("no test at all: {} {}", mutant.test.join(" "), mutant.only.join(" ")));
            }
            Outcome::Passed(_) => {}
            Outcome::Failed(by) => return Err(format!("{by} fails without any mutant")),
            Outcome::NotBuilt(why) => return Err(format!("the tests do not build: {why}")),
        }
    }
    Ok(())
}

fn try_one(scratch: &Scratch, mutant: &Mutant) -> Result<Fate, String> {
    let original = scratch.read(&mutant.file)?;
    let places = original.matches(mutant.from.as_str()).count();
    if places != 1 {
        return Ok(Fate::Useless(format!("does not apply: its text stands there {places} times")));
    }
    if mutant.from == mutant.to {
        return Ok(Fate::Useless("changes nothing".into()));
    }
    scratch.write(&mutant.file, &original.replacen(&mutant.from, &mutant.to, 1))?;
    let outcome = scratch.test(mutant);
    scratch.write(&mutant.file, &original)?;
    Ok(match outcome? {
        Outcome::Passed(_) => Fate::Survived,
        Outcome::Failed(by) => Fate::Killed(by),
        Outcome::NotBuilt(why) => Fate::Useless(format!("does not build: {why}")),
    })
}
