//! The rollout on the page of a release: where it is, and the forms that change it.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::session::{Session, between, unescaped};
use super::visitor::Visitor;
use crate::reports::team_user;

on_hosts! {
    every: [],
    hosted: [
        a_plan_is_started_paused_and_resumed,
        a_halt_is_one_click_and_ends_by_a_resumption,
        a_stage_is_set,
        a_draft_has_nothing_to_halt_and_its_plan_waits,
        a_mistake_in_a_plan_is_told_beside_it,
        a_change_by_somebody_else_is_told,
        a_stop_passes_whoever_has_changed_it,
        a_viewer_sees_the_plan_and_no_buttons,
        lists_name_the_state,
        a_browser_halts_whatever_its_fields_say,
    ],
}

const PLAN: &str = "0.1:12h,5,20:1d,100";

fn page_of(release: &str) -> String {
    format!("apps/notes/releases/{release}")
}

fn form_of(release: &str) -> String {
    format!("{}/rollout", page_of(release))
}

/// The offer of a release, as the service answers it.
fn offer(acme: &Account, release: &str) -> Value {
    acme.get(&format!("/releases/{release}")).ok()["offers"][0].clone()
}

/// Sends an order with the revision that the page shows. Returns the page afterwards.
fn order(session: &Session<'_>, release: &str, fields: &[(&str, &str)]) -> String {
    let shown = session.page(&page_of(release));
    let revision = between(&shown, "name=\"if_revision\" value=\"", "\"");
    let fields = [fields, &[("if_revision", revision)]].concat();
    let _ = session.submit(&form_of(release), &fields);
    session.page(&page_of(release))
}

fn headline(page: &str) -> String {
    unescaped(between(page, "<p class=\"headline\"><strong>", "</strong>"))
}

fn a_plan_is_started_paused_and_resumed(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").rollout(0));
    let session = Session::of(&world, &acme);

    let page = order(&session, &id, &[("action", "start"), ("plan", PLAN), ("reason", "go")]);

    assert!(headline(&page).starts_with("0.1 % by plan"), "{page}");
    for part in [
        "<strong>0.1 %</strong>",
        "for 12 hours",
        "<dd class=\"\">5 % <span",
        "until you advance",
        ">Pause</button>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let begins = offer(&acme, &id)["rollout"]["next"]["at"].as_str().unwrap().to_owned();
    assert!(page.contains(&format!(">next, <time datetime=\"{begins}\"")), "{begins}: {page}");

    let page = order(&session, &id, &[("action", "pause")]);
    assert!(headline(&page).starts_with("0.1 %, paused by acme <time"), "{page}");
    assert!(page.contains(">Resume</button>") && !page.contains(">Pause</button>"), "{page}");

    let page = order(&session, &id, &[("action", "resume")]);
    assert!(headline(&page).starts_with("0.1 % by plan"), "{page}");
    assert!(page.contains("Begin the next step now: 5 %"), "{page}");
    let page = order(&session, &id, &[("action", "advance")]);
    assert!(headline(&page).starts_with("5 % by plan"), "{page}");
    assert!(page.contains("<dd class=\"\">20 %</dd>") && page.contains("once somebody begins it"), "{page}");
}

fn a_halt_is_one_click_and_ends_by_a_resumption(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let id = acme.publish(Release::new("1.1.0"));
    let session = Session::of(&world, &acme);
    assert_eq!(acme.check_as("device", "1.0.0")["update_available"], true);

    let page = order(&session, &id, &[("action", "halt"), ("reason", "it crashes")]);

    assert!(headline(&page).starts_with("100 %, halted by acme <time"), "{page}");
    assert!(page.contains("class=\"state-bar bad\"") && !page.contains(">Halt</button>"), "{page}");
    assert_eq!(acme.check_as("device", "1.0.0")["update_available"], false);

    // A percentage does not end it.
    let page = order(&session, &id, &[("set", "25")]);
    assert!(headline(&page).starts_with("25 %, halted by acme"), "{page}");
    let page = order(&session, &id, &[("action", "resume")]);
    assert!(headline(&page).starts_with("25 % of devices"), "{page}");
}

fn a_stage_is_set(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").rollout(5));
    let session = Session::of(&world, &acme);

    let page = order(&session, &id, &[("set", "25"), ("percent", "nonsense")]);
    assert!(headline(&page).starts_with("25 % of devices"), "{page}");
    assert!(page.contains("name=\"set\" value=\"5\" formnovalidate disabled"), "{page}");
    let page = order(&session, &id, &[("action", "set"), ("percent", "0.5")]);
    assert!(headline(&page).starts_with("0.5 % of devices"), "{page}");
    let page = order(&session, &id, &[("action", "complete")]);
    assert_eq!(headline(&page), "100 %, complete");

    for percent in ["", "0.005", "101", "all"] {
        let refused =
            session.post(&form_of(&id), &[("action", "set"), ("percent", percent)]).expect(400).text();
        assert!(refused.contains("invalid percentage: 0 to 100, with up to two decimals"), "{refused}");
        assert!(refused.contains(&format!("value=\"{percent}\"")), "{percent}: {refused}");
    }
    assert_eq!(acme.release("1.0.0").rollout_percent, 100);
}

fn a_draft_has_nothing_to_halt_and_its_plan_waits(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.upload(&Release::new("1.0.0"));
    let session = Session::of(&world, &acme);

    let page = order(&session, &id, &[("action", "start"), ("plan", PLAN)]);

    assert_eq!(headline(&page), "Draft: nobody sees it");
    assert!(!page.contains(">Halt</button>") && page.contains("The plan waits"), "{page}");
    assert!(offer(&acme, &id)["rollout"].get("next").is_none());
    let _ = session.submit(&format!("{}/offer", page_of(&id)), &[("action", "publish")]);
    let page = session.page(&page_of(&id));
    assert!(
        headline(&page).starts_with("0.1 % by plan") && page.contains("<dd class=\"\">5 % <span"),
        "{page}"
    );
}

fn a_mistake_in_a_plan_is_told_beside_it(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").rollout(10));
    let session = Session::of(&world, &acme);
    let before = offer(&acme, &id);

    let form = [("action", "start"), ("plan", "20,\"5\",100"), ("reason", "go")];
    let page = session.post(&form_of(&id), &form).expect(400).text();

    assert!(
        page.contains("invalid plan: step 2: the percentage is 0 to 100, with up to two decimals"),
        "{page}"
    );
    for part in ["value=\"20,&quot;5&quot;,100\"", "value=\"go\"", "id=\"plan\" open"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // The service knows how far the release is.
    let page = session.post(&form_of(&id), &[("action", "start"), ("plan", "5,100")]).expect(409).text();
    assert!(page.contains("below the present percentage") && page.contains("value=\"5,100\""), "{page}");
    assert_eq!(offer(&acme, &id), before);

    let preset = session.page(&format!("{}?plan=5%3A2h%2C100", page_of(&id)));
    assert!(preset.contains("value=\"5:2h,100\"") && preset.contains("id=\"plan\" open"), "{preset}");
}

fn a_change_by_somebody_else_is_told(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").rollout(5));
    let session = Session::of(&world, &acme);
    let revision = offer(&acme, &id)["revision"].to_string();
    let _ =
        acme.post_json(&format!("/releases/{id}/rollout"), json!({ "action": "set", "percent": 10 })).ok();

    let form = [("set", "25"), ("if_revision", revision.as_str())];
    let page = session.post(&form_of(&id), &form).expect(409).text();

    let told = "somebody else has changed the release meanwhile: nothing was done. \
                Now it is: 10 % of devices";
    assert!(page.contains(told), "{page}");
    assert_eq!(acme.release("1.0.0").rollout_percent, 10);
    // The page that tells of it has the new revision.
    let revision = between(&page, "name=\"if_revision\" value=\"", "\"");
    let _ = session.submit(&form_of(&id), &[("set", "25"), ("if_revision", revision)]);
    assert_eq!(acme.release("1.0.0").rollout_percent, 25);
}

fn a_stop_passes_whoever_has_changed_it(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").rollout(50));
    let session = Session::of(&world, &acme);
    let old = offer(&acme, &id)["revision"].to_string();
    let _ = acme.edit(&id, json!({ "rollout": 60 })).expect(200);

    let lower = [("action", "set"), ("percent", "1"), ("if_revision", old.as_str())];
    let _ = session.submit(&form_of(&id), &lower);
    assert_eq!(acme.release("1.0.0").rollout_percent, 1);
    let halt = [("action", "halt"), ("percent", "nonsense"), ("if_revision", old.as_str())];
    let _ = session.submit(&form_of(&id), &halt);
    assert_eq!(offer(&acme, &id)["rollout"]["state"], "halted");
}

fn a_viewer_sees_the_plan_and_no_buttons(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").rollout(0));
    let start = json!({ "action": "start", "plan": [{ "percent": 5 }, { "percent": 100 }] });
    let _ = acme.post_json(&format!("/releases/{id}/rollout"), start).ok();
    let viewer = team_user(&world, &acme, "viewer", json!({ "allowed": [acme.app_id("notes")] }));
    let session = Session::of(&world, &viewer);

    let page = session.page(&page_of(&id));

    assert!(headline(&page).starts_with("5 % by plan") && page.contains("until somebody advances"), "{page}");
    for absent in ["value=\"halt\"", "if_revision", "Start a", "name=\"reason\""] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    for form in [&[("action", "halt")][..], &[("set", "25")], &[("action", "start"), ("plan", PLAN)]] {
        let _ = session.post(&form_of(&id), form).expect(403);
    }
    assert_eq!(offer(&acme, &id)["rollout"]["state"], "running");

    let stranger = team_user(&world, &acme, "stranger", json!({}));
    let _ = Session::of(&world, &stranger).post(&form_of(&id), &[("action", "halt")]).expect(404);
}

fn lists_name_the_state(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").rollout(0));
    let session = Session::of(&world, &acme);
    for (form, told) in [
        (&[("action", "start"), ("plan", PLAN)][..], "0.1 %, plan"),
        (&[("action", "pause")], "0.1 %, paused"),
        (&[("action", "halt")], "halted at 0.1 %"),
    ] {
        let _ = order(&session, &id, form);
        for path in ["apps/notes", ""] {
            let page = session.page(path);
            assert!(page.contains(told), "{told} in {path}: {page}");
        }
    }
}

/// The number has a mistake that keeps the browser from sending it.
fn a_browser_halts_whatever_its_fields_say(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let acme = visitor.world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").rollout(5));
    visitor.log_in("acme");
    visitor.go(&page_of(&id));
    visitor.browser.click("#percentage summary");
    visitor.browser.fill("[name=percent]", "0.005");
    visitor.browser.press("Set");
    visitor.browser.press("Halt");
    visitor.is_told("5 %, halted by acme");
    visitor.browser.press("Resume");
    visitor.is_told("5 % of devices");
}
