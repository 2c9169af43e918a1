//! The first screen of a release's page: its state, failing devices, and the question before more devices get it.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::health::set_guard;
use super::session::{Session, between, unescaped};
use super::visitor::Visitor;
use crate::reports;

on_hosts! {
    every: [],
    hosted: [
        failing_devices_are_told_before_any_guard_run,
        an_unhealthy_release_is_resumed_with_a_reason_and_stays_marked,
        an_open_page_follows_what_happens,
    ],
}

fn page_of(release: &str) -> String {
    format!("apps/notes/releases/{release}")
}

/// The offer of a release, as the service answers it.
fn offer(acme: &Account, release: &str) -> Value {
    acme.get(&format!("/releases/{release}")).ok()["offers"][0].clone()
}

fn headline(page: &str) -> String {
    unescaped(between(page, "<p class=\"headline\"><strong>", "</strong>"))
}

/// An order that the page's form sends, with the revision that the page shows.
fn order<'f>(page: &'f str, fields: &[(&'f str, &'f str)]) -> Vec<(&'f str, &'f str)> {
    let revision = between(page, "name=\"if_revision\" value=\"", "\"");
    [fields, &[("if_revision", revision)]].concat()
}

/// Of 30 devices that were seen with 1.1.0, 6 crash. 1.0.0 had 30 devices on each day of the week before.
fn failing(world: &World, acme: &Account, guard: &Value) -> String {
    let key = reports::create_notes(acme);
    acme.publish(Release::new("1.0.0"));
    let id = acme.publish(Release::new("1.1.0").rollout(0));
    let start = json!({ "action": "start", "plan": [{ "percent": 25, "for": "1d" }, { "percent": 100 }] });
    let _ = acme.post_json(&format!("/releases/{id}/rollout"), start).ok();
    set_guard(acme, &id, guard.clone());
    let devices = "WITH RECURSIVE devices (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM devices WHERE n < 29),
         days (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM days WHERE d < 7)
         INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests)
         SELECT unixepoch() / 86400 - d, apps.id, n, iif(d = 0, '1.1.0', '1.0.0'), 'stable',
           iif(n % 3 = 0, 'mac', 'linux'), 'amd64', d = 0, 1
         FROM apps, devices, days";
    world.database().execute(devices, []).unwrap();
    let mut report = reports::failure_because("segv");
    report["application"]["version"] = "1.1.0".into();
    for device in 0..6 {
        let _ = reports::send(world.client(), &key, &format!("device-{device}"), &report).expect(202);
    }
    id
}

fn failing_devices_are_told_before_any_guard_run(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let id = failing(&world, &acme, &json!({ "on_unhealthy": "halt" }));
    let session = Session::of(&world, &acme);

    let page = session.page(&page_of(&id));

    assert_eq!(headline(&page), "25 % by plan, 6 of 30 devices failed; 0 in 1,000 before");
    let (first_screen, part) = page.split_once("id=\"parts\"").unwrap();
    for told in [
        "class=\"state-bar bad\"",
        "class=\"danger halt\" type=\"submit\" name=\"action\" value=\"halt\" formnovalidate data-stop>Halt</button>",
        "<dt>Failing devices now</dt><dd class=\"bad\">6 of 30</dd>",
        "0 in 1,000 before, with 1.0.0",
        "No guard run has looked at it yet.",
        "aria-label=\"Devices without a crash, All devices: 1.0.0 100 %, 1.1.0 80 %\"",
        "aria-label=\"Devices without a crash, linux: 1.0.0 100 %, 1.1.0 70 %\"",
        "aria-label=\"Devices without a crash, mac: 1.0.0 100 %, 1.1.0 100 %\"",
        "<dt>Next step</dt><dd class=\"\">100 % ",
    ] {
        assert!(first_screen.contains(told), "{told}: {first_screen}");
    }
    let causes = between(part, "aria-label=\"Failures by cause\"", "</table>");
    let row = "<td class=\"value\">6</td><td class=\"words\">1.1.0</td><td>linux</td><td class=\"value\">6</td>\
               <td class=\"value\">0</td>";
    for told in ["<td>crash</td>", ">segv</a>", row] {
        assert!(causes.contains(told), "{told}: {causes}");
    }
}

fn an_unhealthy_release_is_resumed_with_a_reason_and_stays_marked(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let id = failing(&world, &acme, &json!({ "on_unhealthy": "halt", "max_failing": 3 }));
    let session = Session::of(&world, &acme);
    let _ = acme.post("/guard/run").send().expect(200);
    let page = session.page(&page_of(&id));
    assert!(headline(&page).starts_with("25 %, halted by the guard <time"), "{page}");
    assert!(headline(&page).ends_with(", 6 of 30 devices failed; 0 in 1,000 before"), "{page}");
    assert!(page.contains(">Resume…</button>") && !page.contains("class=\"mark"), "{page}");
    let form = format!("{}/rollout", page_of(&id));

    let question =
        session.post(&form, &order(&page, &[("action", "resume"), ("reason", "")])).expect(409).text();
    for told in [
        "Resume notes 1.1.0?",
        "notes 1.1.0 is failing, so nothing was changed yet",
        "6 of 30 devices failed; 0 in 1,000 before. 6 devices failed. The guard allows 3.",
        "<input type=\"text\" name=\"reason\" required",
        "begins again with its whole time",
        "name=\"action\" value=\"resume\"",
    ] {
        assert!(question.contains(told), "{told}: {question}");
    }
    let confirmed = [("action", "resume"), ("confirmed", "true"), ("reason", " ")];
    let refused = session.post(&form, &order(&page, &confirmed)).expect(400).text();
    assert!(
        refused.contains("say why, for the history") && refused.contains("Resume notes 1.1.0?"),
        "{refused}"
    );
    assert_eq!(offer(&acme, &id)["rollout"]["state"], "halted");

    let confirmed = [("action", "resume"), ("confirmed", "true"), ("reason", "fixed on the server")];
    let _ = session.submit(&form, &order(&page, &confirmed));

    let resumed = offer(&acme, &id)["rollout"].clone();
    assert_eq!((&resumed["state"], &resumed["percent"]), (&json!("running"), &json!(25)));
    let marked = |page: &str| {
        let mark = between(page, "<section class=\"warning mark\"", "</section>").to_owned();
        for told in [
            "Unhealthy until resumed by acme <time",
            ": 6 of 30 devices failed; 0 in 1,000 before.",
            "Reason: fixed on the server",
        ] {
            assert!(mark.contains(told), "{told}: {mark}");
        }
    };
    let page = session.page(&page_of(&id));
    marked(&page);
    assert!(headline(&page).starts_with("25 % by plan, no failures on 30 devices"), "{page}");
    assert!(page.contains("class=\"state-bar warn\""), "it is not as if nothing had been: {page}");

    // A guard run looks at the new round, and the old one stays.
    let _ = acme.post("/guard/run").send().expect(200);
    let page = session.page(&page_of(&id));
    marked(&page);
    let question = session.post(&form, &order(&page, &[("action", "complete")])).expect(409).text();
    assert!(
        question.contains("Offer notes 1.1.0 to every device?") && question.contains("was failing"),
        "{question}"
    );
    assert_eq!(offer(&acme, &id)["rollout"]["percent"], 25);
    let _ = session.submit(&form, &[("set", "5")]);
    assert_eq!(offer(&acme, &id)["rollout"]["percent"], 5, "nothing is asked about a stop");
}

fn an_open_page_follows_what_happens(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme");
    let key = reports::create_notes(&acme);
    let id = acme.publish(Release::new("1.0.0").rollout(50));
    visitor.log_in("acme");
    visitor.go(&page_of(&id));
    visitor.is_told("no failures yet");
    // The reader has begun to fill in a form, which stays.
    visitor.browser.click("#percentage summary");
    visitor.browser.fill("[name=percent]", "7");
    let mut report = reports::failure_because("segv");
    report["application"]["version"] = "1.0.0".into();
    for device in 0..6 {
        let _ = reports::send(visitor.world.client(), &key, &format!("device-{device}"), &report).expect(202);
    }
    visitor.is_told("6 devices failed");
    visitor.is_told("Checked at");
    assert_eq!(visitor.browser.run("return document.querySelector('[name=percent]').value"), "7");
    visitor.browser.press("Halt");
    visitor.is_told("50 %, halted by acme");
    // Nothing new is answered without the page.
    let watch = "window.__answers = []; const asks = fetch; window.fetch = async (...all) => { \
        const answer = await asks(...all); window.__answers.push(answer.status); return answer }";
    visitor.browser.run(watch);
    visitor.browser.wait_until("an answer without a page", "return window.__answers.includes(304)");
}
