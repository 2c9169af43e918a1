//! Logging in and out, and the protection of sessions.

use spindrift_tests::{API_KEY, Driver, Multipart, World, on_hosts};

use super::session::{Session, between};
use super::visitor::Visitor;
use super::{pictures, seeds};

on_hosts! {
    every: [],
    hosted: [
        a_new_installation_gets_its_first_admin,
        a_login_comes_back_to_the_page_that_was_wanted,
        a_link_of_another_site_finds_the_login,
        a_form_that_was_shown_without_the_login_is_taken,
        a_form_that_is_too_old_is_shown_again,
        files_for_everybody_have_no_cookie,
        the_cookie_is_for_the_browser_alone,
        behind_https_the_cookies_are_bound_to_the_host,
        only_own_forms_are_taken,
        every_page_forbids_what_is_not_its_own,
        failed_logins_count_for_the_visitor,
    ],
}

fn a_new_installation_gets_its_first_admin(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    visitor.go("apps/notes");
    visitor.arrives_at("/console/signup");
    visitor.browser.fill("[name=username]", "acme");
    visitor.browser.fill("[name=password]", "a long enough password");
    visitor.browser.fill("[name=api_key]", "wrong");
    visitor.browser.press("Create admin");
    visitor.is_told("wrong api key");
    visitor.is_told(".spindrift/secrets.json");

    // The other fields are still filled.
    visitor.browser.fill("[name=api_key]", API_KEY);
    visitor.browser.press("Create admin");
    visitor.arrives_at("/console/setup/start");
    visitor.go("");
    visitor.is_told("No applications yet.");
    visitor.browser.press("Log out");
    visitor.arrives_at("/console/login");
    visitor.fill_login("acme", "a long enough password");
    visitor.arrives_at("/console/");

    visitor.browser.forget();
    visitor.go("");
    visitor.arrives_at("/console/login");
    visitor.browser.press("Create an admin");
    visitor.arrives_at("/console/signup");
}

/// The browser keeps the cookie to itself when another site leads here.
fn a_link_of_another_site_finds_the_login(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme");
    let _ = acme.create_app("notes");
    let link = format!("{}/console/apps/notes?state=draft", visitor.world.url());
    let follow = || {
        visitor.browser.go(&format!("data:text/html,<a href='{link}'>a mail</a>"));
        visitor.browser.press("a mail");
    };

    follow();
    visitor.is_told("Log in to Spindrift");
    visitor.fill_login("acme", spindrift_tests::PASSWORD);
    visitor.arrives_at("/console/apps/notes?state=draft");
    follow();
    visitor.is_told("No release matches.");
    assert_eq!(visitor.path(), "/console/apps/notes?state=draft");
}

/// A browser without those headers shows the form without the login's cookie, and sends both.
fn a_form_that_was_shown_without_the_login_is_taken(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let session = acme.authorization().trim_start_matches("Bearer ");
    let (visitor, token) = shown_login(&world);
    let cookies = format!("spindrift_session={session}; {visitor}");
    assert_eq!(log_in(&world, &cookies, &token).status, 303);
}

/// The cookie of the page that shows the login, and the token of its form.
fn shown_login(world: &World) -> (String, String) {
    let page = world.get("/console/login").send().expect(200);
    let cookie = page.header("set-cookie").split(';').next().unwrap().to_owned();
    let token = between(&page.text(), "name=\"form_token\" value=\"", "\"").to_owned();
    (cookie, token)
}

fn log_in(world: &World, cookies: &str, token: &str) -> spindrift_tests::Answer {
    let form = [
        ("form_token", token),
        ("username", "acme"),
        ("password", spindrift_tests::PASSWORD),
        ("then", "/console/people"),
    ];
    let call = world.client().post_form("/console/login", &form);
    call.header("cookie", cookies).header("origin", &world.url()).send()
}

fn a_form_that_is_too_old_is_shown_again(host: Driver) {
    let world = World::new(host);
    let _ = world.admin("acme");
    let (_, old_token) = shown_login(&world);
    let (cookie, _) = shown_login(&world);

    let again = log_in(&world, &cookie, &old_token);

    assert_eq!(again.status, 403);
    let page = again.text();
    assert!(page.contains("this page had expired") && page.contains("value=\"/console/people\""), "{page}");
    let token = between(&page, "name=\"form_token\" value=\"", "\"");
    assert_eq!(log_in(&world, &cookie, token).expect(303).header("location"), "/console/people");
}

fn files_for_everybody_have_no_cookie(host: Driver) {
    let world = World::new(host);
    let style = world.get("/console/assets/console.css").send().expect(200);
    assert_eq!(style.header("set-cookie"), "");
    assert!(!world.get("/console/nowhere").send().header("set-cookie").is_empty());
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
    visitor.is_told("No release matches.");

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
}

fn behind_https_the_cookies_are_bound_to_the_host(host: Driver) {
    let behind_https = World::builder(host).with_variable("api_url", "https://updates.example").start();
    let _ = behind_https.admin("acme");
    let login = behind_https.get("/console/login").send().expect(200);
    let visitor = login.header("set-cookie");
    assert!(visitor.starts_with("__Host-spindrift_visitor=") && visitor.ends_with("; Secure"), "{visitor:?}");
    let (cookie, token) = shown_login(&behind_https);
    let logged_in = log_in(&behind_https, &cookie, &token).expect(303);
    let set: Vec<_> =
        logged_in.headers.get_all("set-cookie").iter().map(|one| one.to_str().unwrap()).collect();
    let session = set.iter().find(|cookie| cookie.starts_with("__Host-spindrift_session=ey")).unwrap();
    let (_, attributes) = session.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/; Max-Age=86400; HttpOnly; SameSite=Strict; Secure");
    let with_cookie = |cookie: &str| {
        let call = behind_https.get("/console/people").header("cookie", cookie);
        call.send().status
    };
    let (pair, _) = session.split_once(';').unwrap();
    assert_eq!(with_cookie(pair), 200);
    assert_eq!(with_cookie(pair.trim_start_matches("__Host-")), 303, "another host can set this one");
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
    let picture = |origin: &str, site: &str, token: &str| {
        let form =
            Multipart::new().field("name", "notes").field("form_token", token).file("a.gif", b"GIF89a");
        let call = world.client().post_multipart("/console/setup/apps/new", form);
        let call = call.header("cookie", &format!("spindrift_session={session}"));
        call.header("origin", origin).header("sec-fetch-site", site).send().status
    };
    assert_eq!(picture("https://evil.example", "same-origin", token), 403);
    assert_eq!(picture(&own, "cross-site", token), 403);
    assert_eq!(picture(&own, "same-site", token), 403);
    assert_eq!(picture(&own, "same-origin", ""), 403);
    assert_eq!(picture(&own, "same-origin", &"0".repeat(64)), 403);
    let apps =
        || visitor.world.login("acme", spindrift_tests::PASSWORD).get("/app/list").ok()["apps"].clone();
    assert_eq!(apps(), serde_json::json!([]));
    assert_eq!(picture(&own, "same-origin", token), 303);
    assert_eq!(send(Some(&own), token), 303);
}

fn every_page_forbids_what_is_not_its_own(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let world = &visitor.world;
    let acme = seeds::fill(world);
    let session = Session::of(world, &acme);
    let pages = pictures::pages(&acme);
    for path in ["login", "signup"].into_iter().chain(pages.iter().map(|(_, path)| path.as_str())) {
        let page = session.get(path);
        let policy = page.header("content-security-policy");
        for rule in
            ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "form-action 'self'"]
        {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{path}: {policy}");
        assert_eq!(page.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(page.header("cache-control"), "private, no-store", "{path}");
    }

    // A browser obeys the policy.
    visitor.log_in("acme");
    for path in ["", "apps/notes/publish"] {
        visitor.go(path);
        visitor.browser.run(
            "const script = document.createElement('script'); script.textContent = 'window.__pwned = 1'; \
             document.body.append(script); \
             const image = document.createElement('div'); image.innerHTML = '<img src=x onerror=\"window.__pwned = 1\">'; \
             document.body.append(image); \
             image.firstChild.addEventListener('error', () => { window.__failed = true })",
        );
        visitor.browser.wait_until("the picture is not there", "return window.__failed === true");
        assert_eq!(visitor.browser.run("return window.__pwned ?? 'nothing'"), "nothing", "{path}");
    }
}

fn failed_logins_count_for_the_visitor(host: Driver) {
    let world = World::builder(host)
        .with_variable("login_failures_per_address", "2")
        .with_variable("trusted_proxies", "127.0.0.1")
        .start();
    let _ = world.admin("acme");
    let (cookie, token) = shown_login(&world);
    let try_as = |address: &str, name: &str| {
        let form = [("form_token", token.as_str()), ("username", name), ("password", "a wrong password")];
        let call = world.client().post_form("/console/login", &form);
        let call = call.header("cookie", &cookie).header("origin", &world.url());
        call.header("x-forwarded-for", address).send().status
    };
    assert_eq!(try_as("203.0.113.1", "one"), 401);
    assert_eq!(try_as("203.0.113.1", "two"), 401);
    assert_eq!(try_as("203.0.113.1", "three"), 429);
    assert_eq!(try_as("203.0.113.2", "three"), 401, "somebody else");
}
