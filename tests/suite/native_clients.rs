//! Native updaters themselves, given nothing but a base address: they check, download and verify published releases.

mod electron;
mod sparkle;
mod squirrel_mac;
mod squirrel_windows;
mod tauri;
mod velopack;

use std::io::Read as _;

use serde_json::json;
use spindrift_tests::{Account, Noise, World};

use crate::feeds::{acme, link, path};

/// The place in a program that its version overwrites, so that most of it stays the same.
const CHANGED_AT: usize = 150_000;

/// The base address of an app of this version.
fn base(world: &World, platform: &str, version: &str) -> String {
    format!("{}{}", world.url(), path(platform, version, ""))
}

/// A program that does not compress and differs from other versions in a few bytes.
fn program(version: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = Noise::new(0x5eed, 300_000).read_to_end(&mut bytes).unwrap();
    bytes[CHANGED_AT..][..version.len()].copy_from_slice(version.as_bytes());
    bytes
}

/// Rolls a release out to this many percent.
fn roll_out(acme: &Account, release: &str, percent: u8) {
    let _ = acme.edit(release, json!({ "rollout": percent })).expect(200);
}

/// The identifier of the `n`th of so many installations. Their last four bytes, the lowest first, are in the middle of
/// as many equal parts of the range of four bytes, so that rounding moves none over the edge of a part.
fn installation(n: u32, of: u32) -> String {
    let place = (u32::MAX / (2 * of) * (2 * n + 1)).swap_bytes();
    format!("4d6d9ac0-0000-4000-8000-0000{place:08x}")
}
