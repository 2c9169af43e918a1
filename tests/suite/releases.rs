//! `POST /apps/update`, `DELETE /apps/delete`, `POST /artifact/delete`.

use serde_json::{Value, json};
use spindrift_tests::{
    Account, Answer, Driver, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, World, electron_yml_of, on_hosts,
};

on_hosts! {
    every: [
        an_edit_changes_what_it_names,
        invalid_edits_are_refused,
        artifacts_are_deleted_by_index_and_by_link,
        an_artifact_that_is_not_there_is_not_found,
        deleting_artifacts_has_a_call_of_its_own,
        a_deleted_release_is_gone_with_its_objects,
        a_deleted_version_can_be_uploaded_again,
        a_deletion_without_storage_is_a_deletion,
        unknown_releases_are_not_found,
        permissions_are_asked,
        a_team_user_changes_only_what_its_lists_allow,
    ],
}

const FOLDER: &str = "acme/notes/stable/linux/amd64";

fn acme(world: &World) -> Account {
    world.admin("acme").with_notes()
}

fn delete_artifacts(account: &Account, data: &Value) -> Answer {
    account.post_form("/artifact/delete", &[("data", &data.to_string())]).send()
}

fn an_edit_changes_what_it_names(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.publish(Release::new("1.0.0").with("changelog", "old"));

    assert_eq!(
        acme.edit(&id, json!({ "critical": true })).expect(200).json(),
        json!({ "updatedResult.Updated": true })
    );
    let _ = acme.edit(&id, json!({})).expect(200);
    let _ = acme.edit(&id, json!({ "intermediate": "true", "unknown": 1 })).expect(200);
    let _ = acme.edit(&id, json!({ "rollout": 7, "changelog": "new" })).expect(200);

    let release = acme.release("1.0.0");
    assert!(release.published && release.critical && release.intermediate);
    assert_eq!((release.rollout_percent, release.changelog[0].changes.as_str()), (7, "new"));
    let seed = acme.check("0.1")["rollout"]["seed"].clone();
    let _ = acme.edit(&id, json!({ "rollout": 60 })).expect(200);
    assert_eq!(acme.check("0.1")["rollout"]["seed"], seed, "devices that are in stay in");
    let _ = acme.edit(&id, json!({ "publish": "false", "changelog": "" })).expect(200);
    let release = acme.release("1.0.0");
    assert_eq!((release.published, release.changelog), (false, vec![]));
}

fn invalid_edits_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.publish(Release::new("1.0.0"));
    let before = acme.release("1.0.0");

    for change in [
        json!({ "rollout": 101 }),
        json!({ "rollout": -1 }),
        json!({ "rollout": "50" }),
        json!({ "publish": "yes" }),
        json!({ "critical": 1 }),
        json!({ "changelog": 5 }),
        json!({ "artifacts_to_delete": "all" }),
        json!({ "artifacts_to_delete": [-1] }),
        json!({ "artifacts_to_delete": [{}] }),
    ] {
        assert_eq!(acme.edit(&id, change.clone()).status, 400, "{change}");
    }
    for data in ["", "{", "[]", "{}", r#"{"publish":true}"#] {
        assert_eq!(acme.post_form("/apps/update", &[("data", data)]).send().status, 400, "{data}");
    }
    assert_eq!(acme.post_form("/apps/update", &[]).send().refusal(), (400, "missing data".to_owned()));
    assert_eq!(acme.post_json("/apps/update", json!({ "id": id })).send().status, 415);

    assert_eq!(acme.release("1.0.0"), before);
}

fn three_files() -> Release {
    Release::empty("1.0.0").file("n.deb", "deb").file("n.rpm", "rpm").file("n.dmg", "dmg").published()
}

fn packages(acme: &Account) -> Vec<String> {
    acme.release("1.0.0").artifacts.into_iter().map(|artifact| artifact.package).collect()
}

fn artifacts_are_deleted_by_index_and_by_link(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.upload(&three_files());
    let before = acme.release("1.0.0").artifacts;
    assert_eq!(packages(&acme), ["deb", "rpm", "dmg"]);

    let _ = acme.edit(&id, json!({ "artifacts_to_delete": [1] })).expect(200);
    assert_eq!(packages(&acme), ["deb", "dmg"]);
    assert_eq!(world.store().size(PUBLIC_BUCKET, &format!("{FOLDER}/notes-1.0.0.rpm")), None);
    let _ = acme.edit(&id, json!({ "artifacts_to_delete": [before[0].link] })).expect(200);
    assert_eq!(packages(&acme), ["dmg"]);
    let _ = acme.edit(&id, json!({ "artifacts_to_delete": ["0"], "publish": true })).expect(200);
    assert_eq!(packages(&acme), [""; 0]);

    assert_eq!(world.store().keys(PUBLIC_BUCKET, ""), Vec::<String>::new());
    acme.upload(&three_files());
    assert_eq!(packages(&acme).len(), 3, "their places are free again");
}

fn an_artifact_that_is_not_there_is_not_found(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.upload(&three_files());
    let not_found = (404, "artifact not found".to_owned());

    for name in [json!(3), json!("3"), json!("http://example.com/n.deb"), json!("")] {
        assert_eq!(
            acme.edit(&id, json!({ "artifacts_to_delete": [0, name] })).refusal(),
            not_found,
            "{name}"
        );
    }

    assert_eq!(packages(&acme).len(), 3, "all or nothing");
    assert_eq!(world.store().keys(PUBLIC_BUCKET, "").len(), 3);
}

fn deleting_artifacts_has_a_call_of_its_own(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app("other");
    let id = acme.upload(&three_files());
    let data = json!({ "id": id, "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": ["1", 2] });

    for (field, value, status) in [
        ("app_name", json!("unknown"), 404),
        ("app_name", json!("other"), 404),
        ("version", json!("1.0.1"), 404),
        ("id", json!("unknown"), 404),
        ("artifacts_to_delete", json!([9]), 404),
        ("artifacts_to_delete", json!([]), 400),
        ("app_name", json!("a/b"), 400),
        ("version", json!("one"), 400),
    ] {
        let mut wrong = data.clone();
        wrong[field] = value;
        assert_eq!(delete_artifacts(&acme, &wrong).status, status, "{wrong}");
    }
    let answer = delete_artifacts(&acme, &data).expect(200);

    assert_eq!(answer.json(), json!({ "deleteSpecificArtifactResult": true }));
    assert_eq!(packages(&acme), ["deb"]);
    assert_eq!(world.store().keys(PUBLIC_BUCKET, ""), [format!("{FOLDER}/notes-1.0.0.deb")]);
}

fn a_deleted_release_is_gone_with_its_objects(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_arch("arm64");
    acme.add_updater("linux", "electron-builder");
    let id = acme.upload(&three_files().feed("latest.yml", electron_yml_of("1.0.0", "n.deb", b"deb")));
    acme.upload(&Release::new("1.0.0").with("arch", "arm64"));
    acme.publish(Release::new("0.9.0"));

    let answer = acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);

    assert_eq!(answer.json(), json!({ "deleteSpecificAppResult.DeletedCount": 1 }));
    assert_eq!(world.store().keys(PUBLIC_BUCKET, ""), [format!("{FOLDER}/notes-0.9.0.deb")]);
    assert_eq!(acme.releases().len(), 1);
    assert_eq!(acme.check("0.1")["version"], "0.9.0");
    let again = acme.delete(&format!("/apps/delete?id={id}")).send();
    assert_eq!(again.refusal(), (404, "release not found".to_owned()));
}

fn a_deleted_version_can_be_uploaded_again(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_channel("beta");
    let first = acme.publish(Release::new("1.0.0"));
    let _ = acme.delete(&format!("/apps/delete?id={first}")).send().expect(200);

    let second = acme.publish(Release::new("1.0.0").with("channel", "beta"));

    assert_ne!(first, second);
    assert_eq!(acme.release("1.0.0").channel, "beta");
}

fn a_deletion_without_storage_is_a_deletion(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.publish(Release::new("1.0.0"));
    world.store().stop();

    let _ = acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);

    assert_eq!(acme.check("0.1")["error"], "Not found");
    world.store().start_again();
    assert!(
        world.store().size(PUBLIC_BUCKET, &format!("{FOLDER}/notes-1.0.0.deb")).is_some(),
        "for maintenance"
    );
    let refused = acme.stage(&Release::new("1.0.0"));
    assert_eq!(acme.complete(&refused).status, 409, "its key is claimed until the object is gone");
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "").len(), 1);
}

fn unknown_releases_are_not_found(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let not_found = (404, "release not found".to_owned());

    assert_eq!(acme.edit("unknown", json!({ "publish": true })).refusal(), not_found);
    assert_eq!(acme.edit("", json!({ "publish": true })).refusal(), not_found);
    assert_eq!(acme.delete("/apps/delete?id=unknown").send().refusal(), not_found);
    assert_eq!(acme.delete("/apps/delete").send().refusal(), (400, "missing id".to_owned()));
    assert_eq!(acme.delete("/apps/delete?id=").send().refusal(), (400, "missing id".to_owned()));
}

fn permissions_are_asked(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.upload(&three_files());
    let app = acme.app_id("notes");
    let user = |name: &str, apps: Value| {
        let body =
            json!({ "username": name, "password": "password of a user", "permissions": { "apps": apps } });
        acme.post_json("/user/create", body).ok();
        world.login(name, "password of a user")
    };
    let editor = user("editor", json!({ "edit": true, "allowed": [app] }));
    let deleter = user("deleter", json!({ "delete": true, "allowed": [app] }));
    allow_everywhere(&acme);
    let elsewhere = user("elsewhere", json!({ "edit": true, "delete": true, "upload": true, "allowed": [] }));
    let refused = (403, "not allowed".to_owned());
    let data = json!({ "id": id, "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": [0] });
    let delete = format!("/apps/delete?id={id}");

    let _ = editor.edit(&id, json!({ "critical": true })).expect(200);
    assert_eq!(editor.edit(&id, json!({ "artifacts_to_delete": [0] })).refusal(), refused);
    assert_eq!(editor.delete(&delete).send().refusal(), refused);
    assert_eq!(delete_artifacts(&editor, &data).refusal(), refused);
    assert_eq!(deleter.edit(&id, json!({ "critical": false })).refusal(), refused);
    assert_eq!(elsewhere.edit(&id, json!({ "critical": false })).refusal(), refused);
    assert_eq!(elsewhere.delete(&delete).send().refusal(), refused);
    assert_eq!(delete_artifacts(&elsewhere, &data).refusal(), refused);
    assert!(acme.release("1.0.0").critical);
    let _ = delete_artifacts(&deleter, &data).expect(200);
    let _ = deleter.delete(&delete).send().expect(200);
}

/// Puts every channel, platform and architecture into the lists of all team users.
fn allow_everywhere(acme: &Account) {
    let ids = |kind: &str| {
        let list = acme.get(&format!("/{kind}/list")).ok();
        let entries = list.as_object().unwrap().values().next().unwrap().as_array().unwrap();
        entries.iter().map(|entry| entry["ID"].clone()).collect::<Vec<_>>()
    };
    let [channels, platforms, archs] = ["channel", "platform", "arch"].map(ids);
    for user in acme.get("/users/list").ok()["users"].as_array().unwrap() {
        let mut permissions = user["permissions"].clone();
        permissions["Channels"]["Allowed"] = json!(channels);
        permissions["Platforms"]["Allowed"] = json!(platforms);
        permissions["Archs"]["Allowed"] = json!(archs);
        acme.post_json("/user/update", json!({ "id": user["id"], "permissions": permissions })).ok();
    }
}

fn a_team_user_changes_only_what_its_lists_allow(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let app = acme.create_app("notes");
    let [_, beta] = ["stable", "beta"].map(|name| acme.create_channel(name));
    let [linux, _] = ["linux", "windows"].map(|name| acme.create_platform(name));
    let amd64 = acme.create_arch("amd64");
    let list = |id: &String| json!({ "allowed": [id] });
    let permissions = json!({
        "apps": { "edit": true, "delete": true, "upload": true, "allowed": [app] },
        "channels": list(&beta), "platforms": list(&linux), "archs": list(&amd64),
    });
    let user = json!({ "username": "ann", "password": "password of a user", "permissions": permissions });
    acme.post_json("/user/create", user).ok();
    let ann = world.login("ann", "password of a user");
    let release = |version: &str, channel: &str| Release::new(version).with("channel", channel).published();
    let windows = |version: &str| {
        let msi = Release::empty(version).file("notes.msi", "for Windows");
        msi.with("channel", "beta").with("platform", "windows")
    };
    let artifacts = |id: &str, version: &str, artifacts: Value| json!({ "id": id, "app_name": "notes", "version": version, "artifacts_to_delete": artifacts });
    let refused = (403, "not allowed".to_owned());

    let stable = acme.upload(&release("1.0.0", "stable"));
    let before = acme.release("1.0.0");
    for change in
        [json!({ "publish": false }), json!({ "changelog": "x" }), json!({ "artifacts_to_delete": [0] })]
    {
        assert_eq!(ann.edit(&stable, change.clone()).refusal(), refused, "{change}");
    }
    let more = Release::empty("1.0.0").file("notes.rpm", "x");
    assert_eq!(ann.edit_with_files(&stable, &more, &json!({})).refusal(), refused);
    assert_eq!(ann.init(&more).refusal(), refused);
    assert_eq!(ann.upload_in_one(&more).refusal(), refused);
    assert_eq!(delete_artifacts(&ann, &artifacts(&stable, "1.0.0", json!([0]))).refusal(), refused);
    assert_eq!(ann.delete(&format!("/apps/delete?id={stable}")).send().refusal(), refused);
    assert_eq!(acme.release("1.0.0"), before);

    // In her channel, with files for a platform that is not in her lists.
    let both = acme.upload(&release("1.1.0-beta", "beta"));
    acme.upload(&windows("1.1.0-beta"));
    assert_eq!(ann.edit(&both, json!({ "critical": true })).refusal(), refused, "it holds for all files");
    assert_eq!(ann.upload_in_one(&windows("1.1.0-beta")).refusal(), refused);
    assert_eq!(delete_artifacts(&ann, &artifacts(&both, "1.1.0-beta", json!([1]))).refusal(), refused);
    assert_eq!(ann.delete(&format!("/apps/delete?id={both}")).send().refusal(), refused);
    let _ = delete_artifacts(&ann, &artifacts(&both, "1.1.0-beta", json!([0]))).expect(200);

    let hers = ann.upload(&release("1.2.0-beta", "beta"));
    let _ = ann.edit(&hers, json!({ "critical": true, "changelog": "x" })).expect(200);
    let more = Release::empty("1.2.0-beta").with("channel", "beta").file("notes.rpm", "x");
    let _ = ann.edit_with_files(&hers, &more, &json!({ "artifacts_to_delete": [0] })).expect(200);
    let _ = ann.delete(&format!("/apps/delete?id={hers}")).send().expect(200);
}
