//! Passkeys in a real browser, with an authenticator that always agrees.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Browser, Driver, PASSWORD, World, on_hosts};

use super::session::between;
use super::visitor::Visitor;
use crate::audit::newest;

on_hosts! {
    every: [],
    hosted: [
        a_passkey_is_added_and_logs_in,
        a_passkey_follows_the_password,
        a_change_asks_in_place_and_goes_on,
        a_secret_is_not_asked_for_twice_in_one_page,
        a_team_that_needs_passkeys_is_led_to_add_one,
        a_program_is_let_in,
        without_scripts_a_recovery_code_logs_in,
    ],
}

/// Where the browser sees the console. Browsers have no passkeys for an address without a name.
const HOST: &str = "localhost:3000";
const PHONE: (u32, u32) = (390, 844);
/// The Enter key.
const ENTER: &str = "\u{e007}";

/// A browser with an authenticator, and ada.
fn visitor(host: Driver) -> Option<(Visitor, Account)> {
    let url = format!("http://{HOST}");
    let world = World::builder(host).with_variable("api_url", &url).start();
    let ada = world.admin("ada");
    let browser = Browser::start_with_host(HOST, &world.url())?;
    browser.add_authenticator();
    Some((Visitor { world, browser, url }, ada))
}

/// Adds a passkey on the page that is shown. Returns the recovery codes.
fn add_passkey(visitor: &Visitor) -> Vec<String> {
    visitor.go("people");
    visitor.browser.press("Add a passkey");
    visitor.browser.fill("[name=name]", "Laptop");
    visitor.browser.fill("main [name=password]", PASSWORD);
    visitor.browser.press("Go on");
    visitor.is_told("Make the passkey");
    visitor.browser.press("Make the passkey");
    visitor.is_told("Your recovery codes");
    let script = "return [...document.querySelectorAll('main li')].map(li => li.innerText.trim())";
    let items = visitor.browser.run(script);
    let texts = items.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned());
    // The page has other lists.
    texts.filter(|text| text.len() == 19 && text.matches('-').count() == 3).collect()
}

fn log_out(visitor: &Visitor) {
    visitor.browser.forget();
    visitor.go("login");
}

fn age_proofs(world: &World) {
    world.database().execute("UPDATE logins SET proved_at = proved_at - 3600000", []).unwrap();
}

fn a_passkey_is_added_and_logs_in(host: Driver) {
    let Some((visitor, ada)) = visitor(host) else { return };
    visitor.browser.resize(PHONE);
    visitor.log_in("ada");
    let codes = add_passkey(&visitor);
    assert_eq!(codes.len(), 10, "{codes:?}");
    assert_eq!(newest(&ada)["kind"], "passkey.create");
    visitor.browser.press("Done");
    visitor.is_told("10 of 10 recovery codes left");

    log_out(&visitor);
    visitor.browser.press("Log in with a passkey");
    visitor.is_told("Use your passkey");
    // By keyboard.
    visitor.browser.send("[data-answer]", ENTER);
    visitor.arrives_at("/console/");
    visitor.go("people");
    let listed = ada.get("/passkeys").ok();
    assert!(listed["passkeys"][0]["last_used_at"].is_string(), "{listed}");
}

fn a_passkey_follows_the_password(host: Driver) {
    let Some((visitor, _)) = visitor(host) else { return };
    visitor.log_in("ada");
    let codes = add_passkey(&visitor);
    log_out(&visitor);
    visitor.fill_login("ada", PASSWORD);
    visitor.is_told("Use your passkey");
    visitor.browser.press("Use your passkey");
    visitor.arrives_at("/console/");
    // Without it, a code.
    log_out(&visitor);
    visitor.fill_login("ada", PASSWORD);
    visitor.is_told("No passkey at hand?");
    visitor.browser.run("document.querySelector('details').open = true");
    visitor.browser.fill("details [name=username]", "ada");
    visitor.browser.fill("details [name=password]", PASSWORD);
    visitor.browser.fill("details [name=code]", &codes[3]);
    visitor.browser.click("details button");
    visitor.arrives_at("/console/");
}

fn a_change_asks_in_place_and_goes_on(host: Driver) {
    let Some((visitor, ada)) = visitor(host) else { return };
    let ada = ada.with_notes();
    visitor.log_in("ada");
    let _ = add_passkey(&visitor);
    age_proofs(&visitor.world);
    visitor.go("people/tokens/new");
    visitor.browser.fill("[name=name]", "ci");
    visitor.browser.run("document.querySelectorAll('main [name=apps]').forEach(box => box.checked = true)");
    visitor.browser.click("main form button[type=submit]");
    visitor.is_told("Prove that it is you");
    visitor.browser.press("Use your passkey");
    visitor.is_told("is shown only once");
    let tokens = ada.get("/token/list").send();
    assert_eq!(tokens.json()["tokens"][0]["name"], "ci", "{}", tokens.text());
}

fn a_secret_is_not_asked_for_twice_in_one_page(host: Driver) {
    let Some((visitor, _)) = visitor(host) else { return };
    visitor.log_in("ada");
    let _ = add_passkey(&visitor);
    age_proofs(&visitor.world);
    visitor.go("people/users/new");
    visitor.browser.fill("[name=username]", "ann");
    visitor.browser.fill("main [name=password]", "a password of ann");
    visitor.browser.click("main form button[type=submit]");
    visitor.is_told("Prove that it is you");
    let page = visitor.browser.run("return document.documentElement.outerHTML");
    assert!(!page.as_str().unwrap().contains("a password of ann"), "no page gets a secret back");
    visitor.browser.press("Use your passkey");
    visitor.arrives_at("/console/people/users/new");
}

fn a_team_that_needs_passkeys_is_led_to_add_one(host: Driver) {
    let Some((visitor, ada)) = visitor(host) else { return };
    visitor.log_in("ada");
    let _ = add_passkey(&visitor);
    ada.post_json("/user/create", json!({ "username": "ann", "password": PASSWORD })).ok();
    visitor.go("people");
    visitor.browser.press("Require passkeys");
    visitor.is_told("Require passkeys of the team?");
    visitor.browser.click("main form button[type=submit]");
    visitor.is_told("Stop requiring passkeys");
    log_out(&visitor);
    visitor.fill_login("ann", PASSWORD);
    visitor.arrives_at("/console/people/passkeys/new");
    visitor.is_told("Your team needs passkeys: add one to go on.");
    visitor.browser.fill("[name=name]", "Phone");
    visitor.browser.fill("main [name=password]", PASSWORD);
    visitor.browser.press("Go on");
    visitor.is_told("Make the passkey");
    visitor.browser.press("Make the passkey");
    visitor.is_told("Your recovery codes");
    visitor.go("");
    visitor.arrives_at("/console/");
}

fn a_program_is_let_in(host: Driver) {
    let Some((visitor, ada)) = visitor(host) else { return };
    let world = &visitor.world;
    let asked: Value = world.client().post_json("/device/code", json!({ "machine": "build-3" })).ok();
    let code = asked["user_code"].as_str().unwrap();
    visitor.go(&format!("device?code={code}"));
    visitor.fill_login("ada", PASSWORD);
    visitor.is_told("Let this program log in?");
    for text in [code, "build-3", "127.0.0.1"] {
        assert!(visitor.browser.text().contains(text), "{text}: {}", visitor.browser.text());
    }
    visitor.browser.press("Allow");
    visitor.is_told("Go back to the program");
    let body = json!({ "device_code": asked["device_code"] });
    let token = world.client().post_json("/device/token", body).ok();
    let program = ada.with_credential(token["token"].as_str().unwrap());
    assert_eq!(program.get("/whoami").ok()["username"], "ada");
}

/// The answer to a form of the login page.
fn as_stranger(world: &World, path: &str, fields: &[(&str, &str)]) -> Answer {
    let login = world.get("/console/login").send().expect(200);
    let cookie = login.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    let page = login.text();
    let token = between(&page, "name=\"form_token\" value=\"", "\"");
    let fields: Vec<_> = fields.iter().copied().chain([("form_token", token)]).collect();
    let call = world.client().post_form(&format!("/console/{path}"), &fields);
    call.header("cookie", &cookie).header("origin", &world.url()).send()
}

/// The way up to the passkey itself, and the way around it.
fn without_scripts_a_recovery_code_logs_in(host: Driver) {
    let Some((visitor, ada)) = visitor(host) else { return };
    visitor.log_in("ada");
    let codes = add_passkey(&visitor);
    let password = [("username", "ada"), ("password", PASSWORD)];
    let page = as_stranger(&visitor.world, "login", &password).text();
    assert!(page.contains("Your browser needs scripts for passkeys."), "{page}");
    assert!(!page.contains(PASSWORD), "{page}");
    assert!(between(&page, "data-options=\"", "\"").contains("challenge"));
    let code = [("username", "ada"), ("password", PASSWORD), ("code", codes[0].as_str())];
    let answer = as_stranger(&visitor.world, "login/recover", &code);
    assert_eq!((answer.status, answer.header("location")), (303, "/console/"), "{}", answer.text());
    assert_eq!(ada.get("/passkeys").ok()["recovery_codes"], 9);
}
