//! Promoting a release, and the page of a release in several channels.

use std::time::Duration;

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, on_hosts, until};

use super::session::Session;
use super::visitor::Visitor;

on_hosts! {
    every: [],
    hosted: [
        a_browser_promotes_a_build_and_halts_it_there,
        forms_are_about_the_channel_that_is_shown,
        a_promotion_that_is_refused_is_told,
    ],
}

/// Time limit for an order that a button gives.
const SOON: Duration = Duration::from_secs(20);

/// A published 1.0.0 in `stable`, and a published 2.0.0 in `beta`: the id of the latter.
fn publish(acme: &Account) -> String {
    acme.create_channel("beta");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0").with("channel", "beta"))
}

fn offers(acme: &Account, id: &str) -> Vec<Value> {
    acme.get(&format!("/releases/{id}")).ok()["offers"].as_array().unwrap().clone()
}

fn states(acme: &Account, id: &str) -> Vec<String> {
    let state = |offer: &Value| {
        let rollout = &offer["rollout"];
        format!("{} {} {}", offer["channel"], rollout["percent"], rollout["state"]).replace('"', "")
    };
    offers(acme, id).iter().map(state).collect()
}

fn a_browser_promotes_a_build_and_halts_it_there(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    let id = publish(&acme);
    let page = format!("apps/notes/releases/{id}");
    visitor.log_in("acme");
    visitor.go(&format!("{page}?tab=who"));
    let browser = &visitor.browser;
    assert!(!browser.has("nav.ranges"), "one channel needs no links");
    browser.click("#promotion summary");
    browser.fill("#promotion [name=percent]", "10");
    browser.press("Publish it there");
    visitor.is_told("Published. The next check sees it.");
    assert_eq!(states(&acme, &id), ["beta 100 complete", "stable 10 fixed"]);
    assert_eq!(browser.text_of("nav.ranges [aria-current]"), "stable: 10 %");
    browser.press("Halt");
    visitor.is_told("Halted. The next check sees it.");
    assert_eq!(states(&acme, &id), ["beta 100 complete", "stable 10 halted"]);
    assert!(visitor.path().contains("channel=stable"), "{}", visitor.path());
    browser.press("Resume");
    browser.click("#percentage summary");
    browser.press("50 %");
    // Both orders are told in the same words.
    let wanted = ["beta 100 complete", "stable 50 fixed"];
    until("50 %", SOON, || (states(&acme, &id) == wanted).then_some(()));
    visitor.is_told("Saved. The next check sees it.");
    browser.press("Who gets it");
    browser.click("#promotion details:first-of-type summary");
    browser.press("End the promotion");
    visitor.is_told("Saved. The next check sees it.");
    assert_eq!(states(&acme, &id), ["beta 100 complete"]);
}

fn forms_are_about_the_channel_that_is_shown(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = publish(&acme);
    let promoted = json!({ "channel": "stable", "publish": true });
    let _ = acme.post_json(&format!("/releases/{id}/promote"), promoted).send().expect(201);
    let session = Session::of(&world, &acme);
    let page = |query: &str| session.page(&format!("apps/notes/releases/{id}{query}"));
    let channel_of_forms = |page: &str| {
        let field = "name=\"channel\" value=\"";
        page.split(field).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (query, channel) in [("?tab=who", "beta"), ("?channel=stable&tab=who", "stable")] {
        let of_forms = channel_of_forms(&page(query));
        assert!(of_forms.len() > 3 && of_forms.iter().all(|of| of == channel), "{query}: {of_forms:?}");
    }
    assert_eq!(session.get(&format!("apps/notes/releases/{id}?channel=nightly")).status, 404);
    assert!(session.page("apps/notes").contains("beta, stable"));
}

fn a_promotion_that_is_refused_is_told(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = publish(&acme);
    let session = Session::of(&world, &acme);
    let form = format!("apps/notes/releases/{id}/promote");
    let send = |fields: &[(&str, &str)]| session.post(&form, &[fields, &[("part", "promotion")]].concat());
    let refused = send(&[("action", "publish"), ("to", "beta")]);
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("the release is offered in beta already"), "{}", refused.text());
    let refused = send(&[("action", "publish"), ("to", "stable"), ("percent", "101")]);
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("invalid percentage"), "{}", refused.text());
    assert_eq!(offers(&acme, &id).len(), 1);
}
