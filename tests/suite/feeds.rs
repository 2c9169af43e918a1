//! The feeds of native updaters: `/update/...`, `/velopack/...`, and their forms of `/checkVersion`.

mod architectures;
mod atomic;
mod electron;
mod includes;
mod kept;
mod nightly;
mod refused;
mod shared;
mod sparkle;
mod squirrel_mac;
mod squirrel_windows;
mod tauri;
mod velopack;

use spindrift_tests::{Account, Answer, Client, PUBLIC_BUCKET, Release, World};

/// An owner with `notes` on `stable` and `beta`, with the platforms of every updater.
pub(crate) fn acme(world: &World) -> Account {
    let acme = world.admin("acme");
    acme.create_app("notes");
    acme.create_channel("stable");
    acme.create_channel("beta");
    acme.create_platform_with("windows", &["manual", "squirrel_windows", "velopack", "electron-builder"]);
    acme.create_platform_with("darwin", &["squirrel_darwin", "electron-builder", "sparkle", "tauri"]);
    acme.create_platform_with("linux", &["manual", "electron-builder", "tauri"]);
    acme.create_arch("amd64");
    acme.create_arch("arm64");
    acme
}

/// The answer to a client of a version below its base address.
fn ask(world: &World, platform: &str, version: &str, file: &str) -> Answer {
    world.get(&path(platform, version, file)).send()
}

pub(crate) fn path(platform: &str, version: &str, file: &str) -> String {
    format!("/update/acme/notes/stable/{platform}/amd64/{version}/{file}")
}

/// The answer at an absolute address.
fn fetch(url: &str) -> Answer {
    Client::new("").get(url).send()
}

/// The text of a feed that is there.
fn text(world: &World, platform: &str, version: &str, file: &str) -> String {
    ask(world, platform, version, file).expect(200).text()
}

/// The address of a file of an updater that keeps names.
pub(crate) fn link(world: &World, updater: &str, platform: &str, version: &str, file: &str) -> String {
    let store = world.store().url();
    format!("{store}/{PUBLIC_BUCKET}/{updater}/acme/notes/{version}/stable/{platform}/amd64/{file}")
}

/// A release held at a percentage that lets the device in, or not.
fn is_in(acme: &Account, version: &str, device: &str) -> bool {
    let answer = acme.check_as(device, "0.0.1");
    answer["version"] == version
}

/// The publisher's release with one file of the updater `manual` beside those of another updater.
fn manual(version: &str, platform: &str) -> Release {
    Release::new(version).with("platform", platform).with("updater", "manual")
}
