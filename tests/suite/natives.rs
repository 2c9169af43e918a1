//! Releases for native updaters, each on a platform of its own.

use spindrift_tests::{
    Account, Release, World, electron, sparkle, squirrel, tauri, tauri_signature, velopack,
};

/// A native updater.
pub(crate) struct Native {
    /// The platform, which has no other updater.
    pub(crate) platform: &'static str,
    updater: &'static str,
    /// The feed that its clients ask for.
    pub(crate) file: &'static str,
    make: fn(&str) -> Release,
}

impl Native {
    /// The base address of a copy with this version.
    pub(crate) fn folder(&self, version: &str) -> String {
        format!("/update/acme/notes/stable/{}/amd64/{version}", self.platform)
    }
}

pub(crate) const NATIVES: [Native; 5] = [
    Native {
        platform: "squirrel",
        updater: "squirrel_windows",
        file: "RELEASES",
        make: |version| squirrel(version, &[]),
    },
    Native {
        platform: "velopack",
        updater: "velopack",
        file: "releases.stable.json",
        make: |version| velopack(version, &[]),
    },
    Native {
        platform: "electron",
        updater: "electron-builder",
        file: "latest.yml",
        make: |version| electron(version, "latest.yml", &["notes.exe"]),
    },
    Native { platform: "sparkle", updater: "sparkle", file: "appcast.xml", make: sparkle },
    Native {
        platform: "tauri",
        updater: "tauri",
        file: "tauri.json",
        make: |version| tauri(version, "notes.AppImage").with("signature", tauri_signature(None)),
    },
];

/// The admin `acme`, whose application `notes` has two releases for everybody on each platform: `1.{place}.0` and
/// `2.{place}.0`. Also the ids of the second ones.
pub(crate) fn publish(world: &World) -> (Account, Vec<String>) {
    publish_in(world, "stable")
}

/// The same, but the second ones are in `channel`.
pub(crate) fn publish_in(world: &World, channel: &str) -> (Account, Vec<String>) {
    let acme = world.admin("acme");
    acme.create_app("notes");
    acme.create_channel("stable");
    if channel != "stable" {
        acme.create_channel(channel);
    }
    acme.create_arch("amd64");
    let publish = |(place, native): (usize, &Native)| {
        acme.create_platform_with(native.platform, &[native.updater]);
        let publish = |major: u8, channel: &str| {
            let release = (native.make)(&format!("{major}.{place}.0"));
            acme.publish(release.with("platform", native.platform).with("channel", channel))
        };
        publish(1, "stable");
        publish(2, channel)
    };
    let newest = NATIVES.iter().enumerate().map(publish).collect();
    (acme, newest)
}
