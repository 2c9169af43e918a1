//! Protection of logins against guessing, and their end.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use spindrift_tests::{API_KEY, Account, Answer, Driver, PASSWORD, Release, World, on_hosts};

use crate::tokens::{SECRET, claims, hs256, time};

on_hosts! {
    every: [
        a_user_name_is_guessed_at_a_few_times_only,
        an_address_guesses_a_few_times_only,
        a_client_cannot_make_up_its_address,
        an_admin_who_cannot_log_in_gets_a_new_password,
        others_do_not_lock_out_an_address_that_logged_in,
        behind_trusted_proxies_the_client_is_counted,
        a_proxy_list_that_is_none_lets_nobody_guess,
        a_new_password_ends_logins,
        a_new_password_changes_nothing_that_checks_answer,
        fewer_rights_end_logins,
        logging_out_everywhere_ends_logins,
        a_login_is_of_one_epoch,
    ],
    in_process: [
        ten_failures_in_a_quarter_of_an_hour,
        a_known_address_has_ten_failures_of_its_own,
        fifty_failures_from_an_address,
        a_login_forgets_the_failures_of_its_user,
        many_guesses_at_once_are_no_more_than_one_after_the_other,
        refused_attempts_leave_no_keys,
        a_network_of_addresses_has_a_limit,
        without_counters_one_logs_in_and_nobody_signs_up,
        a_failing_database_is_no_failure_of_the_user,
        maintenance_deletes_the_counters,
    ],
}

const WRONG: &str = "not the password";

fn try_login(world: &World, name: &str, password: &str) -> Answer {
    world.client().post_json("/login", json!({ "username": name, "password": password })).send()
}

fn try_signup(world: &World, name: &str, key: &str) -> Answer {
    let body = json!({ "username": name, "password": PASSWORD, "api_key": key });
    world.client().post_json("/signup", body).send()
}

/// Fails until that is refused, and answers how. A window may end meanwhile, so it takes `max` to twice `max` failures.
fn fail_until_refused(max: usize, fail: impl Fn(usize) -> Answer) -> Answer {
    for n in 0..=2 * max {
        let answer = fail(n);
        if answer.status == 429 {
            assert!(n >= max, "refused after {n} failures");
            return answer;
        }
        assert_eq!(answer.status, 401, "{}", answer.text());
    }
    panic!("{} failures, and none was refused", 2 * max + 1);
}

/// A login of ada through a trusted proxy, which names the address.
fn from(world: &World, address: &str, password: &str) -> Answer {
    let call = world.client().post_json("/login", json!({ "username": "ada", "password": password }));
    call.header("x-forwarded-for", address).send()
}

/// A world whose clock is stopped at the beginning of a window.
fn at_noon(host: Driver) -> World {
    let world = World::new(host);
    world.platform().set_time(time("2026-11-21T12:00:00Z"));
    world.admin("ada");
    world
}

fn a_user_name_is_guessed_at_a_few_times_only(host: Driver) {
    let world = World::builder(host).with_variable("login_failures_per_user", "3").start();
    world.admin("ada");
    world.admin("bob");

    for name in ["ada", "nobody", "no name at all"] {
        let refused = fail_until_refused(3, |_| try_login(&world, name, WRONG));
        assert_eq!(refused.error(), "rate limit exceeded");
        let wait: u32 = refused.header("retry-after").parse().unwrap();
        assert!((1..=900).contains(&wait), "{wait}");
    }
    world.login("bob", PASSWORD);
}

fn an_address_guesses_a_few_times_only(host: Driver) {
    let world = World::builder(host).with_variable("login_failures_per_address", "3").start();
    world.admin("ada");

    fail_until_refused(3, |n| try_login(&world, &format!("user-{n}"), WRONG));
    let world = World::builder(host).with_variable("login_failures_per_address", "3").start();
    fail_until_refused(3, |n| try_signup(&world, &format!("user-{n}"), "wrong"));
}

fn a_client_cannot_make_up_its_address(host: Driver) {
    let world = World::builder(host).with_variable("login_failures_per_address", "3").start();
    let body = |n: usize| json!({ "username": format!("user-{n}"), "password": WRONG });

    // The second is the address that the host gives to components of the service, which are believed.
    fail_until_refused(3, |n| {
        let peer = if n % 2 == 0 { format!("203.0.113.{n}:80") } else { "0.0.0.0:0".to_owned() };
        let call = world.client().post_json("/login", body(n));
        call.header("x-forwarded-for", &format!("203.0.113.{n}")).header("spin-client-addr", &peer).send()
    });
}

fn others_do_not_lock_out_an_address_that_logged_in(host: Driver) {
    let world = World::builder(host)
        .with_variable("login_failures_per_user", "3")
        .with_variable("trusted_proxies", "127.0.0.0/8")
        .start();
    world.admin("ada");
    let _ = from(&world, "203.0.113.1", PASSWORD).expect(200);

    fail_until_refused(3, |_| from(&world, "198.51.100.1", WRONG));

    let _ = from(&world, "203.0.113.1", PASSWORD).expect(200);
    fail_until_refused(3, |_| from(&world, "203.0.113.1", WRONG));
}

/// `docs/operations.md` has the statements.
fn an_admin_who_cannot_log_in_gets_a_new_password(host: Driver) {
    let page = include_str!("../../docs/operations.md");
    let statements = page.split("sqlite3 \"$database\" \"\n").nth(1).unwrap().split(";\"\n").next().unwrap();
    assert!(statements.contains("UPDATE users") && statements.contains("DELETE FROM users"), "{statements}");
    let world = World::new(host);
    let ada = world.admin("ada");
    let id = ada.get("/whoami").ok()["id"].clone();
    let stolen = json!({ "id": id, "password": "what the thief has set" });
    let _ = ada.post_json("/admin/update", stolen).send().expect(200);
    let thief = world.login("ada", "what the thief has set");
    let other = world.admin("eve");

    assert!(world.database().execute_batch(statements).is_err(), "nobody has brought a password");
    thief.get("/whoami").ok();
    let again = json!({ "username": "ada-again", "password": "a password of hers", "api_key": API_KEY });
    let _ = world.client().post_json("/signup", again).send().expect(200);
    world.database().execute_batch(statements).unwrap();

    assert_eq!(thief.get("/whoami").send().refusal(), (401, "invalid token".to_owned()));
    assert_eq!(try_login(&world, "ada", "what the thief has set").status, 401);
    assert_eq!(try_login(&world, "ada-again", "a password of hers").status, 401, "it is gone");
    assert_eq!(world.login("ada", "a password of hers").get("/whoami").ok()["id"], id);
    other.get("/whoami").ok();
}

fn behind_trusted_proxies_the_client_is_counted(host: Driver) {
    let world = World::builder(host)
        .with_variable("login_failures_per_address", "3")
        .with_variable("trusted_proxies", "10.0.0.0/8, 127.0.0.0/8")
        .start();
    let names = AtomicUsize::new(0);
    let from = |forwarded: &str| {
        let name = format!("user-{}", names.fetch_add(1, Ordering::SeqCst));
        let call = world.client().post_json("/login", json!({ "username": name, "password": WRONG }));
        call.header("x-forwarded-for", forwarded).send()
    };

    fail_until_refused(3, |n| from(&format!("198.51.100.{n}, 203.0.113.1, 10.1.2.3")));
    assert_eq!(from("203.0.113.2").status, 401, "somebody else");
    fail_until_refused(3, |n| from(&format!("2001:db8:0:1::{n}")));
    assert_eq!(from("2001:db8:0:2::1").status, 401, "another network");
}

fn a_proxy_list_that_is_none_lets_nobody_guess(host: Driver) {
    let world = World::builder(host).with_variable("trusted_proxies", "the proxy").start();

    for answer in [try_login(&world, "ada", WRONG), try_signup(&world, "ada", API_KEY)] {
        let told = "the setting trusted_proxies must be a list of addresses or networks, like `10.0.0.0/8,2001:db8::1`";
        assert_eq!(answer.refusal(), (503, told.to_owned()));
    }
}

fn ten_failures_in_a_quarter_of_an_hour(host: Driver) {
    let world = at_noon(host);

    for name in ["ada", "nobody"] {
        for n in 0..10 {
            assert_eq!(try_login(&world, name, WRONG).status, 401, "{n}");
        }
        for password in [PASSWORD, WRONG] {
            let refused = try_login(&world, name, password);
            assert_eq!((refused.status, refused.header("retry-after")), (429, "900"));
        }
    }
    world.advance(899);
    assert_eq!(try_login(&world, "ada", PASSWORD).header("retry-after"), "1");
    world.advance(1);
    world.login("ada", PASSWORD);
}

fn a_known_address_has_ten_failures_of_its_own(host: Driver) {
    const DAY_SECONDS: u64 = 24 * 60 * 60;
    let world = at_noon(host);
    world.platform().set_variable("trusted_proxies", "127.0.0.0/8");
    let (home, elsewhere) = ("203.0.113.1", "198.51.100.1");
    let fail_ten_times = |address: &str| {
        for n in 0..10 {
            assert_eq!(from(&world, address, WRONG).status, 401, "{address} {n}");
        }
    };
    let _ = from(&world, home, PASSWORD).expect(200);

    fail_ten_times(elsewhere);
    assert_eq!(from(&world, elsewhere, PASSWORD).status, 429);
    assert_eq!(from(&world, "192.0.2.1", PASSWORD).status, 429, "nobody knows this address");
    fail_ten_times(home);
    assert_eq!(from(&world, home, PASSWORD).header("retry-after"), "900", "it cannot guess without a limit");

    world.advance(900);
    fail_ten_times(home);
    let _ = from(&world, elsewhere, PASSWORD).expect(200);
    world.advance(30 * DAY_SECONDS + 900);
    fail_ten_times("192.0.2.2");
    assert_eq!(from(&world, home, PASSWORD).status, 429, "its last login is too long ago");
}

fn fifty_failures_from_an_address(host: Driver) {
    let world = at_noon(host);

    for n in 0..50 {
        let name = format!("user-{n}");
        let answer =
            if n % 2 == 0 { try_login(&world, &name, WRONG) } else { try_signup(&world, &name, WRONG) };
        assert_eq!(answer.status, 401, "{n}");
    }
    assert_eq!(try_login(&world, "ada", PASSWORD).status, 429);
    assert_eq!(try_signup(&world, "bob", API_KEY).status, 429);
    world.advance(900);
    world.login("ada", PASSWORD);
    world.admin("bob");
}

fn a_login_forgets_the_failures_of_its_user(host: Driver) {
    let world = at_noon(host);
    world.platform().set_variable("login_failures_per_address", "20");

    for round in 0..2 {
        for n in 0..9 {
            assert_eq!(try_login(&world, "ada", WRONG).status, 401, "{round} {n}");
        }
        world.login("ada", PASSWORD);
    }
    // 18 of this address are still counted, and no success is.
    assert_eq!(try_login(&world, "ada", WRONG).status, 401);
    world.login("ada", PASSWORD);
    assert_eq!(try_signup(&world, "eve", "wrong").status, 401);
    assert_eq!(try_login(&world, "ada", PASSWORD).status, 429);
}

fn many_guesses_at_once_are_no_more_than_one_after_the_other(host: Driver) {
    let world = at_noon(host);
    let (failed, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));

    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    match try_login(&world, "ada", WRONG).status {
                        401 => failed.fetch_add(1, Ordering::SeqCst),
                        429 => refused.fetch_add(1, Ordering::SeqCst),
                        other => panic!("{other}"),
                    };
                }
            });
        }
    });

    assert_eq!((failed.into_inner(), refused.into_inner()), (10, 30));
}

fn counters(world: &World) -> Vec<String> {
    world.platform().stored_keys().into_iter().filter(|key| key.starts_with("rate.")).collect()
}

/// A stranger chooses the names of users, and has many addresses.
fn refused_attempts_leave_no_keys(host: Driver) {
    let world = at_noon(host);
    world.platform().set_variable("trusted_proxies", "127.0.0.0/8");
    (0..10).for_each(|n| assert_eq!(from(&world, "203.0.113.1", WRONG).status, 401, "{n}"));
    let before = counters(&world);
    for n in 0..300 {
        let address = format!("2001:db8:{n:x}::1");
        assert_eq!(from(&world, &address, WRONG).status, 429, "ada is at her limit");
    }
    assert_eq!(counters(&world), before);

    let attempt = |n: usize| {
        let name = format!("user-{n}");
        if n.is_multiple_of(2) { try_login(&world, &name, WRONG) } else { try_signup(&world, &name, WRONG) }
    };
    (0..50).for_each(|n| assert_eq!(attempt(n).status, 401, "{n}"));
    let before = counters(&world);
    (50..350).for_each(|n| assert_eq!(attempt(n).status, 429, "the address is at its limit: {n}"));
    assert_eq!(counters(&world), before);
}

fn a_network_of_addresses_has_a_limit(host: Driver) {
    let world = at_noon(host);
    world.platform().set_variable("trusted_proxies", "127.0.0.0/8");
    world.platform().set_variable("login_failures_per_address", "3");
    let attempt = |address: &str, name: &str| {
        let call = world.client().post_json("/login", json!({ "username": name, "password": WRONG }));
        call.header("x-forwarded-for", address).send().status
    };
    for n in 0..30 {
        assert_eq!(attempt(&format!("2001:db8:1:{n:x}::1"), &format!("user-{n}")), 401, "{n}");
    }
    let before = counters(&world);
    for n in 30..330 {
        assert_eq!(attempt(&format!("2001:db8:1:{n:x}::1"), &format!("user-{n}")), 429, "{n}");
    }
    assert_eq!(counters(&world), before);
    assert_eq!(attempt("2001:db8:2::1", "user"), 401, "another network");
    (0..40).for_each(|n| assert_eq!(attempt(&format!("198.51.100.{n}"), &format!("user-{n}")), 401, "{n}"));
    let _ = from(&world, "2001:db8:1::1", PASSWORD).expect(429);
    world.advance(900);
    let _ = from(&world, "2001:db8:1::1", PASSWORD).expect(200);
}

fn without_counters_one_logs_in_and_nobody_signs_up(host: Driver) {
    let world = at_noon(host);
    world.platform().fail_key_value(true);

    world.login("ada", PASSWORD);
    assert_eq!(try_login(&world, "ada", WRONG).status, 401);
    for key in [API_KEY, "wrong"] {
        let refused = (503, "the key-value store is unavailable".to_owned());
        assert_eq!(try_signup(&world, "bob", key).refusal(), refused);
    }
    world.platform().fail_key_value(false);
    world.admin("bob");
}

fn a_failing_database_is_no_failure_of_the_user(host: Driver) {
    let world = at_noon(host);
    world.platform().set_variable("login_failures_per_user", "2");
    world.platform().fail_sql(true);
    for _ in 0..4 {
        assert_eq!(try_login(&world, "ada", PASSWORD).status, 503);
        assert_eq!(try_signup(&world, "ada", API_KEY).status, 503);
    }
    world.platform().fail_sql(false);
    world.login("ada", PASSWORD);
}

fn maintenance_deletes_the_counters(host: Driver) {
    let world = World::new(host);
    // The run is at the time of the storage's clock.
    let now = time(&jiff::Timestamp::now().to_string());
    let counters = || {
        let keys = world.platform().stored_keys();
        let is_counter =
            |key: &&String| ["rate.u.", "rate.k.", "rate.a."].iter().any(|kind| key.starts_with(kind));
        keys.iter().filter(is_counter).count()
    };
    world.platform().set_time(now.plus_seconds(-5 * 3600));
    let ada = world.admin("ada");
    for name in ["ada", "bob", "cid", "ada"] {
        world.advance(900);
        assert_eq!(try_login(&world, name, WRONG).status, 401, "{name}");
    }
    // Of each window one name and the address, and of the sign-up the address: the login reset the name.
    assert_eq!(counters(), 4 * 2 + 1);

    world.platform().set_time(now);
    let deleted = ada.post("/maintenance/run").ok()["counters_deleted"].as_u64().unwrap();

    assert!(deleted >= 9, "{deleted}");
    assert_eq!(counters(), 0);
}

fn id_of(account: &Account) -> Value {
    account.get("/whoami").ok()["id"].clone()
}

fn assert_ended(account: &Account) {
    assert_eq!(account.get("/whoami").send().refusal(), (401, "invalid token".to_owned()));
    assert_eq!(account.get("/app/list").send().status, 401);
}

/// An admin, and a team user with these permissions on applications.
fn team(world: &World, apps: &Value) -> (Account, Account) {
    let ada = world.admin("ada");
    let body = json!({ "username": "ann", "password": PASSWORD, "permissions": { "apps": apps } });
    ada.post_json("/user/create", body).ok();
    (ada, world.login("ann", PASSWORD))
}

fn a_new_password_ends_logins(host: Driver) {
    let world = World::new(host);
    let (ada, ann) = team(&world, &json!({}));
    let ada = ada.with_notes();
    let ci = ada.ci_token(&[&ada.app_id("notes")]);
    let (second, id) = (world.login("ada", PASSWORD), id_of(&ada));

    ada.post_json("/user/update", json!({ "id": id_of(&ann), "password": "another password" })).ok();
    assert_ended(&ann);
    world.login("ann", "another password").get("/whoami").ok();
    ada.post_json("/admin/update", json!({ "id": id, "username": "ada", "password": "" })).ok();
    second.get("/whoami").ok();

    ada.post_json("/admin/update", json!({ "id": id, "password": "another password" })).ok();
    assert_ended(&ada);
    assert_ended(&second);
    assert_eq!(id_of(&world.login("ada", "another password")), id);
    assert_eq!(try_login(&world, "ada", PASSWORD).status, 401);
    let _ = ci.init(&Release::new("1.0.0")).expect(200);
}

fn a_new_password_changes_nothing_that_checks_answer(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada").with_notes();
    ada.publish(Release::new("1.0.0").published());
    let revision = || -> i64 {
        let sql = "SELECT revision FROM users WHERE username = 'ada'";
        world.database().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let before = revision();

    ada.post_json("/admin/update", json!({ "id": id_of(&ada), "password": "another password" })).ok();

    assert_eq!(revision(), before, "a record would be derived again");
}

fn fewer_rights_end_logins(host: Driver) {
    let world = World::new(host);
    let (ada, ann) = team(&world, &json!({ "create": true }));
    let id = id_of(&ann);
    let grant = |permissions: Value| {
        ada.post_json("/user/update", json!({ "id": id, "permissions": permissions })).ok();
    };

    for more in [json!({ "create": true }), json!({ "create": true, "edit": true })] {
        grant(json!({ "apps": more, "channels": { "create": true } }));
        ann.get("/whoami").ok();
    }
    grant(json!({ "apps": { "create": true, "edit": true } }));
    assert_ended(&ann);
    let ann = world.login("ann", PASSWORD);
    ann.create_app("mine");
    ann.get("/whoami").ok();
    grant(json!({ "apps": { "create": true, "edit": true, "allowed": [] } }));
    assert_ended(&ann);
    ada.get("/whoami").ok();
}

fn logging_out_everywhere_ends_logins(host: Driver) {
    let world = World::new(host);
    let (ada, ann) = team(&world, &json!({}));
    let (here, there) = (world.login("ann", PASSWORD), world.login("ann", PASSWORD));

    let answer = here.post("/logout/all").ok();

    assert_eq!(answer, json!({ "message": "Logged out everywhere" }));
    for ended in [&ann, &here, &there] {
        assert_ended(ended);
    }
    world.login("ann", PASSWORD).get("/whoami").ok();
    let ci = ada.ci_token(&[&ada.create_app("tasks")]);
    assert_eq!(ci.post("/logout/all").send().status, 403);
    ada.get("/whoami").ok();
    ada.post("/logout/all").ok();
    assert_ended(&ada);
    world.login("ann", PASSWORD).get("/whoami").ok();
}

fn a_login_is_of_one_epoch(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada");
    let old = ada.with_credential(&hs256(&claims("ada", 600), SECRET));
    old.get("/whoami").ok();

    old.post("/logout/all").ok();

    assert_ended(&old);
    let mut epoch = claims("ada", 600);
    for (number, status) in [(0, 401), (1, 200), (2, 401)] {
        epoch["epoch"] = json!(number);
        let forward = ada.with_credential(&hs256(&epoch, SECRET));
        assert_eq!(forward.get("/whoami").send().status, status, "{number}");
    }
}
