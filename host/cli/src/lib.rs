//! The program `vinci`: its command line ([`cli`]) and what each command does ([`commands`]).

pub mod cli;
pub mod commands;

#[cfg(test)]
mod tests;
