//! Updates of an AppImage with patches.

use std::io::Cursor;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign::KeyPair;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use spindrift_patch::Common;
use spindrift_tauri::{Options, SpindriftExt as _};
use tauri::async_runtime::block_on;
use tempfile::TempDir;

use crate::service::Service;
use crate::start_with;

/// The variables of a process that is to update itself: the folder of its data, the URL of the service, and the
/// public key.
const UPDATES_IN: &str = "SPINDRIFT_TEST_UPDATES_IN";
const UPDATES_AT: &str = "SPINDRIFT_TEST_UPDATES_AT";
const UPDATES_WITH: &str = "SPINDRIFT_TEST_UPDATES_WITH";

/// An AppImage of which a patch is worthwhile.
fn appimage() -> Vec<u8> {
    let mut last = 1_u32;
    let noise = (0..200_000).map(|_| {
        last = last.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        last.to_be_bytes()[0]
    });
    b"\x7fELF".iter().copied().chain(noise).collect()
}

fn patch(base: &[u8], new: &[u8]) -> Vec<u8> {
    let (mut base, mut new, mut patch) = (Cursor::new(base.to_vec()), Cursor::new(new.to_vec()), Vec::new());
    let common = Common::of(&mut base, &mut new, &|| true).unwrap();
    spindrift_patch::make(&mut base, &mut new, &common, &mut patch, &()).unwrap();
    patch
}

fn sha256(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}

/// A release of an AppImage, with the key that signs it.
struct Published {
    key: String,
    service: Service,
}

/// `signed` is the file of the release, and `patched` what its patch makes of the base.
fn publish(base: &[u8], signed: &[u8], patched: &[u8]) -> Published {
    let KeyPair { pk, sk } = KeyPair::generate_unencrypted_keypair().unwrap();
    let signature = minisign::sign(Some(&pk), &sk, signed, Some("timestamp:1\tfile:notes"), None).unwrap();
    let signature = STANDARD.encode(signature.into_string());
    let patch = patch(base, patched);
    let described = json!({
        "length": patch.len(), "sha256": sha256(&patch), "format": "bidiff+brotli", "base_sha256": sha256(base),
        "file_length": patched.len(), "file_sha256": sha256(patched),
    });
    let file = signed.to_vec();
    let service = Service::new(move |url, path| match path {
        "/file" => (200, file.clone()),
        "/patch" => (200, patch.clone()),
        _ => {
            let mut described = described.clone();
            described["url"] = format!("{url}/patch").into();
            let update = json!({
                "version": "0.2.0", "url": format!("{url}/file"), "signature": signature, "patch": described,
            });
            (200, update.to_string().into_bytes())
        }
    });
    Published { key: pk.to_box().unwrap().into_string(), service }
}

/// Runs the test below in a process of its own, which runs from this AppImage. Returns the files that it has
/// downloaded.
fn update(appimage: &Path, folder: &Path, Published { key, service }: &Published) -> Vec<String> {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "patches::an_application_that_updates"])
        .env(UPDATES_IN, folder)
        .env(UPDATES_AT, &service.url)
        .env(UPDATES_WITH, key)
        .env("APPIMAGE", appimage)
        .status()
        .unwrap();
    assert!(status.success());
    let downloads = service.all().into_iter().filter(|request| !request.line.contains("/update/"));
    downloads
        .map(|request| {
            assert_eq!(request.header("x-device-id"), None, "{}", request.line);
            request.line
        })
        .collect()
}

#[test]
fn an_application_that_updates() {
    let (Some(folder), Ok(url), Ok(key)) =
        (std::env::var_os(UPDATES_IN), std::env::var(UPDATES_AT), std::env::var(UPDATES_WITH))
    else {
        return;
    };
    let app = start_with(&key, folder.as_ref(), Options::new(url, "ada", "notes").channel("stable"));
    let kit = app.spindrift();
    let update = block_on(kit.check()).unwrap().unwrap();
    let (mut bytes, mut is_finished) = (0, false);
    block_on(kit.download_and_install(&update, |chunk, _| bytes += chunk, || is_finished = true)).unwrap();
    assert!(is_finished && bytes > 0);
}

/// A folder with an AppImage and the data of its application.
fn installed(appimage: &[u8]) -> (TempDir, std::path::PathBuf) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("notes.AppImage");
    std::fs::write(&file, appimage).unwrap();
    (folder, file)
}

#[test]
fn an_appimage_downloads_the_patch() {
    let base = appimage();
    let new = [&base, &b"and more"[..]].concat();
    let published = publish(&base, &new, &new);
    let (folder, file) = installed(&base);
    let data = folder.path().join("data");

    assert_eq!(update(&file, &data, &published), ["GET /patch"]);

    assert_eq!(std::fs::read(file).unwrap(), new);
    let left = std::fs::read_dir(data.join("spindrift")).unwrap().map(|file| file.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with("update")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn another_base_leads_to_the_whole_file() {
    let base = appimage();
    let new = [&base, &b"and more"[..]].concat();
    let published = publish(&base, &new, &new);
    let (folder, file) = installed(&[&base, &b"changed"[..]].concat());

    assert_eq!(update(&file, &folder.path().join("data"), &published), ["GET /file"]);

    assert_eq!(std::fs::read(file).unwrap(), new);
}

#[test]
fn a_patched_file_needs_the_signature_of_the_update() {
    let base = appimage();
    let new = [&base, &b"and more"[..]].concat();
    let published = publish(&base, &new, &[&base, &b"something else"[..]].concat());
    let (folder, file) = installed(&base);

    assert_eq!(update(&file, &folder.path().join("data"), &published), ["GET /patch", "GET /file"]);

    assert_eq!(std::fs::read(file).unwrap(), new);
}
