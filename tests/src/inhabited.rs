//! A deployment that uses every kind of stored data.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use spindrift_api::ChannelBody;

use crate::account::Account;
use crate::feeds::{electron, sparkle, squirrel, tauri, velopack};
use crate::gzip::gzip;
use crate::release::Release;
use crate::trust::publisher::{Publisher, after, file, root};
use crate::wait::until;
use crate::world::World;

/// The password of the user in acme's team.
pub(crate) const TEAM_PASSWORD: &str = "password of a user";
/// Days until the root of a repository expires.
const ROOT_DAYS: i64 = 3_650;
/// Time limit for counting devices.
const COUNTED: Duration = Duration::from_secs(20);

/// Makes two owners use every feature. Returns their secrets, which no database has: tokens, and
/// the id of an upload whose files are sent.
pub fn inhabit(world: &World) -> Value {
    let acme = world.admin("acme");
    with_dimensions(&acme);
    acme.create_app_with(json!({ "app": "notes", "description": "Notes", "cdn": true, "reports": true }));
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": "token" }));
    publish_for_everybody(&acme);
    acme.publish(Release::new("1.0.0").with("app_name", "secret"));
    sign_lists(&acme);
    let ci_token = acme.ci_token(&[&acme.app_id("notes")]);
    let download = json!({ "app_id": acme.app_id("secret") });
    let download_token = acme.post_json("/download-tokens/regenerate", download).ok()["token"].take();
    let report_key = acme.get("/report-keys/list").ok()["report_keys"][0]["key_value"].take();
    team(&acme);
    devices(world, &acme, report_key.as_str().expect("a key"));
    let upload = acme.stage(&Release::new("4.0.0").published());

    let globex = world.admin("globex");
    globex.create_app("notes");
    globex.create_platform_with("windows", &["squirrel_windows"]);
    globex.publish(squirrel("1.0.0", &[]).without("channel").without("arch"));
    json!({
        "ci_token": ci_token.authorization().trim_start_matches("Bearer "),
        "download_token": download_token,
        "report_key": report_key,
        "upload_id": upload.id,
    })
}

/// Two channels, one of which includes the other; a platform for the updaters of each system; two
/// architectures.
fn with_dimensions(acme: &Account) {
    acme.create_channel("stable");
    let includes = Some(vec!["stable".to_owned()]);
    let beta = ChannelBody { channel: Some("beta".to_owned()), includes, ..ChannelBody::default() };
    let _ = acme.post_json("/channel/create", beta).ok();
    acme.create_platform_with("windows", &["manual", "squirrel_windows", "velopack", "electron-builder"]);
    acme.create_platform_with("darwin", &["squirrel_darwin", "electron-builder", "sparkle", "tauri"]);
    acme.create_platform_with("linux", &["manual", "electron-builder", "tauri"]);
    acme.create_arch("amd64");
    acme.create_arch("arm64");
}

/// Releases for all seven updaters, and one of each kind that a check treats in its own way.
fn publish_for_everybody(acme: &Account) {
    acme.publish(Release::new("1.0.0").critical().with("changelog", "The first"));
    acme.publish(Release::new("1.1.0").intermediate().with("changelog", "Line 1\nLine 2: 'quoted'"));
    acme.publish(Release::new("1.2.0").rollout(50));
    acme.upload(&Release::new("1.3.0"));
    acme.publish(Release::new("1.2.0-rc.1").with("channel", "beta"));
    acme.publish(squirrel("1.0.0", &[]));
    acme.publish(squirrel("1.1.0", &["1.0.0"]));
    acme.publish(velopack("2.0.0", &[]));
    acme.publish(electron("2.1.0", "latest.yml", &["Notes.exe"]).with("platform", "windows"));
    acme.publish(sparkle("1.0.0"));
    let mac = Release::empty("1.1.0").with("platform", "darwin").with("updater", "squirrel_darwin");
    acme.publish(mac.file("Notes-1.1.0-mac.zip", "for a Mac"));
    acme.publish(tauri("1.4.0", "notes.AppImage"));
}

/// An application whose lists the service signs, and one whose lists its publisher signs.
fn sign_lists(acme: &Account) {
    for (app, by_service) in [("vault", true), ("ledger", false)] {
        acme.create_app_with(json!({ "app": app, "tuf": true }));
        let publisher = Publisher::new(acme, app);
        let mut named = publisher.named();
        if by_service {
            named.targets = vec![publisher.service_key("targets_key")];
        }
        // Later versions have to publish too.
        let root = file(&root(1, after(ROOT_DAYS), &named), &publisher.root.keys[..1]);
        let targets = (!by_service).then(|| publisher.list(&[]));
        let _ = publisher.start_with(json!({ "metadata": { "root": root, "targets": targets } })).expect(202);
        acme.publish(Release::new("1.0.0").with("app_name", app).with_digests());
    }
}

/// A user with a part of an admin's permissions.
fn team(acme: &Account) {
    let permissions =
        json!({ "apps": { "create": true, "download": true, "allowed": [acme.app_id("notes")] } });
    let body = json!({ "username": "ann", "password": TEAM_PASSWORD, "permissions": permissions });
    let _ = acme.post_json("/user/create", body).ok();
}

/// Devices that ask for updates, and one that has failed.
fn devices(world: &World, acme: &Account, report_key: &str) {
    let scope = "app_name=notes&channel=stable&platform=linux&arch=amd64&owner=acme";
    for (device, version) in [("one", "1.0.0"), ("two", "1.1.0"), ("three", "1.1.0")] {
        let path = format!("/telemetry/beacon?{scope}&version={version}");
        let _ = world.get(&path).header("x-device-id", device).send().expect(204);
    }
    until("the devices are counted", COUNTED, || {
        (acme.get("/telemetry").ok()["summary"]["unique_clients"] == 3).then_some(())
    });
    let details = STANDARD.encode(gzip(br#"{"stack":["main"]}"#));
    let report = json!({
        "application": { "name": "notes", "version": "1.1.0", "channel": "stable" },
        "system": { "platform": "linux", "arch": "amd64" },
        "event": { "type": "crash", "reason": "segv" },
        "details": { "encoding": "gzip+base64", "content_type": "application/json", "payload": details },
    });
    let client = world.client().with_token(report_key);
    let _ = client.post_json("/reports/ingest", report).header("x-device-id", "two").send().expect(202);
}
