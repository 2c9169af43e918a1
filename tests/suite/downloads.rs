//! `GET /download`: files of private applications.

use serde_json::json;
use spindrift_tests::{Account, Client, Driver, Multipart, PRIVATE_BUCKET, Release, World, on_hosts};

on_hosts! {
    every: [
        a_private_file_is_downloaded_by_a_signed_link,
        a_download_needs_a_token_with_permission,
        head_answers_as_get,
        a_client_that_prefers_json_gets_json,
        a_script_that_does_not_follow_finds_the_url_in_the_body,
        only_recorded_artifacts_are_signed,
        an_unpublished_file_is_for_people_with_permission,
        a_setting_opens_downloads_to_all,
        an_internal_storage_is_streamed,
    ],
}

const KEY: &str = "acme/secret/stable/linux/amd64/secret-1.0.0.deb";

fn secret() -> Release {
    Release::empty("1.0.0").with("app_name", "secret").file("the secret.deb", "for few eyes")
}

fn path(key: &str) -> String {
    key.bytes().fold("/download?key=".to_owned(), |path, byte| format!("{path}%{byte:02X}"))
}

fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "secret", "private": true }));
    acme
}

fn a_private_file_is_downloaded_by_a_signed_link(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(secret());

    let url = acme.get(&acme.check_path("0.1").replace("=notes", "=secret")).ok()["update_url_deb"].clone();
    let url = url.as_str().unwrap();
    assert!(url.starts_with(&format!("{}/download?key=", world.url())), "{url}");
    let answer = acme.get(url.strip_prefix(&world.url()).unwrap()).send().expect(302);

    let signed = answer.header("location");
    assert!(signed.contains("X-Amz-Expires=900&"), "{signed}");
    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert_eq!(Client::new("").get(signed).send().expect(200).text(), "for few eyes");
    let answer = acme.get(&format!("{}&format=json", path(KEY))).ok();
    let signed = answer["download_url"].as_str().unwrap();
    assert_eq!(Client::new("").get(signed).send().expect(200).text(), "for few eyes");
}

fn a_download_needs_a_token_with_permission(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(secret());
    let app = acme.app_id("secret");
    let user = |name: &str, download: bool| {
        let permissions = json!({ "apps": { "download": download, "upload": true, "allowed": [app] } });
        let body = json!({ "username": name, "password": "password of a user", "permissions": permissions });
        acme.post_json("/user/create", body).ok();
        world.login(name, "password of a user")
    };

    assert_eq!(world.get(&path(KEY)).send().status, 401);
    assert_eq!(world.client().with_token("not a token").get(&path(KEY)).send().status, 401);
    assert_eq!(user("ann", true).get(&path(KEY)).send().status, 302);
    assert_eq!(user("ben", false).get(&path(KEY)).send().status, 403);
    assert_eq!(acme.ci_token(&[&app]).get(&path(KEY)).send().status, 403);
    assert_eq!(world.admin("other").get(&path(KEY)).send().status, 404);
}

fn head_answers_as_get(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(secret());

    let head = acme.head(&path(KEY)).send().expect(302);

    assert_eq!(head.header("cache-control"), "private, no-store");
    let file = Client::new("").head(head.header("location")).send().expect(200);
    assert_eq!(
        (file.header("content-length"), file.body.len()),
        ("12", 0),
        "clients follow it with HEAD again"
    );
    let [get, head] =
        [acme.get(&format!("{}&format=json", path(KEY))), acme.head(&format!("{}&format=json", path(KEY)))]
            .map(|call| call.send().expect(200));
    assert_eq!(head.header("content-length"), get.body.len().to_string());
    assert!(head.body.is_empty());
    assert_eq!(world.client().head(&path(KEY)).send().status, 401);
    assert_eq!(world.admin("other").head(&path(KEY)).send().status, 404);
    assert_eq!(acme.head(&path("unknown")).send().status, 404);
}

fn a_client_that_prefers_json_gets_json(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(secret());
    let get = |client: &Client, accept: &str| client.get(&path(KEY)).header("accept", accept).send();

    let scripts = "application/json, text/plain, */*";
    let answer = get(&acme, scripts).expect(200);
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let signed = answer.json()["download_url"].as_str().unwrap().to_owned();
    assert_eq!(Client::new("").get(&signed).send().expect(200).text(), "for few eyes");
    for others in ["*/*", "application/octet-stream", "text/html,*/*;q=0.8", "*/*, application/json"] {
        assert_eq!(get(&acme, others).status, 302, "{others}");
    }
    set_mode(&acme, "unlisted");
    assert_eq!(get(world.client(), scripts).status, 302, "where no credential is needed, none is lost");
}

fn a_script_that_does_not_follow_finds_the_url_in_the_body(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(secret());

    let answer = acme.get(&path(KEY)).header("accept", "*/*").send().expect(302);

    let url = answer.json()["download_url"].as_str().unwrap().to_owned();
    assert_eq!(answer.header("location"), url);
    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert_eq!(Client::new("").get(&url).send().expect(200).text(), "for few eyes");
}

fn set_mode(acme: &Account, mode: &str) {
    let data = json!({ "id": acme.app_id("secret"), "download_mode": mode });
    let form = Multipart::new().field("data", data.to_string());
    acme.post_multipart("/app/update", form).ok();
}

fn an_unpublished_file_is_for_people_with_permission(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.upload(&secret());

    let answer = acme.get(&path(KEY)).send().expect(302);
    let url = answer.header("location");
    assert_eq!(Client::new("").get(url).send().expect(200).text(), "for few eyes");
    let tampered = url.replace("secret-1.0.0", "secret-1.0.1");
    assert_eq!(Client::new("").get(&tampered).send().status, 403, "a link is for one file");
    let bare = url.split('?').next().unwrap();
    assert_eq!(Client::new("").get(bare).send().status, 403, "the bucket is closed");
}

fn only_recorded_artifacts_are_signed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(secret());
    acme.publish(Release::new("1.0.0"));
    let pending = acme.stage(&secret().with("version", "2.0.0"));
    world.store().write(PRIVATE_BUCKET, "reports/notes/blob.json.gz", b"a report");
    let not_found = (404, "artifact not found".to_owned());

    for key in [
        pending.files[0].staging_key().as_str(),
        "reports/notes/blob.json.gz",
        "acme/notes/stable/linux/amd64/notes-1.0.0.deb",
        "unknown",
        "../spindrift-private/secret",
        &format!("/{KEY}"),
    ] {
        assert_eq!(acme.get(&path(key)).send().refusal(), not_found, "{key}");
    }
    assert_eq!(acme.get("/download").send().refusal(), (400, "missing key".to_owned()));
}

fn a_setting_opens_downloads_to_all(host: Driver) {
    let world = World::builder(host).with_variable("enable_private_app_downloading", "true").start();
    let acme = acme(&world);
    let id = acme.publish(secret());

    let answer = world.get(&path(KEY)).send().expect(302);
    assert_eq!(Client::new("").get(answer.header("location")).send().expect(200).text(), "for few eyes");
    let _ = acme.edit(&id, json!({ "publish": false })).expect(200);
    assert_eq!(world.get(&path(KEY)).send().status, 404, "unpublished files are for nobody");
}

fn an_internal_storage_is_streamed(host: Driver) {
    let world = World::builder(host).with_variable("storage_driver", "s3_internal").start();
    let acme = acme(&world);
    let release = secret().published();
    let form = Multipart::new().field("data", release.data().to_string());
    acme.post_multipart("/upload", form.file("the secret.deb", "for few eyes")).ok();

    let answer = acme.get(&path(KEY)).send().expect(200);

    assert_eq!(answer.text(), "for few eyes");
    assert_eq!(answer.header("content-length"), "12");
    let head = acme.head(&path(KEY)).send().expect(200);
    assert_eq!((head.header("content-length"), head.body.len()), ("12", 0));
}
