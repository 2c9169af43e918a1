//! `publish --rebuild-block-maps`, compared with electron-builder's own block maps and
//! electron-updater. Without Node these tests are skipped.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::Value;
use spindrift_tests::native_clients::electron::{
    ElectronApp, ElectronRelease, Platform, client, release_tools,
};
use spindrift_tests::{Driver, World, on_hosts, sha512_base64};

use crate::shell::{Finished, Shell};

on_hosts! {
    every: [
        an_installer_that_is_signed_afterwards,
    ],
}

/// A 300 kB installer that differs little between versions.
fn installer(version: &str) -> Vec<u8> {
    let mut state = 1_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    let mut bytes: Vec<u8> = std::iter::repeat_with(next).take(300_000).collect();
    bytes.splice(100_000..100_000, version.bytes());
    bytes
}

fn name(version: &str) -> String {
    format!("Notes Setup {version}.exe")
}

fn block_map(packed: &[u8]) -> Value {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn an_installer_that_is_signed_afterwards(driver: Driver) {
    let (Some(client), Some(tools)) = (client(), release_tools()) else { return };
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.ok(&["platform", "create", "windows", "--updater", "electron-builder"]);
    let built = |version: &str, bytes: &[u8]| {
        ElectronRelease::new(Platform::Nsis, version)
            .with_package(&name(version), Some("x64"), bytes)
            .build(tools)
    };
    let publish = |release: &ElectronRelease, version: &str, more: &[&str]| -> Finished {
        let files = release.path("*");
        let place = ["--app", "notes", "--channel", "stable", "--platform", "windows", "--arch", "amd64"];
        let rest = ["--updater", "electron-builder", "--publish", files.to_str().unwrap()];
        shell.run(&[&["publish", "--version", version][..], &place, &rest, more].concat())
    };
    let first = built("1.0.0", &installer("1.0.0"));
    assert_eq!(publish(&first, "1.0.0", &[]).code, Some(0), "block maps that are right need nothing");

    let second = built("1.1.0", &installer("1.1.0"));
    let path = second.path(&name("1.1.0"));
    let signed = [installer("1.1.0"), b"a signature".repeat(100)].concat();
    std::fs::write(&path, &signed).unwrap();
    let refused = publish(&second, "1.1.0", &[]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("does not describe Notes Setup 1.1.0.exe"), "{refused:?}");
    let done = publish(&second, "1.1.0", &["--rebuild-block-maps"]);
    assert_eq!(done.code, Some(0), "{done:?}");

    let base = format!("{}/update/ada/notes/stable/windows/amd64/1.0.0/", world.url());
    let app = ElectronApp::new(&base, Platform::Nsis, "x64", "1.0.0");
    let updating = ElectronApp { installed: Some(first.path(&name("1.0.0"))), ..app };
    let checked = updating.check(client).unwrap();
    assert_eq!(checked.downloaded.as_ref().unwrap().sha512, sha512_base64(&signed));
    let received: u64 = checked.requests.iter().map(|request| request.received).sum();
    assert!(received < 100_000, "{received} bytes: {:?}", checked.log);

    // The command has produced the same bytes as electron-builder.
    let map = format!("{}.blockmap", name("1.1.0"));
    let list = shell.ok(&["releases", "--json"]).json();
    let artifacts = list["items"][0]["Artifacts"].as_array().unwrap();
    let link = artifacts.iter().find(|artifact| artifact["package"] == "blockmap").unwrap()["link"].clone();
    let published = spindrift_tests::Client::new("").get(link.as_str().unwrap()).send().expect(200).body;
    let by_its_tool = built("1.1.0", &signed);
    let expected = std::fs::read(by_its_tool.path(&map)).unwrap();
    assert_eq!(block_map(&published), block_map(&expected));
    let yml = std::fs::read_to_string(by_its_tool.path("latest.yml")).unwrap();
    assert!(yml.contains(&checked.files[0].sha512), "{yml}");
    assert_eq!(std::fs::read(&path).unwrap(), signed, "nothing in the folder is changed");
}
