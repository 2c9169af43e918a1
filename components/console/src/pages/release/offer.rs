//! Shows and changes how a release is offered.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::{ReleaseEntry, ReleaseUpdateData, ReleaseUpdatedBody};
use spindrift_web::{Query, Request, Response};

use super::requested_release::{RequestedRelease, address};
use super::skip;
use super::tab::ReleaseTab;
use crate::address::segment;
use crate::context::MAX_NOTES_FORM_BYTES;
use crate::force_confirmation::FORCE;
use crate::{Address, ConsoleError, Context, Notice, Result, parts, respond};

pub(super) fn section(found: &RequestedRelease, token: &str) -> Markup {
    html! {
        section {
            h2 { "Flags" }
            @if found.may_edit() {
                (parts::form(&found.address(), token, &fields(&found.release)))
            } @else {
                p.hint { "Your permissions do not allow changing releases of this application." }
            }
        }
    }
}

fn fields(release: &ReleaseEntry) -> Markup {
    html! {
        input type="hidden" name="part" value="offer";
        (hidden_values(release))
        div.stack {
            (check("critical", "Critical: clients should not postpone it", release.critical))
            (check("intermediate", "Intermediate: clients must not skip it", release.intermediate))
            div.row { button.plain type="submit" { "Save" } }
        }
    }
}

/// The values that prefilled the form. Only differences from them are sent, so that other people's
/// changes in the meantime stay.
fn hidden_values(release: &ReleaseEntry) -> Markup {
    let flags = [("was_critical", release.critical), ("was_intermediate", release.intermediate)];
    html! {
        @for (name, is_on) in flags { @if is_on { input type="hidden" name=(name) value="on"; } }
    }
}

fn check(name: &str, label: &str, is_on: bool) -> Markup {
    html! { label.check { input type="checkbox" name=(name) value="on" checked[is_on]; (label) } }
}

/// `POST /console/apps/{app}/releases/{id}`.
pub(super) async fn edit(context: &Context<'_>, request: Request) -> Result<Response> {
    let (app, id) = (segment(request.path(), 2)?, segment(request.path(), 4)?);
    let form = context.form_within(request, MAX_NOTES_FORM_BYTES).await?;
    let change = change(id.clone(), &form)?;
    let notice = if change.changelog.is_some() { Notice::Saved } else { Notice::Offered };
    let nothing = ReleaseUpdateData { id: id.clone(), ..ReleaseUpdateData::default() };
    if change != nothing {
        let force = form.get(FORCE).map(|_| true);
        let change = ReleaseUpdateData { force, ..change };
        let call = Address::call("/apps/update");
        match context.service.send_data::<ReleaseUpdatedBody>(&call, &change).await {
            Ok(_) => {}
            Err(ConsoleError::WouldCutOff(problem)) => {
                let page = address(&app, &id);
                return skip::ask(context, &problem, (page.clone(), page), form).await;
            }
            Err(error) => return Err(error),
        }
    }
    let tab = if form.get("part") == Some("notes") { ReleaseTab::Files } else { ReleaseTab::Settings };
    Ok(respond::see_other(&notice.add_to(tab.of_page(address(&app, &id)))))
}

/// The changes in the form's part of the release. Unchecked boxes are not sent.
fn change(id: String, form: &Query) -> Result<ReleaseUpdateData> {
    let switched = |name: &str, shown: &str| {
        let (is_on, was_on) = (form.get(name).is_some(), form.get(shown).is_some());
        (is_on != was_on).then_some(is_on)
    };
    match form.get("part") {
        Some("offer") => Ok(ReleaseUpdateData {
            id,
            critical: switched("critical", "was_critical"),
            intermediate: switched("intermediate", "was_intermediate"),
            ..ReleaseUpdateData::default()
        }),
        Some("notes") => Ok(ReleaseUpdateData {
            id,
            changelog: Some(form.get("changelog").unwrap_or_default().replace("\r\n", "\n")),
            ..ReleaseUpdateData::default()
        }),
        _ => Err(ConsoleError::refused(StatusCode::BAD_REQUEST, "the form is incomplete")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(form: &str) -> Result<ReleaseUpdateData> {
        change("1".to_owned(), &Query::parse(form).unwrap())
    }

    #[test]
    fn a_form_changes_its_own_part_only() {
        let offer = read("part=offer&intermediate=on&was_critical=on").unwrap();
        assert_eq!((offer.publish, offer.critical, offer.intermediate), (None, Some(false), Some(true)));
        assert_eq!(offer.changelog, None);
        let same = read("part=offer&critical=on&was_critical=on").unwrap();
        assert_eq!(same, ReleaseUpdateData { id: "1".to_owned(), ..ReleaseUpdateData::default() });

        let notes = read("part=notes&changelog=a%0D%0Ab").unwrap();
        assert_eq!((notes.publish, notes.changelog.as_deref()), (None, Some("a\nb")));
        assert_eq!(read("part=notes&changelog=").unwrap().changelog.as_deref(), Some(""));

        assert!(read("critical=on").is_err());
    }
}
