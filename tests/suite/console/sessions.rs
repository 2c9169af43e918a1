//! Logging in and out, and what keeps a session to its owner.

use spindrift_tests::{Driver, World, on_hosts};

use super::visitor::Visitor;

on_hosts! {
    every: [],
    hosted: [
        a_new_installation_gets_its_first_admin,
        a_login_comes_back_to_the_page_that_was_wanted,
        the_cookie_is_for_the_browser_alone,
        only_own_forms_are_taken,
        every_page_forbids_what_is_not_its_own,
        failed_logins_count_for_the_visitor,
    ],
}

fn a_new_installation_gets_its_first_admin(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    visitor.go("");
    visitor.arrives_at("/console/login");
    visitor.browser.press("Create an admin");
    visitor.browser.fill("[name=username]", "acme");
    visitor.browser.fill("[name=password]", "a long enough password");
    visitor.browser.fill("[name=api_key]", "wrong");
    visitor.browser.press("Create admin");
    visitor.is_told("wrong api key");

    visitor.sign_up("acme");
    visitor.arrives_at("/console/login");
    visitor.log_in("acme");
    visitor.arrives_at("/console/");
    visitor.is_told("No applications yet.");
}

fn a_login_comes_back_to_the_page_that_was_wanted(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme");
    let _ = acme.create_app("notes");
    visitor.go("apps/notes?state=draft");
    visitor.fill_login("acme", "not the password");
    visitor.is_told("invalid username or password");
    visitor.fill_login("acme", spindrift_tests::PASSWORD);
    visitor.arrives_at("/console/apps/notes?state=draft");
    visitor.is_told("No release is like this.");

    visitor.browser.press("Log out");
    visitor.arrives_at("/console/login");
    visitor.go("login?then=https%3A%2F%2Fevil.example%2F");
    visitor.fill_login("acme", spindrift_tests::PASSWORD);
    visitor.arrives_at("/console/");
}

fn the_cookie_is_for_the_browser_alone(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let _ = visitor.world.admin("acme");
    visitor.log_in("acme");
    assert_eq!(visitor.browser.run("return document.cookie"), "");
    let cookies = visitor.browser.cookies();
    let [cookie] = &cookies[..] else { panic!("one cookie: {cookies:?}") };
    assert_eq!(cookie["name"], "spindrift_session");
    assert_eq!((&cookie["httpOnly"], &cookie["sameSite"]), (&true.into(), &"Strict".into()));
    assert_eq!((&cookie["path"], &cookie["secure"]), (&"/console".into(), &false.into()));
    let token = cookie["value"].as_str().unwrap();
    assert!(
        !visitor.browser.run("return document.documentElement.outerHTML").as_str().unwrap().contains(token)
    );

    let behind_https = World::builder(host).with_variable("api_url", "https://updates.example").start();
    let login = behind_https.get("/console/login").send().expect(200);
    assert!(login.header("set-cookie").ends_with("; Secure"), "{:?}", login.header("set-cookie"));
}

fn only_own_forms_are_taken(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let world = &visitor.world;
    let _ = world.admin("acme");
    visitor.log_in("acme");
    let session = visitor.browser.cookies()[0]["value"].as_str().unwrap().to_owned();
    let token = visitor.browser.run("return document.querySelector('[name=form_token]').value");
    let token = token.as_str().unwrap();
    let own = world.url();
    let send = |origin: Option<&str>, token: &str| {
        let call = world
            .client()
            .post("/console/logout")
            .header("cookie", &format!("spindrift_session={session}"))
            .header("content-type", "application/x-www-form-urlencoded");
        let call = match origin {
            Some(origin) => call.header("origin", origin),
            None => call,
        };
        call.body(format!("form_token={token}").as_bytes()).send().status
    };
    assert_eq!(send(Some("https://evil.example"), token), 403);
    assert_eq!(send(Some("null"), token), 403);
    assert_eq!(send(None, token), 403);
    assert_eq!(send(Some(&own), ""), 403);
    assert_eq!(send(Some(&own), &"0".repeat(64)), 403);
    assert_eq!(send(Some(&own), token), 303);
}

fn every_page_forbids_what_is_not_its_own(host: Driver) {
    let world = World::new(host);
    for (path, status) in [("/console/login", 200), ("/console/signup", 200), ("/console/nowhere", 404)] {
        let page = world.get(path).send().expect(status);
        let policy = page.header("content-security-policy");
        for rule in
            ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "form-action 'self'"]
        {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe-inline"), "{path}: {policy}");
        assert_eq!(page.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(page.header("cache-control"), "private, no-store", "{path}");
    }
}

fn failed_logins_count_for_the_visitor(host: Driver) {
    let world = World::builder(host)
        .with_variable("login_failures_per_address", "2")
        .with_variable("trusted_proxies", "127.0.0.1")
        .start();
    let page = world.get("/console/login").send().expect(200);
    let cookie = page.header("set-cookie").split(';').next().unwrap().to_owned();
    let text = page.text();
    let token = text.split("name=\"form_token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let try_as = |address: &str, name: &str| {
        let form = [("form_token", token), ("username", name), ("password", "a wrong password")];
        let call = world.client().post_form("/console/login", &form);
        let call = call.header("cookie", &cookie).header("origin", &world.url());
        call.header("x-forwarded-for", address).send().status
    };
    assert_eq!(try_as("203.0.113.1", "one"), 401);
    assert_eq!(try_as("203.0.113.1", "two"), 401);
    assert_eq!(try_as("203.0.113.1", "three"), 429);
    assert_eq!(try_as("203.0.113.2", "three"), 401, "somebody else");
}
