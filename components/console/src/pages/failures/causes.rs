//! The causes of failures, each followed by its groups.

use maud::{Markup, html};
use spindrift_api::{CauseEntry, CausesBody, GroupEntry};
use spindrift_core::{Action, Actor};

use super::failure_group::{FailureGroupRef, status};
use super::filters::FailureFilters;
use crate::plots::sparkline;
use crate::table::{column, columns, extra};
use crate::{Address, form_token, parts, table};

/// The name of the checkboxes that select causes.
pub(super) const CHOSEN: &str = "cause";
/// How many versions and platforms a row names. The line below the row lists all.
const NAMED: usize = 3;

pub(super) fn table(found: &CausesBody, filters: &FailureFilters, actor: &Actor, token: &str) -> Markup {
    let may_edit = |cause: &CauseEntry| actor.may(Action::Triage, Some(&cause.app_id));
    let is_editable = found.items.iter().any(may_edit);
    html! {
        form method="post" action=(filters.first_page()) {
            input type="hidden" name=(form_token::FIELD) value=(token);
            @if is_editable { (buttons()) }
            div.scroll tabindex="0" role="region" aria-label="Causes of failures" {
                table.causes {
                    thead { tr {
                        @if is_editable {
                            th scope="col" {
                                input type="checkbox" data-checks=(CHOSEN) aria-label="Choose all on this page";
                            }
                        }
                        (sorting_column(filters, "reason", "Failure", ""))
                        (column("Status"))
                        (sorting_column(filters, "reports", "Reports", "value"))
                        (extra("30 days"))
                        (sorting_column(filters, "first_seen", "First seen", "extra"))
                        (sorting_column(filters, "last_seen", "Last seen", ""))
                    } }
                    @for cause in &found.items { (rows(cause, filters, is_editable.then(|| may_edit(cause)))) }
                }
            }
        }
    }
}

fn buttons() -> Markup {
    html! {
        p.bulk {
            span.quiet { "With the chosen failures:" }
            button.plain type="submit" name="status" value="resolved" { "Resolve" }
            button.plain type="submit" name="status" value="muted" { "Mute" }
            button.plain type="submit" name="status" value="open" { "Reopen" }
        }
    }
}

/// A heading that sorts by its column. If the list is already sorted by it, it reverses the order.
fn sorting_column(filters: &FailureFilters, by: &str, text: &str, class: &str) -> Markup {
    let order = filters.order_by(by);
    let next = if order == Some("desc") || (order.is_none() && by == "reason") { "asc" } else { "desc" };
    let direction = order.map(|order| if order == "asc" { "ascending" } else { "descending" });
    let mark = match order {
        Some("asc") => " ↑",
        Some(_) => " ↓",
        None => "",
    };
    html! {
        th class=(class) scope="col" aria-sort=[direction] { a href=(filters.with_order(by, next)) { (text) } (mark) }
    }
}

/// `may_edit`: `None` if the visitor may edit no cause on this page.
fn rows(cause: &CauseEntry, filters: &FailureFilters, may_edit: Option<bool>) -> Markup {
    let width = 6 + usize::from(may_edit.is_some());
    let reason = &cause.event.reason;
    html! {
        tbody {
            tr {
                @if let Some(may_edit) = may_edit {
                    td { @if may_edit {
                        input type="checkbox" name=(CHOSEN) value=(value(cause))
                            aria-label={ "Choose " (reason) " of " (cause.app_name) };
                    } }
                }
                th.words scope="row" {
                    a href=(page(cause, filters)) { (reason) } " "
                    span.quiet { (cause.event.event_type.replace('_', " ")) }
                    div.where { (cause.app_name) " " (versions(cause)) span.quiet { " on " (platforms(cause)) } }
                }
                td { (statuses(cause)) }
                td.value { (parts::number(cause.reports)) }
                td.trend.extra { (sparkline(&cause.trend, "reports by day over 30 days")) }
                td.extra { (parts::time(&cause.first_seen)) }
                td { (parts::time(&cause.last_seen)) }
            }
            tr.below {
                td colspan=(width) { (more_groups(cause, filters)) }
            }
        }
    }
}

/// The page of the only group, or the list of all groups.
fn page(cause: &CauseEntry, filters: &FailureFilters) -> Address {
    match &cause.latest[..] {
        [only] if cause.groups == 1 => FailureGroupRef::of_entry(only).page(&[]),
        _ => filters.groups_of(cause),
    }
}

/// The value of a cause's checkbox. None of its three parts contains a space.
fn value(cause: &CauseEntry) -> String {
    format!("{} {} {}", cause.app_id, cause.event.event_type, cause.event.reason)
}

fn statuses(cause: &CauseEntry) -> Markup {
    let counted =
        [("open", cause.open_groups), ("resolved", cause.resolved_groups), ("muted", cause.muted_groups)];
    let is_mixed = counted.iter().filter(|(_, groups)| *groups > 0).count() > 1;
    html! {
        div.statuses { @for (name, groups) in counted {
            @if groups > 0 { (status(name)) @if is_mixed { span.quiet { (parts::number(groups)) } } }
        } }
    }
}

fn versions(cause: &CauseEntry) -> String {
    distinct_values(cause, |group| &group.application.version)
}

fn platforms(cause: &CauseEntry) -> String {
    distinct_values(cause, |group| &group.system.platform)
}

/// The distinct values of the latest groups, in their order.
fn distinct_values(cause: &CauseEntry, of: fn(&GroupEntry) -> &String) -> String {
    let mut values: Vec<&str> = Vec::new();
    for group in &cause.latest {
        let value = of(group).as_str();
        if !values.contains(&value) {
            values.push(value);
        }
    }
    // A cause may have more groups than the answer lists.
    let is_cut = values.len() > NAMED || cause.groups > cause.latest.len() as u64;
    values.truncate(NAMED);
    let more = if is_cut { ", …" } else { "" };
    format!("{}{more}", values.join(", "))
}

fn more_groups(cause: &CauseEntry, filters: &FailureFilters) -> Markup {
    let shown = cause.latest.len() as u64;
    html! {
        details {
            summary { "Versions and platforms (" (parts::number(cause.groups)) ")" }
            table.groups {
                thead { tr {
                    (columns(["Version", "System", "Status"])) (table::value("Reports")) (column("Last seen"))
                } }
                tbody { @for group in &cause.latest { (group_row(group)) } }
            }
            @if cause.groups > shown {
                p { a href=(filters.groups_of(cause)) { "Show all " (parts::number(cause.groups)) } }
            }
        }
    }
}

fn group_row(group: &GroupEntry) -> Markup {
    let page: Address = FailureGroupRef::of_entry(group).page(&[]);
    html! {
        tr {
            th scope="row" {
                a href=(page) { (group.application.version) } " " span.quiet { (group.application.channel) }
            }
            td { (group.system.platform) " " (group.system.arch) }
            td { (super::groups::labels(group)) }
            td.value { (parts::number(group.stats.count)) }
            td { (parts::time(&group.stats.last_seen)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use spindrift_core::Permissions;
    use spindrift_web::Query;

    use super::*;

    fn group(version: &str, platform: &str) -> serde_json::Value {
        serde_json::json!({
            "id": "1", "group_hash": "9f", "app_id": "2", "status": "open", "tags": [], "note": "", "created_at": "t",
            "updated_at": "t", "trend": [],
            "application": { "name": "notes", "version": version, "channel": "stable" },
            "system": { "platform": platform, "arch": "amd64" },
            "event": { "type": "crash", "reason": "segv" },
            "stats": {
                "count": 1, "first_seen": "t", "last_seen": "t", "details_stored": 0, "details_rejected": 0,
            },
        })
    }

    fn cause(groups: u64, latest: &[serde_json::Value]) -> CauseEntry {
        serde_json::from_value(serde_json::json!({
            "app_id": "2", "app_name": "notes", "event": { "type": "update_failure", "reason": "segv" },
            "reports": 9, "groups": groups, "open_groups": 1, "resolved_groups": groups - 1, "muted_groups": 0,
            "first_seen": "t", "last_seen": "t", "trend": [0, 1], "latest": latest,
        }))
        .unwrap()
    }

    #[test]
    fn a_row_names_application_versions_and_platforms() {
        let latest = ["2.0.0", "1.4.0", "1.3.0", "1.2.0", "2.0.0"].map(|version| group(version, "linux"));
        assert_eq!(versions(&cause(5, &latest)), "2.0.0, 1.4.0, 1.3.0, …");
        assert_eq!(platforms(&cause(5, &latest)), "linux");
        assert_eq!(platforms(&cause(6, &latest)), "linux, …");
        assert_eq!(versions(&cause(2, &latest[..2])), "2.0.0, 1.4.0");
    }

    #[test]
    fn only_editors_can_choose_causes() {
        let found =
            CausesBody { items: vec![cause(1, &[group("1.0.0", "linux")])], total: 1, page: 1, limit: 25 };
        let filters = FailureFilters::of(Query::parse("app=notes&sort=reports&order=desc").unwrap());
        let shown = |actor: &Actor| table(&found, &filters, actor, "t").into_string();
        let admin = shown(&Actor::Admin);
        assert!(admin.contains("name=\"cause\" value=\"2 update_failure segv\""), "{admin}");
        assert!(admin.contains("value=\"muted\"") && admin.contains("colspan=\"7\""), "{admin}");
        let reader = shown(&Actor::TeamUser(Permissions::default()));
        assert!(!reader.contains("checkbox") && !reader.contains("value=\"muted\""), "{reader}");
        assert!(admin.contains("aria-sort=\"descending\""), "{admin}");
        assert!(admin.contains("sort=reports&amp;order=asc"), "{admin}");
        assert!(admin.contains("sort=last_seen&amp;order=desc"), "{admin}");
    }
}
