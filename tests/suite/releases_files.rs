//! `POST /apps/update` with files.

use serde_json::json;
use spindrift_tests::{Account, Driver, Multipart, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, World, on_hosts};

use crate::reports::team_user;

on_hosts! {
    every: [
        an_edit_adds_files_and_changes_the_rest,
        an_edit_with_files_needs_what_an_upload_needs,
        refused_edits_change_nothing,
        a_failure_while_recording_leaves_nothing,
        a_file_takes_the_place_of_one_that_goes,
        artifacts_are_named_by_identifier,
    ],
}

const FOLDER: &str = "acme/notes/stable/linux/amd64";

fn acme(world: &World) -> Account {
    world.admin("acme").with_notes()
}

fn objects(world: &World) -> Vec<String> {
    let mut keys = world.store().keys(PUBLIC_BUCKET, "");
    keys.sort();
    keys.into_iter().map(|key| key.replace(FOLDER, "")).collect()
}

fn assert_nothing_is_staged(world: &World, what: &str) {
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "pending/"), [""; 0], "{what}");
    let count = "SELECT (SELECT count(*) FROM upload_sessions WHERE state <> 'finished') + (SELECT count(*) FROM object_claims) + (SELECT count(*) FROM incoming_uploads)";
    let left: u32 = world.database().query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "{what}: sessions and claims");
}

fn an_edit_adds_files_and_changes_the_rest(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.upload(&Release::new("1.0.0"));
    let id = acme.release("1.0.0").id.to_string();
    let added = Release::empty("1.0.0").file("any name.rpm", "for Fedora").file("notes.appimage", "for all");

    let change = json!({ "publish": true, "rollout": 100, "changelog": "More.", "artifacts_to_delete": [0] });
    let answer = acme.edit_with_files(&id, &added, &change).expect(200).json();

    assert_eq!(answer, json!({ "updatedResult.Updated": true }));
    let offered = acme.check("0.1");
    assert_eq!((&offered["version"], &offered["changelog"]), (&json!("1.0.0"), &json!("More.")));
    assert_eq!(offered.get("update_url_deb"), None, "the first of the earlier artifacts is gone");
    let url = offered["update_url_rpm"].as_str().unwrap();
    assert_eq!(spindrift_tests::Client::new("").get(url).send().expect(200).text(), "for Fedora");
    assert_eq!(objects(&world), ["/notes-1.0.0.appimage", "/notes-1.0.0.rpm"]);
    assert_nothing_is_staged(&world, "after success");
}

fn an_edit_with_files_needs_what_an_upload_needs(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app("papers");
    let id = acme.publish(Release::new("1.0.0"));
    let other = acme.publish(Release::new("2.0.0"));
    let before = (acme.release("1.0.0"), objects(&world));
    let rpm = || Release::empty("1.0.0").file("notes.rpm", "x");
    let elsewhere = "app_name, version and channel must be those of the release";

    for (release, id, change, refusal) in [
        (rpm(), &id, json!({ "app_name": null }), (400, "missing app_name")),
        (rpm(), &id, json!({ "app_name": "papers" }), (400, elsewhere)),
        (rpm(), &other, json!({}), (400, elsewhere)),
        (rpm(), &id, json!({ "platform": null }), (400, "platform is required")),
        (rpm(), &id, json!({ "rollout": 101 }), (400, "invalid rollout")),
        (rpm(), &id, json!({ "artifacts_to_delete": [1] }), (404, "artifact not found")),
        (rpm().file("notes.rpm", "y"), &id, json!({}), (400, "duplicate file name: notes.rpm")),
        (Release::empty("1.0.0").file("a/b.rpm", "x"), &id, json!({}), (400, "invalid file name")),
        (
            Release::new("1.0.0"),
            &id,
            json!({ "changelog": "new" }),
            (409, "an artifact for notes.deb exists"),
        ),
    ] {
        let answer = acme.edit_with_files(id, &release, &change).refusal();
        assert_eq!(answer, (refusal.0, refusal.1.to_owned()), "{change}");
        assert_nothing_is_staged(&world, &change.to_string());
    }
    let without = Multipart::new().file("notes.rpm", "x");
    let answer = acme.post_multipart("/apps/update", without).send().refusal();
    assert_eq!(answer, (400, "missing data".to_owned()));
    assert_nothing_is_staged(&world, "without data");

    assert_eq!((acme.release("1.0.0"), objects(&world)), before);
}

fn refused_edits_change_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.publish(Release::new("1.0.0"));
    let before = (acme.release("1.0.0"), objects(&world));
    let added = Release::empty("1.0.0").file("notes.rpm", "x").file("notes.deb", "taken");

    let change = json!({ "changelog": "new", "critical": true });
    assert_eq!(acme.edit_with_files(&id, &added, &change).status, 409);

    assert_eq!((acme.release("1.0.0"), objects(&world)), before);
    assert_nothing_is_staged(&world, "after a conflict");
    let editing = json!({ "edit": true, "allowed": [acme.app_id("notes")] });
    let member = team_user(&world, &acme, "member", editing);
    let answer = member.edit_with_files(&id, &Release::empty("1.0.0").file("notes.rpm", "x"), &change);
    assert_eq!(answer.status, 403, "the right to edit does not allow adding files: {}", answer.text());
}

fn a_failure_while_recording_leaves_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.publish(Release::new("1.0.0"));
    let before = (acme.release("1.0.0"), objects(&world));
    let added = Release::empty("1.0.0").file("notes.rpm", "x");
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON artifacts BEGIN SELECT RAISE(ABORT, 'refused'); END";
    world.database().execute_batch(refuse).unwrap();

    let change = json!({ "changelog": "new", "artifacts_to_delete": [0] });
    let answer = acme.edit_with_files(&id, &added, &change);

    assert!(answer.status >= 500, "{}", answer.status);
    assert_eq!((acme.release("1.0.0"), objects(&world)), before);
    assert_nothing_is_staged(&world, "after a failure");
    world.database().execute_batch("DROP TRIGGER refuse").unwrap();
    let _ = acme.edit_with_files(&id, &added, &change).expect(200);
    assert_eq!(objects(&world), ["/notes-1.0.0.rpm"]);
}

fn a_file_takes_the_place_of_one_that_goes(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.publish(Release::empty("1.0.0").file("notes.deb", "broken").file("notes.rpm", "fine"));
    let replacement = |content: &str| Release::empty("1.0.0").file("notes.deb", content);
    let artifact = |package: &str| {
        let artifacts = acme.release("1.0.0").artifacts;
        artifacts.into_iter().find(|artifact| artifact.package == package).unwrap()
    };

    for content in ["repaired", "repaired again"] {
        let going = artifact("deb");
        let change = json!({ "artifacts_to_delete": [going.id] });
        let _ = acme.edit_with_files(&id, &replacement(content), &change).expect(200);

        let url = acme.check("0.1")["update_url_deb"].as_str().unwrap().to_owned();
        assert_eq!(spindrift_tests::Client::new("").get(&url).send().expect(200).text(), content);
        assert_ne!(going.id, artifact("deb").id);
        assert_eq!(objects(&world).len(), 2, "{:?}", objects(&world));
        assert_nothing_is_staged(&world, content);
    }
    let other = json!({ "artifacts_to_delete": [artifact("rpm").id] });
    let refused = acme.edit_with_files(&id, &replacement("not again"), &other).refusal();
    assert_eq!(refused, (409, "an artifact for notes.deb exists".to_owned()));
    assert_eq!(artifact("rpm").package, "rpm", "a refused edit deletes nothing");
}

fn artifacts_are_named_by_identifier(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release =
        Release::empty("1.0.0").file("a.deb", "1").file("b.rpm", "2").file("c.msi", "3").file("d.dmg", "4");
    let id = acme.publish(release);
    let other = acme.publish(Release::new("2.0.0"));
    let artifacts = |version: &str| acme.release(version).artifacts;
    let packages = || artifacts("1.0.0").iter().map(|one| one.package.clone()).collect::<Vec<_>>();
    let all = artifacts("1.0.0");

    let unknown = json!({ "artifacts_to_delete": [all[0].id, artifacts("2.0.0")[0].id] });
    assert_eq!(acme.edit(&id, unknown).refusal(), (404, "artifact not found".to_owned()));
    assert_eq!(acme.edit(&other, json!({ "artifacts_to_delete": [all[0].id] })).status, 404);
    assert_eq!(packages().len(), 4, "all or nothing");
    // Twice the same, by identifier and by place.
    let _ = acme.edit(&id, json!({ "artifacts_to_delete": [all[1].id, 1, "1"] })).expect(200);
    assert_eq!(packages(), ["deb", "msi", "dmg"]);
    let data = json!({
        "id": id, "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": [all[3].id, 0], "reason": "old",
    });
    let answer = acme.post_form("/artifact/delete", &[("data", &data.to_string())]).ok();
    assert_eq!(answer, json!({ "deleteSpecificArtifactResult": true }));
    assert_eq!(packages(), ["msi"]);
    assert_eq!(objects(&world).len(), 2);
}
