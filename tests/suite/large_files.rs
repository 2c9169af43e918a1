//! Large files: their bytes do not go through the memory of the service.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use spindrift_tests::{Account, Client, HostProcess, Noise};

const MIB: u64 = 1024 * 1024;
/// More than any buffer in between.
const LARGE: u64 = 120 * MIB;
/// How much more memory a large file may cost than a small one, in KiB.
const TOLERANCE_KIB: u64 = 32 * 1024;

#[test]
fn a_large_file_is_published_and_downloaded_in_little_memory() {
    let state = tempfile::tempdir().unwrap();
    let host = HostProcess::start(env!("CARGO_BIN_EXE_host-under-test"), state.path());
    let acme = host.admin("acme").with_notes();

    publish_and_download(&acme, "1.0.0", MIB);
    publish_and_download(&acme, "1.0.1", MIB);
    let before = host.peak_memory_kib();
    publish_and_download(&acme, "2.0.0", LARGE);
    let after = host.peak_memory_kib();

    let (Some(before), Some(after)) = (before, after) else {
        println!("this system does not tell how much memory a process has used");
        return;
    };
    println!("peak memory of the host: {before} KiB with 1 MiB, {after} KiB with {} MiB", LARGE / MIB);
    assert!(after < before + TOLERANCE_KIB, "{before} KiB, then {after} KiB");
}

fn publish_and_download(acme: &Account, version: &str, length: u64) {
    let noise = Noise::new(length, length);
    let md5 = noise.md5();
    let hex = md5.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    let data = json!({
        "app_name": "notes", "version": version, "channel": "stable", "platform": "linux", "arch": "amd64", "publish": true,
    });
    let files = json!([{ "name": "notes.deb", "md5": hex, "length": length }]);
    let granted =
        acme.post_form("/upload/init", &[("data", &data.to_string()), ("files", &files.to_string())]).ok();

    let client = Client::new("");
    let url = granted["files"][0]["url"].as_str().unwrap();
    let put = client.put_stream(url, &[("content-md5", &STANDARD.encode(md5))], noise.clone(), length);
    assert_eq!(put.status, 200, "{}", put.text());
    acme.post_json("/upload/complete", json!({ "upload_id": granted["upload_id"] })).ok();

    let answer: Value = acme.check("0.1");
    assert_eq!(answer["version"], version);
    let url = answer["update_url_deb"].as_str().unwrap();
    assert!(noise.is_read_from(client.get_stream(url)), "other bytes than were uploaded");
}
