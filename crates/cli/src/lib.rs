//! The command line of Spindrift. `docs/cli.md` describes every command.

#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod args;
mod commands;
mod config;
mod context;
mod doctor;
mod download;
mod error;
mod examples;
mod exit;
mod globals;
mod groups;
mod http;
mod import;
mod job;
mod names;
mod output;
mod paths;
mod project;
mod publish;
mod receipt;
mod refusal;
mod releases;
mod run;
mod secret;
mod self_update;
mod service;
mod stop;
mod trust;
mod unknown;

pub use run::{command, main_from_args};
