//! Damaged input: whatever stands in a scene, an experiment, a sweep, a robot model, a mesh, a problem, a comparison, a recorded motion or
//! the plan of a sweep's directory, the program ends by itself
//! with one of its exit codes, in 20 s of the processor and 2 GB.
//!
//! A short campaign runs with the other tests; `VINCI_MUTATIONS=5000 cargo test -p vinci-tests --test program mutations` runs a long
//! one. Input number k is the same on every machine.

mod corpus;
mod damage;
mod handed;
mod judge;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use corpus::{Corpus, Workshop};

/// Inputs of the short campaign: some for every kind.
const SHORT: u64 = 120;
/// Programs at once.
const WORKERS: usize = 2;

#[test]
fn damaged_input_never_breaks_the_program() {
    let asked = std::env::var("VINCI_MUTATIONS").ok();
    let count = asked.map_or(SHORT, |n| n.parse().expect("VINCI_MUTATIONS is a number of inputs"));
    let corpus = Corpus::shipped();
    let next = AtomicU64::new(0);
    let (faults, codes) = (Mutex::new(Vec::new()), Mutex::new(std::collections::BTreeMap::new()));
    let longest = Mutex::new((Duration::ZERO, 0));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let workshop = Workshop::new(&corpus);
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= count {
                        return;
                    }
                    match judge::judge(&workshop, &corpus, k) {
                        Ok(ended) => {
                            *codes.lock().unwrap().entry(ended.code).or_insert(0) += 1;
                            let mut longest = longest.lock().unwrap();
                            *longest = (*longest).max((ended.took, k));
                        }
                        Err(fault) => faults.lock().unwrap().push(fault),
                    }
                }
            });
        }
    });
    let (mut faults, codes) = (faults.into_inner().unwrap(), codes.into_inner().unwrap());
    faults.sort();
    let (took, k) = longest.into_inner().unwrap();
    eprintln!("{count} inputs, exit codes and how often: {codes:?}; the longest took {took:.1?} (input {k})");
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    // A campaign in which everything was refused at the door would show nothing.
    assert!(codes.get(&0).is_some_and(|n| *n > count / 20), "almost nothing was accepted: {codes:?}");
    assert!(codes.get(&3).is_some_and(|n| *n > count / 20), "almost nothing was refused: {codes:?}");
}
