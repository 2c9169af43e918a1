//! The team, tokens and keys: each form once, and secrets only where they were asked for.

use serde_json::json;
use spindrift_api::{DownloadTokensBody, TokensBody, UsersBody};
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::session::{Session, between};
use crate::reports::{create_notes, failure, key, send, team_user};

on_hosts! {
    every: [],
    hosted: [
        a_team_user_comes_and_goes,
        a_ci_token_is_shown_once,
        a_download_token_is_shown_once,
        a_report_key_is_shown_when_asked_for,
        a_new_password_ends_logins,
        a_team_user_sees_what_it_may,
    ],
}

const PEOPLE: &str = "/console/people";

/// The secret on the page to which a form leads. No address contains it. Reloading that page neither shows the secret
/// nor makes another.
pub(super) fn secret(session: &Session<'_>, answer: &spindrift_tests::Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    let [shown, again] = session.follow(answer);
    assert_eq!((shown.status, shown.header("cache-control")), (200, "private, no-store"));
    let page = shown.text();
    let secret = between(between(&page, "<p class=\"secret\">", "</p>"), "<code>", "</code>").to_owned();
    for attribute in ["href=\"", "action=\"", "src=\""] {
        let mut addresses = page.split(attribute).skip(1).map(|rest| rest.split('"').next().unwrap());
        assert!(addresses.all(|address| !address.contains(&secret)), "{page}");
    }
    assert!(page.contains(&format!("data-copy=\"{secret}\"")), "{page}");
    assert!(!answer.header("location").contains(&secret), "{:?}", answer.headers);
    let again = again.expect(200).text();
    assert!(again.contains("It was shown once") && !again.contains(&secret), "{again}");
    secret
}

fn a_team_user_comes_and_goes(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    let users = || acme.get("/users/list").read::<UsersBody>().users;
    assert!(session.page("people").contains("No team users yet."));
    let app = acme.app_id("notes");
    let bob = [
        ("username", "bob"),
        ("password", "password of a user"),
        ("apps.upload", "1"),
        ("channels.create", "1"),
        ("apps", app.as_str()),
    ];

    assert_eq!(session.submit("people/users/new", &bob), PEOPLE);
    let made = users().remove(0);
    assert!(made.permissions.apps.upload && made.permissions.channels.create && !made.permissions.apps.edit);
    assert_eq!(made.permissions.apps.allowed[0].as_str(), app);
    let login = world.login("bob", "password of a user");
    let page = session.page("people");
    assert!(page.contains("upload applications; create channels") && page.contains(">notes</td>"), "{page}");
    let taken = session.post("people/users/new", &bob).expect(409).text();
    assert!(taken.contains("user already exists") && !taken.contains("password of a user"), "{taken}");
    assert!(taken.contains("name=\"apps.upload\" value=\"1\" checked"), "{taken}");

    let edit = format!("people/users/{}", made.id);
    assert!(session.page(&edit).contains("name=\"channels.create\" value=\"1\" checked"));
    let _ = session.submit(&edit, &[("username", "bobby"), ("password", ""), ("apps.edit", "1")]);
    let changed = users().remove(0);
    assert_eq!((changed.username.as_str(), changed.permissions.apps.allowed.len()), ("bobby", 0));
    assert_eq!(login.get("/whoami").send().status, 401);
    let _ = world.login("bobby", "password of a user");

    let delete = format!("{edit}/delete");
    assert!(session.page(&delete).contains("<strong>bobby</strong>"));
    assert_eq!(session.submit(&delete, &[]), PEOPLE);
    assert!(users().is_empty());
}

fn a_ci_token_is_shown_once(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    let tokens = || acme.get("/token/list").read::<TokensBody>().tokens;
    let app = acme.app_id("notes");
    let late = [("name", "ci"), ("apps", app.as_str()), ("may", "upload"), ("expires", "2020-01-01")];
    let late = session.post("people/tokens/new", &late);
    assert!(late.expect(400).text().contains("invalid expires_at parameter: a time in the future"));

    let name = "<script>alert(1)</script>";
    let form = [("name", name), ("apps", app.as_str()), ("may", "upload"), ("expires", "2099-12-31")];
    let token = secret(&session, &session.post("people/tokens/new", &form));

    assert_eq!(tokens().len(), 1, "loading the page again makes no other");
    let entry = tokens().remove(0).entry;
    assert_eq!((entry.name.as_str(), entry.expires_at.as_deref()), (name, Some("2099-12-31T23:59:59+00:00")));
    assert!(token.starts_with(&entry.token_prefix) && token.len() > entry.token_prefix.len());
    acme.with_credential(&token).publish(Release::new("1.0.0"));
    let page = session.page("people");
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains(&token), "{page}");
    assert!(page.contains(&format!("<code>{}…</code>", entry.token_prefix)), "{page}");
    let revoke = format!("people/tokens/{}/delete", entry.id);
    let question = session.page(&revoke);
    assert!(question.contains("Pipelines that use it can no longer publish.") && !question.contains(&token));
    assert_eq!(session.submit(&revoke, &[]), PEOPLE);
    assert!(tokens().is_empty());
    assert_eq!(acme.with_credential(&token).init(&Release::new("1.1.0")).status, 401);
}

fn a_download_token_is_shown_once(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let app = acme.create_app_with(json!({ "app": "desk", "private": true, "download_mode": "token" }));
    let channel = acme.create_channel("stable");
    let session = Session::of(&world, &acme);
    let page = session.page("people");
    assert!(page.contains(&format!("/console/people/download-tokens/{app}")), "{page}");
    let path = format!("people/download-tokens/{app}?channel_id={channel}");
    assert!(session.page(&path).contains("channel <strong>stable</strong>"));

    let first = secret(&session, &session.post(&path, &[]));
    let second = secret(&session, &session.post(&path, &[]));

    assert!(first.starts_with("sdd_") && first != second);
    let listed = acme.get("/download-tokens/list").read::<DownloadTokensBody>().download_tokens;
    assert_eq!(listed[0].channel_name.as_deref(), Some("stable"));
    let page = session.page("people");
    assert!(page.contains(&listed[0].token_prefix) && !page.contains(&second), "{page}");
}

fn a_report_key_is_shown_when_asked_for(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let old = create_notes(&acme);
    let session = Session::of(&world, &acme);
    let path = format!("people/report-keys/{}", acme.app_id("notes"));
    assert!(!session.page("people").contains(&old));
    assert_eq!(session.get(&path).status, 404, "only a form shows it");
    assert_eq!(secret(&session, &session.post(&path, &[])), old);

    let replace = format!("{path}/replace");
    let question = session.page(&replace);
    assert!(question.contains("ends at once") && !question.contains(&old), "{question}");
    let new = secret(&session, &session.post(&replace, &[]));

    assert_eq!(key(&acme, "notes").unwrap(), new);
    assert_eq!(send(world.client(), &old, "device", &failure()).status, 401);
    assert_eq!(send(world.client(), &new, "device", &failure()).status, 202);
}

fn a_new_password_ends_logins(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let session = Session::of(&world, &acme);
    let change = |password: &str, again: &str| {
        session.post("people/password", &[("password", password), ("again", again)])
    };
    assert!(change("another password", "another pasword").expect(400).text().contains("in both fields"));
    assert!(change("short", "short").expect(400).text().contains("8 to 1024 characters"));

    let changed = change("another password", "another password").expect(303);

    assert_eq!(changed.header("location"), "/console/login?done=password");
    let login = world.get(changed.header("location")).send().expect(200).text();
    assert!(login.contains("Your password is changed."), "{login}");
    assert!(changed.header("set-cookie").starts_with("spindrift_session=; "), "{:?}", changed.headers);
    assert_eq!(session.get("people").status, 303);
    let acme = world.login("acme", "another password");
    let session = Session::of(&world, &acme);
    let over = session.post("logout", &[("everywhere", "1")]).expect(303);
    assert_eq!(over.header("location"), "/console/login");
    assert_eq!(acme.get("/whoami").send().status, 401);
}

fn a_team_user_sees_what_it_may(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let _ = create_notes(&acme);
    let app = acme.app_id("notes");
    acme.create_app_with(json!({ "app": "secret", "reports": true }));
    let _: Account = acme.ci_token(&[&app]);
    let bob = team_user(&world, &acme, "bob", json!({ "upload": true, "allowed": [app] }));
    let session = Session::of(&world, &bob);

    let page = session.page("people");

    assert!(page.contains("upload applications") && page.contains("in the team of acme"), "{page}");
    for absent in ["CI tokens</h2>", "Team</h2>", "Change your password", ">Replace<", "secret"] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    assert_eq!(session.get("people/users/new").status, 404);
    assert_eq!(session.get("people/tokens/new").status, 404);
    let form = [("name", "ci"), ("apps", app.as_str())];
    assert_eq!(session.post("people/tokens/new", &form).status, 403);
    assert_eq!(
        session.post("people/users/new", &[("username", "eve"), ("password", "long enough")]).status,
        403
    );
    assert_eq!(
        session.post("people/password", &[("password", "12345678"), ("again", "12345678")]).status,
        403
    );
    assert_eq!(session.post(&format!("people/report-keys/{app}/replace"), &[]).status, 403);
    assert_eq!(session.post(&format!("people/download-tokens/{app}"), &[]).status, 403);
    assert_eq!(acme.get("/token/list").read::<TokensBody>().tokens.len(), 1);
}
