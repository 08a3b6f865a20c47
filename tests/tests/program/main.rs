//! The program and the pipeline as a user meets them: commands, files, messages, plugins that lie or break, runs that are stopped.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod adversarial;
mod archive;
mod automatic;
mod bad_plugins;
mod bundles;
mod classes;
mod columnar;
mod commands;
mod comparing;
mod cones;
mod determinism;
mod drawing;
mod embedding;
mod filming;
mod findings;
mod first_steps;
mod fitting;
mod followed;
mod giving_away;
mod interruptions;
mod islands;
mod isolation;
mod judging;
mod judging_trees;
mod liars;
mod live;
mod mutations;
mod options;
mod own_files;
mod parting;
mod paths;
mod planned;
mod plugins;
mod programs;
mod races;
mod regressions;
mod restarting;
mod same_physics;
mod scheduled_events;
mod searching;
mod strangers;
mod sweep;
mod view;
mod words;
