//! Access to the files of a private application: its `download_mode`.

use serde_json::{Value, json};
use spindrift_tests::{Account, Client, Driver, Multipart, Release, World, on_hosts};

on_hosts! {
    every: [
        a_mode_is_set_changed_and_listed,
        an_unlisted_app_is_for_everybody_who_has_the_address,
        a_token_opens_the_files_of_its_app,
        a_token_of_a_channel_opens_that_channel,
        unpublished_files_stay_closed,
        an_app_with_a_mode_ignores_the_default,
    ],
}

const KEY: &str = "acme/secret/stable/linux/amd64/secret-1.0.0.deb";
const BETA: &str = "acme/secret/beta/linux/amd64/secret-2.0.0.deb";

fn release(version: &str, channel: &str) -> Release {
    Release::empty(version).with("app_name", "secret").with("channel", channel).file("s.deb", version)
}

/// An owner with a private application in this mode, that has a release on `stable` and one on `beta`.
fn acme(world: &World, mode: &str) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.create_channel("beta");
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": mode }));
    acme.publish(release("1.0.0", "stable"));
    acme.publish(release("2.0.0", "beta"));
    acme
}

fn path(key: &str) -> String {
    format!("/download?key={}", key.replace('/', "%2F"))
}

fn update(acme: &Account, mode: &Value) -> (u16, String) {
    let data = json!({ "id": acme.app_id("secret"), "download_mode": mode });
    acme.post_multipart("/app/update", Multipart::new().field("data", data.to_string())).send().refusal()
}

fn mode_of(acme: &Account, name: &str) -> Value {
    let list = acme.get("/app/list").ok();
    list["apps"].as_array().unwrap().iter().find(|app| app["AppName"] == name).unwrap()["download_mode"]
        .clone()
}

/// A new token of the application, or of one of its channels.
pub(crate) fn regenerate(acme: &Account, app: &str, channel: Option<&str>) -> String {
    let mut body = json!({ "app_id": acme.app_id(app) });
    if let Some(name) = channel {
        let list = acme.get("/channel/list").ok();
        let mut channels = list["channels"].as_array().unwrap().iter();
        body["channel_id"] = channels.find(|channel| channel["ChannelName"] == name).unwrap()["ID"].clone();
    }
    let answer = acme.post_json("/download-tokens/regenerate", body).ok();
    answer["token"].as_str().unwrap().to_owned()
}

fn with_header(client: &Client, key: &str, token: &str) -> (u16, String) {
    client.get(&path(key)).header("x-download-token", token).send().refusal()
}

fn granted() -> (u16, String) {
    (302, String::new())
}

fn refused() -> (u16, String) {
    (401, "invalid download token".to_owned())
}

fn a_mode_is_set_changed_and_listed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world, "token");

    assert_eq!(mode_of(&acme, "secret"), "token");
    assert_eq!(mode_of(&acme, "notes"), "login", "without one, the default applies");
    let data = json!({ "id": acme.app_id("secret"), "description": "new" }).to_string();
    acme.post_multipart("/app/update", Multipart::new().field("data", data)).ok();
    assert_eq!(mode_of(&acme, "secret"), "token", "an omitted mode does not change");
    assert_eq!(update(&acme, &json!("unlisted")).0, 200);
    assert_eq!(mode_of(&acme, "secret"), "unlisted");
    for bad in ["", "Token", "everybody"] {
        assert_eq!(update(&acme, &json!(bad)), (400, "invalid download_mode parameter".into()), "{bad}");
    }
    assert_eq!(mode_of(&acme, "secret"), "unlisted");
}

fn an_unlisted_app_is_for_everybody_who_has_the_address(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world, "unlisted");

    let answer = world.get(&path(KEY)).send().expect(302);

    assert_eq!(Client::new("").get(answer.header("location")).send().expect(200).text(), "1.0.0");
    assert_eq!(world.get(&path("unknown")).send().status, 401, "the default applies to missing files");
    assert_eq!(update(&acme, &json!("login")).0, 200);
    assert_eq!(world.get(&path(KEY)).send().refusal(), (401, "missing authorization header".into()));
}

fn a_token_opens_the_files_of_its_app(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world, "token");
    acme.create_app("other");
    let token = regenerate(&acme, "secret", None);
    let (others, anybody) = (regenerate(&acme, "other", None), world.client());

    let answer = anybody.get(&path(KEY)).header("X-Download-Token", &token).send().expect(302);
    assert_eq!(Client::new("").get(answer.header("location")).send().expect(200).text(), "1.0.0");
    assert_eq!(with_header(anybody, BETA, &token), granted(), "in every channel");
    assert_eq!(anybody.get(&format!("{}&download_token={token}", path(KEY))).send().status, 302);
    assert_eq!(acme.get(&path(KEY)).send().status, 302, "a login is enough as well");
    assert_eq!(anybody.get(&path(KEY)).send().refusal(), refused(), "missing");
    for wrong in [others.as_str(), "sdd_1", "sdd_", &token.to_uppercase(), &format!("sdd_{}", "0".repeat(64))]
    {
        assert_eq!(with_header(anybody, KEY, wrong), refused(), "{wrong}");
    }
    assert_eq!(world.admin("other").get(&path(KEY)).send().status, 404, "another owner's does not exist");
    let new = regenerate(&acme, "secret", None);
    assert_eq!(with_header(anybody, KEY, &token), refused(), "the one before has ended");
    assert_eq!(with_header(anybody, KEY, &new), granted());
}

fn a_token_of_a_channel_opens_that_channel(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world, "token");
    let beta = regenerate(&acme, "secret", Some("beta"));

    assert_eq!(with_header(world.client(), BETA, &beta), granted());
    assert_eq!(with_header(world.client(), KEY, &beta), refused());
    let whole = regenerate(&acme, "secret", None);
    assert_eq!(with_header(world.client(), BETA, &beta), granted(), "each has its own time");
    assert_eq!(with_header(world.client(), KEY, &whole), granted());
}

fn unpublished_files_stay_closed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world, "token");
    acme.upload(&release("3.0.0", "stable"));
    let pending = acme.stage(&release("4.0.0", "stable"));
    let token = regenerate(&acme, "secret", None);
    let draft = KEY.replace("1.0.0", "3.0.0");
    let staged = pending.files[0].staging_key();

    assert_eq!(with_header(world.client(), &draft, &token), (404, "artifact not found".into()));
    assert_eq!(acme.get(&path(&draft)).send().status, 302);
    assert_eq!(with_header(world.client(), &staged, &token).0, 401, "staged files are not there");
    assert_eq!(update(&acme, &json!("unlisted")).0, 200);
    assert_eq!(world.get(&path(&draft)).send().refusal(), (404, "artifact not found".into()));
    assert_eq!(acme.get(&path(&draft)).send().status, 302);
    assert_eq!(acme.get(&path(&staged)).send().status, 404);
}

fn an_app_with_a_mode_ignores_the_default(host: Driver) {
    let world = World::builder(host).with_variable("enable_private_app_downloading", "true").start();
    let acme = acme(&world, "login");
    acme.create_app_with(json!({ "app": "open", "private": true }));
    acme.publish(release("1.0.0", "stable").with("app_name", "open"));

    assert_eq!((mode_of(&acme, "secret"), mode_of(&acme, "open")), (json!("login"), json!("unlisted")));
    assert_eq!(world.get(&path(KEY)).send().status, 401);
    assert_eq!(world.get(&path(&KEY.replace("secret", "open"))).send().status, 302);
    assert_eq!(world.get(&path("unknown")).send().refusal(), (404, "artifact not found".into()));
    assert_eq!(world.get("/download").send().refusal(), (400, "missing key".into()));
}
