//! Events between the beginning of an upload and its release: interruptions, changes, maintenance.

use rusqlite::Connection;
use rusty_s3::{Bucket, Credentials, S3Action as _, UrlStyle};
use serde_json::{Value, json};
use spindrift_tests::{
    Account, Client, Driver, Multipart, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, Upload, World, md5_base64,
    on_hosts,
};
use std::path::PathBuf;
use std::time::Duration;

on_hosts! {
    every: [
        a_completion_that_was_cut_goes_on_where_it_was,
        an_object_with_another_tag_is_read_again,
        other_digests_are_compared_again,
        an_application_that_becomes_private_ends_the_upload,
        a_completion_at_work_is_left_alone,
    ],
}

fn complete(acme: &Account, upload: &Upload) -> (u16, Value) {
    let answer = acme.complete(upload);
    (answer.status, answer.json())
}

/// An application whose files are compared by reading them, and a staged upload of two.
fn signed(world: &World) -> (Account, Upload) {
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "signed", "tuf": true }));
    let release = Release::empty("1.0.0").file("a.deb", "first file").file("b.rpm", "second file");
    let upload = acme.stage(&release.with("app_name", "signed").with_digests());
    (acme, upload)
}

/// The file that holds the bytes of a staged object.
fn bytes_of(world: &World, key: &str) -> PathBuf {
    let storage = world.dir().join("storage");
    let index = Connection::open(storage.join("index.db")).unwrap();
    let sql = "SELECT blob FROM objects WHERE bucket = ?1 AND key = ?2";
    let id: String = index.query_row(sql, [PRIVATE_BUCKET, key], |row| row.get(0)).unwrap();
    storage.join("blobs").join(&id[..2]).join(id)
}

fn mismatch(name: &str) -> (u16, Value) {
    (422, json!({ "error": format!("digest mismatch: {name}"), "code": "digest_mismatch", "files": [name] }))
}

/// Has the first file compared, and the call ended by a storage that cannot read the second.
fn cut_after_the_first(world: &World, acme: &Account, upload: &Upload) {
    let second = bytes_of(world, &upload.files[1].staging_key());
    let aside = second.with_extension("aside");
    std::fs::rename(&second, &aside).unwrap();
    assert_eq!(acme.complete(upload).status, 502);
    std::fs::rename(&aside, &second).unwrap();
}

fn a_completion_that_was_cut_goes_on_where_it_was(host: Driver) {
    let world = World::new(host);
    let (acme, upload) = signed(&world);
    let first = bytes_of(&world, &upload.files[0].staging_key());

    cut_after_the_first(&world, &acme, &upload);
    // Reading the first file again would be noticed.
    std::fs::write(&first, "wrong file").unwrap();

    assert_eq!(acme.complete(&upload).status, 200);
    let others = signed_upload(&acme, "2.0.0");
    std::fs::write(bytes_of(&world, &others.files[0].staging_key()), "wrong file").unwrap();
    assert_eq!(complete(&acme, &others), mismatch("a.deb"), "a file that was never read");
}

fn signed_upload(acme: &Account, version: &str) -> Upload {
    let release = Release::empty(version).file("a.deb", "first file").file("b.rpm", "second file");
    acme.stage(&release.with("app_name", "signed").with_digests())
}

fn an_object_with_another_tag_is_read_again(host: Driver) {
    let world = World::new(host);
    let (acme, upload) = signed(&world);
    cut_after_the_first(&world, &acme, &upload);

    write_in_parts(&world, &upload.files[0].staging_key(), b"wrong file");
    assert_eq!(complete(&acme, &upload), mismatch("a.deb"));
    write_in_parts(&world, &upload.files[0].staging_key(), b"first file");

    assert_eq!(acme.complete(&upload).status, 200);
}

/// Writes an object whose tag is not an MD5.
fn write_in_parts(world: &World, key: &str, bytes: &[u8]) {
    let (access, secret) = world.store().credentials();
    let credentials = Credentials::new(access, secret);
    let endpoint = world.store().url().parse().unwrap();
    let bucket = Bucket::new(endpoint, UrlStyle::Path, PRIVATE_BUCKET, "us-east-1").unwrap();
    let life = Duration::from_mins(1);
    let client = Client::new("");
    let create = bucket.create_multipart_upload(Some(&credentials), key).sign(life);
    let begun = client.post(create.as_str()).send().expect(200).text();
    let begun = rusty_s3::actions::CreateMultipartUpload::parse_response(&begun).unwrap();
    let part = bucket.upload_part(Some(&credentials), key, 1, begun.upload_id()).sign(life);
    let part = client.put(part.as_str(), bytes).header("content-md5", &md5_base64(bytes)).send().expect(200);
    let tags = [part.header("etag")];
    let end = bucket.complete_multipart_upload(Some(&credentials), key, begun.upload_id(), tags.into_iter());
    let (url, body) = (end.sign(life), end.body());
    let _ = client.post(url.as_str()).body(body.as_bytes()).send().expect(200);
}

fn other_digests_are_compared_again(host: Driver) {
    let world = World::new(host);
    let (acme, upload) = signed(&world);
    cut_after_the_first(&world, &acme, &upload);
    let digest = "UPDATE upload_sessions SET files = replace(files, json_extract(files, '$[0].sha256'), ?1)";
    world.database().execute(digest, ["0".repeat(64)]).unwrap();

    assert_eq!(complete(&acme, &upload), mismatch("a.deb"));
}

fn an_application_that_becomes_private_ends_the_upload(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let app = acme.app_id("notes");
    let switch = |private: bool| {
        let data = json!({ "id": app, "private": private }).to_string();
        acme.post_multipart("/app/update", Multipart::new().field("data", data)).send().status
    };
    let upload = acme.stage(&Release::new("1.0.0"));
    assert_eq!(switch(true), 409, "an upload is under way");
    world.database().execute("UPDATE upload_sessions SET expires_at = 1", []).unwrap();

    assert_eq!(switch(true), 200);
    let reason = "the application has become private since the upload was started";
    assert_eq!(acme.complete(&upload).refusal(), (409, reason.to_owned()));
    assert_eq!(world.store().keys(PUBLIC_BUCKET, ""), [""; 0], "nobody sees files that are private now");
    assert_eq!(switch(false), 200);

    let _ = acme.complete(&upload).expect(200);
}

fn a_completion_at_work_is_left_alone(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.stage(&Release::new("1.0.0"));
    let busy = |seconds: i64| {
        let sql =
            "UPDATE upload_sessions SET expires_at = 1, busy_until = (strftime('%s', 'now') + ?1) * 1000";
        world.database().execute(sql, [seconds]).unwrap();
    };
    let maintain = || acme.post("/maintenance/run").ok()["uploads_expired"].as_u64().unwrap();

    busy(60);
    assert_eq!(maintain(), 0);
    assert_eq!(acme.delete(&format!("/app/delete?id={}", acme.app_id("notes"))).send().status, 409);
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "pending/").len(), 1);
    busy(-1);
    assert_eq!(maintain(), 1);
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "pending/"), [""; 0]);
    assert_eq!(acme.complete(&upload).status, 404);
}
