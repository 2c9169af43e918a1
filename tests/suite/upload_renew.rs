//! `POST /upload/renew`.

use serde_json::json;
use spindrift_tests::{Account, Driver, Release, Upload, World, on_hosts};

on_hosts! {
    every: [
        new_urls_are_for_unsent_files,
        only_the_starter_or_the_admin_gets_new_urls,
        a_published_upload_has_no_new_urls,
    ],
    in_process: [an_upload_outlives_its_first_urls],
}

fn two_files() -> Release {
    Release::empty("1.0.0").file("notes.deb", "deb").file("notes.rpm", "rpm")
}

/// The same upload with new URLs.
fn renewed(account: &Account, upload: &Upload) -> Upload {
    let renewed = Upload::new(&two_files(), account.renew(upload).expect(200).read());
    assert_eq!(renewed.id, upload.id);
    renewed
}

fn new_urls_are_for_unsent_files(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.begin(&two_files());
    let _ = upload.files[0].send().expect(200);

    let renewed = renewed(&acme, &upload);
    let _ = renewed.files[1].send().expect(200);

    let _ = acme.complete(&upload).expect(200);
    assert_eq!(acme.release("1.0.0").artifacts.len(), 2);
}

/// The storage bears a service whose clock is a minute ahead.
fn an_upload_outlives_its_first_urls(host: Driver) {
    let world = World::builder(host).with_variable("presigned_upload_url_ttl", "1m").start();
    let acme = world.admin("acme").with_notes();
    let upload = acme.begin(&two_files());
    let _ = upload.files[0].send().expect(200);
    let ends = acme.renew(&upload).expect(200).json()["expires_at"].clone();

    world.advance(61);
    assert_eq!(acme.complete(&upload).refusal(), (410, "the upload has expired".to_owned()));
    let later = acme.renew(&upload).expect(200).json()["expires_at"].clone();
    assert!(later.as_str() > ends.as_str(), "{later} after {ends}");

    assert_eq!(acme.complete(&upload).status, 422, "only a file is missing");
    let _ = renewed(&acme, &upload).files[1].send().expect(200);
    let _ = acme.complete(&upload).expect(200);
}

fn only_the_starter_or_the_admin_gets_new_urls(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let app = acme.app_id("notes");
    let (ci, other_ci) = (acme.ci_token(&[&app]), acme.ci_token(&[&app]));
    let upload = ci.begin(&two_files());

    let refused = (403, "the upload was started by somebody else".to_owned());
    assert_eq!(other_ci.renew(&upload).refusal(), refused);
    assert_eq!(world.admin("rival").renew(&upload).refusal(), (404, "upload not found".to_owned()));
    let nobody = world.client().post_json("/upload/renew", json!({ "upload_id": upload.id })).send();
    assert_eq!(nobody.status, 401);
    for account in [&ci, &acme] {
        let _ = renewed(account, &upload);
    }
}

fn a_published_upload_has_no_new_urls(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let upload = acme.stage(&two_files());
    let _ = acme.complete(&upload).expect(200);

    let answer = acme.renew(&upload);
    assert_eq!((answer.status, answer.code()), (410, "upload_expired".to_owned()));
}
