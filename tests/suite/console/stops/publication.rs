//! From when on clients see a release, and withdrawals.

use serde_json::{Value, json};
use spindrift_tests::{Driver, on_hosts};

use super::super::session::{between, unescaped};
use super::Scene;

on_hosts! {
    every: [],
    hosted: [
        a_draft_is_scheduled_and_taken_back,
        a_schedule_is_changed_and_ends_by_publishing,
        a_change_by_somebody_else_is_told_beside_the_schedule,
        a_release_is_unpublished,
        a_withdrawal_asks_why_and_ends_by_restoring,
    ],
}

/// A time ahead, as a browser writes it, and as the service does.
fn in_hours(hours: i64) -> (String, String) {
    let at = (jiff::Timestamp::now() + jiff::SignedDuration::from_hours(hours)).to_string();
    (at[..16].to_owned(), format!("{}:00+00:00", &at[..16]))
}

fn headline(page: &str) -> String {
    unescaped(between(page, "<p class=\"headline\"><strong>", "</strong>"))
}

fn a_draft_is_scheduled_and_taken_back(host: Driver) {
    let scene = Scene::new(host);
    let (field, time) = in_hours(30);
    let shown = scene.session().page(&scene.page(""));
    assert!(shown.contains(">Publish now</button>") && shown.contains("Publish at (UTC)"), "{shown}");
    assert!(!shown.contains("Take the schedule back"), "{shown}");

    let form = [("action", "schedule"), ("publish_at", field.as_str()), ("reason", "the fair begins")];
    let page = scene.send("/offer", &form);

    let told = format!("Scheduled: clients see it from <time datetime=\"{time}\"");
    assert!(headline(&page).starts_with(&told), "{page}");
    let offer = scene.offer();
    assert_eq!((&offer["state"], &offer["publish_at"]), (&json!("scheduled"), &json!(time)));
    let entry = scene.newest();
    assert_eq!((&entry["kind"], &entry["reason"]), (&json!("release.schedule"), &json!("the fair begins")));
    assert_eq!(scene.version(), "1.0.0");
    assert!(!page.contains(">Halt</button>"), "there is nothing to halt: {page}");
    assert!(page.contains(&format!("name=\"publish_at\" value=\"{field}\"")), "{page}");
    let list = scene.session().page("apps/notes");
    assert!(list.contains(&format!(">scheduled</span> <time datetime=\"{time}\"")), "{list}");

    let page = scene.send("/offer", &[("action", "draft"), ("publish_at", &field)]);
    assert_eq!(headline(&page), "Draft: nobody sees it");
    let offer = scene.offer();
    assert_eq!((&offer["state"], &offer["publish_at"]), (&json!("draft"), &Value::Null));

    for (at, told) in [
        ("", "choose a date and a time first"),
        ("tomorrow", "invalid publish_at: a time like 2026-11-27T20:00:00Z"),
        ("2999-01-01T00:00", "invalid publish_at: at most 366 days ahead"),
    ] {
        let form = [("part", "publication"), ("action", "schedule"), ("publish_at", at), ("reason", "go")];
        let answer = scene.session().post(&scene.page("/offer"), &form);
        let page = answer.text();
        assert!(answer.status >= 400 && page.contains(told), "{at}: {page}");
        assert!(page.contains(&format!("name=\"publish_at\" value=\"{at}\"")), "{at}: {page}");
        assert_eq!(
            page.matches("name=\"reason\" maxlength=\"500\" autocomplete=\"off\" value=\"go\"").count(),
            1
        );
    }
    assert_eq!(scene.offer()["state"], "draft");
}

fn a_schedule_is_changed_and_ends_by_publishing(host: Driver) {
    let scene = Scene::new(host);
    let ((one, _), (two, time)) = (in_hours(30), in_hours(50));
    let plan = [("action", "start"), ("plan", "10:1d,100")];
    let _ = scene.send("/rollout", &plan);
    let page = scene.send("/offer", &[("action", "schedule"), ("publish_at", &one)]);
    assert!(page.contains("The plan begins then: 10 % of devices may have it"), "{page}");

    let _ = scene.send("/offer", &[("action", "schedule"), ("publish_at", &two)]);
    assert_eq!(scene.offer()["publish_at"], time);

    let page = scene.send("/offer", &[("action", "publish"), ("publish_at", &two)]);
    assert!(headline(&page).starts_with("10 % by plan"), "{page}");
    let offer = scene.offer();
    assert_eq!((&offer["state"], &offer["publish_at"]), (&json!("published"), &Value::Null));
    assert_eq!(offer["rollout"]["next"]["percent"], 100);
    assert_eq!(scene.newest()["kind"], "release.publish");
    assert!(!page.contains("Publish now") && page.contains(">Make it a draft</button>"), "{page}");
}

fn a_change_by_somebody_else_is_told_beside_the_schedule(host: Driver) {
    let scene = Scene::new(host);
    let revision = scene.offer()["revision"].to_string();
    let change = json!({ "publish_at": in_hours(30).1 });
    let _ = scene.acme.post_json(&format!("/releases/{}/offer", scene.draft), change).ok();

    let form = [("part", "publication"), ("action", "publish"), ("if_revision", revision.as_str())];
    let page = scene.session().post(&scene.page("/offer"), &form).expect(409).text();

    let told = "somebody else has changed the release meanwhile: nothing was done. \
                Now it is: Scheduled: clients see it from <time";
    assert!(page.contains(told), "{page}");
    assert_eq!(scene.offer()["state"], "scheduled");
    // Taking it back is a stop, which nothing holds up.
    let form = [("action", "draft"), ("if_revision", revision.as_str())];
    let _ = scene.session().submit(&scene.page("/offer"), &form);
    assert_eq!(scene.offer()["state"], "draft");
}

fn a_release_is_unpublished(host: Driver) {
    let scene = Scene::published(host);
    assert_eq!(scene.version(), "2.0.0");

    let page = scene.send("/offer", &[("action", "draft"), ("reason", "too early")]);

    assert_eq!(headline(&page), "Draft: nobody sees it");
    assert_eq!((scene.offer()["state"].clone(), scene.version()), (json!("draft"), "1.0.0".to_owned()));
    let entry = scene.newest();
    assert_eq!((&entry["kind"], &entry["reason"]), (&json!("release.unpublish"), &json!("too early")));
}

fn a_withdrawal_asks_why_and_ends_by_restoring(host: Driver) {
    let scene = Scene::published(host);
    let session = scene.session();
    assert!(
        session.page(&scene.page("")).contains(&format!("{}\">Withdraw it…</a>", scene.page("/withdraw")))
    );
    let question = session.page(&scene.page("/withdraw"));
    for part in [
        "Withdraw notes 2.0.0?",
        "Clients with the updater manual that run the version are shown this",
        "required maxlength=\"200\"",
    ] {
        assert!(question.contains(part), "{part}: {question}");
    }
    for (reason, told) in
        [(" ", "missing reason"), (&*"x".repeat(201), "invalid reason: at most 200 characters")]
    {
        let page = session.post(&scene.page("/withdraw"), &[("reason", reason)]).expect(400).text();
        assert!(page.contains(told) && page.contains(&format!("value=\"{reason}\"")), "{page}");
    }
    assert_eq!(scene.version(), "2.0.0");

    let _ = session.submit(&scene.page("/withdraw"), &[("reason", "it deletes <files>")]);

    let release = scene.release();
    assert_eq!(release["withdrawn"]["reason"], "it deletes <files>");
    assert_eq!((&release["offers"][0]["state"], scene.version().as_str()), (&json!("withdrawn"), "1.0.0"));
    assert_eq!(scene.acme.check("2.0.0")["withdrawn"]["reason"], "it deletes <files>");
    let page = session.page(&scene.page(""));
    let at = release["withdrawn"]["at"].as_str().unwrap();
    assert!(
        headline(&page).starts_with(&format!("Withdrawn <time class=\"relative\" datetime=\"{at}\"")),
        "{page}"
    );
    assert!(headline(&page).ends_with(": it deletes <files>"), "{page}");
    for absent in ["Publish now", "class=\"stages\"", "Start a plan", "Withdraw it"] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    assert!(session.page("apps/notes").contains(">withdrawn</span>"));

    let again = session.page(&scene.page("/withdraw"));
    assert!(again.contains("value=\"it deletes &lt;files&gt;\""), "{again}");
    let _ = session.submit(&scene.page("/withdraw"), &[("reason", "it deletes all files")]);
    assert_eq!(scene.release()["withdrawn"]["reason"], "it deletes all files");
    // A page that still shows the release as it was.
    let late = session.post(&scene.page("/offer"), &[("action", "publish")]).expect(409).text();
    assert!(late.contains("the release is withdrawn: restore the release first"), "{late}");

    let page = scene.send("/restore", &[("reason", "a false alarm")]);
    assert_eq!(headline(&page), "Draft: nobody sees it");
    let release = scene.release();
    assert_eq!((&release["withdrawn"], &release["offers"][0]["state"]), (&Value::Null, &json!("draft")));
    let entry = scene.newest();
    assert_eq!((&entry["kind"], &entry["reason"]), (&json!("release.restore"), &json!("a false alarm")));
    let late = session.post(&scene.page("/restore"), &[]).expect(409).text();
    assert!(late.contains("the release is not withdrawn"), "{late}");
}
