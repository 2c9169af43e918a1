//! Finding by name, and the keys for it.

use serde_json::json;
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::session::Session;
use super::visitor::Visitor;
use crate::reports::team_user;

on_hosts! {
    every: [],
    hosted: [names_are_found, a_team_user_finds_what_it_sees, keys_lead_to_a_release],
}

fn names_are_found(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_app("vault");
    let id = acme.publish(Release::new("1.2.0"));
    acme.publish(Release::new("1.3.0"));
    let session = Session::of(&world, &acme);
    for (text, found, missing) in [
        ("NOT", "href=\"/console/apps/notes\"", "href=\"/console/apps/vault\""),
        ("notes 1.2", &*format!("href=\"/console/apps/notes/releases/{id}\""), "notes 1.3.0"),
        ("1.3", "notes 1.3.0", "notes 1.2.0"),
        ("fail", "<ul class=\"found\"><li><a href=\"/console/failures\">", "notes"),
        ("nothing-like-this", "Nothing has such a name.", "<ul class=\"found\">"),
    ] {
        let page = session.page(&format!("find?q={}", text.replace(' ', "+")));
        assert!(page.contains(found) && !page.contains(missing), "{text}: {page}");
    }
}

fn a_team_user_finds_what_it_sees(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_app("secret-notes");
    let user = team_user(&world, &acme, "viewer", json!({ "allowed": [acme.app_id("notes")] }));
    let page = Session::of(&world, &user).page("find?q=notes");
    assert!(page.contains("/console/apps/notes\"") && !page.contains("secret-notes"), "{page}");
}

fn keys_lead_to_a_release(host: Driver) {
    let Some(visitor) = Visitor::of(|| World::new(host)) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.2.0"));
    visitor.log_in("acme");
    visitor.browser.wait_until("the script runs", "return document.querySelector('time .ago') !== null");
    visitor.browser.send("body", "/");
    assert_eq!(visitor.browser.run("return document.activeElement.id"), "find");
    let (down, enter) = ("\u{e015}", "\u{e007}");
    visitor.browser.send("#find", &format!("1.2{enter}"));
    visitor.arrives_at("/console/find?q=1.2");
    visitor.browser.wait_until("the script runs", "return document.querySelector('#find') !== null");
    visitor.browser.send("#find", down);
    visitor.browser.send("main a:focus", enter);
    visitor.arrives_at(&format!("/console/apps/notes/releases/{id}"));
}
