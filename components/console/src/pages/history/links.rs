//! Links from entries to their objects, unless these are deleted. The log itself shows which are.

use spindrift_api::{AuditBody, AuditItem};

use crate::pages::release;
use crate::{Address, Context, Result};

/// The kinds of entries that make a link go nowhere: deleted or renamed objects.
const LEAVING: &str = "app.update,app.delete,release.delete";
/// Maximum number of such entries to read. If a later one is missed, the link leads to an error
/// page.
const MOST: u32 = 1000;

/// The entries since the oldest of `items` that deleted or renamed something.
pub(super) async fn later(context: &Context<'_>, items: &[AuditItem]) -> Result<Vec<AuditItem>> {
    let Some(oldest) = items.last() else { return Ok(Vec::new()) };
    let call = Address::call("/audit")
        .with("kind", LEAVING)
        .with("order", "asc")
        .with("after", oldest.seq.saturating_sub(1))
        .with("limit", MOST);
    Ok(context.service.get::<AuditBody>(&call).await?.items)
}

/// The page of the entry's release, or else of its application. `later`: contains the entries that
/// deleted or renamed something since.
pub(crate) fn existing(item: &AuditItem, later: &[AuditItem]) -> Option<Address> {
    let app = item.app.as_deref()?;
    let later = || later.iter().filter(|other| other.seq >= item.seq);
    let is_app_gone = later().any(|other| match other.kind.as_str() {
        "app.delete" => other.app == item.app,
        "app.update" => other.before.get("name").is_some_and(|name| name == app),
        _ => false,
    });
    if is_app_gone {
        return None;
    }
    let Some(of) = &item.release else { return Some(Address::page(["apps", app])) };
    let is_deletion = |other: &AuditItem| {
        other.kind == "release.delete" && other.release.as_ref().is_some_and(|other| other.id == of.id)
    };
    (!later().any(is_deletion)).then(|| release::address(app, of.id.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn item(seq: u64, kind: &str, app: &str, more: &Value) -> AuditItem {
        let mut item = json!({
            "seq": seq, "at": "t", "actor": { "type": "user" }, "kind": kind, "app": app, "text": "", "hash": "",
        });
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(item).unwrap()
    }

    #[test]
    fn links_lead_to_what_is_still_there() {
        let of = |id: &str| json!({ "release": { "id": id, "version": "1.0.0" } });
        let later = [
            item(5, "release.delete", "notes", &of("r1")),
            item(6, "app.update", "desk", &json!({ "before": { "name": "old" } })),
            item(7, "app.update", "notes", &json!({ "before": { "private": true } })),
            item(8, "app.delete", "gone", &json!({})),
        ];
        let link = |item: &AuditItem| existing(item, &later).map(|link| link.to_string());
        let release = |seq, id| item(seq, "release.update", "notes", &of(id));
        assert_eq!(link(&release(4, "r1")), None);
        assert_eq!(link(&later[0]), None);
        assert_eq!(link(&release(4, "r2")).as_deref(), Some("/console/apps/notes/releases/r2"));
        let about = |seq, app| item(seq, "app.create", app, &json!({}));
        assert_eq!(link(&about(1, "notes")).as_deref(), Some("/console/apps/notes"));
        assert_eq!(link(&about(1, "old")), None);
        assert_eq!(link(&about(1, "gone")), None);
        assert_eq!(link(&about(9, "gone")).as_deref(), Some("/console/apps/gone"), "made again");
    }
}
