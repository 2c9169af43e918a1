//! Single sign-on in a real browser, at a real provider.

use serde_json::json;
use spindrift_tests::provider::Provider;
use spindrift_tests::{Browser, Driver, PASSWORD, World, on_hosts};

use super::visitor::Visitor;

on_hosts! {
    every: [],
    hosted: [
        a_person_signs_in_at_the_provider,
        a_sign_in_that_fails_is_told,
    ],
}

/// Where the browser sees the console.
const HOST: &str = "localhost:3000";

fn visitor(host: Driver) -> Option<(Visitor, Provider)> {
    let url = format!("http://{HOST}");
    let provider = Provider::start(&format!("{url}/console/sso"))?;
    let world = World::builder(host)
        .with_variable("api_url", &url)
        .with_variable("sso_issuer", provider.url())
        .with_variable("sso_client_id", provider.client_id())
        .with_variable("sso_client_secret", provider.client_secret())
        .with_variable("sso_name", "Acme")
        .start();
    let boss = world.admin("boss");
    let user = json!({ "username": "ada", "email": "ada@example.com" });
    boss.post_json("/user/create", user).ok();
    let browser = Browser::start_with_host(HOST, &world.url())?;
    Some((Visitor { world, browser, url }, provider))
}

fn a_person_signs_in_at_the_provider(host: Driver) {
    let Some((visitor, provider)) = visitor(host) else { return };
    visitor.go("login");
    visitor.browser.press("Sign in with Acme");
    visitor.arrives_at("/console/");
    visitor.go("people");
    visitor.is_told("in the team of boss");
    visitor.is_told("You can sign in with Acme.");

    // The admin links the own account.
    visitor.browser.forget();
    visitor.go("login");
    visitor.fill_login("boss", PASSWORD);
    visitor.arrives_at("/console/");
    visitor.go("people");
    provider.set_account(json!({ "sub": "boss", "email": "boss@example.com", "email_verified": true }));
    visitor.browser.press("Link Acme");
    visitor.is_told("You can sign in with Acme.");
    visitor.browser.press("Turn off password logins");
    visitor.is_told("You keep your password.");
    visitor.browser.click("main form button[type=submit]");
    visitor.is_told("Allow password logins");
}

fn a_sign_in_that_fails_is_told(host: Driver) {
    let Some((visitor, provider)) = visitor(host) else { return };
    provider.set_account(json!({ "sub": "eve", "email": "eve@example.com", "email_verified": true }));
    visitor.go("login");
    visitor.browser.press("Sign in with Acme");
    visitor.is_told("nobody with the address eve@example.com is invited");
    visitor.go("login");
    provider.refuse();
    visitor.browser.press("Sign in with Acme");
    visitor.is_told("The provider did not sign you in.");
}
