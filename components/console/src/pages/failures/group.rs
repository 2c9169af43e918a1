//! One group of failures.

use futures::future::try_join;
use maud::{Markup, html};
use spindrift_api::{BlobsBody, GroupEntry};
use spindrift_core::{Action, Day, Resource};
use spindrift_web::{Request, Response};

use super::failure_group::{FailureGroupRef, HASH_SHOWN};
use super::{details, trend};
use crate::{Address, Context, MenuEntry, Result, parts, rights};

/// `GET /console/failures/{hash}`.
pub(super) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let named = FailureGroupRef::of(request)?;
    let blobs = named.call(&["blobs"]);
    let loaded = try_join(named.load(context), context.service.get::<BlobsBody>(&blobs));
    let (me, (group, blobs)) = context.with_me(loaded).await?;
    let named = FailureGroupRef::of_entry(&group);
    let actor = rights::actor(&me);
    let may = |action| actor.may(action, Some(&group.app_id));
    let content = html! {
        (parts::trail(&[("Failures", Address::page(["failures"]))], &group.event.reason))
        (head(&group))
        div.halves {
            @if may(Action::Triage) { (forms(context, &named, &group)) } @else { (read_only(&group)) }
            (trend::section(&named, &group, Day::of(context.now)))
        }
        (details::section(&named, &blobs))
        @if may(Action::Delete(Resource::App)) {
            section {
                h2 { "Delete" }
                p { a.button.danger href=(named.page(&["delete"])) { "Delete this group" } }
            }
        }
    };
    let page = context.page(&group.event.reason, &me, MenuEntry::Failures).with_frequent_refresh();
    Ok(page.with_script("details.js").show(&content))
}

fn head(group: &GroupEntry) -> Markup {
    let of_version = Address::page(["failures"])
        .with("app", &group.application.name)
        .with("version", &group.application.version);
    let stats = &group.stats;
    html! {
        h1 {
            (group.event.reason) (super::failure_group::status(&group.status))
            @for tag in &group.tags { (parts::badge("", tag)) }
        }
        dl.pairs {
            dt { "Kind" } dd { (group.event.event_type.replace('_', " ")) }
            dt { "Application" } dd {
                a href=(Address::page(["apps", &group.application.name])) { (group.application.name) } " "
                a href=(of_version) { (group.application.version) } " " (group.application.channel)
            }
            dt { "System" } dd { (group.system.platform) " " (group.system.arch) }
            dt { "Reports" } dd {
                (parts::number(stats.count)) ", first " (parts::time(&stats.first_seen))
                ", last " (parts::time(&stats.last_seen))
            }
            dt { "Details" } dd {
                (parts::number(stats.details_stored)) " stored, " (parts::number(stats.details_rejected)) " refused"
            }
            dt { "Group hash" } dd { (parts::copyable_from_its_beginning(&group.group_hash, HASH_SHOWN)) }
        }
    }
}

fn forms(context: &Context<'_>, named: &FailureGroupRef, group: &GroupEntry) -> Markup {
    let token = context.form_token();
    let buttons = [("open", "Reopen"), ("resolved", "Resolve"), ("muted", "Mute")];
    let statuses = html! {
        div.row {
            @for (status, text) in buttons.into_iter().filter(|(status, _)| *status != group.status) {
                button.plain type="submit" name="status" value=(status) { (text) }
            }
            span.hint { "A new report reopens a resolved group. A muted one stays muted." }
        }
    };
    let words = html! {
        div.stack {
            input type="hidden" name="words" value="1";
            label { "Tags, one on each line" textarea.short name="tags" { (group.tags.join("\n")) } }
            label { "Note" textarea name="note" maxlength="4000" { (group.note) } }
            div { button type="submit" { "Save" } }
        }
    };
    html! {
        section.triage {
            h2 { "Triage" }
            (parts::form(&named.page(&[]), &token, &statuses))
            (parts::form(&named.page(&[]), &token, &words))
        }
    }
}

fn read_only(group: &GroupEntry) -> Markup {
    html! { @if !group.note.is_empty() { section { h2 { "Note" } p.note { (group.note) } } } }
}
