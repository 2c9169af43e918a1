//! The fields of failure reports that the audit log compares. Nothing that clients sent is among them.

use serde_json::{Value, json};
use spindrift_core::GroupStatus;
use spindrift_core::audit::{AuditEntry, AuditKind};
use spindrift_db::report_causes::CauseKey;
use spindrift_db::report_groups::{GroupChange, ReportGroup};
use spindrift_service::requests::principal::Principal;

/// The entry of a change to a group.
pub(crate) fn of_group(principal: &Principal, kind: AuditKind, group: &ReportGroup) -> AuditEntry {
    let entry = principal.entry(kind).of_app(&group.app_id, &group.report.app);
    entry.of_object(&group.id, group.hash.as_str())
}

/// The fields that a change sets, before and after it.
pub(crate) fn changes(group: &ReportGroup, change: &GroupChange) -> (Value, Value) {
    let before = json!({ "status": group.status.as_str(), "tags": group.tags, "note": group.note });
    let status = change.status.unwrap_or(group.status);
    let tags = change.tags.as_ref().unwrap_or(&group.tags);
    let note = change.note.as_ref().unwrap_or(&group.note);
    (before, json!({ "status": status.as_str(), "tags": tags, "note": note }))
}

/// The causes that a change names, and their new status.
pub(crate) fn causes(causes: &[CauseKey], status: GroupStatus) -> Value {
    let names = causes.iter().map(|cause| format!("{} {}", cause.event.as_str(), cause.reason.as_str()));
    json!({ "causes": names.collect::<Vec<_>>(), "status": status.as_str() })
}
