//! People at the dashboard, and the caller of maintenance.

use std::time::Duration;

use semver::Version;
use serde_json::{Value, json};
use spindrift_tests::{Answer, Multipart, Noise};

use super::question::{Kind, Question};
use super::scene::Scene;
use super::state::Said;

/// Time between two looks at the figures.
pub(super) const LOOKS_EVERY: Duration = Duration::from_secs(1);
/// Time between two changes of the catalog.
pub(super) const CHANGES_EVERY: Duration = Duration::from_secs(4);
/// Time between two runs of maintenance.
pub(super) const MAINTAINS_EVERY: Duration = Duration::from_secs(5);
/// An application without releases.
pub(super) const EMPTY_APP: &str = "attic";

/// Reads the data about devices, failures and releases.
pub(super) fn look(scene: &Scene<'_>, random: &mut Noise) {
    let place = usize::try_from(random.below(scene.places.len() as u64)).unwrap();
    let place = &scene.places[place];
    for (kind, path) in [("figures", "/telemetry?range=month"), ("groups", "/reports/groups")] {
        scene.call(kind, &[200], || place.acme.get(path).try_send());
    }
    let app = usize::try_from(random.below(scene.apps.len() as u64)).unwrap();
    let app = &scene.apps[app];
    let question = Question {
        line: app.line,
        kind: Kind::Search,
        client: Version::new(0, 0, 0),
        device: None,
        said: Said::default(),
    };
    let heard = scene.call(Kind::Search.name(), &[200], || place.acme.get(&question.path()).try_send());
    if let Some(heard) = heard {
        scene.validate(app, &question, &heard, Duration::ZERO);
    }
}

/// Changes the catalog where nobody looks, and looks.
pub(super) fn change_catalog(scene: &Scene<'_>, round: u64) {
    let acme = &scene.places[0].acme;
    let name = format!("unused-{round}");
    let body = json!({ "channel": name });
    let made = scene.call("new channel", &[200], || acme.post_json("/channel/create", &body).try_send());
    let Some(made) = made else { return };
    let id = made.answer.json()["createChannelResult.Created"].as_str().unwrap_or_default().to_owned();
    let path = format!("/channel/delete?id={id}");
    scene.call("end of a channel", &[200], || acme.delete(&path).try_send());

    let wanted = round.is_multiple_of(2);
    let app = scene.call("applications", &[200], || acme.get("/app/list").try_send());
    let Some(id) = app.and_then(|list| Some(field(&list.answer, "ID")?.as_str()?.to_owned())) else { return };
    let form = || Multipart::new().field("data", json!({ "id": id, "private": wanted }).to_string());
    scene.call("change of an app", &[200], || acme.post_multipart("/app/update", form()).try_send());
    let Some(list) = scene.call("applications", &[200], || acme.get("/app/list").try_send()) else { return };
    let shown = field(&list.answer, "Private");
    let problem = || format!("{EMPTY_APP} was made private: {wanted}, but the list says {shown:?}");
    let is_right = shown == Some(json!(wanted));
    scene.tally().compare("applications", if is_right { Ok(()) } else { Err(problem()) });
}

/// A field of the empty application in a list.
fn field(list: &Answer, name: &str) -> Option<Value> {
    let list = list.json();
    let app = list["apps"].as_array()?.iter().find(|app| app["AppName"] == EMPTY_APP)?;
    Some(app[name].clone())
}

/// Calls maintenance.
pub(super) fn maintain(scene: &Scene<'_>) {
    let acme = &scene.places[0].acme;
    scene.call("maintenance", &[200], || acme.post("/maintenance/run").try_send());
}
