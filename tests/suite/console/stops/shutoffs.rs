//! Shutting updates off, and on again.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, on_hosts};

use super::super::session::Session;
use super::Scene;
use crate::reports::team_user;

on_hosts! {
    every: [],
    hosted: [
        everything_is_stopped_and_goes_on,
        only_the_chosen_clients_are_stopped,
        others_see_stops_and_change_none,
    ],
}

/// The shut-offs of `notes`, as the service answers them.
fn shutoffs(acme: &Account) -> Vec<Value> {
    acme.get("/shutoffs?app=notes").ok()["shutoffs"].as_array().unwrap().clone()
}

fn everything_is_stopped_and_goes_on(host: Driver) {
    let scene = Scene::published(host);
    let session = scene.session();
    assert!(session.page("apps/notes").contains("/console/apps/notes/stop\">Stop everything</a>"));
    let question = session.page("apps/notes/stop");
    for part in [
        "Stop updates of notes?",
        "<option value=\"\" selected>all</option>",
        "name=\"reason\" value=\"\" required",
    ] {
        assert!(question.contains(part), "{part}: {question}");
    }
    let page = session.post("apps/notes/stop", &[("platform", "linux"), ("reason", "")]).expect(400).text();
    assert!(page.contains("missing reason") && page.contains("<option value=\"linux\" selected>"), "{page}");
    assert!(shutoffs(&scene.acme).is_empty());

    let form = [("channel", ""), ("platform", ""), ("reason", "updates <do> not start")];
    assert_eq!(session.submit("apps/notes/stop", &form), "/console/apps/notes");

    let [shutoff] = &shutoffs(&scene.acme)[..] else { panic!("one shut-off") };
    assert_eq!((&shutoff["channel"], &shutoff["platform"]), (&json!(""), &json!("")));
    let answer = scene.acme.check_as("device", "1.0.0");
    assert_eq!((&answer["update_available"], &answer["shut_off"]), (&json!(false), &json!(true)));
    let since = format!("(by acme, <time datetime=\"{}\"", shutoff["created_at"].as_str().unwrap());
    let page = session.page("apps/notes");
    for part in ["Updates are shut off for all clients: </strong>updates &lt;do&gt; not start", &since] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let overview = session.page("");
    assert!(
        overview.contains("Updates are shut off for all clients: updates &lt;do&gt; not start"),
        "{overview}"
    );
    assert!(session.page(&scene.page("")).contains("Updates are shut off for clients of its channel"));

    let lift = format!("apps/notes/shutoffs/{}/lift", shutoff["id"].as_str().unwrap());
    assert!(page.contains(&format!("href=\"/console/{lift}\">Lift it</a>")), "{page}");
    assert!(session.page(&lift).contains("Lift this shut-off?"));
    assert_eq!(session.submit(&lift, &[]), "/console/apps/notes");
    assert!(shutoffs(&scene.acme).is_empty());
    assert_eq!(scene.version(), "2.0.0");
    assert!(!session.page("apps/notes").contains("shut off"));
    assert_eq!((session.get(&lift).status, session.post(&lift, &[]).status), (404, 404));
}

fn only_the_chosen_clients_are_stopped(host: Driver) {
    let scene = Scene::published(host);
    scene.acme.create_channel("beta");
    scene.acme.create_platform("windows");
    let session = scene.session();
    for (channel, platform, told, version) in [
        ("beta", "", "clients in the channel beta", "2.0.0"),
        ("", "windows", "clients on windows", "2.0.0"),
        ("stable", "linux", "clients in the channel stable on linux", "1.0.0"),
    ] {
        let form = [("channel", channel), ("platform", platform), ("reason", "x")];
        let _ = session.submit("apps/notes/stop", &form);
        let newest = shutoffs(&scene.acme).pop().unwrap();
        assert_eq!((&newest["channel"], &newest["platform"]), (&json!(channel), &json!(platform)));
        let page = session.page("apps/notes");
        assert!(page.contains(&format!("Updates are shut off for {told}: ")), "{told}: {page}");
        assert_eq!(scene.version(), version, "{told}");
    }
    let gone = session.post("apps/notes/stop", &[("channel", "nightly"), ("reason", "x")]).expect(404).text();
    assert!(
        gone.contains("channel not found") && gone.contains("<option value=\"nightly\" selected>"),
        "{gone}"
    );
    assert_eq!(shutoffs(&scene.acme).len(), 3);
}

fn others_see_stops_and_change_none(host: Driver) {
    let scene = Scene::published(host);
    let session = scene.session();
    let _ = session.submit("apps/notes/stop", &[("reason", "updates do not start")]);
    let shutoff = shutoffs(&scene.acme)[0]["id"].as_str().unwrap().to_owned();
    let allowed = json!({ "allowed": [scene.acme.app_id("notes")] });
    let viewer = team_user(&scene.world, &scene.acme, "viewer", allowed);
    let viewer = Session::of(&scene.world, &viewer);

    let page = viewer.page("apps/notes");
    assert!(page.contains("updates do not start") && !page.contains("Lift it"), "{page}");
    assert!(!page.contains("Stop everything"), "{page}");
    let page = viewer.page(&scene.page(""));
    for absent in ["Withdraw it", "Make it a draft", "name=\"reason\""] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    for (path, form) in [
        (scene.page("/offer"), &[("action", "draft")][..]),
        (scene.page("/withdraw"), &[("reason", "x")]),
        (scene.page("/restore"), &[]),
        ("apps/notes/stop".to_owned(), &[("channel", "stable"), ("reason", "x")]),
        (format!("apps/notes/shutoffs/{shutoff}/lift"), &[]),
    ] {
        assert_eq!(viewer.post(&path, form).status, 403, "{path}");
    }
    assert_eq!((scene.offer()["state"].clone(), shutoffs(&scene.acme).len()), (json!("published"), 1));
}
