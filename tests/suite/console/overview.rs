//! The first page: warnings.

use spindrift_tests::{Driver, Release, World, on_hosts};

use super::session::Session;
use super::visitor::Visitor;

on_hosts! {
    every: [],
    hosted: [
        cards_say_what_is_newest,
        a_store_that_does_not_answer_is_said,
        long_descriptions_are_cut,
        a_page_that_is_not_fresh_says_so,
        a_page_waits_for_its_reader,
    ],
}

fn cards_say_what_is_newest(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0").rollout(25));
    acme.upload(&Release::new("2.0.0"));
    let page = Session::of(&world, &acme).page("");
    for part in ["/console/apps/notes\">notes</a>", "<strong>1.1.0</strong>", "25 %", "3 releases, 1 draft"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<strong>1.0.0</strong>") && !page.contains("<strong>2.0.0</strong>"), "{page}");
    assert!(!page.contains("Storage unreachable"), "{page}");
}

fn a_store_that_does_not_answer_is_said(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    let Some(store) = world.key_values() else { return };
    let warning = "Storage unreachable: the key-value store does not answer.";

    // Before anything was read, because read values may be remembered.
    store.execute_batch("ALTER TABLE spin_key_value RENAME TO away").unwrap();
    let page = session.page("");
    assert!(page.contains(warning) && page.contains(">notes</a>"), "{page}");

    store.execute_batch("ALTER TABLE away RENAME TO spin_key_value").unwrap();
    assert!(!session.page("").contains(warning));
}

fn long_descriptions_are_cut(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app_with(serde_json::json!({ "app": "notes", "description": "lorem".repeat(2000) }));
    let session = Session::of(&world, &acme);
    for path in ["", "setup"] {
        let page = session.page(path);
        let page = page.split("Recent activity").next().unwrap();
        assert_eq!(page.matches("lorem").count(), 40, "{path}");
        assert!(page.contains("lorem…"), "{path}");
    }
    assert_eq!(session.page("apps/notes").matches("lorem").count(), 2000);
}

/// Looks for changes now, as a page does that comes back into sight.
const LOOK: &str = "document.dispatchEvent(new Event('visibilitychange'))";

fn a_page_that_is_not_fresh_says_so(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme");
    visitor.log_in("acme");
    visitor.go("");
    acme.create_app("notes");
    visitor.browser.run(LOOK);
    visitor.is_told("Nothing published yet.");
    assert_eq!(visitor.browser.text_of("#freshness"), "");

    visitor.browser.run("window.__fetch = fetch; window.fetch = () => Promise.reject(new Error('cut'))");
    visitor.browser.run(LOOK);
    visitor.is_told("the service cannot be reached");
    visitor.browser.run("window.fetch = window.__fetch");
    visitor.browser.run(LOOK);
    visitor
        .browser
        .wait_until("it is fresh", "return document.querySelector('#freshness').textContent === ''");

    visitor.browser.forget();
    visitor.browser.run(LOOK);
    visitor.is_told("your login has expired");
    assert!(visitor.browser.text_of("#freshness").starts_with("Not fresh since "));
    assert!(visitor.browser.text().contains("notes"), "the shown content stays");
}

/// The reader keeps a focused link, and a choice that is not sent yet.
fn a_page_waits_for_its_reader(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    visitor.log_in("acme");
    visitor.go("apps/notes");
    visitor.browser.run(
        "window.__asked = 0; const asks = fetch; window.fetch = (...all) => { window.__asked += 1; return asks(...all) }",
    );
    let asked = |script: &str| visitor.browser.run(&format!("{script}; {LOOK}; return window.__asked"));

    assert_eq!(asked("document.querySelector('tbody a').focus()"), 0);
    assert_eq!(
        asked("document.activeElement.blur(); document.querySelector('[name=state]').value = 'draft'"),
        0
    );
    assert_eq!(asked("document.querySelector('[name=state]').value = ''"), 1);
}
