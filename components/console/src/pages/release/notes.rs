//! The notes of a release.

use maud::{Markup, html};
use spindrift_api::ChangelogEntry;

use super::requested_release::RequestedRelease;
use super::tab::ReleaseTab;
use crate::parts;

/// The notes, or the form that changes them. Never both: they may be long.
pub(super) fn section(found: &RequestedRelease, is_edited: bool, token: &str) -> Markup {
    let text = found.release.changelog.iter().map(|entry: &ChangelogEntry| entry.changes.as_str()).next();
    html! {
        section #notes {
            h2 { "Release notes" }
            @if is_edited {
                (parts::form(&found.address(), token, &fields(found, text.unwrap_or_default())))
            } @else {
                @match text {
                    Some(text) => (spindrift_pages::markdown(text)),
                    None => p.hint { "None." },
                }
                @if found.may_edit() {
                    p { a href={ (found.address().with("edit", "notes")) "#notes" } { "Edit the notes" } }
                }
            }
        }
    }
}

fn fields(found: &RequestedRelease, text: &str) -> Markup {
    html! {
        input type="hidden" name="part" value="notes";
        div.stack {
            label { "Release notes (Markdown)" textarea name="changelog" rows="10" { (text) } }
            div.row {
                button.plain type="submit" { "Save the notes" }
                a href=(ReleaseTab::Files.of_page(found.address())) { "Cancel" }
            }
        }
    }
}
