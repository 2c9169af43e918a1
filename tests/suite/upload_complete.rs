//! `POST /upload/complete`.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use spindrift_tests::{
    Account, Answer, Client, Driver, Multipart, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, World,
    electron_yml_of, on_hosts, sha256_hex,
};

on_hosts! {
    every: [
        an_upload_is_completed,
        json_and_forms_name_the_upload,
        a_completed_upload_can_be_completed_again,
        a_private_release_is_stored_privately,
        feeds_are_stored_with_the_release,
        malformed_calls_are_refused,
        an_unknown_upload_is_not_found,
        only_the_starter_or_the_admin_completes_it,
        missing_files_are_named,
        other_bytes_in_the_storage_are_noticed,
        a_conflict_that_arose_since_init_is_noticed,
        a_channel_that_another_upload_chose_is_a_conflict,
        a_second_upload_adds_to_the_release,
        tuf_needs_both_digests,
        tuf_compares_both_digests,
        only_the_compared_bytes_are_published,
        an_upload_survives_a_storage_that_is_down,
        a_completion_waits_for_the_database,
        a_database_that_stays_locked_is_unavailable,
        completions_of_one_upload_agree,
        of_two_uploads_of_one_file_one_wins,
    ],
    in_process: [
        an_expired_upload_is_gone,
        an_expired_upload_with_all_files_is_completed,
        a_database_that_fails_is_unavailable,
    ],
}

const DEB: &str = "acme/notes/stable/linux/amd64/notes-1.0.0.deb";

fn acme(world: &World) -> Account {
    world.admin("acme").with_notes()
}

fn uploaded(answer: &Value) -> &str {
    answer["uploadResult.Uploaded"].as_str().unwrap()
}

fn conflict(text: &str) -> (u16, String) {
    (409, text.to_owned())
}

/// The answer about files that are not as they have to be.
fn unfit(problem: &str, files: &[&str]) -> (u16, Value) {
    let code = match problem {
        "missing files" => "files_missing",
        "size mismatch" => "size_mismatch",
        _ => "digest_mismatch",
    };
    (422, json!({ "error": format!("{problem}: {}", files.join(", ")), "code": code, "files": files }))
}

fn refused(answer: &Answer) -> (u16, Value) {
    (answer.status, answer.json())
}

fn an_upload_is_completed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = Release::empty("1.0.0").file("notes.deb", "deb").file("notes.rpm", "rpm").published();

    let upload = acme.stage(&release);
    let answer = acme.complete(&upload).expect(200);

    assert_eq!(answer.json().as_object().unwrap().len(), 1);
    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), Vec::<String>::new(), "nothing is left staged");
    let stored = world.store().keys(PUBLIC_BUCKET, "");
    assert_eq!(stored, [DEB, "acme/notes/stable/linux/amd64/notes-1.0.0.rpm"]);
    let found = acme.release("1.0.0");
    assert_eq!(found.id.as_str(), uploaded(&answer.json()));
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
}

fn json_and_forms_name_the_upload(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let upload = acme.stage(&Release::new("1.0.0"));

    let with_more = json!({ "upload_id": upload.id, "comment": { "upload_id": 1 } });
    let by_json = acme.post_json("/upload/complete", with_more).ok();
    let by_form = acme.post_form("/upload/complete", &[("upload_id", &upload.id)]).ok();
    let form = Multipart::new().field("upload_id", &upload.id);
    let by_multipart = acme.post_multipart("/upload/complete", form).ok();

    assert!(!uploaded(&by_json).is_empty());
    assert_eq!(by_json, by_form);
    assert_eq!(by_json, by_multipart);
}

fn a_completed_upload_can_be_completed_again(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let upload = acme.stage(&Release::new("1.0.0").published());

    let first = acme.complete(&upload).expect(200).json();
    let checked = acme.check("0.1");
    for _ in 0..3 {
        assert_eq!(acme.complete(&upload).expect(200).json(), first);
    }

    assert_eq!(acme.check("0.1"), checked);
    assert_eq!(acme.releases().len(), 1);
    assert_eq!(acme.release("1.0.0").artifacts.len(), 1);
}

fn a_private_release_is_stored_privately(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app_with(json!({ "app": "secret", "private": true }));

    acme.publish(Release::new("1.0.0").with("app_name", "secret"));

    let key = "acme/secret/stable/linux/amd64/secret-1.0.0.deb";
    assert!(world.store().size(PRIVATE_BUCKET, key).is_some());
    assert_eq!(world.store().keys(PUBLIC_BUCKET, ""), Vec::<String>::new());
    let anonymous = Client::new("").get(&format!("{}/{PRIVATE_BUCKET}/{key}", world.store().url())).send();
    assert_eq!(anonymous.status, 403);
    let path = acme.check_path("0.1").replace("app_name=notes", "app_name=secret");
    let url = acme.get(&path).ok()["update_url_deb"].as_str().unwrap().to_owned();
    assert!(url.starts_with(&format!("{}/download?key=", world.url())), "{url}");
}

fn feeds_are_stored_with_the_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);

    acme.add_updater("linux", "electron-builder");
    let feed = electron_yml_of("1.0.0", "notes.deb", b"notes 1.0.0");
    acme.publish(Release::new("1.0.0").feed("latest.yml", feed.as_str()));

    let key = "electron-builder/acme/notes/1.0.0/stable/linux/amd64/latest.yml";
    assert_eq!(world.store().object(PUBLIC_BUCKET, key).as_deref(), Some(feed.as_bytes()));
    assert_eq!(
        acme.check("0.1").as_object().unwrap().keys().filter(|key| key.starts_with("update_url")).count(),
        1
    );
}

fn malformed_calls_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let send = |body: &str| {
        acme.post("/upload/complete")
            .header("content-type", "application/json")
            .body(body.as_bytes())
            .send()
            .refusal()
    };

    for body in
        ["", "{", "[]", "{}", r#"{"upload_id":5}"#, r#"{"upload_id":"a","upload_id":"b"}"#, r#"{"id":"a"}"#]
    {
        let (status, text) = send(body);
        assert_eq!(status, 400, "{body}");
        assert!(text.starts_with("invalid JSON"), "{text}");
    }
    assert_eq!(send(r#"{"upload_id":""}"#), (400, "missing upload_id".to_owned()));
    assert_eq!(
        acme.post_form("/upload/complete", &[("id", "x")]).send().refusal(),
        (400, "missing upload_id".to_owned())
    );
    assert_eq!(
        acme.post("/upload/complete").header("content-type", "text/plain").body(b"x").send().status,
        415
    );
    let large = format!(r#"{{"upload_id":"{}"}}"#, "x".repeat(5000));
    assert_eq!(send(&large).0, 413);
}

fn an_unknown_upload_is_not_found(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let other = world.admin("other");
    let upload = acme.stage(&Release::new("1.0.0"));
    let not_found = (404, "upload not found".to_owned());

    for id in ["unknown", "0193f3a0-0000-7000-8000-000000000000", "../x", "' OR 1=1 --"] {
        assert_eq!(
            acme.post_json("/upload/complete", json!({ "upload_id": id })).send().refusal(),
            not_found,
            "{id}"
        );
    }
    assert_eq!(other.complete(&upload).refusal(), not_found, "uploads of another owner do not exist");
    let _ = acme.complete(&upload).expect(200);
}

fn only_the_starter_or_the_admin_completes_it(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let lists = json!({
        "apps": { "upload": true, "allowed": [acme.create_app("notes")] },
        "channels": { "allowed": [acme.create_channel("stable")] },
        "platforms": { "allowed": [acme.create_platform("linux")] },
        "archs": { "allowed": [acme.create_arch("amd64")] },
    });
    for name in ["ann", "ben"] {
        let body = json!({ "username": name, "password": "password of a user", "permissions": lists });
        acme.post_json("/user/create", body).ok();
    }
    let (ann, ben) = (world.login("ann", "password of a user"), world.login("ben", "password of a user"));
    let app = acme.app_id("notes");
    let (ci, other_ci) = (acme.ci_token(&[&app]), acme.ci_token(&[&app]));
    let refused = (403, "the upload was started by somebody else".to_owned());

    let by_ann = ann.stage(&Release::new("1.0.0"));
    assert_eq!(ben.complete(&by_ann).refusal(), refused);
    assert_eq!(ci.complete(&by_ann).refusal(), refused);
    let _ = ann.complete(&by_ann).expect(200);

    let by_ci = ci.stage(&Release::new("2.0.0"));
    assert_eq!(other_ci.complete(&by_ci).refusal(), refused);
    assert_eq!(ann.complete(&by_ci).refusal(), refused);
    let _ = acme.complete(&by_ci).expect(200);
}

fn missing_files_are_named(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let upload =
        acme.begin(&Release::empty("1.0.0").file("a.deb", "a").file("b.rpm", "b").file("c.dmg", "c"));

    let missing = |files: &[&str]| unfit("missing files", files);
    assert_eq!(refused(&acme.complete(&upload)), missing(&["a.deb", "b.rpm", "c.dmg"]));
    let _ = upload.files[1].send().expect(200);
    assert_eq!(refused(&acme.complete(&upload)), missing(&["a.deb", "c.dmg"]));
    assert_eq!(acme.releases().len(), 0, "nothing is recorded yet");
    upload.send_all();

    let _ = acme.complete(&upload).expect(200);
}

fn other_bytes_in_the_storage_are_noticed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let upload = acme.stage(&Release::empty("1.0.0").file("a.deb", "right").file("b.rpm", "right too"));

    world.store().write(PRIVATE_BUCKET, &upload.files[0].staging_key(), b"wrong");
    assert_eq!(refused(&acme.complete(&upload)), unfit("digest mismatch", &["a.deb"]));
    world.store().write(PRIVATE_BUCKET, &upload.files[1].staging_key(), b"wrong too");
    assert_eq!(refused(&acme.complete(&upload)), unfit("digest mismatch", &["a.deb", "b.rpm"]));
    world.store().write(PRIVATE_BUCKET, &upload.files[1].staging_key(), b"longer than it was");
    assert_eq!(refused(&acme.complete(&upload)), unfit("size mismatch", &["b.rpm"]));
    assert_eq!(world.store().keys(PUBLIC_BUCKET, ""), Vec::<String>::new());
    upload.send_all();

    let _ = acme.complete(&upload).expect(200);
    let stored = world.store().object(PUBLIC_BUCKET, DEB);
    assert_eq!(stored.as_deref(), Some(&b"right"[..]));
}

fn a_conflict_that_arose_since_init_is_noticed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let slow = acme.stage(&Release::empty("1.0.0").file("notes.deb", "slow"));
    let quick = acme.stage(&Release::empty("1.0.0").file("notes.deb", "quick"));

    let _ = acme.complete(&quick).expect(200);

    for _ in 0..2 {
        assert_eq!(acme.complete(&slow).refusal(), conflict("an artifact for notes.deb exists"));
    }
    assert_eq!(world.store().object(PUBLIC_BUCKET, DEB).as_deref(), Some(&b"quick"[..]));
}

fn a_channel_that_another_upload_chose_is_a_conflict(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_channel("beta");
    let stable = acme.stage(&Release::empty("1.0.0").file("notes.deb", "x"));
    let beta = acme.stage(&Release::empty("1.0.0").file("notes.rpm", "x").with("channel", "beta"));

    let _ = acme.complete(&beta).expect(200);

    assert_eq!(acme.complete(&stable).refusal(), conflict("version 1.0.0 exists in another channel"));
}

fn a_second_upload_adds_to_the_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let first = acme.upload(&Release::new("1.0.0").published().with("changelog", "first"));

    let more =
        Release::empty("1.0.0").file("notes.rpm", "rpm").critical().rollout(10).with("changelog", "second");
    let second = acme.upload(&more);

    assert_eq!(first, second);
    let answer = acme.check("0.1");
    assert_eq!((&answer["changelog"], &answer["critical"]), (&json!("first"), &json!(false)));
    assert!(answer["update_url_deb"].is_string() && answer["update_url_rpm"].is_string());
    assert!(answer["rollout"].is_null(), "flags change in /apps/update only");
}

fn tuf_needs_both_digests(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app_with(json!({ "app": "signed", "tuf": true }));
    let release = Release::new("1.0.0").with("app_name", "signed");
    let text = "sha256 and sha512 are required for applications with TUF enabled";

    let upload = acme.stage(&release);
    assert_eq!(acme.complete(&upload).refusal(), (400, text.to_owned()));

    let mut manifest = release.clone().with_digests().manifest();
    for (field, value) in [("sha256", json!(null)), ("sha512", json!("")), ("sha256", json!("abc"))] {
        manifest[0][field] = value;
        let fields = [("data", release.data().to_string()), ("files", manifest.to_string())];
        let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
        let granted = acme.post_form("/upload/init", &fields).ok();
        let answer = acme.post_json("/upload/complete", json!({ "upload_id": granted["upload_id"] })).send();
        assert_eq!(answer.refusal(), (400, text.to_owned()), "{manifest}");
    }
}

/// Somebody uses an address of the upload again, between the comparison and the copy.
fn only_the_compared_bytes_are_published(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "signed", "tuf": true }));
    let release = Release::new("1.0.0").with("app_name", "signed").with_digests().without_lengths();
    let upload = acme.stage(&release);
    let key = upload.files[0].staging_key();
    world.gate().hold_copies();
    thread::scope(|scope| {
        let completing = scope.spawn(|| acme.complete(&upload));
        world.gate().hold_no_more();
        world.store().write(PRIVATE_BUCKET, &key, b"other bytes");
        world.gate().release();
        let answer = completing.join().unwrap();
        let text = "notes.deb is being uploaded or deleted by another call";
        assert_eq!(answer.refusal(), (409, text.to_owned()));
        assert_eq!(answer.code(), "busy");
    });
    assert_eq!(acme.releases().len(), 0);
    assert_eq!(acme.complete(&upload).status, 422, "they are compared again");

    upload.send_all();
    let _ = acme.complete(&upload).expect(200);
    let object = world.store().object(PUBLIC_BUCKET, "acme/signed/stable/linux/amd64/signed-1.0.0.deb");
    assert_eq!(object.as_deref(), Some(&b"notes 1.0.0"[..]));
}

fn tuf_compares_both_digests(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app_with(json!({ "app": "signed", "tuf": true }));
    let release = Release::new("1.0.0").with("app_name", "signed").with_digests();
    let begin = |manifest: &Value| {
        let fields = [("data", release.data().to_string()), ("files", manifest.to_string())];
        let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
        acme.post_form("/upload/init", &fields).ok()
    };
    let complete = |granted: &Value| {
        let file = &granted["files"][0];
        let md5 = file["headers"]["Content-Md5"].as_str().unwrap();
        let uploader = Client::new("");
        let put = uploader.put(file["url"].as_str().unwrap(), b"notes 1.0.0").header("content-md5", md5);
        let _ = put.send().expect(200);
        acme.post_json("/upload/complete", json!({ "upload_id": granted["upload_id"] })).send()
    };

    for (field, digest) in [("sha256", "0".repeat(64)), ("sha512", "f".repeat(128))] {
        let mut manifest = release.manifest();
        manifest[0][field] = json!(digest);
        let answer = complete(&begin(&manifest));
        assert_eq!(refused(&answer), unfit("digest mismatch", &["notes.deb"]), "{field}");
    }
    let mut manifest = release.manifest();
    manifest[0]["sha256"] = json!(sha256_hex(b"notes 1.0.0").to_uppercase());
    let _ = complete(&begin(&manifest)).expect(200);
}

fn an_upload_survives_a_storage_that_is_down(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let staged = acme.stage(&Release::new("1.0.0").published());
    world.store().stop();

    let begun = acme.begin(&Release::new("2.0.0").published());
    assert_eq!(acme.complete(&staged).refusal(), (502, "the object storage failed".to_owned()));
    assert_eq!(acme.complete(&begun).refusal(), (502, "the object storage failed".to_owned()));
    assert_eq!(acme.check("0.1")["error"], "Not found", "nothing is published half");
    world.store().start_again();

    let _ = acme.complete(&staged).expect(200);
    begun.send_all();
    let _ = acme.complete(&begun).expect(200);
    assert_eq!(acme.check("0.1")["version"], "2.0.0");
}

fn a_completion_waits_for_the_database(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let upload = acme.stage(&Release::new("1.0.0"));
    let database = world.database();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();

    let (sender, answered) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| sender.send(acme.complete(&upload)).unwrap());
        assert!(answered.recv_timeout(Duration::from_millis(400)).is_err(), "it waits");
        database.execute_batch("COMMIT").unwrap();
        let _ = answered.recv().unwrap().expect(200);
    });
}

fn a_database_that_stays_locked_is_unavailable(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let upload = acme.stage(&Release::new("1.0.0"));
    // A server ends the transaction after 5 seconds.
    let Some(database) = world.database().into_file() else { return };
    database.execute_batch("BEGIN IMMEDIATE").unwrap();

    let answer = acme.complete(&upload);
    assert_eq!(answer.refusal(), (503, "the database is unavailable".to_owned()));
    assert_eq!(answer.header("retry-after"), "5");
    assert!(acme.check("0.1")["error"].is_string(), "reading still works");
    database.execute_batch("COMMIT").unwrap();

    let _ = acme.complete(&upload).expect(200);
}

fn a_database_that_fails_is_unavailable(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let upload = acme.stage(&Release::new("1.0.0"));

    world.platform().fail_sql(true);
    assert_eq!(acme.complete(&upload).refusal(), (503, "the database is unavailable".to_owned()));
    assert_eq!(acme.init(&Release::new("2.0.0")).refusal(), (503, "the database is unavailable".to_owned()));
    world.platform().fail_sql(false);

    let _ = acme.complete(&upload).expect(200);
}

fn completions_of_one_upload_agree(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let upload =
        acme.stage(&Release::empty("1.0.0").file("notes.deb", "deb").file("notes.rpm", "rpm").published());

    let answers: Vec<Value> = thread::scope(|scope| {
        let calls: Vec<_> =
            (0..8).map(|_| scope.spawn(|| acme.complete(&upload).expect(200).json())).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });

    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(acme.release("1.0.0").artifacts.len(), 2);
    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), Vec::<String>::new());
    assert_eq!(world.store().keys(PUBLIC_BUCKET, "").len(), 2);
}

fn of_two_uploads_of_one_file_one_wins(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let uploads: Vec<_> = (0..6)
        .map(|n| {
            acme.stage(&Release::empty("1.0.0").file("notes.deb", format!("from upload {n}")).published())
        })
        .collect();

    let statuses: Vec<u16> = thread::scope(|scope| {
        let calls: Vec<_> =
            uploads.iter().map(|upload| scope.spawn(|| acme.complete(upload).status)).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });

    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 5, "{statuses:?}");
    let winner = statuses.iter().position(|status| *status == 200).unwrap();
    let stored = world.store().object(PUBLIC_BUCKET, DEB).unwrap();
    assert_eq!(String::from_utf8(stored).unwrap(), format!("from upload {winner}"));
}

/// URLs live for a minute: the storage bears a service whose clock is that far ahead.
fn short_lived(host: Driver) -> World {
    World::builder(host).with_variable("presigned_upload_url_ttl", "1m").start()
}

fn an_expired_upload_is_gone(host: Driver) {
    let world = short_lived(host);
    let acme = acme(&world);
    let upload = acme.begin(&Release::empty("1.0.0").file("a.deb", "a").file("b.rpm", "b"));
    let _ = upload.files[0].send().expect(200);

    world.advance(59);
    assert_eq!(refused(&acme.complete(&upload)), unfit("missing files", &["b.rpm"]));
    world.advance(2);

    assert_eq!(acme.complete(&upload).refusal(), (410, "the upload has expired".to_owned()));
}

fn an_expired_upload_with_all_files_is_completed(host: Driver) {
    let world = short_lived(host);
    let acme = acme(&world);
    let upload = acme.stage(&Release::new("1.0.0"));

    world.advance(61);

    let _ = acme.complete(&upload).expect(200);
}
