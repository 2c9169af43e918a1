//! Settings and other grants: each component has the grants that it uses, and no others.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use spindrift_tests::issuer::{Issuer, github_claims};
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::served::serve;
use spindrift_tests::{
    Account, Driver, Edge, Multipart, Release, World, electron, granted_by_edge, granted_by_service, gzip,
    on_hosts, until,
};

use crate::reports;

on_hosts! {
    every: [a_component_that_reads_what_it_is_not_granted_fails],
    in_process: [components_use_what_they_are_granted, an_edge_uses_what_it_is_granted],
}

const DEVICE: &str = "a-device-of-the-tests";
const ELECTRON: &str = "windows";
const METRICS_TOKEN: &str = "a-token-that-reads-metrics";
/// Seconds after which every record is derived again.
const RECORDS_END: u64 = 16 * 60;
/// Time limit for work after an answer.
const AFTER: Duration = Duration::from_secs(20);

/// Releases that answer for themselves and with a feed, one with files added later, and a private application.
fn published(world: &World) -> Account {
    let acme = world.admin("acme");
    reports::create_notes(&acme);
    acme.create_platform_with(ELECTRON, &["electron-builder"]);
    acme.create_app_with(json!({ "app": "secret", "private": true }));
    let id = acme.publish(Release::new("1.0.0"));
    let more = Release::empty("1.0.0").file("notes.rpm", "for Fedora");
    let _ = acme.edit_with_files(&id, &more, &json!({ "changelog": "More." })).expect(200);
    acme.publish(Release::new("1.0.0").with("app_name", "secret"));
    acme.publish(electron("1.0.0", "latest.yml", &["notes.exe"]).with("platform", ELECTRON));
    acme
}

/// The requests of installed copies; `get` returns the status.
fn ask(acme: &Account, get: impl Fn(&str) -> u16) {
    let check = acme.check_path("0.1");
    assert_eq!(get(&check), 200);
    assert_eq!(get(&check.replace("linux", ELECTRON)), 302);
    assert_eq!(get(&format!("/update/acme/notes/stable/{ELECTRON}/amd64/0.1/latest.yml")), 200);
    assert_eq!(get("/responses/acme/notes/stable/linux/amd64/0.1.json"), 200);
}

/// The requests of the people who run the service.
fn manage(acme: &Account) {
    let _ = acme.get("/telemetry").send().expect(200);
    let _ = acme.get("/app/list").send().expect(200);
    // Reads the client's address, although a login is not a link.
    let _ = acme.post("/releases/halt-link").send().expect(404);
    let pictured = json!({ "id": acme.app_id("notes"), "description": "With a logo." }).to_string();
    let logo =
        Multipart::new().field("data", pictured).file("logo.png", b"\x89PNG\r\n\x1a\n and the rest of it");
    acme.post_multipart("/app/update", logo).ok();
    let channel = &acme.get("/channel/list").ok()["channels"][0]["ID"];
    for name in ["beta", "stable"] {
        acme.post_json("/channel/update", json!({ "id": channel, "channel": name })).ok();
    }
    // Another name is refused, once its users are known.
    let me = &acme.get("/whoami").ok()["id"];
    let _ = acme.post_json("/admin/update", json!({ "id": me, "username": "other" })).send().expect(409);
    let _ = acme.post("/maintenance/run").send().expect(200);
    let _ = acme.post("/guard/run").send().expect(200);
}

/// A repository whose lists the service signs, with a release that changes, and one whose lists its publisher signs.
fn sign(world: &World, acme: &Account) {
    acme.create_app_with(json!({ "app": "signed", "tuf": true, "cdn": true }));
    let publisher = Publisher::new(acme, "signed");
    let mut named = publisher.named();
    named.targets = vec![publisher.service_key("targets_key")];
    let root = publisher.root_file(1, &named, &publisher.root.keys[..1]);
    let _ = publisher.start_with(json!({ "metadata": { "root": root } })).expect(202);
    let id = acme.publish(Release::new("1.0.0").with_digests().with("app_name", "signed"));
    let order = json!({ "action": "complete" });
    let _ = acme.post_json(&format!("/releases/{id}/rollout"), order).send().expect(200);
    let _ = acme.edit(&id, json!({ "publish": false })).expect(200);
    let shutoff = json!({ "app": "signed", "reason": "it is tried" });
    let _ = acme.post_json("/shutoffs", shutoff).send().expect(201);
    let group = acme.post_json("/device-groups", json!({ "app": "signed", "name": "qa" })).send().expect(201);
    let group = group.json()["id"].as_str().unwrap().to_owned();
    let _ = acme.post(&format!("/device-groups/{group}/key")).send().expect(201);
    let devices = json!({ "add": ["device-1"] });
    let _ = acme.post_json(&format!("/device-groups/{group}/devices"), devices).send().expect(200);
    let offer = json!({ "groups": ["qa"] });
    let _ = acme.post_json(&format!("/releases/{id}/offer"), offer).send().expect(200);
    let requires = json!({ "requires": { "os_version": { "min": "12" } } });
    let _ = acme.post_json(&format!("/releases/{id}/requires"), requires).send().expect(200);
    acme.create_app_with(json!({ "app": "listed", "tuf": true }));
    let publisher = Publisher::new(acme, "listed");
    acme.publish(Release::new("1.0.0").with_digests().with("app_name", "listed"));
    let custom = json!({
        "arch": "amd64", "channel": "stable", "package": "deb", "platform": "linux",
        "repository": "acme/listed", "version": "1.0.0",
    });
    let target = TestTarget::new("acme/listed/stable/linux/amd64/listed-1.0.0.deb", b"notes 1.0.0", custom);
    let _ = publisher.start(Some(&publisher.list(&[target]))).expect(202);
    // The run compares both with the bucket for the first time, and signs due metadata.
    let is_due = "UPDATE repositories SET timestamp_days = 30, due_at = 1";
    let _ = world.database().execute(is_due, []).unwrap();
    let _ = acme.post("/maintenance/run").send().expect(200);
}

/// Repositories of signed metadata, as installed copies read them: of an application for everybody, and of a private one.
fn read_repositories(world: &World, acme: &Account, get: impl Fn(&str) -> u16) {
    for app in ["notes", "secret"] {
        let keys = RootKeys::generation(1);
        let mut repository = TestRepository::new("acme", app, keys, Timestamp::now());
        let key = format!("acme/{app}/stable/linux/amd64/{app}-1.0.0.deb");
        let target = TestTarget::new(&key, b"", json!({}));
        repository.publish([target.clone()], Timestamp::now());
        serve(world, &acme.app_id(app), &repository);
        let path = format!("/tuf/repository/acme/{app}");
        assert_eq!(get(&format!("{path}/metadata/timestamp.json")), 200);
        assert_eq!(get(&format!("{path}/targets/{}", target.name)), 302);
    }
}

/// A file of a private application, from a storage that everybody reaches, and from one that only the service does.
fn download(world: &World, acme: &Account) {
    let found = acme.get("/search?app_name=secret").ok();
    let link = found["items"][0]["Artifacts"][0]["link"].as_str().unwrap().to_owned();
    for (driver, status) in [("s3", 302), ("s3_internal", 200)] {
        world.platform().set_variable("storage_driver", driver);
        assert_eq!(acme.get(link.trim_start_matches(&world.url())).send().status, status);
    }
}

/// A job gets a token.
fn exchange(world: &World, acme: &Account, issuer: &Issuer) {
    let job = json!({ "app": "notes", "provider": "github", "repository": "acme/notes", "workflow": "release.yml" });
    let _ = acme.post_json("/publishers", job).send().expect(201);
    let token = issuer.sign(&issuer.claims(github_claims(&world.url()), json!({})));
    let body = json!({ "token": token, "owner": "acme", "app": "notes" });
    let _ = world.client().post_json("/tokens/exchange", body).send().expect(200);
}

/// Changes that need a fresh login, and a login without a passkey by somebody who does not exist.
fn prove(world: &World, acme: &Account) {
    let _ = acme.get("/audit/head").send().expect(200);
    let _ = acme.delete("/apps/delete?id=x").send().expect(404);
    let _ = acme.delete("/tuf/v1/bootstrap?appName=notes&confirm=x").send();
    let unused = acme.create_app("unused");
    acme.delete(&format!("/app/delete?id={unused}")).ok();
    let _ = world.get("/sso").send().expect(200);
    let nobody = json!({ "username": "nobody", "password": "not this one", "code": "x" });
    let _ = world.client().post_json("/passkeys/recover", nobody).send().expect(401);
}

fn components_use_what_they_are_granted(host: Driver) {
    let issuer = Issuer::start();
    let world = World::builder(host)
        .with_variable("metrics_token", METRICS_TOKEN)
        .with_variable("github_issuer", issuer.url())
        .start();
    let acme = published(&world);
    manage(&acme);
    exchange(&world, &acme, &issuer);
    prove(&world, &acme);
    let report = reports::with_details(reports::failure(), &gzip(b"{}"));
    let key = reports::key(&acme, "notes").unwrap();
    let _ = reports::send(world.client(), &key, DEVICE, &report).expect(202);
    let _ = world.client().with_token(METRICS_TOKEN).get("/metrics").send().expect(200);
    sign(&world, &acme);
    read_repositories(&world, &acme, |path| acme.get(path).send().status);
    download(&world, &acme);
    let of_device = |path: &str| {
        world.advance(RECORDS_END);
        acme.get(path).header("x-device-id", DEVICE).send().status
    };
    ask(&acme, of_device);
    assert_eq!(of_device("/apps/latest?app_name=notes&owner=acme&platform=linux&package=deb"), 302);
    assert_eq!(of_device(&acme.check_path("0.1").replace("/checkVersion", "/telemetry/beacon")), 204);
    assert_eq!(of_device("/health"), 200);
    assert_eq!(of_device("/audit"), 200);
    assert_eq!(of_device("/docs"), 200);
    world.database().execute("UPDATE apps SET get_page = 1 WHERE name = 'notes'", []).unwrap();
    assert_eq!(of_device("/get/acme/notes?channel=stable"), 200);
    let why = "/get/acme/notes/why?channel=stable&platform=linux&arch=amd64&version=0.1&device=device-1";
    assert_eq!(of_device(why), 200);

    // A component may count the devices of another, so each is asked until it has counted one itself.
    let check = acme.check_path("0.1");
    for (component, path) in [
        ("feeds", format!("/update/acme/notes/stable/{ELECTRON}/amd64/0.1/latest.yml")),
        ("telemetry", check.replace("/checkVersion", "/telemetry/beacon")),
        ("check", check),
    ] {
        let counting = (component.to_owned(), "device_hash_key".to_owned());
        until("the device to be counted", AFTER, || {
            of_device(&path);
            world.platform().uses().contains(&counting).then_some(())
        });
    }
    // No page of the console is asked for here. Only an instance that may get no other request leaves its devices to
    // others (`telemetry_gathered`), and this server lives on.
    let is_unused = |(component, what): &(String, String)| {
        component == "console" || (["check", "feeds"].contains(&&**component) && what == "telemetry_gathered")
    };
    let mut granted = granted_by_service();
    granted.retain(|granted| !is_unused(granted));
    assert_eq!(world.platform().uses(), granted);
}

fn an_edge_uses_what_it_is_granted(host: Driver) {
    let world = World::new(host);
    let acme = published(&world);
    let edge = Edge::of(&world, host);
    ask(&acme, |path| edge.get(path).header("x-device-id", DEVICE).send().status);

    let names =
        |uses: BTreeSet<(String, String)>| uses.into_iter().map(|(_, name)| name).collect::<BTreeSet<_>>();
    assert_eq!(names(edge.platform().uses()), names(granted_by_edge()));
}

fn a_component_that_reads_what_it_is_not_granted_fails(host: Driver) {
    for (component, setting, path) in [
        ("latest", "log_requests", "/apps/latest?app_name=notes&owner=acme"),
        ("catalog", "jwt_secret", "/app/list"),
    ] {
        let world = World::builder(host).without_grant(component, setting).start();
        let acme = world.admin("acme");

        let answer = acme.get(path).send();

        assert_eq!(
            answer.refusal(),
            (503, "the settings are unavailable".to_owned()),
            "{component} {setting}"
        );
        let _ = acme.get("/whoami").send().expect(200);
    }
}
