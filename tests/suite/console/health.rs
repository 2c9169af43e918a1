//! The health of releases in the console: the banner, the guard, and failing versions on the overview.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::session::{Session, between, unescaped};
use crate::reports::{self, team_user};

on_hosts! {
    every: [],
    hosted: [
        a_guard_is_set_and_taken_away,
        a_wrong_limit_is_told_beside_what_was_entered,
        a_guard_of_somebody_else_is_shown_with_ones_own,
        a_viewer_sees_the_guard_and_no_form,
        a_draft_is_published_with_a_guard,
        the_overview_begins_with_the_present,
        a_failing_release_is_not_green,
    ],
}

fn page_of(release: &str) -> String {
    format!("apps/notes/releases/{release}")
}

fn form_of(release: &str) -> String {
    format!("{}/offer", page_of(release))
}

/// The offer of a release, as the service answers it.
fn offer(acme: &Account, release: &str) -> Value {
    acme.get(&format!("/releases/{release}")).ok()["offers"][0].clone()
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the JSON in the call")]
pub(super) fn set_guard(acme: &Account, release: &str, guard: Value) {
    let _ = acme.post_json(&format!("/releases/{release}/offer"), json!({ "guard": guard })).ok();
}

/// Sends the form for the guard with the revision that the page shows. Returns the settings and the history afterwards.
fn save(session: &Session<'_>, release: &str, fields: &[(&str, &str)]) -> String {
    let shown = session.page(&page_of(release));
    let revision = between(&shown, "name=\"if_revision\" value=\"", "\"");
    let _ = session
        .submit(&form_of(release), &[fields, &[("part", "guard"), ("if_revision", revision)]].concat());
    ["settings", "history"].map(|part| session.page(&format!("{}?tab={part}", page_of(release)))).concat()
}

/// A release of which four devices say that it crashes. Its guard allows three, and pauses its plan, of which it has none.
fn unhealthy(world: &World, acme: &Account) -> String {
    let key = reports::create_notes(acme);
    let id = acme.publish(Release::new("1.0.0").rollout(50));
    set_guard(acme, &id, json!({ "on_unhealthy": "pause", "max_failing": 3 }));
    let mut report = reports::failure_because("segv");
    report["application"]["version"] = "1.0.0".into();
    for device in 0..4 {
        let _ = reports::send(world.client(), &key, &format!("device-{device}"), &report).expect(202);
    }
    let run = acme.post("/guard/run").send().expect(200).json();
    assert_eq!(run["unhealthy"], 1, "{run}");
    id
}

fn a_guard_is_set_and_taken_away(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0").rollout(5));
    let session = Session::of(&world, &acme);

    let form = [
        ("on_unhealthy", "halt"),
        ("alpha", ""),
        ("factor", "1.5"),
        ("max_failing", "20"),
        ("reason", "new"),
    ];
    let page = save(&session, &id, &form);

    let guard =
        json!({ "on_unhealthy": "halt", "alpha": 0.01, "factor": 1.5, "min_failing": 5, "max_failing": 20 });
    assert_eq!(offer(&acme, &id)["guard"], guard);
    for part in [
        "<option value=\"halt\" selected>halt the rollout",
        "name=\"alpha\" value=\"\"",
        "placeholder=\"0.01\"",
        "name=\"factor\" value=\"1.5\"",
        "name=\"max_failing\" value=\"20\"",
        "changed the guard of notes 1.0.0",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(acme.release("1.0.0").rollout_percent, 5);

    let page = save(&session, &id, &[("on_unhealthy", "")]);
    assert_eq!(offer(&acme, &id).get("guard"), None);
    assert!(page.contains("<option value=\"\" selected>do nothing"), "{page}");
}

fn a_wrong_limit_is_told_beside_what_was_entered(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0"));
    let session = Session::of(&world, &acme);
    let before = offer(&acme, &id);

    for wrong in ["0.5", "\"many\""] {
        let form = [
            ("part", "guard"),
            ("on_unhealthy", "pause"),
            ("factor", wrong),
            ("max_failing", "7"),
            ("reason", "new"),
        ];
        let page = session.post(&form_of(&id), &form).expect(400).text();

        let section = unescaped(between(&page, "id=\"guard\"", "</section>"));
        for part in [
            "role=\"alert\">invalid guard: factor: 1 to 10",
            "<option value=\"pause\" selected>",
            "<details class=\"choice\" open>",
            &format!("name=\"factor\" value=\"{wrong}\""),
            "aria-invalid=\"true\" autofocus",
            "name=\"max_failing\" value=\"7\"",
            "value=\"new\"",
        ] {
            assert!(section.contains(part), "{part}: {section}");
        }
        assert_eq!(page.matches("role=\"alert\"").count(), 1, "{page}");
    }
    assert_eq!(offer(&acme, &id), before);
}

fn a_guard_of_somebody_else_is_shown_with_ones_own(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0"));
    let session = Session::of(&world, &acme);
    let revision = offer(&acme, &id)["revision"].to_string();
    set_guard(&acme, &id, json!({ "on_unhealthy": "halt" }));

    let form = [("part", "guard"), ("on_unhealthy", "pause"), ("if_revision", revision.as_str())];
    let page = session.post(&form_of(&id), &form).expect(409).text();

    let section = between(&page, "id=\"guard\"", "</section>");
    for part in [
        "somebody else has changed the release meanwhile: nothing was done",
        "If it turns out to be unhealthy: halt the rollout.",
        "<option value=\"pause\" selected>",
    ] {
        assert!(section.contains(part), "{part}: {section}");
    }
    assert_eq!(offer(&acme, &id)["guard"]["on_unhealthy"], "halt");
    let _ = save(&session, &id, &[("on_unhealthy", "pause")]);
    assert_eq!(offer(&acme, &id)["guard"]["on_unhealthy"], "pause");
}

fn a_viewer_sees_the_guard_and_no_form(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let id = unhealthy(&world, &acme);
    let viewer = team_user(&world, &acme, "viewer", json!({ "allowed": [acme.app_id("notes")] }));
    let session = Session::of(&world, &viewer);
    let page = session.page(&format!("{}?tab=settings", page_of(&id)));
    for part in ["4 devices failed", "If it turns out to be unhealthy: pause the plan."] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for absent in ["data-stop", "on_unhealthy", "max_failing"] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    let _ = session.post(&form_of(&id), &[("part", "guard"), ("on_unhealthy", "")]).expect(403);
    assert_eq!(offer(&acme, &id)["guard"]["on_unhealthy"], "pause");
}

fn a_draft_is_published_with_a_guard(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    assert!(session.page("apps/notes/publish").contains("name=\"on_unhealthy\""));
    let id = acme.upload(&Release::new("1.0.0"));
    let settings = || session.page(&format!("{}?tab=settings", page_of(&id)));
    assert_eq!(settings().matches("name=\"on_unhealthy\"").count(), 2);

    let form =
        [("part", "publication"), ("action", "schedule"), ("publish_at", ""), ("on_unhealthy", "pause")];
    let refused = session.post(&form_of(&id), &form).expect(400).text();
    assert_eq!(refused.matches("<option value=\"pause\" selected>").count(), 1, "{refused}");

    let form = [("part", "publication"), ("action", "publish"), ("on_unhealthy", "pause")];
    let _ = session.submit(&form_of(&id), &form);
    let published = offer(&acme, &id);
    assert_eq!(
        (&published["state"], &published["guard"]["on_unhealthy"]),
        (&json!("published"), &json!("pause"))
    );

    // A draft keeps the guard that it has.
    let _ = session.submit(&form_of(&id), &[("part", "publication"), ("action", "draft")]);
    assert_eq!(settings().matches("name=\"on_unhealthy\"").count(), 1);
    let _ = session.submit(&form_of(&id), &[("part", "publication"), ("action", "publish")]);
    assert_eq!(offer(&acme, &id)["guard"]["on_unhealthy"], "pause");
}

fn the_overview_begins_with_the_present(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let session = Session::of(&world, &acme);
    let page = session.page("");
    assert!(!page.contains("Failing versions") && !page.contains("Rollouts under way"), "{page}");

    let id = unhealthy(&world, &acme);
    let planned = acme.publish(Release::new("1.1.0").rollout(0));
    let start = json!({ "action": "start", "plan": [{ "percent": 5, "for": "1d" }, { "percent": 100 }] });
    let _ = acme.post_json(&format!("/releases/{planned}/rollout"), start).ok();
    let page = session.page("");

    let link = |id: &str| format!("href=\"/console/{}\"", page_of(id));
    let failing = between(&page, "<h2>Failing versions</h2>", "</section>");
    for part in
        [link(&id).as_str(), "notes 1.0.0", " in stable", "4 devices failed. The guard allows 3.", "50 %"]
    {
        assert!(failing.contains(part), "{part}: {failing}");
    }
    assert!(!failing.contains(&link(&planned)), "{failing}");
    let rollouts = between(&page, "<h2>Rollouts under way</h2>", "</section>");
    let next = offer(&acme, &planned)["rollout"]["next"]["at"].as_str().unwrap().to_owned();
    for part in [
        link(&id).as_str(),
        &link(&planned),
        "<td>5 %, plan</td>",
        &format!("100 %, <time datetime=\"{next}\""),
        "<span class=\"badge bad\">unhealthy</span>",
    ] {
        assert!(rollouts.contains(part), "{part}: {rollouts}");
    }
    assert!(!page.contains("1.0.0 is unhealthy. "), "no warning repeats it: {page}");
    let up_to_date = page.split(">Up to date</dt>").nth(1).unwrap();
    assert!(
        up_to_date.starts_with("<dd><span title=\"The newest release is halted or fails\">–"),
        "{up_to_date}"
    );
    assert!(page.find("Rollouts under way") < page.find("Devices today"), "{page}");
    let recent = page.split("<h2>Recent activity</h2>").nth(1).unwrap();
    assert!(recent.contains("found notes 1.0.0 in stable unhealthy"), "{recent}");
}

fn a_failing_release_is_not_green(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let _ = unhealthy(&world, &acme);
    let session = Session::of(&world, &acme);
    let page = session.page("apps/notes");
    assert!(page.contains("<span class=\"badge bad\">unhealthy</span>"), "{page}");
    assert!(!page.contains("badge good"), "{page}");
}
