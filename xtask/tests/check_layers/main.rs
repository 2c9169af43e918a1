//! `check-layers` on small workspaces, each with one rule broken.
#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world fails")]

mod circles;
mod packages;
mod world;
