//! Download tokens: making and listing them, their end, and the addresses that carry them.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Call, Client, Driver, Release, World, on_hosts, tauri};

use crate::download_modes::regenerate;

on_hosts! {
    every: [
        a_token_is_shown_once_and_listed,
        other_things_have_no_tokens,
        editors_of_an_app_may_make_its_tokens,
        deleting_an_app_or_a_channel_ends_its_tokens,
        links_carry_the_token_that_the_client_sent,
        every_feed_of_a_private_app_carries_the_token,
        an_answer_with_a_token_is_nobody_elses,
        only_tokens_get_into_links,
        links_of_public_apps_carry_nothing,
        static_answers_carry_nothing,
    ],
}

fn release(version: &str) -> Release {
    Release::empty(version).with("app_name", "secret").file("s.deb", "a secret").file("s.rpm", "another")
}

/// An owner with a private application whose files need a token.
fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": "token" }));
    acme.publish(release("1.0.0"));
    acme
}

fn list(account: &Account) -> Vec<Value> {
    account.get("/download-tokens/list").ok()["download_tokens"].as_array().unwrap().clone()
}

fn channel_id(acme: &Account, name: &str) -> String {
    let list = acme.get("/channel/list").ok();
    let mut channels = list["channels"].as_array().unwrap().iter();
    channels.find(|channel| channel["ChannelName"] == name).unwrap()["ID"].as_str().unwrap().to_owned()
}

fn check(acme: &Account) -> String {
    acme.check_path("0.1").replace("app_name=notes", "app_name=secret")
}

/// Fetches an address from an answer, without any header.
fn follow(url: &str) -> Answer {
    let answer = Client::new("").get(url).send().expect(302);
    Client::new("").get(answer.header("location")).send().expect(200)
}

fn a_token_is_shown_once_and_listed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let (app, channel) = (acme.app_id("secret"), channel_id(&acme, "stable"));

    let body = json!({ "app_id": app, "channel_id": "", "note": "ignored" });
    let whole = acme.post_json("/download-tokens/regenerate", body).send().expect(200);
    assert_eq!(whole.header("cache-control"), "private, no-store");
    let whole = whole.json();
    assert_eq!((&whole["app_id"], &whole["channel_id"]), (&json!(app), &Value::Null));
    let token = whole["token"].as_str().unwrap();
    let digits = token.strip_prefix("sdd_").unwrap();
    assert!(digits.len() == 64 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')), "{token}");
    let body = json!({ "app_id": app, "channel_id": channel });
    let stable = acme.post_json("/download-tokens/regenerate", body.clone()).ok();
    assert_eq!(stable["channel_id"], json!(channel));

    let listed = list(&acme);
    let [first, second] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((&first["app_id"], &first["app_name"]), (&json!(app), &json!("secret")));
    assert_eq!((&first["channel_id"], &first["channel_name"]), (&Value::Null, &Value::Null));
    assert_eq!((&second["channel_id"], &second["channel_name"]), (&json!(channel), &json!("stable")));
    assert_eq!(first["token_prefix"], token[..12]);
    assert!(first["updated_at"].as_str().unwrap().ends_with("+00:00"), "{first}");
    let database = world.database();
    let stored: String = database
        .query_row("SELECT group_concat(token_hash || token_prefix) FROM download_tokens", (), |row| {
            row.get(0)
        })
        .unwrap();
    assert!(!stored.contains(token), "only a digest is kept");
    let again = acme.post_json("/download-tokens/regenerate", body).ok();
    assert_ne!(again["token"], stable["token"]);
    assert_eq!((list(&acme).len(), &list(&acme)[1]["id"]), (2, &second["id"]), "one takes the other's place");
}

fn other_things_have_no_tokens(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let other = world.admin("other").with_notes();
    let (app, theirs) = (acme.app_id("secret"), channel_id(&other, "stable"));
    let refusal =
        |who: &Account, body: Value| who.post_json("/download-tokens/regenerate", body).send().refusal();

    for (body, status, text) in [
        (json!({}), 400, "missing app_id"),
        (json!({ "app_id": "" }), 400, "missing app_id"),
        (json!({ "app_id": "unknown" }), 404, "application not found"),
        (json!({ "app_id": other.app_id("notes") }), 404, "application not found"),
        (json!({ "app_id": app, "channel_id": "unknown" }), 404, "channel not found"),
        (json!({ "app_id": app, "channel_id": theirs }), 404, "channel not found"),
    ] {
        assert_eq!(refusal(&acme, body.clone()), (status, text.to_owned()), "{body}");
    }
    regenerate(&acme, "secret", None);
    assert_eq!(list(&other), [] as [Value; 0]);
}

fn editors_of_an_app_may_make_its_tokens(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let app = acme.app_id("secret");
    regenerate(&acme, "secret", None);
    regenerate(&acme, "notes", None);
    let user = |name: &str, edit: bool| {
        let permissions = json!({ "apps": { "edit": edit, "download": true, "allowed": [app] } });
        let body = json!({ "username": name, "password": "password of a user", "permissions": permissions });
        acme.post_json("/user/create", body).ok();
        world.login(name, "password of a user")
    };
    let (editor, reader) = (user("ann", true), user("ben", false));
    let regenerate = |who: &Account, app: &str| {
        who.post_json("/download-tokens/regenerate", json!({ "app_id": app })).send().status
    };

    assert_eq!(regenerate(&editor, &app), 200);
    assert_eq!(regenerate(&editor, &acme.app_id("notes")), 403);
    assert_eq!(regenerate(&reader, &app), 403);
    assert_eq!(regenerate(&acme.ci_token(&[&app]), &app), 403);
    let names = |who: &Account| list(who).iter().map(|token| token["app_name"].clone()).collect::<Vec<_>>();
    assert_eq!(names(&acme), ["notes", "secret"]);
    assert_eq!(names(&editor), ["secret"]);
    assert!(names(&reader).is_empty());
}

fn deleting_an_app_or_a_channel_ends_its_tokens(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let (beta, spare) = (acme.create_channel("beta"), acme.create_app("spare"));
    regenerate(&acme, "secret", Some("beta"));
    regenerate(&acme, "spare", None);
    regenerate(&acme, "spare", Some("stable"));
    assert_eq!(list(&acme).len(), 3);

    let _ = acme.delete(&format!("/channel/delete?id={beta}")).send().expect(200);
    assert_eq!(list(&acme).len(), 2);
    let _ = acme.delete(&format!("/app/delete?id={spare}")).send().expect(200);
    assert_eq!(list(&acme), [] as [Value; 0]);
    let left: i64 =
        world.database().query_row("SELECT count(*) FROM download_tokens", (), |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

fn links_carry_the_token_that_the_client_sent(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let token = regenerate(&acme, "secret", None);
    let latest = "/apps/latest?app_name=secret&owner=acme";

    for path in [check(&acme), latest.to_owned()] {
        let by_header = world.get(&path).header("x-download-token", &token).ok();
        let by_query = world.get(&format!("{path}&download_token={token}")).ok();
        assert_eq!(by_header, by_query, "{path}");
        let links = links(&by_header);
        assert_eq!(links.len(), 2, "{by_header}");
        for link in links {
            assert!(link.ends_with(&format!("&download_token={token}")), "{link}");
            assert!(follow(&link).text().starts_with('a'));
        }
        let bare = world.get(&path).send().expect(200);
        assert!(!bare.text().contains("sdd_"), "{}", bare.text());
    }
    let one = format!("{latest}&channel=stable&platform=linux&arch=amd64&package=deb&download_token={token}");
    let answer = world.get(&one).send().expect(302);
    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert_eq!(follow(answer.header("location")).text(), "a secret");
}

/// All addresses of a JSON answer.
fn links(answer: &Value) -> Vec<String> {
    match answer {
        Value::String(text) if text.starts_with("http") => vec![text.clone()],
        Value::Object(fields) => fields.values().flat_map(links).collect(),
        _ => Vec::new(),
    }
}

fn every_feed_of_a_private_app_carries_the_token(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_platform_with("darwin", &["squirrel_darwin", "tauri"]);
    let zip = Release::empty("1.1.0").with("updater", "squirrel_darwin").file("Notes.zip", "a zip");
    for release in [zip, tauri("1.1.0", "Notes.app.tar.gz")] {
        acme.publish(release.with("app_name", "secret").with("platform", "darwin"));
    }
    let token = regenerate(&acme, "secret", Some("stable"));
    let feed = |file: &str| format!("/update/acme/secret/stable/darwin/amd64/1.0.0/{file}");
    let check = |updater: &str| format!("{}&updater={updater}", check(&acme).replace("=linux", "=darwin"));

    for (path, content) in [
        (feed("squirrel.json"), "a zip"),
        (check("squirrel_darwin"), "a zip"),
        (feed("tauri.json"), "Notes.app.tar.gz"),
        (check("tauri"), "Notes.app.tar.gz"),
    ] {
        let sign = if path.contains('?') { '&' } else { '?' };
        let answer = world.get(&format!("{path}{sign}download_token={token}")).send().expect(200);
        assert_eq!(answer.header("cache-control"), "private, no-store", "{path}");
        assert!(names_token(&answer), "{path}");
        assert_eq!(follow(answer.json()["url"].as_str().unwrap()).text(), content, "{path}");
        let bare = world.get(&path).send().expect(200);
        assert!(names_token(&bare) && !bare.text().contains("sdd_"), "{path}: {}", bare.text());
    }
}

fn names_token(answer: &Answer) -> bool {
    let all = answer.headers.get_all("vary").iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(',')).any(|name| name.trim().eq_ignore_ascii_case("x-download-token"))
}

fn an_answer_with_a_token_is_nobody_elses(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let token = regenerate(&acme, "secret", None);

    for path in [check(&acme), "/apps/latest?app_name=secret&owner=acme".to_owned()] {
        let bare = world.get(&path).send().expect(200);
        assert_eq!(bare.header("cache-control"), "public, max-age=60, must-revalidate");
        assert!(names_token(&bare), "a cache asks again for a client with a token: {path}");
        let again = world.get(&path).header("if-none-match", bare.header("etag")).send().expect(304);
        assert!(names_token(&again), "{path}");
        let carried = |call: Call<'_>| call.header("x-download-token", &token).send().expect(200);
        let answer = carried(world.get(&path).header("if-none-match", "*"));
        assert_eq!(answer.header("cache-control"), "private, no-store", "{path}");
        assert!(names_token(&answer) && answer.header("etag").is_empty(), "{path}");
    }
}

fn only_tokens_get_into_links(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let digits = "0f".repeat(32);

    for sent in [
        "sdd_1".to_owned(),
        format!("sdd_{digits}0"),
        format!("sdd_{}", digits.to_uppercase()),
        format!("sdt_{digits}"),
        format!("sdd_{digits}&format=json"),
        "x\" onload=".to_owned(),
    ] {
        let answer = world.get(&check(&acme)).header("x-download-token", &sent).send().expect(200);
        assert_eq!(answer.header("cache-control"), "public, max-age=60, must-revalidate", "{sent}");
        assert!(!answer.text().contains("download_token"), "{sent}: {}", answer.text());
        let encoded = sent.replace('&', "%26").replace('"', "%22").replace(' ', "%20");
        let answer = world.get(&format!("{}&download_token={encoded}", check(&acme))).send().expect(200);
        assert!(!answer.text().contains("download_token"), "{sent}: {}", answer.text());
    }
}

fn links_of_public_apps_carry_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let token = regenerate(&acme, "notes", None);

    for path in [acme.check_path("0.1"), "/apps/latest?app_name=notes&owner=acme".to_owned()] {
        let bare = world.get(&path).send();
        let answer = world.get(&path).header("x-download-token", &token).send();
        assert_eq!((answer.status, answer.text()), (bare.status, bare.text()), "{path}");
        assert_eq!(answer.header("cache-control"), "public, max-age=60, must-revalidate", "{path}");
        assert_eq!(answer.header("location"), bare.header("location"), "{path}");
        assert!(!names_token(&bare), "{path}");
    }
}

fn static_answers_carry_nothing(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let token = regenerate(&acme, "secret", None);
    let path = "/responses/acme/secret/stable/linux/amd64/0.1.json";

    let answer =
        world.get(&format!("{path}?download_token={token}")).header("x-download-token", &token).send();

    let answer = answer.expect(200);
    assert!(!answer.text().contains("sdd_"), "{}", answer.text());
    assert_eq!(answer.json(), world.get(&check(&acme)).ok());
    assert!(!names_token(&answer), "it is the same for all");
}
