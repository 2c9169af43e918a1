//! The commands, one module for each noun.

pub(crate) mod account;
pub(crate) mod app;
pub(crate) mod arch;
pub(crate) mod audit;
pub(crate) mod catalog;
pub(crate) mod channel;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod download_token;
pub(crate) mod explain;
pub(crate) mod force;
pub(crate) mod guard;
pub(crate) mod latest;
pub(crate) mod platform;
pub(crate) mod release;
pub(crate) mod releases;
pub(crate) mod reports;
pub(crate) mod rollout;
mod scope;
pub(crate) mod shutoff;
pub(crate) mod telemetry;
pub(crate) mod token;
pub(crate) mod unnamed;
pub(crate) mod user;
pub(crate) mod values;
pub(crate) mod webhook;
pub(crate) mod yank;
