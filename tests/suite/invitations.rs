//! Invitations: links with which people join a team.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, PASSWORD, World, on_hosts};

use crate::audit::{kinds_after, last, newest};
use crate::tokens::time;

on_hosts! {
    every: [
        a_person_joins_with_a_link,
        a_link_is_good_once,
        a_revoked_link_is_not_good,
        the_admin_may_set_the_name,
        a_name_that_is_taken_uses_nothing_up,
        a_bad_password_uses_nothing_up,
        a_link_is_no_other_credential,
        invitations_are_the_admins_own,
        several_people_with_one_link_are_one,
        secrets_of_links_are_not_kept,
        deleted_entries_leave_invitations,
    ],
    in_process: [
        a_link_is_good_for_seven_days,
        maintenance_forgets_old_invitations,
    ],
}

struct Invited {
    id: String,
    secret: String,
}

fn invite(acme: &Account, body: Value) -> Invited {
    let made = acme.post_json("/invitations", body).send().expect(201).json();
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    assert!(text("link").ends_with(&format!("/console/invitation?secret={}", text("secret"))), "{made}");
    Invited { id: text("id"), secret: text("secret") }
}

fn on_call(acme: &Account) -> Value {
    json!({ "role": "on-call", "permissions": { "apps": { "allowed": [acme.app_id("notes")] } } })
}

fn show(world: &World, secret: &str) -> Answer {
    world.client().with_token(secret).get("/invitations/mine").send()
}

fn accept(world: &World, secret: &str, name: &str) -> Answer {
    let body = json!({ "username": name, "password": PASSWORD });
    world.client().with_token(secret).post_json("/invitations/accept", body).send()
}

fn over(answer: &Answer) -> (u16, String) {
    assert_eq!(answer.json()["code"], "invitation_over", "{}", answer.text());
    (answer.status, answer.error())
}

fn used() -> (u16, String) {
    (410, "the invitation was used already: log in, or ask for another one".to_owned())
}

fn open(acme: &Account) -> Vec<Value> {
    acme.get("/invitations").ok()["invitations"].as_array().unwrap().clone()
}

fn a_person_joins_with_a_link(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let before = last(&acme);
    let invited = invite(&acme, on_call(&acme));
    assert_eq!(kinds_after(&acme, before), ["invitation.create"]);
    let listed = open(&acme);
    assert_eq!((&listed[0]["id"], &listed[0]["role"]), (&json!(invited.id), &json!("on-call")));
    assert_eq!(listed[0]["username"], Value::Null);

    for _ in 0..2 {
        let shown = show(&world, &invited.secret).expect(200);
        assert_eq!(shown.header("cache-control"), "private, no-store");
        let shown = shown.json();
        assert_eq!((&shown["owner"], &shown["role"]), (&json!("acme"), &json!("on-call")));
        assert_eq!(shown["username"], Value::Null);
    }
    assert_eq!(open(&acme).len(), 1, "reading uses nothing up");
    let accepted = accept(&world, &invited.secret, "joe").expect(200);

    assert_eq!(accepted.json(), json!({ "username": "joe" }));
    let joe = world.login("joe", PASSWORD);
    let me = joe.get("/whoami").ok();
    assert_eq!((&me["owner"], &me["role"]), (&json!("acme"), &json!("on-call")));
    assert_eq!(me["permissions"], listed[0]["permissions"]);
    assert!(open(&acme).is_empty());
    assert_eq!(kinds_after(&acme, before), ["invitation.create", "invitation.accept"]);
    let entry = newest(&acme);
    assert_eq!((&entry["actor"]["name"], &entry["after"]["name"]), (&json!("joe"), &json!("joe")));
}

fn a_link_is_good_once(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let invited = invite(&acme, on_call(&acme));
    let _ = accept(&world, &invited.secret, "joe").expect(200);

    assert_eq!(over(&accept(&world, &invited.secret, "eve")), used());
    assert_eq!(over(&show(&world, &invited.secret)), used());
    let revoke = acme.delete(&format!("/invitations?id={}", invited.id)).send();
    assert_eq!(over(&revoke), used());
    assert_eq!(acme.get("/users/list").ok()["users"].as_array().unwrap().len(), 1);
}

fn a_revoked_link_is_not_good(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let (revoked, other) = (invite(&acme, on_call(&acme)), invite(&acme, on_call(&acme)));
    let before = last(&acme);
    let revoke = || acme.delete(&format!("/invitations?id={}", revoked.id)).send();

    assert_eq!(revoke().expect(200).json(), json!({ "message": "Invitation revoked" }));

    let told = (410, "the invitation was revoked".to_owned());
    assert_eq!(over(&accept(&world, &revoked.secret, "joe")), told);
    assert_eq!(over(&show(&world, &revoked.secret)), told);
    assert_eq!(over(&revoke()), told);
    assert_eq!(kinds_after(&acme, before), ["invitation.revoke"]);
    assert_eq!(open(&acme).len(), 1);
    let _ = accept(&world, &other.secret, "joe").expect(200);
}

fn a_link_is_good_for_seven_days(host: Driver) {
    let world = World::new(host);
    world.platform().set_time(time("2026-11-21T12:00:00Z"));
    let acme = world.admin("acme").with_notes();
    let (late, early) = (invite(&acme, on_call(&acme)), invite(&acme, on_call(&acme)));
    assert_eq!(open(&acme)[0]["expires_at"], "2026-11-28T12:00:00+00:00");

    world.advance(7 * 24 * 60 * 60 - 1);
    let _ = accept(&world, &early.secret, "joe").expect(200);
    let _ = show(&world, &late.secret).expect(200);
    world.advance(1);

    let told = (410, "the invitation has expired: ask for another one".to_owned());
    assert_eq!(over(&accept(&world, &late.secret, "eve")), told);
    assert_eq!(over(&show(&world, &late.secret)), told);
    assert!(open(&world.login("acme", PASSWORD)).is_empty());
}

fn maintenance_forgets_old_invitations(host: Driver) {
    const DAY: u64 = 24 * 60 * 60;
    let world = World::new(host);
    world.platform().set_time(time("2026-11-21T12:00:00Z"));
    let acme = world.admin("acme").with_notes();
    let invited = invite(&acme, on_call(&acme));
    let _ = accept(&world, &invited.secret, "joe").expect(200);
    let maintain = || {
        let acme = world.login("acme", PASSWORD);
        // The storage, whose clock is not moved, refuses the run's signatures. The run does the rest.
        let _ = acme.post("/maintenance/run").send().expect(502);
    };

    world.advance((7 + 30) * DAY);
    maintain();
    assert_eq!(over(&show(&world, &invited.secret)), used());
    world.advance(1);
    maintain();
    assert_eq!(show(&world, &invited.secret).status, 404);
    assert_eq!(world.number("SELECT count(*) FROM logins").unwrap(), 2, "others have expired");
}

fn the_admin_may_set_the_name(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let taken = acme.post_json("/invitations", json!({ "username": "acme" })).send();
    assert_eq!(taken.refusal(), (409, "user already exists".to_owned()));
    let invited = invite(&acme, json!({ "username": "joe", "role": "support" }));
    assert_eq!(show(&world, &invited.secret).json()["username"], "joe");

    assert_eq!(accept(&world, &invited.secret, "eve").status, 400);
    let body = json!({ "password": PASSWORD });
    let accepted = world.client().with_token(&invited.secret).post_json("/invitations/accept", body).send();

    assert_eq!(accepted.expect(200).json()["username"], "joe");
    assert_eq!(world.login("joe", PASSWORD).get("/whoami").ok()["role"], "support");
}

fn a_name_that_is_taken_uses_nothing_up(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let chosen = invite(&acme, on_call(&acme));
    let set = invite(&acme, json!({ "username": "joe" }));
    acme.post_json("/user/create", json!({ "username": "joe", "password": PASSWORD })).ok();
    let before = last(&acme);

    let taken = (409, "user already exists".to_owned());
    assert_eq!(accept(&world, &chosen.secret, "joe").refusal(), taken);
    assert_eq!(accept(&world, &set.secret, "joe").refusal(), taken);
    assert_eq!(accept(&world, &chosen.secret, "").refusal(), (400, "missing username".to_owned()));
    assert_eq!(kinds_after(&acme, before), [] as [&str; 0]);
    assert_eq!(open(&acme).len(), 2);
    let _ = accept(&world, &chosen.secret, "joey").expect(200);
}

fn a_bad_password_uses_nothing_up(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let invited = invite(&acme, on_call(&acme));
    let with = |body: Value| {
        world.client().with_token(&invited.secret).post_json("/invitations/accept", body).send().refusal()
    };
    let rule = (400, "invalid password: 8 to 1024 characters".to_owned());
    assert_eq!(with(json!({ "username": "joe", "password": "short" })), rule);
    assert_eq!(with(json!({ "username": "joe" })), (400, "missing password".to_owned()));
    assert_eq!(open(&acme).len(), 1);
    let _ = accept(&world, &invited.secret, "joe").expect(200);
}

fn a_link_is_no_other_credential(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let invited = invite(&acme, on_call(&acme));
    let holder = world.client().with_token(&invited.secret);
    for path in ["/whoami", "/app/list", "/invitations", "/users/list"] {
        assert_eq!(holder.get(path).send().status, 401, "{path}");
    }
    let none = (401, "missing authorization header".to_owned());
    assert_eq!(world.client().get("/invitations/mine").send().refusal(), none);
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    for other in [&acme, &ci] {
        let refused = other.get("/invitations/mine").send().refusal();
        assert_eq!(refused, (401, "invalid invitation: copy the whole link".to_owned()));
    }
    let unknown = format!("sdi_{}", "0".repeat(64));
    assert_eq!(show(&world, &unknown).refusal(), (404, "invitation not found".to_owned()));
    assert_eq!(accept(&world, &unknown, "joe").status, 404);
}

fn invitations_are_the_admins_own(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let other = world.admin("other");
    let invited = invite(&acme, on_call(&acme));
    assert!(open(&other).is_empty());
    assert_eq!(other.delete(&format!("/invitations?id={}", invited.id)).send().status, 404);
    assert_eq!(other.post_json("/invitations", on_call(&acme)).send().status, 404, "another's application");
    let _ = accept(&world, &invited.secret, "joe").expect(200);
    let joe = world.login("joe", PASSWORD);
    for call in
        [joe.get("/invitations"), joe.post_json("/invitations", json!({})), joe.delete("/invitations?id=1")]
    {
        assert_eq!(call.send().status, 403);
    }
}

fn several_people_with_one_link_are_one(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let invited = invite(&acme, on_call(&acme));

    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let (world, secret) = (&world, &invited.secret);
        let accepting: Vec<_> =
            (0..4).map(|n| scope.spawn(move || accept(world, secret, &format!("joe-{n}")).status)).collect();
        accepting.into_iter().map(|one| one.join().unwrap()).collect()
    });

    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(acme.get("/users/list").ok()["users"].as_array().unwrap().len(), 1);
}

fn secrets_of_links_are_not_kept(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let invited = invite(&acme, on_call(&acme));
    let stored: String =
        world.database().query_row("SELECT secret_hash FROM invitations", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, spindrift_tests::sha256_hex(invited.secret.as_bytes()));
    for path in ["/invitations", "/audit?format=jsonl&limit=1000"] {
        let text = acme.get(path).send().expect(200).text();
        assert!(!text.contains(&invited.secret) && !text.contains(&stored), "{text}");
    }
}

fn deleted_entries_leave_invitations(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let apps = [acme.create_app("tasks"), acme.app_id("notes")];
    let body = json!({ "role": "support", "permissions": { "apps": { "allowed": apps } } });
    let invited = invite(&acme, body);
    acme.delete(&format!("/app/delete?id={}", apps[0])).ok();

    let _ = accept(&world, &invited.secret, "joe").expect(200);

    let me = world.login("joe", PASSWORD).get("/whoami").ok();
    assert_eq!(me["permissions"]["Apps"]["Allowed"], json!([apps[1]]));
}
