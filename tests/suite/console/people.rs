//! The team, tokens and keys: each form once, and secrets only where they were asked for.

use std::time::Duration;

use serde_json::json;
use spindrift_api::{DownloadTokensBody, TokensBody, UsersBody};
use spindrift_tests::{Account, Driver, Release, World, on_hosts, until};

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
        a_role_is_chosen_by_name,
        a_person_joins_with_a_link,
        an_invitation_is_revoked,
        people_end_their_logins,
        a_person_on_call_finds_what_stops,
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
    assert!(session.page("people").contains("<td>never</td>"), "bob was never seen");
    let login = world.login("bob", "password of a user");
    let _ = login.get("/whoami").ok();
    until("a recorded use", Duration::from_secs(30), || users().remove(0).last_seen_at);
    let page = session.page("people");
    assert!(!page.contains("<td>never</td>"), "{page}");
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
    let change_from = |current: &str, password: &str, again: &str| {
        session.post("people/password", &[("current", current), ("password", password), ("again", again)])
    };
    let change = |password: &str, again: &str| change_from(spindrift_tests::PASSWORD, password, again);
    let wrong = change_from("not this one", "another password", "another password").expect(403).text();
    assert!(wrong.contains("the current password is wrong"), "{wrong}");
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
    assert!(page.contains("Change your password") && page.contains("this one"), "{page}");
    for absent in ["CI tokens</h2>", "Team</h2>", "Open invitations", ">Replace<", "secret"] {
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
    assert_eq!(session.get("people/invitations/new").status, 404);
    assert_eq!(session.post("people/invitations/new", &[("role", "support")]).status, 403);
    assert_eq!(session.post(&format!("people/report-keys/{app}/replace"), &[]).status, 403);
    assert_eq!(session.post(&format!("people/download-tokens/{app}"), &[]).status, 403);
    assert_eq!(acme.get("/token/list").read::<TokensBody>().tokens.len(), 1);
}

fn a_role_is_chosen_by_name(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    let users = || acme.get("/users/list").read::<UsersBody>().users;
    let app = acme.app_id("notes");
    let new = session.page("people/users/new");
    assert!(new.contains("value=\"support\" checked") && new.contains("changes nothing"), "{new}");
    let joe = [
        ("username", "joe"),
        ("password", "password of a user"),
        ("role", "on-call"),
        ("apps.edit", "1"),
        ("apps", app.as_str()),
    ];

    assert_eq!(session.submit("people/users/new", &joe), PEOPLE);

    let made = users().remove(0);
    assert_eq!((made.role.as_str(), made.permissions.apps.edit), ("on-call", false));
    assert_eq!(made.permissions.channels.allowed.len(), 1);
    assert!(session.page("people").contains("<td>on-call</td>"));
    let edit = format!("people/users/{}", made.id);
    assert!(session.page(&edit).contains("value=\"on-call\" checked"));
    let custom = [("username", "joe"), ("role", "custom"), ("apps.edit", "1"), ("apps", app.as_str())];
    let _ = session.submit(&edit, &custom);
    assert_eq!(users()[0].role, "custom");
    assert!(session.page(&edit).contains("value=\"custom\" checked"));
}

/// The secret in the link that the page after the form shows.
fn link(session: &Session<'_>, fields: &[(&str, &str)]) -> String {
    let [shown, again] = session.follow(&session.post("people/invitations/new", fields));
    let page = shown.text();
    let (_, rest) = page.split_once("/console/invitation?secret=").unwrap();
    let secret = rest["sdi_".len()..].chars().take_while(char::is_ascii_hexdigit);
    let secret = format!("sdi_{}", secret.collect::<String>());
    assert!(!again.text().contains(&secret));
    secret
}

fn a_person_joins_with_a_link(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    let app = acme.app_id("notes");
    let secret = link(&session, &[("username", ""), ("role", "on-call"), ("apps", app.as_str())]);
    assert!(session.page("people").contains("chosen by the person"));
    let path = format!("/console/invitation?secret={secret}");

    let shown = world.get(&path).send().expect(200);
    assert!(shown.text().contains("<strong>acme</strong> invites you"), "{}", shown.text());
    let _ = world.get(&path).send().expect(200);
    let cookie = shown.header("set-cookie").split(';').next().unwrap().to_owned();
    let token = between(&shown.text(), "name=\"form_token\" value=\"", "\"").to_owned();
    let join = |name: &str, token: &str| {
        let form = [
            ("form_token", token),
            ("secret", secret.as_str()),
            ("username", name),
            ("password", "password of a user"),
        ];
        let call = world.client().post_form("/console/invitation", &form);
        call.header("cookie", &cookie).header("origin", &world.url()).send()
    };
    assert_eq!(join("joe", "").status, 403, "not a form of this page");
    let taken = join("acme", &token).expect(409).text();
    assert!(taken.contains("user already exists") && taken.contains(&secret), "{taken}");
    let joined = join("joe", &token).expect(303);

    assert_eq!(joined.header("location"), "/console/");
    assert!(joined.header("set-cookie").starts_with("spindrift_session=ey"), "{:?}", joined.headers);
    assert_eq!(world.login("joe", "password of a user").get("/whoami").ok()["role"], "on-call");
    let over = world.get(&path).send().expect(410).text();
    assert!(over.contains("the invitation was used already"), "{over}");
    let short = world.get("/console/invitation?secret=sdi_12").send().expect(404).text();
    assert!(short.contains("not the whole link"), "{short}");
}

fn an_invitation_is_revoked(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    let taken = session.post("people/invitations/new", &[("username", "acme"), ("role", "support")]);
    assert!(taken.expect(409).text().contains("user already exists"));
    let secret = link(&session, &[("username", "joe"), ("role", "support")]);
    let id = acme.get("/invitations").ok()["invitations"][0]["id"].as_str().unwrap().to_owned();
    let revoke = format!("people/invitations/{id}/delete");
    assert!(session.page(&revoke).contains("<strong>joe</strong>"));

    assert_eq!(session.submit(&revoke, &[]), PEOPLE);

    assert!(session.page("people").contains("No open invitations."));
    let over = world.get(&format!("/console/invitation?secret={secret}")).send().expect(410).text();
    assert!(over.contains("the invitation was revoked"), "{over}");
}

fn people_end_their_logins(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let session = Session::of(&world, &acme);
    assert!(!session.page("people").contains("End all others"));
    let [lost, other, third] = [(); 3].map(|()| world.login("acme", spindrift_tests::PASSWORD));
    let lost_id = lost.get("/logins").ok()["logins"]
        .as_array()
        .unwrap()
        .iter()
        .find(|login| login["is_current"] == true)
        .unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let page = session.page("people");
    assert_eq!(page.matches("this one").count(), 1, "{page}");

    assert_eq!(session.submit(&format!("people/logins/{lost_id}"), &[]), PEOPLE);
    assert_eq!(lost.get("/whoami").send().status, 401);
    assert_eq!(other.get("/whoami").send().status, 200);
    assert_eq!(session.submit("people/logins/others", &[]), PEOPLE);
    assert_eq!([&other, &third].map(|account| account.get("/whoami").send().status), [401, 401]);
    let out = session.post("logout", &[]).expect(303);
    assert_eq!(out.header("location"), "/console/login");
    assert_eq!(acme.get("/whoami").send().status, 401, "logging out ends the login itself");
}

fn a_person_on_call_finds_what_stops(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let release = acme.upload(&Release::new("2.0.0"));
    let plan = json!([{ "percent": 50, "for": "12h" }, { "percent": 100 }]);
    let offer = json!({ "publish": true, "plan": plan });
    let _ = acme.post_json(&format!("/releases/{release}/offer"), offer).send().expect(200);
    let app = acme.app_id("notes");
    let person = |name: &str, role: &str| {
        let lists = json!({ "apps": { "allowed": [app] } });
        let body =
            json!({ "username": name, "password": "password of a user", "role": role, "permissions": lists });
        acme.post_json("/user/create", body).ok();
        world.login(name, "password of a user")
    };
    let (joe, ann) = (person("joe", "on-call"), person("ann", "support"));
    let path = format!("apps/notes/releases/{release}");

    let session = Session::of(&world, &joe);
    let page = session.page(&path);
    for present in ["value=\"halt\"", "value=\"pause\"", "Make it a draft", "Withdraw it"] {
        assert!(page.contains(present), "{present}: {page}");
    }
    for absent in ["value=\"resume\"", "value=\"set\"", "Edit the notes", ">Delete"] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    assert!(session.page("apps/notes").contains("Stop everything"));
    let halted = session.post(&format!("{path}/rollout"), &[("action", "halt")]);
    assert_eq!(halted.status, 303, "{}", halted.text());

    let session = Session::of(&world, &ann);
    let page = session.page(&path);
    assert!(!page.contains("value=\"halt\"") && !page.contains("Withdraw it"), "{page}");
    assert!(!session.page("apps/notes").contains("Stop everything"));
    assert_eq!(session.post(&format!("{path}/rollout"), &[("action", "halt")]).status, 403);
}
