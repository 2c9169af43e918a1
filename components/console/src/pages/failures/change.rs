//! Changes and deletes groups.

use http::Method;
use maud::html;
use spindrift_api::{GroupDeletedBody, GroupPatchBody, GroupUpdatedBody};
use spindrift_web::{Request, Response};

use super::failure_group::FailureGroupRef;
use crate::{Address, Confirm, Context, FormFields, MenuEntry, Notice, Result, parts, respond};

/// `POST /console/failures/{hash}`.
pub(super) async fn change(context: &Context<'_>, request: Request) -> Result<Response> {
    let named = FailureGroupRef::of(&request)?;
    let patch = patch(&context.form(request).await?.into());
    let _: GroupUpdatedBody = context.service.send_json(Method::PATCH, &named.call(&[]), &patch).await?;
    Ok(respond::see_other(&notice(&patch).add_to(named.page(&[]))))
}

fn notice(patch: &GroupPatchBody) -> Notice {
    patch.status.as_deref().map_or(Notice::Saved, of_status)
}

/// The notice after groups got this status.
pub(super) fn of_status(status: &str) -> Notice {
    match status {
        "resolved" => Notice::Resolved,
        "muted" => Notice::Muted,
        _ => Notice::Reopened,
    }
}

/// The change from either form: a status button, or the tags and note.
fn patch(sent: &FormFields) -> GroupPatchBody {
    if !sent.has("words") {
        return GroupPatchBody { status: Some(sent.one("status").to_owned()), ..GroupPatchBody::default() };
    }
    GroupPatchBody {
        status: None,
        tags: Some(lines(sent.one("tags"))),
        // Browsers send line breaks as CR LF.
        note: Some(sent.one("note").replace("\r\n", "\n")),
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
}

/// `GET /console/failures/{hash}/delete`.
pub(super) async fn ask_delete(context: &Context<'_>, request: &Request) -> Result<Response> {
    let named = FailureGroupRef::of(request)?;
    let (me, group) = context.with_me(named.load(context)).await?;
    let named = FailureGroupRef::of_entry(&group);
    let confirm = Confirm {
        title: "Delete this group of failures?",
        consequences: html! {
            p { strong { (group.event.reason) } " in " (group.application.name) " " (group.application.version)
                " on " (group.system.platform) " " (group.system.arch) ": " (parts::count(group.stats.count, "report"))
                ", the note, the tags and all details are deleted and cannot be restored." }
            p { "If it happens again, a new group starts. To hide it instead, mute it." }
        },
        button: "Delete the group",
        action: named.page(&["delete"]),
        back: named.page(&[]),
    };
    Ok(confirm.show(context, context.page("Delete a group", &me, MenuEntry::Failures)))
}

/// `POST /console/failures/{hash}/delete`.
pub(super) async fn delete(context: &Context<'_>, request: Request) -> Result<Response> {
    let named = FailureGroupRef::of(&request)?;
    let _ = context.form(request).await?;
    let _: GroupDeletedBody = context.service.delete(&named.call(&[])).await?;
    Ok(respond::see_other(&Notice::Deleted.add_to(Address::page(["failures"]))))
}

#[cfg(test)]
mod tests {
    use spindrift_web::Query;

    use super::*;

    #[test]
    fn each_form_changes_its_own() {
        let of = |text: &str| patch(&Query::parse(text).unwrap().into());
        let muted = GroupPatchBody { status: Some("muted".to_owned()), ..GroupPatchBody::default() };
        assert_eq!(of("status=muted"), muted);
        let words = of("words=1&tags=a%2Cb%0D%0A+c+%0D%0A&note=x%0D%0Ay");
        assert_eq!(words.tags, Some(vec!["a,b".to_owned(), "c".to_owned()]));
        assert_eq!((words.status, words.note), (None, Some("x\ny".to_owned())));
        assert_eq!(of("words=1&tags=&note=").note, Some(String::new()));
    }
}
