//! Repositories whose targets the service signs.

use serde_json::json;
use spindrift_tests::trust::client::{Installation, clients};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::{begin_service, listed_versions, one_file, states, two_files};
use crate::audit::last;
use crate::trust::gets;

on_hosts! {
    every: [
        an_upload_is_listed_before_its_answer,
        clients_take_files_that_the_service_has_signed,
        earlier_releases_are_listed_at_the_start,
        only_published_files_are_listed,
        files_are_listed_on_request,
        a_team_user_lists_only_where_it_may_work,
        a_storage_that_is_down_is_no_answer,
        targets_that_are_not_in_sync_are_synced_by_the_next_change,
    ],
    in_process: [a_completion_that_could_not_sign_is_repeated],
}

/// `notes`, of which nothing is published yet.
fn notes(world: &World) -> (Account, Publisher) {
    let acme = world.admin("acme").with_notes();
    let publisher = begin_service(&acme);
    (acme, publisher)
}

fn an_upload_is_listed_before_its_answer(host: Driver) {
    let world = World::new(host);
    let (acme, _) = notes(&world);
    acme.publish(two_files("1.0.0"));
    assert_eq!(states(&acme), ["1.0.0 deb listed", "1.0.0 rpm listed"]);
    assert_eq!(acme.check("0.9")["version"], "1.0.0");
    let _ = acme.upload_in_one(&Release::new("1.1.0").published()).expect(200);
    assert_eq!(listed_versions(&acme), ["1.0.0", "1.0.0", "1.1.0"]);
    assert_eq!(acme.check("0.9")["version"], "1.1.0");
    let artifact = acme.release("1.1.0").artifacts[0].clone();
    assert!(artifact.tuf_signed);
    let task = acme.get(&format!("/tuf/v1/task?task_id={}", artifact.tuf_task_id.unwrap())).ok();
    assert_eq!(task["data"]["result"]["task"], "list_update");
    assert_eq!(task["data"]["result"]["details"]["by"], "service");
}

/// The entry of the list for the file of [`Release::new`].
fn deb(version: &str) -> TestTarget {
    crate::trust::service::target(version)
}

fn clients_take_files_that_the_service_has_signed(host: Driver) {
    let world = World::new(host);
    let (acme, publisher) = notes(&world);
    acme.publish(one_file("1.0.0"));
    let root = publisher.pinned_root();
    let apps: Vec<_> = clients().into_iter().map(|client| Installation::new(client, &root)).collect();
    let places = [publisher.bucket(&world), publisher.service(&world)];
    let all_get = |target: &TestTarget| {
        for (app, place) in apps.iter().flat_map(|app| places.iter().map(move |place| (app, place))) {
            gets(app, place, target);
        }
    };
    all_get(&deb("1.0.0"));
    acme.publish(one_file("1.1.0"));
    all_get(&deb("1.1.0"));
    let id = acme.release("1.1.0").id.to_string();
    let _ = acme.edit(&id, json!({ "publish": false })).expect(200);
    for (app, place) in apps.iter().zip([&places[0], &places[1]].into_iter().cycle()) {
        assert!(app.update(place, &deb("1.1.0")).is_err(), "it is not listed any more");
    }
    all_get(&deb("1.0.0"));
}

fn earlier_releases_are_listed_at_the_start(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(one_file("1.0.0"));
    acme.upload(&one_file("1.1.0"));
    let _publisher = begin_service(&acme);
    assert_eq!(states(&acme), ["1.1.0 deb legacy", "1.0.0 deb listed"], "1.1.0 is not published");
}

fn only_published_files_are_listed(host: Driver) {
    let world = World::new(host);
    let (acme, _) = notes(&world);
    let id = acme.upload(&one_file("1.0.0"));
    assert_eq!(states(&acme), ["1.0.0 deb unlisted"]);
    for (publish, state, version) in [
        (true, "1.0.0 deb listed", json!("1.0.0")),
        (false, "1.0.0 deb unlisted", json!(null)),
        (true, "1.0.0 deb listed", json!("1.0.0")),
    ] {
        let _ = acme.edit(&id, json!({ "publish": publish })).expect(200);
        assert_eq!(states(&acme), [state]);
        assert_eq!(acme.check("0.9")["version"], version);
        assert_eq!(listed_versions(&acme).len(), usize::from(publish));
    }
    let more = Release::empty("1.0.0").file("notes.zip", "zip");
    let _ = acme.edit_with_files(&id, &more, &json!({ "changelog": "More" })).expect(200);
    assert_eq!(states(&acme), ["1.0.0 deb listed", "1.0.0 zip listed"]);
}

fn files_are_listed_on_request(host: Driver) {
    let world = World::new(host);
    let (acme, _) = notes(&world);
    acme.publish(two_files("1.0.0"));
    let release = acme.release("1.0.0");
    let app = acme.app_id("notes");
    let publish = |version: &str| {
        acme.post_json("/tuf/v1/artifacts/publish", json!({ "app_id": app, "version": version })).send()
    };
    let delete = |names: serde_json::Value| {
        let body = json!({
            "id": release.id, "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": names,
        });
        acme.post_json("/tuf/v1/artifacts/delete", body).send()
    };
    let before = last(&acme);
    let answer = publish("1.0.0").expect(200).json();
    assert_eq!(answer["message"], "Nothing is to be signed");
    assert_eq!(last(&acme), before, "it is listed already");

    let name = "acme/notes/stable/linux/amd64/notes-1.0.0.deb";
    let answer = delete(json!([name])).expect(202).json();
    let task =
        acme.get(&format!("/tuf/v1/task?task_id={}", answer["data"]["task_id"].as_str().unwrap())).ok();
    assert_eq!(task["data"]["result"]["task"], "list_update");
    assert_eq!(states(&acme), ["1.0.0 deb unlisted", "1.0.0 rpm listed"]);
    assert_eq!(acme.check("0.9")["update_url_deb"], json!(null));
    acme.publish(one_file("1.1.0"));
    assert_eq!(states(&acme), ["1.1.0 deb listed", "1.0.0 deb unlisted", "1.0.0 rpm listed"], "it stays out");
    let _ = delete(json!([name, release.artifacts[0].id])).expect(200);
    let _ = publish("v1.0").expect(202);
    assert_eq!(states(&acme), ["1.1.0 deb listed", "1.0.0 deb listed", "1.0.0 rpm listed"]);

    assert_eq!(publish("2.0.0").refusal(), (404, "release not found".into()));
    assert_eq!(delete(json!(["x"])).refusal(), (404, "artifact not found".into()));
    assert_eq!(delete(json!([])).refusal(), (400, "missing artifacts_to_delete".into()));
    assert_eq!(publish("x").refusal(), (400, "invalid version parameter".into()));
    acme.upload(&one_file("1.2.0"));
    assert_eq!(publish("1.2.0").refusal(), (409, "the release is not published".into()));
    let token = acme.ci_token(&[&app]);
    let by_token =
        token.post_json("/tuf/v1/artifacts/publish", json!({ "app_id": app, "version": "1" })).send();
    assert_eq!(by_token.status, 403);
    acme.create_app("other");
    let none = json!({ "app_id": acme.app_id("other"), "version": "1.0.0" });
    let answer = acme.post_json("/tuf/v1/artifacts/publish", none).send();
    assert_eq!(answer.refusal(), (404, "repository not found".into()));
}

fn a_team_user_lists_only_where_it_may_work(host: Driver) {
    let world = World::new(host);
    let (acme, _) = notes(&world);
    acme.publish(one_file("1.0.0"));
    let (app, release) = (acme.app_id("notes"), acme.release("1.0.0"));
    let beta = acme.create_channel("beta");
    let apps = json!({ "edit": true, "allowed": [app] });
    let permissions = json!({ "apps": apps, "channels": { "allowed": [beta] } });
    let body = json!({ "username": "ann", "password": "password of a user", "permissions": permissions });
    acme.post_json("/user/create", body).ok();
    let ann = world.login("ann", "password of a user");
    let files = json!({
        "id": release.id, "app_name": "notes", "version": "1.0.0",
        "artifacts_to_delete": [release.artifacts[0].id],
    });
    for (path, body) in [
        ("/tuf/v1/artifacts/publish", json!({ "app_id": app, "version": "1.0.0" })),
        ("/tuf/v1/artifacts/delete", files),
    ] {
        assert_eq!(ann.post_json(path, body).send().refusal(), (403, "not allowed".to_owned()), "{path}");
    }
    assert_eq!(listed_versions(&acme), ["1.0.0"]);
}

fn a_storage_that_is_down_is_no_answer(host: Driver) {
    let world = World::new(host);
    let (acme, _) = notes(&world);
    let id = acme.upload(&one_file("1.0.0"));
    world.store().stop();
    assert_eq!(acme.edit(&id, json!({ "publish": true })).status, 502);
    assert_eq!(acme.check("0.9")["error"], "Not found", "unlisted files are not offered");
    world.store().start_again();
    assert_eq!(listed_versions(&acme), [""; 0], "the current set stays");
    let _ = acme.edit(&id, json!({ "publish": true })).expect(200);
    assert_eq!(acme.check("0.9")["version"], "1.0.0");
}

fn targets_that_are_not_in_sync_are_synced_by_the_next_change(host: Driver) {
    let world = World::new(host);
    let (acme, _) = notes(&world);
    let id = acme.upload(&one_file("1.0.0"));
    world.store().stop();
    assert_eq!(acme.edit(&id, json!({ "publish": true })).status, 502);
    world.store().start_again();
    acme.upload(&one_file("1.1.0"));
    assert_eq!(states(&acme), ["1.1.0 deb unlisted", "1.0.0 deb listed"]);
    assert_eq!(acme.check("0.9")["version"], "1.0.0");
}

fn a_completion_that_could_not_sign_is_repeated(host: Driver) {
    let world = World::new(host);
    let (acme, _) = notes(&world);
    let upload = acme.stage(&one_file("1.0.0").published());
    world.platform().set_variable("tuf_secret", "too short");
    assert_eq!(acme.complete(&upload).status, 503);
    assert_eq!(acme.releases().len(), 1, "it is recorded");
    assert_eq!(acme.check("0.9")["error"], "Not found");
    assert_eq!(acme.complete(&upload).status, 503, "and as long as it is not listed, that is the answer");

    world.platform().set_variable("tuf_secret", spindrift_tests::TUF_SECRET);
    let _ = acme.complete(&upload).expect(200);
    assert_eq!(acme.check("0.9")["version"], "1.0.0");
    let _ = acme.complete(&upload).expect(200);
}
