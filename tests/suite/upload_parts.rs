//! `POST /upload/parts`: large files arrive in parts.

use serde_json::{Value, json};
use spindrift_api::PartsAnswer;
use spindrift_tests::{
    Account, Answer, Driver, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, Upload, UploadFile, World, md5_hex,
    on_hosts,
};

/// Length of the parts, in bytes: the smallest that storages take.
const PART: usize = 5 * 1024 * 1024;

on_hosts! {
    every: [
        a_cut_transfer_goes_on_where_it_stopped,
        a_part_takes_only_its_own_bytes,
        the_whole_file_is_compared,
        an_unknown_transfer_begins_again,
        only_the_starter_or_the_admin_gets_urls,
        parts_that_do_not_make_up_the_file_are_refused,
    ],
    in_process: [unfinished_uploads_are_removed],
}

/// The content of a file of two whole parts and a short one.
fn content() -> Vec<u8> {
    (0..2 * PART + 7).map(|place| place.to_le_bytes()[0] ^ place.to_le_bytes()[2]).collect()
}

fn release() -> Release {
    Release::empty("1.0.0").file("notes.deb", content()).file("notes.rpm", "small").published()
}

fn body(upload: &Upload, bytes: &[u8]) -> Value {
    let md5: Vec<String> = bytes.chunks(PART).map(md5_hex).collect();
    json!({ "upload_id": upload.id, "name": "notes.deb", "part_length": PART, "md5": md5 })
}

/// Asks for the parts that are missing; with an answer, for those that are still missing.
fn ask(account: &Account, upload: &Upload, before: Option<&PartsAnswer>) -> Answer {
    let mut body = body(upload, &content());
    if let Some(before) = before {
        body["multipart_id"] = json!(before.multipart_id);
    }
    account.post_json("/upload/parts", body).send()
}

fn asked(account: &Account, upload: &Upload, before: Option<&PartsAnswer>) -> PartsAnswer {
    ask(account, upload, before).expect(200).read()
}

/// Sends a part of these bytes.
fn send(answer: &PartsAnswer, number: u16, bytes: &[u8]) -> Answer {
    let part = answer.parts.iter().find(|part| part.number == number).unwrap();
    let start = (usize::from(number) - 1) * PART;
    let bytes = bytes[start..bytes.len().min(start + PART)].to_vec();
    let headers = part.headers.clone().into_iter().collect();
    UploadFile { name: String::new(), url: part.url.clone(), headers, bytes }.send()
}

fn numbers(answer: &PartsAnswer) -> Vec<u16> {
    answer.parts.iter().map(|part| part.number).collect()
}

fn a_cut_transfer_goes_on_where_it_stopped(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.begin(&release());
    let _ = upload.files[1].send().expect(200);

    let first = asked(&acme, &upload, None);
    assert_eq!(numbers(&first), [1, 2, 3]);
    for number in [3, 1] {
        let _ = send(&first, number, &content()).expect(200);
    }
    assert_eq!(acme.complete(&upload).json()["files"], json!(["notes.deb"]), "a file with a gap is missing");

    let second = asked(&acme, &upload, Some(&first));
    assert_eq!((numbers(&second), &second.multipart_id), (vec![2], &first.multipart_id));
    let _ = send(&second, 2, &content()).expect(200);
    for _ in 0..2 {
        assert_eq!(
            numbers(&asked(&acme, &upload, Some(&second))),
            [0_u16; 0],
            "the answer may have been lost"
        );
    }

    let _ = acme.complete(&upload).expect(200);
    let object = world.store().object(PUBLIC_BUCKET, "acme/notes/stable/linux/amd64/notes-1.0.0.deb");
    assert!(object.is_some_and(|object| object == content()));
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "pending/"), [""; 0]);
    assert_eq!(world.store().open_uploads(PRIVATE_BUCKET), [""; 0]);
    assert_eq!(ask(&acme, &upload, Some(&second)).refusal().0, 410, "it is published");
}

fn a_part_takes_only_its_own_bytes(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.begin(&release());
    let answer = asked(&acme, &upload, None);

    let mut wrong = content();
    wrong[PART] ^= 1;
    assert_eq!(send(&answer, 2, &wrong).status, 400);
    assert_ne!(send(&answer, 2, &wrong[..=PART]).status, 200, "another length");
    assert_eq!(numbers(&asked(&acme, &upload, Some(&answer))), [1, 2, 3]);
}

fn the_whole_file_is_compared(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.begin(&Release::empty("1.0.0").file("notes.deb", content()).published());
    // Every part has the digest that its uploader declares, but the file is not the one in the manifest.
    let mut other = content();
    other[0] ^= 1;
    let answer = acme.post_json("/upload/parts", body(&upload, &other)).send().expect(200);
    let answer: PartsAnswer = answer.read();
    for number in [1, 2, 3] {
        let _ = send(&answer, number, &other).expect(200);
    }
    assert!(asked(&acme, &upload, Some(&answer)).parts.is_empty());

    for _ in 0..2 {
        let refused = acme.complete(&upload);
        assert_eq!((refused.status, refused.code()), (422, "digest_mismatch".to_owned()));
        assert_eq!(refused.json()["files"], json!(["notes.deb"]));
    }
    assert_eq!(acme.releases(), []);

    let answer = asked(&acme, &upload, None);
    for number in [1, 2, 3] {
        let _ = send(&answer, number, &content()).expect(200);
    }
    assert!(asked(&acme, &upload, Some(&answer)).parts.is_empty());
    let _ = acme.complete(&upload).expect(200);
}

fn an_unknown_transfer_begins_again(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let (upload, other) = (acme.begin(&release()), acme.begin(&release()));
    let first = asked(&acme, &upload, None);
    let _ = send(&first, 1, &content()).expect(200);

    let second = asked(&acme, &other, Some(&first));
    assert_eq!(numbers(&second), [1, 2, 3], "it is that of another upload");
    assert_ne!(second.multipart_id, first.multipart_id);
    assert_eq!(numbers(&asked(&acme, &upload, Some(&first))), [2, 3]);
}

fn only_the_starter_or_the_admin_gets_urls(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let app = acme.app_id("notes");
    let (ci, other_ci) = (acme.ci_token(&[&app]), acme.ci_token(&[&app]));
    let upload = ci.begin(&release());

    let refused = (403, "the upload was started by somebody else".to_owned());
    assert_eq!(ask(&other_ci, &upload, None).refusal(), refused);
    assert_eq!(ask(&world.admin("rival"), &upload, None).refusal(), (404, "upload not found".to_owned()));
    let nobody = world.client().post_json("/upload/parts", body(&upload, &content())).send();
    assert_eq!(nobody.status, 401);
    for account in [&ci, &acme] {
        assert_eq!(numbers(&asked(account, &upload, None)), [1, 2, 3]);
    }
}

fn parts_that_do_not_make_up_the_file_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.begin(&release());
    let refused = |field: &str, value: Value| {
        let mut body = body(&upload, &content());
        body[field] = value;
        acme.post_json("/upload/parts", body).send().refusal()
    };
    for (field, value, status, text) in [
        ("name", json!("notes.dmg"), 404, "file not found"),
        ("part_length", json!(PART - 1), 400, "part_length is less than 5242880"),
        ("part_length", json!(2 * PART), 400, "md5 needs one entry for each of 2 parts"),
        ("md5", json!(["0".repeat(32)]), 400, "md5 needs one entry for each of 3 parts"),
        ("md5", json!(["0".repeat(32), "?", "0".repeat(32)]), 400, "invalid md5[1]"),
        ("multipart_id", json!(""), 400, "invalid multipart_id"),
    ] {
        let (found, said) = refused(field, value.clone());
        assert_eq!((found, said.as_str()), (status, text), "{field}={value}");
    }
    let without = acme.begin(&Release::empty("2.0.0").file("notes.deb", content()).without_lengths());
    assert_eq!(ask(&acme, &without, None).refusal(), (400, "the file has no declared length".to_owned()));
    assert_eq!(world.store().open_uploads(PRIVATE_BUCKET), [""; 0], "nothing was begun");
}

fn unfinished_uploads_are_removed(host: Driver) {
    let world = World::builder(host)
        .with_variable("presigned_upload_url_ttl", "1m")
        .with_variable("upload_grace", "1m")
        .start();
    let acme = world.admin("acme").with_notes();
    let upload = acme.begin(&release());
    let answer = asked(&acme, &upload, None);
    let _ = send(&answer, 1, &content()).expect(200);
    let clean = || acme.post("/maintenance/run").send().expect(200).json();

    world.advance(90);
    assert_eq!(clean()["uploads_expired"], 0);
    assert_eq!(numbers(&asked(&acme, &upload, Some(&answer))), [2, 3], "asking again prolongs it");
    world.advance(119);
    assert_eq!(clean()["uploads_expired"], 0);
    assert_eq!(world.store().open_uploads(PRIVATE_BUCKET).len(), 1);
    world.advance(2);
    assert_eq!(clean()["uploads_expired"], 1);
    assert_eq!(world.store().open_uploads(PRIVATE_BUCKET), [""; 0]);
    assert_eq!(ask(&acme, &upload, Some(&answer)).refusal(), (404, "upload not found".to_owned()));
}
