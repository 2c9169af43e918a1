//! Tests of the updater with releases as electron-builder publishes them. Without Node they are skipped.

use std::io::Read as _;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sha2::{Digest as _, Sha512};

use super::*;
use crate::Noise;
use crate::file_server::{Entry, FileServer};

/// Long enough for several blocks of 8 to 32 KiB.
static PROGRAM: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes = vec![0; 300_000];
    Noise::new(0x5eed, 300_000).read_exact(&mut bytes).unwrap();
    bytes
});
const INSTALLER: &str = "App Setup 1.1.0.exe";

fn sha512(bytes: &[u8]) -> String {
    STANDARD.encode(Sha512::digest(bytes))
}

/// The client and the release tools, if Node is available.
fn node() -> Option<(&'static ClientPackage, &'static ClientPackage)> {
    Some((client()?, release_tools()?))
}

fn served(releases: &[&ElectronRelease]) -> FileServer {
    let files = releases.iter().flat_map(|release| release.files());
    FileServer::start(
        files.map(|(name, bytes)| (format!("/{}", name.replace(' ', "%20")), Entry::File(bytes))),
    )
}

fn windows(version: &str, program: &[u8]) -> ElectronRelease {
    ElectronRelease::new(Platform::Nsis, version).with_package(
        &format!("App Setup {version}.exe"),
        Some("x64"),
        program,
    )
}

#[test]
fn an_installer_is_found_and_downloaded() {
    let Some((client, tools)) = node() else { return };
    let server = served(&[&windows("1.1.0", &PROGRAM).build(tools)]);
    let mut app = ElectronApp::new(&server.url(), Platform::Nsis, "x64", "1.0.0");
    app.staging_user_id = Some("11111111-2222-5333-8444-555555555555".to_owned());

    let checked = app.check(client).unwrap();

    assert!(checked.available);
    assert_eq!((checked.version.as_str(), checked.files[0].url.as_str()), ("1.1.0", INSTALLER));
    let downloaded = checked.downloaded.unwrap();
    assert_eq!((downloaded.size, downloaded.sha512), (300_000, sha512(&PROGRAM)));
    assert!(downloaded.path.ends_with(INSTALLER));
    let [feed, file] = &checked.requests[..] else { panic!("{:?}", checked.requests) };
    assert_eq!(feed.staging_id, app.staging_user_id);
    assert!(feed.url.starts_with(&format!("{}/latest.yml?noCache=", server.url())));
    assert_eq!(
        (file.url.clone(), file.received),
        (format!("{}/App%20Setup%201.1.0.exe", server.url()), 300_000)
    );
}

#[test]
fn only_a_newer_version_is_an_update() {
    let Some((client, tools)) = node() else { return };
    let server = served(&[&windows("1.1.0", b"1").build(tools)]);
    let mut app = ElectronApp::new(&server.url(), Platform::Nsis, "x64", "1.1.0");
    assert!(!app.check(client).unwrap().available);
    app.version = "1.2.0".to_owned();
    assert!(!app.check(client).unwrap().available);
    app.allow_downgrade = true;
    assert!(app.check(client).unwrap().downloaded.is_some());
    app.version = "1.1.0-beta.1".to_owned();
    app.download = false;
    let found = app.check(client).unwrap();
    assert!(found.available && found.downloaded.is_none() && found.requests.len() == 1);
}

#[test]
fn staging_is_by_the_id_of_the_installation() {
    let Some((client, tools)) = node() else { return };
    let server = served(&[&windows("1.1.0", b"1").with_info(json!({"stagingPercentage": 50})).build(tools)]);
    let mut app = ElectronApp::new(&server.url(), Platform::Nsis, "x64", "1.0.0");
    for (last, available) in [("00000000", true), ("ff000000", false), ("000000ff", true)] {
        app.staging_user_id = Some(format!("11111111-2222-5333-8444-5555{last}"));
        assert_eq!(app.check(client).unwrap().available, available, "{last}");
    }
}

#[test]
fn a_mac_takes_the_zip_file_of_its_processor() {
    let Some((client, tools)) = node() else { return };
    let release = ElectronRelease::new(Platform::Mac, "1.1.0")
        .with_package("App-1.1.0-mac.zip", Some("x64"), b"PK for x64")
        .with_package("App-1.1.0-arm64-mac.zip", Some("arm64"), b"PK for arm64")
        .build(tools);
    let server = served(&[&release]);
    for (arch, bytes) in [("x64", &b"PK for x64"[..]), ("arm64", b"PK for arm64")] {
        let checked = ElectronApp::new(&server.url(), Platform::Mac, arch, "1.0.0").check(client).unwrap();
        assert_eq!(checked.downloaded.unwrap().sha512, sha512(bytes));
        let handed_over = Digest { sha512: sha512(bytes), size: u64::try_from(bytes.len()).unwrap() };
        assert_eq!(checked.native, Some(handed_over));
    }
}

#[test]
fn linux_has_a_feed_for_each_processor_and_channel() {
    let Some((client, tools)) = node() else { return };
    let release = ElectronRelease::new(Platform::AppImage, "1.1.0")
        .with_channel("beta")
        .with_package("App-1.1.0.AppImage", Some("x64"), b"image")
        .with_package("app_1.1.0_amd64.deb", Some("x64"), b"deb")
        .with_package("App-1.1.0-arm64.AppImage", Some("arm64"), b"image for arm64")
        .build(tools);
    let server = served(&[&release]);
    for (platform, arch, name, feed) in [
        (Platform::AppImage, "x64", "App-1.1.0.AppImage", "beta-linux.yml"),
        (Platform::Deb, "x64", "app_1.1.0_amd64.deb", "beta-linux.yml"),
        (Platform::AppImage, "arm64", "App-1.1.0-arm64.AppImage", "beta-linux-arm64.yml"),
    ] {
        let mut app = ElectronApp::new(&server.url(), platform, arch, "1.0.0");
        app.channel = Some("beta".to_owned());
        let checked = app.check(client).unwrap();
        assert!(checked.requests[0].url.contains(&format!("/{feed}?")), "{:?}", checked.requests);
        let bytes = std::fs::read(release.path(name)).unwrap();
        assert_eq!(checked.downloaded.unwrap().sha512, sha512(&bytes));
        app.channel = None;
        let failed = app.check(client).unwrap_err();
        assert_eq!(failed.code.as_deref(), Some("ERR_UPDATER_CHANNEL_FILE_NOT_FOUND"));
    }
}

/// The old program, with a few bytes changed.
fn changed() -> Vec<u8> {
    let mut program = PROGRAM.clone();
    program[150_000..150_004].copy_from_slice(b"next");
    program
}

#[test]
fn only_differences_are_downloaded() {
    let Some((client, tools)) = node() else { return };
    let old = windows("1.0.0", &PROGRAM).build(tools);
    let new = windows("1.1.0", &changed()).build(tools);
    let files = served(&[&old, &new]);
    let mut app = ElectronApp::new(&files.url(), Platform::Nsis, "x64", "1.0.0");
    app.installed = Some(old.path("App Setup 1.0.0.exe"));

    let checked = app.check(client).unwrap();

    assert_eq!(checked.downloaded.unwrap().sha512, sha512(&changed()));
    let ranges: Vec<_> = checked.requests.iter().filter(|request| request.range.is_some()).collect();
    assert!(!ranges.is_empty() && ranges.iter().all(|request| request.status == 206), "{:?}", checked.log);
    let received: u64 = checked.requests.iter().map(|request| request.received).sum();
    assert!(received < 100_000, "{received}");
}

#[test]
fn an_app_image_brings_its_block_map_along() {
    let Some((client, tools)) = node() else { return };
    let image = |version: &str, bytes: &[u8]| {
        let name = format!("App-{version}.AppImage");
        ElectronRelease::new(Platform::AppImage, version).with_package(&name, Some("x64"), bytes).build(tools)
    };
    let (old, new) = (image("1.0.0", &PROGRAM), image("1.1.0", &changed()));
    let server = served(&[&new]);
    let mut app = ElectronApp::new(&server.url(), Platform::AppImage, "x64", "1.0.0");
    app.installed = Some(old.path("App-1.0.0.AppImage"));

    let checked = app.check(client).unwrap();

    let whole = std::fs::read(new.path("App-1.1.0.AppImage")).unwrap();
    assert_eq!(checked.downloaded.unwrap().sha512, sha512(&whole));
    assert!(checked.requests[1..].iter().all(|request| request.status == 206), "{:?}", checked.log);
}

#[test]
fn without_an_old_block_map_all_is_downloaded() {
    let Some((client, tools)) = node() else { return };
    let old = windows("1.0.0", &PROGRAM);
    let server = served(&[&windows("1.1.0", &changed()).build(tools)]);
    let mut app = ElectronApp::new(&server.url(), Platform::Nsis, "x64", "1.0.0");
    app.installed = Some(old.path("App Setup 1.0.0.exe"));
    let checked = app.check(client).unwrap();
    assert_eq!(checked.downloaded.unwrap().sha512, sha512(&changed()));
    assert_eq!(checked.requests.last().unwrap().received, 300_000);
}

#[test]
fn redirects_are_followed_and_wrong_bytes_refused() {
    let Some((client, tools)) = node() else { return };
    let release = windows("1.1.0", &PROGRAM).build(tools);
    let yml = || Entry::File(std::fs::read(release.path("latest.yml")).unwrap());
    let server = FileServer::start([
        ("/good/latest.yml", yml()),
        ("/good/App%20Setup%201.1.0.exe", Entry::Redirect("/files/1".to_owned())),
        ("/files/1", Entry::File(PROGRAM.clone())),
        ("/bad/latest.yml", yml()),
        ("/bad/App%20Setup%201.1.0.exe", Entry::File(changed())),
        ("/failing/latest.yml", Entry::Status(503)),
        ("/empty/latest.yml", Entry::Status(204)),
    ]);
    let at = |path: &str| {
        ElectronApp::new(&format!("{}/{path}", server.url()), Platform::Nsis, "x64", "1.0.0").check(client)
    };
    let good = at("good").unwrap();
    assert_eq!(good.downloaded.unwrap().sha512, sha512(&PROGRAM));
    assert_eq!(good.requests.iter().map(|request| request.status).collect::<Vec<_>>(), [200, 302, 200]);
    for (path, code) in [
        ("bad", "ERR_CHECKSUM_MISMATCH"),
        ("failing", "HTTP_ERROR_503"),
        ("empty", "ERR_UPDATER_INVALID_UPDATE_INFO"),
    ] {
        assert_eq!(at(path).unwrap_err().code.as_deref(), Some(code), "{path}");
    }
}
