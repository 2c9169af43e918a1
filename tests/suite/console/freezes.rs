//! The page of freezes.

use serde_json::json;
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::session::{Session, between};
use crate::freezes::in_an_hour;
use crate::roles::person;

on_hosts! {
    every: [],
    hosted: [a_freeze_is_made_and_ended, other_people_see_freezes],
}

fn a_freeze_is_made_and_ended(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    assert!(session.page("apps/notes").contains("href=\"/console/freezes?app=notes\""));
    let form = session.page("freezes?app=notes");
    assert!(form.contains("value=\"notes\" selected") && form.contains("all applications"), "{form}");

    let refused = [("app", "notes"), ("from", ""), ("to", "2020-01-01T00:00"), ("reason", "holidays")];
    let page = session.post("freezes", &refused).expect(400).text();
    assert!(
        page.contains("nvalid to: it is later than from") && page.contains("value=\"holidays\""),
        "{page}"
    );

    let until = &in_an_hour()[..16];
    let made =
        session.post("freezes", &[("app", "notes"), ("from", ""), ("to", until), ("reason", "holidays")]);
    assert_eq!(made.expect(303).header("location"), "/console/freezes?done=frozen");
    let frozen = acme.get("/freezes").ok()["freezes"][0].clone();
    assert_eq!((&frozen["app"], &frozen["reason"]), (&json!("notes"), &json!("holidays")));
    assert!(frozen["to"].as_str().unwrap().starts_with(until), "{frozen}");
    let plan = json!({ "publish": true, "plan": [{ "percent": 10, "for": "5m" }, { "percent": 100 }] });
    let release = acme.upload(&Release::new("1.0.0"));
    let _ = acme.post_json(&format!("/releases/{release}/offer"), plan).ok();
    let shown = session.page(&format!("apps/notes/releases/{release}"));
    assert!(shown.contains("<a href=\"/console/freezes\">A freeze</a> holds it until"), "{shown}");

    let page = session.page("freezes");
    let id = between(&page, "action=\"/console/freezes/", "/end\"").to_owned();
    let _ = session.submit(&format!("freezes/{id}/end"), &[]);
    assert_eq!(acme.get("/freezes").ok()["freezes"], json!([]));
    assert!(session.page("freezes").contains("No freezes."));
}

fn other_people_see_freezes(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let order = json!({ "to": in_an_hour(), "reason": "the fair" });
    let _ = acme.post_json("/freezes", order).send().expect(201);
    let lists = json!({ "apps": { "allowed": [acme.app_id("notes")] } });
    let of = |name: &str, role: &str| {
        let granted = json!({ "role": role, "permissions": lists });
        let account = person(&world, &acme, name, granted);
        Session::of(&world, &account).page("freezes")
    };
    let support = of("ann", "support");
    assert!(support.contains("the fair") && !support.contains("Add a freeze"), "{support}");
    let manager = of("eve", "release-manager");
    assert!(
        manager.contains("Add a freeze") && !manager.contains("value=\"\">all applications"),
        "{manager}"
    );
    assert!(!manager.contains("End it now"), "a freeze of all applications is the owner's");
}
