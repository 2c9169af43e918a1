//! Entries as a table.

use maud::{Markup, html};
use spindrift_api::{AuditActorBody, AuditItem};

use crate::table::{columns, table as framed};
use crate::{Address, parts};

/// `is_admin`: whether names link to everything that a person changed. `change`: makes the cell
/// about the change.
pub(super) fn table(
    label: &str,
    items: &[AuditItem],
    is_admin: bool,
    change: impl Fn(&AuditItem) -> Markup,
) -> Markup {
    let rows = html! { @for item in items { (row(item, is_admin, &change(item))) } };
    framed(label, &columns(["Time", "Who", "Change"]), &rows)
}

fn row(item: &AuditItem, is_admin: bool, change: &Markup) -> Markup {
    let who = actor_phrase(&item.actor);
    let by = item.actor.id.as_ref().filter(|_| is_admin);
    html! {
        tr {
            td { (parts::time(&item.at)) }
            td {
                @match by {
                    Some(id) => a href=(Address::page(["history"]).with("actor", id)) { (who) },
                    None => (who),
                }
            }
            td.did { (change) }
        }
    }
}

/// The sentence without its subject, which has its own column. `link`: for the part before the
/// changed fields.
pub(super) fn change_sentence(item: &AuditItem, link: Option<Address>) -> Markup {
    let did = item.text.strip_prefix(&actor_phrase(&item.actor)).map_or(item.text.as_str(), str::trim_start);
    let Some(link) = link else { return html! { (did) } };
    let end = did.find(": ").unwrap_or(did.len());
    let (deed, fields) = did.split_at(end);
    html! { a href=(link) { (deed) } (fields) }
}

/// The subject of an entry's sentence.
pub(crate) fn actor_phrase(actor: &AuditActorBody) -> String {
    let name = actor.name.as_deref().unwrap_or("unknown");
    match actor.actor_type.as_str() {
        "user" => name.to_owned(),
        kind @ ("token" | "webhook") => format!("the {kind} {name}"),
        "clock" => "the clock".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(actor_type: &str, name: Option<&str>, text: &str) -> AuditItem {
        serde_json::from_value(serde_json::json!({
            "seq": 1, "at": "2026-11-21T01:43:42+00:00", "actor": { "type": actor_type, "id": "u 1", "name": name },
            "kind": "app.update", "text": text, "hash": "00",
        }))
        .unwrap()
    }

    fn shown(item: &AuditItem, is_admin: bool) -> String {
        row(item, is_admin, &change_sentence(item, None)).into_string()
    }

    #[test]
    fn the_sentence_does_not_repeat_its_subject() {
        for (actor_type, name, text, who) in [
            ("user", Some("ann"), "ann changed it", "ann"),
            ("token", Some("ci"), "the token ci changed it", "the token ci"),
            ("webhook", Some("on call"), "the webhook on call changed it", "the webhook on call"),
            ("maintenance", None, "maintenance changed it", "maintenance"),
            ("clock", None, "the clock changed it", "the clock"),
        ] {
            let shown = shown(&item(actor_type, name, text), false);
            assert!(shown.contains(&format!("<td>{who}</td><td class=\"did\">changed it</td>")), "{shown}");
        }
        let later = shown(&item("robot", None, "something changed it"), true);
        assert!(later.contains("<td class=\"did\">something changed it</td>"), "{later}");
        assert!(later.contains("<a href=\"/console/history?actor=u%201\">robot</a>"), "{later}");
    }

    #[test]
    fn the_deed_is_the_link() {
        let message = |did: &str| {
            let item = item("user", Some("ann"), &format!("ann {did}"));
            change_sentence(&item, Some(Address::page(["apps", "notes"]))).into_string()
        };
        assert_eq!(
            message("changed notes: private from no to yes"),
            "<a href=\"/console/apps/notes\">changed notes</a>: private from no to yes"
        );
        assert_eq!(message("deleted <b>"), "<a href=\"/console/apps/notes\">deleted &lt;b&gt;</a>");
    }
}
