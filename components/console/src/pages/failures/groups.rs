//! Groups of failures: one for each version and system.

use maud::{Markup, html};
use spindrift_api::{GroupEntry, GroupsBody};

use super::failure_group::{FailureGroupRef, status};
use crate::plots::sparkline;
use crate::table::{column, columns, extra, value};
use crate::{parts, table};

pub(super) fn table(found: &GroupsBody) -> Markup {
    let head = html! {
        (columns(["Failure", "Status"])) (value("Reports")) (extra("30 days")) (column("Last seen"))
    };
    table::table("Groups of failures", &head, &html! { @for group in &found.items { (row(group)) } })
}

fn row(group: &GroupEntry) -> Markup {
    let (application, system) = (&group.application, &group.system);
    html! {
        tr {
            th.words scope="row" {
                a href=(FailureGroupRef::of_entry(group).page(&[])) { (group.event.reason) } " "
                span.quiet { (group.event.event_type.replace('_', " ")) }
                div.where {
                    (application.name) " " (application.version) " "
                    span.quiet { (application.channel) " on " (system.platform) " " (system.arch) }
                }
            }
            td { (labels(group)) }
            td.value { (parts::number(group.stats.count)) }
            td.trend.extra { (sparkline(&group.trend, "reports by day over 30 days")) }
            td { (parts::time(&group.stats.last_seen)) }
        }
    }
}

/// The group's status and tags, and whether it has a note.
pub(super) fn labels(group: &GroupEntry) -> Markup {
    html! {
        (status(&group.status))
        @for tag in &group.tags { " " (parts::badge("", tag)) }
        @if !group.note.is_empty() { " " span title=(group.note) role="img" aria-label="has a note" { "✎" } }
    }
}
