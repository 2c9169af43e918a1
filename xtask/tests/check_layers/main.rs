//! `check-layers` on small workspaces. Each one breaks a single rule.
#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world fails")]

mod circles;
mod packages;
mod world;
