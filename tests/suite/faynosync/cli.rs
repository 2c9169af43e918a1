//! The command line client, and curl as the documentation shows it.

use serde_json::json;
use spindrift_tests::{Client, Driver, World, on_hosts, raw, squirrel_line};

use super::{CHECK, Form, admin, fetch, myapp, text, with_myapp};

on_hosts! {
    every: [
        the_cli_uploads_in_chunks_with_the_files_first,
        the_cli_reads_the_refusal_of_an_upload,
        curl_uploads_with_the_file_first,
        curl_uploads_a_squirrel_release,
        curl_adds_files_to_a_release,
    ],
}

/// As many digits as Go's boundaries have.
const GO_BOUNDARY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab";
const CURL_BOUNDARY: &str = "------------------------0123456789abcdef";
const BYTES: &str = "application/octet-stream";

fn ci_token(admin: &Client, app: &str) -> String {
    let body = json!({ "name": "ci - my app", "allowed_apps": [app], "expires_at": "2999-12-31T00:00:00Z" });
    let answer = admin.post_json("/token/create", body).send().expect(201).json();
    text(&answer["token"]).to_owned()
}

/// One chunk for each write of the client's form writer.
fn chunked(body: &[u8]) -> Vec<u8> {
    let mut sent = Vec::new();
    for chunk in body.chunks(100) {
        sent.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        sent.extend_from_slice(chunk);
        sent.extend_from_slice(b"\r\n");
    }
    sent.extend_from_slice(b"0\r\n\r\n");
    sent
}

fn cli_upload(world: &World, token: &str, form: Form) -> String {
    let (url, content_type) = (world.url(), form.content_type());
    let host = url.trim_start_matches("http://");
    let head = format!(
        "POST /upload HTTP/1.1\r\nHost: {host}\r\nUser-Agent: Go-http-client/1.1\r\nTransfer-Encoding: chunked\r\n\
         Authorization: Bearer {token}\r\nContent-Type: {content_type}\r\nAccept-Encoding: gzip\r\n\r\n"
    );
    raw(&url, &[head.as_bytes(), &chunked(&form.bytes())].concat())
}

fn the_cli_uploads_in_chunks_with_the_files_first(host: Driver) {
    let world = World::new(host);
    let admin = admin(&world, "admin");
    let token = ci_token(&admin, &with_myapp(&admin));

    let form =
        Form::new(GO_BOUNDARY).file("test.deb", BYTES, &[b'd'; 5_000]).file("test.rpm", BYTES, b"an rpm");
    let answer = cli_upload(&world, &token, form.field("data", &myapp("0.0.0.5", true)));

    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains(r#"{"uploadResult.Uploaded":""#), "{answer}");
    let check = world.get(&format!("/checkVersion?{CHECK}")).ok();
    assert_eq!((&check["update_available"], &check["version"]), (&json!(true), &json!("0.0.0.5")));
    assert_eq!(fetch(text(&check["update_url_rpm"])), "an rpm");
    assert_eq!(fetch(text(&check["update_url_deb"])).len(), 5_000);
}

fn the_cli_reads_the_refusal_of_an_upload(host: Driver) {
    let world = World::new(host);
    let admin = admin(&world, "admin");
    let token = ci_token(&admin, &with_myapp(&admin));

    let form = Form::new(GO_BOUNDARY).file("test.deb", BYTES, b"a deb");
    let data = myapp("0.0.0.5", true).replace("nightly", "unknown");
    let answer = cli_upload(&world, &token, form.field("data", &data));

    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.ends_with(r#"{"error":"unknown channel","code":"bad_request"}"#), "{answer}");
    assert_eq!(world.store().keys(spindrift_tests::PRIVATE_BUCKET, ""), [] as [String; 0], "nothing stays");
}

fn curl_uploads_with_the_file_first(host: Driver) {
    let world = World::new(host);
    let admin = admin(&world, "admin");
    with_myapp(&admin);

    let form =
        Form::new(CURL_BOUNDARY).file("myapp.deb", BYTES, b"a deb").file("myapp.rpm", BYTES, b"an rpm");
    let data = r#"{"app_name":"myapp","version":"0.0.1","channel":"nightly","publish":true,"platform":"linux","arch":"amd64","changelog":"- Smaller"}"#;
    let answer = form.field("data", data).on(admin.post("/upload").header("User-Agent", "curl/8.5.0")).ok();

    assert!(!text(&answer["uploadResult.Uploaded"]).is_empty());
    let check = world.get(&format!("/checkVersion?{CHECK}")).ok();
    assert_eq!(check["changelog"], "- Smaller");
}

fn curl_uploads_a_squirrel_release(host: Driver) {
    let world = World::new(host);
    let admin = admin(&world, "admin");
    with_myapp(&admin);

    let name = "MyApp-0.0.1-full.nupkg";
    let form = Form::new(CURL_BOUNDARY).file(name, BYTES, name.as_bytes()).file(
        "RELEASES",
        BYTES,
        squirrel_line(name).as_bytes(),
    );
    let data = r#"{"app_name":"myapp","version":"0.0.1","channel":"nightly","publish":true,"platform":"linux","arch":"amd64","updater":"squirrel_windows"}"#;
    form.field("data", data).on(admin.post("/upload")).ok();

    let base = "/update/admin/myapp/nightly/linux/amd64/0.0.0";
    let feed = world.get(&format!("{base}/RELEASES")).send().expect(200).text();
    assert_eq!(feed.split(' ').count(), 3, "{feed}");
    assert!(feed.contains(name), "{feed}");
}

fn curl_adds_files_to_a_release(host: Driver) {
    let world = World::new(host);
    let admin = admin(&world, "admin");
    with_myapp(&admin);
    let form = Form::new(CURL_BOUNDARY).field("data", &myapp("0.0.2", false));
    let release = form.file("myapp.deb", BYTES, b"a deb").on(admin.post("/upload")).ok();

    let data = json!({
        "id": release["uploadResult.Uploaded"], "app_name": "myapp", "version": "0.0.2", "channel": "nightly",
        "publish": true, "platform": "linux", "arch": "amd64", "changelog": "",
    });
    let form = Form::new(CURL_BOUNDARY).field("data", &data.to_string()).file("myapp.rpm", BYTES, b"an rpm");
    let answer = form.on(admin.post("/apps/update")).ok();

    assert_eq!(answer, json!({ "updatedResult.Updated": true }));
    let check = world.get(&format!("/checkVersion?{CHECK}")).ok();
    assert!(check["update_url_deb"].is_string() && check["update_url_rpm"].is_string(), "{check}");
}
