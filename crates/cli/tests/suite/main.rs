//! Runs the built program against a running service.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod accounts;
mod action;
mod app;
mod architectures;
mod audit;
mod block_maps;
mod counter;
mod cut_off;
mod doctor;
mod documentation;
mod failures;
mod feeds;
mod freeze;
mod group;
mod import;
mod interrupted;
mod jobs;
mod local;
mod names;
mod patches;
mod project;
mod publish;
mod receipt;
mod reference;
mod release;
mod resume;
mod rollout;
mod self_update;
mod server;
mod shell;
mod shutoff;
mod trust;
mod webhook;
mod workflows;
mod zsync;
