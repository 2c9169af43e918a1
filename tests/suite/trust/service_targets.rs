//! Targets, as the service answers them.

use serde_json::{Value, json};
use spindrift_tests::trust::client::clients;
use spindrift_tests::trust::key::{RootKeys, Signers};
use spindrift_tests::trust::place::prefixed_names;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::{Channel, TestTarget};
use spindrift_tests::trust::served::serve;
use spindrift_tests::{Account, Answer, Client, Driver, Release, World, on_hosts, sha256_hex};

use super::{APP, Installation, OWNER, acme, days_ago, gets, uploaded, with_scope};
use crate::download_modes::regenerate;

on_hosts! {
    every: [
        a_listed_file_is_found_under_all_its_names,
        what_is_not_listed_is_not_found,
        names_are_exact,
        the_lists_decide_until_the_listing_is_applied,
        any_file_name_downloads_from_the_service,
        a_private_file_has_a_signed_address,
        a_token_opens_its_channel,
        what_is_not_published_is_for_people_with_permission,
        a_storage_of_the_service_alone_is_streamed,
    ],
    in_process: [a_target_costs_one_query, a_failing_store_is_no_missing_target],
}

/// Where the key of a file of `notes` begins.
const FOLDER: &str = "acme/notes/stable/linux/amd64";

fn deb(version: &str) -> TestTarget {
    uploaded(&format!("{FOLDER}/notes-{version}.deb"), &format!("notes {version}"), version)
}

/// Publishes these releases.
fn publish(acme: &Account, versions: &[&str]) -> Vec<TestTarget> {
    for version in versions {
        acme.publish(Release::new(version).with_digests());
    }
    versions.iter().map(|version| deb(version)).collect()
}

/// Serves a repository that lists these.
fn list(world: &World, acme: &Account, targets: &[TestTarget]) -> TestRepository {
    let mut repository = TestRepository::new(OWNER, APP, RootKeys::generation(1), days_ago(2));
    repository.publish(targets.to_vec(), days_ago(1));
    serve(world, &acme.app_id(APP), &repository);
    repository
}

fn path(name: &str) -> String {
    format!("/tuf/repository/{OWNER}/{APP}/targets/{name}")
}

fn not_found(answer: &Answer) {
    assert_eq!(answer.refusal(), (404, "target not found".into()));
}

fn a_listed_file_is_found_under_all_its_names(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let targets = publish(&acme, &["1.0.0", "2.0.0"]);
    list(&world, &acme, &targets);

    for target in &targets {
        let link = format!("{}/spindrift-public/{}", world.store().url(), target.name);
        let names = prefixed_names(target);
        assert_eq!(names.len(), 12, "two digests before six segments");
        for name in names.iter().chain([&target.name]) {
            for call in [world.get(&path(name)), world.client().head(&path(name))] {
                let answer = call.send().expect(302);
                assert_eq!(answer.header("location"), link, "{name}");
                assert_eq!(answer.header("cache-control"), "public, max-age=60, must-revalidate");
            }
        }
        assert_eq!(Client::new("").get(&link).send().expect(200).body, target.bytes);
    }
}

fn what_is_not_listed_is_not_found(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let targets = publish(&acme, &["1.0.0", "2.0.0"]);
    let [listed, unlisted] = &targets[..] else { panic!("two targets") };
    list(&world, &acme, &[listed.clone(), deb("3.0.0")]);
    acme.create_app_with(json!({ "app": "other" }));
    acme.publish(Release::new("1.0.0").with("app_name", "other"));

    assert_eq!(world.get(&path(&listed.name)).send().status, 302);
    not_found(&world.get(&path(&unlisted.name)).send());
    not_found(&world.get(&path(&deb("3.0.0").name)).send());
    let others = listed.name.replace("notes", "other");
    not_found(&world.get(&path(&others)).send());
    // The digest of another file.
    let (folder, file) = listed.name.rsplit_once('/').unwrap();
    let prefixed = |bytes: &[u8]| path(&format!("{folder}/{}.{file}", sha256_hex(bytes)));
    assert_eq!(world.get(&prefixed(&listed.bytes)).send().status, 302);
    let answer = world.get(&prefixed(&unlisted.bytes)).send();
    not_found(&answer);
    assert_eq!(answer.header("cache-control"), "public, max-age=60, must-revalidate");
    let elsewhere = path(&listed.name).replace("repository/acme/notes", "repository/acme/other");
    assert_eq!(world.get(&elsewhere).send().refusal(), (404, "repository not found".into()));
    // Recorded before the repository began.
    let legacy = "UPDATE artifacts SET listing = 'legacy' WHERE storage_key = ?1";
    world.database().execute(legacy, [listed.key()]).unwrap();
    not_found(&world.get(&path(&listed.name)).send());
}

fn names_are_exact(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let [target] = &publish(&acme, &["1.0.0"])[..] else { panic!("one target") };
    list(&world, &acme, std::slice::from_ref(target));
    let name = &target.name;
    let (hash, upper) = (sha256_hex(&target.bytes), sha256_hex(&target.bytes).to_uppercase());
    let (folder, file) = name.rsplit_once('/').unwrap();

    for wrong in [
        name.replace('/', "%2F"),
        name.replace("notes", "%6eotes"),
        format!("{name}/"),
        format!("./{name}"),
        format!("x/%2e%2e/{name}"),
        format!("{hash}.{hash}.{name}"),
        format!("{hash}.{folder}/{hash}.{file}"),
        format!("{upper}.{name}"),
        format!("{folder}/{}.{file}", &hash[1..]),
        format!("{folder}/{hash}."),
        hash.clone(),
    ] {
        not_found(&world.get(&path(&wrong)).send());
    }
    assert_eq!(world.get(&path(&format!("{name}?x=y"))).send().status, 302, "a query says nothing");
    assert_eq!(world.client().post(&path(name)).send().status, 405);
}

fn the_lists_decide_until_the_listing_is_applied(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let targets = publish(&acme, &["1.0.0", "2.0.0", "3.0.0"]);
    let [first, second, third] = &targets[..] else { panic!("three targets") };
    let mut repository = list(&world, &acme, std::slice::from_ref(first));
    let sees = |listed: [bool; 3]| {
        for (target, is_listed) in targets.iter().zip(listed) {
            for name in prefixed_names(target).iter().chain([&target.name]) {
                let status = world.get(&path(name)).send().status;
                assert_eq!(status, if is_listed { 302 } else { 404 }, "{name}");
            }
        }
    };
    sees([true, false, false]);

    // Now a channel lists two others, and no artifact is marked yet.
    repository = TestRepository::new(OWNER, APP, repository.keys.clone(), days_ago(1));
    let signers = Signers::one_of([200]);
    repository.delegate(Channel { name: "stable".into(), signers }, days_ago(1));
    repository.publish([second.clone(), third.clone()], days_ago(0));
    serve(&world, &acme.app_id(APP), &repository);
    let behind = "UPDATE artifacts SET listing = CASE storage_key WHEN ?1 THEN 'listed' ELSE 'unlisted' END";
    world.database().execute(behind, [first.key()]).unwrap();
    world.database().execute("UPDATE repositories SET applied_revision = 0", []).unwrap();
    sees([false, true, true]);
    let digest = path(&format!("{}.{}", sha256_hex(b"other"), second.name));
    not_found(&world.get(&digest).send());

    // The channel has no signers any more: its last list counts no longer.
    repository.undelegate("stable", days_ago(0));
    repository.write_list("targets", days_ago(0));
    repository.commit(days_ago(0));
    serve(&world, &acme.app_id(APP), &repository);
    world.database().execute("UPDATE repositories SET applied_revision = 0", []).unwrap();
    world
        .database()
        .execute("UPDATE repository_metadata SET is_current = 0 WHERE role = 'targets'", [])
        .unwrap();
    sees([false, false, false]);
}

fn any_file_name_downloads_from_the_service(host: Driver) {
    const FILES: [&str; 8] = [
        "Notes Setup-full.nupkg",
        "notes-1.0.0+7-full.nupkg",
        "notes@2x-full.nupkg",
        "notes#1-full.nupkg",
        "nötiz-ä-full.nupkg",
        "100%-full.nupkg",
        ".notes-full.nupkg",
        "a:b?c&d=[e]!'(*)-full.nupkg",
    ];
    let world = World::new(host);
    let acme = acme(&world);
    let release =
        FILES.iter().fold(Release::empty("1.0.0").with_digests(), |release, file| release.file(file, *file));
    acme.publish(release);
    let targets = FILES.map(|file| uploaded(&format!("{FOLDER}/notes-1.0.0/{file}"), file, "1.0.0"));
    let repository = list(&world, &acme, &targets);
    let place = serve(&world, &acme.app_id(APP), &repository);

    for client in clients() {
        let app = Installation::new(client, repository.root());
        for target in &targets {
            gets(&app, &place, target);
        }
    }
}

/// An owner whose private application `notes` has this mode and lists a release.
fn private(world: &World, mode: &Value, is_published: bool) -> (Account, TestTarget) {
    let acme = world.admin(OWNER);
    acme.create_app_with(json!({ "app": APP, "tuf": true, "private": true, "download_mode": mode }));
    with_scope(&acme);
    acme.create_channel("beta");
    acme.upload(&Release::new("1.0.0").with_digests().with("publish", is_published));
    list(world, &acme, &[deb("1.0.0")]);
    (acme, deb("1.0.0"))
}

fn a_private_file_has_a_signed_address(host: Driver) {
    let world = World::new(host);
    let (acme, target) = private(&world, &json!("login"), true);
    let names = prefixed_names(&target);

    for name in names.iter().chain([&target.name]) {
        let answer = acme.get(&path(name)).send().expect(302);
        let signed = answer.header("location");
        assert!(signed.contains("X-Amz-Expires=900&"), "{signed}");
        assert_eq!(answer.header("cache-control"), "private, no-store");
        assert_eq!(Client::new("").get(signed).send().expect(200).body, target.bytes);
    }
    let head = acme.head(&path(&target.name)).send().expect(302);
    let file = Client::new("").head(head.header("location")).send().expect(200);
    assert_eq!(file.header("content-length"), target.bytes.len().to_string());
    for name in [target.name.as_str(), "unknown"] {
        assert_eq!(world.get(&path(name)).send().status, 401, "{name}");
    }
    let answer = acme.get(&path("unknown")).send();
    not_found(&answer);
    assert_eq!(answer.header("cache-control"), "private, no-store");
    not_found(&world.admin("other").get(&path(&target.name)).send());
    assert_eq!(acme.ci_token(&[&acme.app_id(APP)]).get(&path(&target.name)).send().status, 403);
}

fn a_token_opens_its_channel(host: Driver) {
    let world = World::new(host);
    let (acme, target) = private(&world, &json!("token"), true);
    let get = |name: &str, token: &str| world.get(&path(name)).header("x-download-token", token).send();
    let refused = (401, "invalid download token".to_owned());

    for channel in [None, Some("stable")] {
        let token = regenerate(&acme, APP, channel);
        let answer = get(&target.name, &token).expect(302);
        assert_eq!(Client::new("").get(answer.header("location")).send().expect(200).body, target.bytes);
        not_found(&get("unknown", &token));
    }
    let beta = regenerate(&acme, APP, Some("beta"));
    assert_eq!(get(&target.name, &beta).refusal(), refused);
    assert_eq!(get(&target.name, "sdd_1").refusal(), refused);
    assert_eq!(world.get(&path("unknown")).send().refusal(), refused);
}

fn what_is_not_published_is_for_people_with_permission(host: Driver) {
    let world = World::new(host);
    let (acme, target) = private(&world, &json!("unlisted"), false);

    not_found(&world.get(&path(&target.name)).send());
    assert_eq!(acme.get(&path(&target.name)).send().status, 302);
    let id = acme.release("1.0.0").id.to_string();
    let _ = acme.edit(&id, json!({ "publish": true })).expect(200);
    let answer = world.get(&path(&target.name)).send().expect(302);
    assert_eq!(answer.header("cache-control"), "private, no-store");
}

fn a_storage_of_the_service_alone_is_streamed(host: Driver) {
    let world = World::builder(host).with_variable("storage_driver", "s3_internal").start();
    let acme = acme(&world);
    let target = deb("1.0.0");
    let release = Release::new("1.0.0").with_digests().published();
    let _ = acme.upload_in_one(&release).expect(200);
    let repository = list(&world, &acme, std::slice::from_ref(&target));
    let kept = |answer: &Answer| answer.header("cache-control").to_owned();

    let answer = world.get(&path(&target.name)).send().expect(200);
    assert_eq!(
        (&answer.body, kept(&answer)),
        (&target.bytes, "public, max-age=60, must-revalidate".to_owned())
    );
    let head = world.client().head(&path(&target.name)).send().expect(200);
    assert_eq!((head.header("content-length"), head.body.len()), ("11", 0));
    let place = serve(&world, &acme.app_id(APP), &repository);
    for client in clients() {
        gets(&Installation::new(client, repository.root()), &place, &target);
    }
}

fn a_target_costs_one_query(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let targets = publish(&acme, &["1.0.0"]);
    list(&world, &acme, &targets);
    let before = (world.platform().statements(), world.platform().requests());
    for name in prefixed_names(&targets[0]) {
        assert_eq!(world.get(&path(&name)).send().status, 302);
    }
    let cost = (world.platform().statements() - before.0, world.platform().requests() - before.1);
    // The other one asks for the schema.
    assert_eq!(cost, (2 * 12, 0));
}

fn a_failing_store_is_no_missing_target(host: Driver) {
    let world = World::builder(host).with_variable("storage_driver", "s3_internal").start();
    let acme = acme(&world);
    let release = Release::new("1.0.0").with_digests().published();
    let _ = acme.upload_in_one(&release).expect(200);
    list(&world, &acme, &[deb("1.0.0")]);
    let get = |name: &str| world.get(&path(name)).send().refusal();

    world.platform().fail_sql(true);
    for name in [deb("1.0.0").name.as_str(), "unknown"] {
        assert_eq!(get(name), (503, "the database is unavailable".into()));
    }
    world.platform().fail_sql(false);
    world.platform().fail_http(true);
    assert_eq!(get(&deb("1.0.0").name), (502, "the object storage failed".into()));
    world.platform().fail_http(false);
    assert_eq!(get(&deb("1.0.0").name).0, 200);
}
