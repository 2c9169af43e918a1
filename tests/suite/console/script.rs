//! The script of every page.

use serde_json::json;
use spindrift_tests::{Driver, Release, on_hosts};

use super::visitor::Visitor;

on_hosts! {
    every: [],
    hosted: [
        times_are_those_of_the_readers_zone,
        times_say_how_long_ago_they_were,
        a_notice_is_not_repeated,
        a_button_copies_its_text,
    ],
}

fn times_are_those_of_the_readers_zone(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    visitor.world.database().execute("UPDATE releases SET created_at = 1795305600000", []).unwrap();
    visitor.log_in("acme");
    for (zone, hour) in [("UTC", "00:00"), ("Asia/Tokyo", "09:00")] {
        let _ = visitor.browser.devtools("Emulation.setTimezoneOverride", &json!({ "timezoneId": zone }));
        visitor.go("apps/notes");
        // The words are those of the browser's language.
        let shown = format!(
            "const moment = new Date('2026-11-22T{hour}:00'); \
             const short = new Intl.DateTimeFormat(undefined, {{ dateStyle: 'medium', timeStyle: 'short' }}); \
             return document.querySelector('tbody time').firstChild.textContent === short.format(moment)"
        );
        visitor.browser.wait_until(zone, &shown);
        let hint = visitor.browser.run("return document.querySelector('tbody time').title");
        assert!(hint.as_str().unwrap().contains("2026-11-22T00:00:00"), "{hint}");
    }
}

fn times_say_how_long_ago_they_were(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    visitor.log_in("acme");
    for (seconds, ago) in [(125, "2 minutes ago"), (7_300, "2 hours ago"), (40 * 86_400, "1 month ago")] {
        let sql = format!("UPDATE releases SET created_at = 1000 * (unixepoch() - {seconds})");
        visitor.world.database().execute(&sql, []).unwrap();
        visitor.go("apps/notes");
        let shown = visitor.browser.run("return document.querySelector('tbody time .ago').textContent");
        assert_eq!(shown, ago);
    }
}

/// A notice after a form is shown once: a reload does not show it again.
fn a_notice_is_not_repeated(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let _ = visitor.world.admin("acme").with_notes();
    visitor.log_in("acme");
    visitor.go("setup?done=saved");
    visitor.is_told("Saved.");
    visitor.arrives_at("/console/setup");
    visitor.browser.go(&visitor.browser.address());
    visitor.is_told("Applications");
    assert!(!visitor.browser.text().contains("Saved."));
}

fn a_button_copies_its_text(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0"));
    visitor.log_in("acme");
    visitor.go(&format!("apps/notes/releases/{id}?tab=files"));
    let grant = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": visitor.world.url() });
    let _ = visitor.browser.devtools("Browser.grantPermissions", &grant);
    let button = "dl.pairs > dd button[data-copy^='http']";
    let text = visitor.browser.run(&format!("return document.querySelector(\"{button}\").dataset.copy"));
    visitor.browser.click(button);
    let said = format!("return document.querySelector(\"{button}\").textContent !== 'Copy'");
    visitor.browser.wait_until("the button has an answer", &said);
    assert_eq!(visitor.browser.text_of(button), "Copied");
    assert_eq!(visitor.browser.evaluate("navigator.clipboard.readText()"), text);
}
