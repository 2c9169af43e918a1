//! How a release is offered, and changing that.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::{ReleaseEntry, ReleaseUpdateData, ReleaseUpdatedBody};
use spindrift_web::{Query, Request, Response};

use super::devices::Devices;
use super::found::{Found, address};
use crate::address::segment;
use crate::context::MAX_NOTES_FORM_BYTES;
use crate::{Address, ConsoleError, Context, Notice, Result, parts, respond};

pub(super) fn section(found: &Found, devices: &Devices, token: &str) -> Markup {
    html! {
        section {
            h2 { "Offer" }
            @if found.may_edit() {
                (parts::form(&found.address(), token, &fields(found, devices)))
            } @else {
                p.hint { "Your permissions do not allow changing releases of this application." }
            }
        }
    }
}

fn fields(found: &Found, devices: &Devices) -> Markup {
    let release = &found.release;
    html! {
        input type="hidden" name="part" value="offer";
        (shown(release))
        div.stack {
            label for="rollout" { "Rollout" }
            div.slider {
                input #rollout type="range" name="rollout" min="0" max="100" value=(release.rollout_percent);
                output for="rollout" data-devices=(devices.all) { (meaning(release.rollout_percent, devices.all)) }
            }
            p.hint { "Each release has its own order of devices, and a higher value only adds devices." }
            (check("publish", "Published: clients see it", release.published))
            (check("critical", "Critical: clients should not postpone it", release.critical))
            (check("intermediate", "Intermediate: clients must not skip it", release.intermediate))
            div.row { button type="submit" { "Save" } }
        }
    }
}

/// The values that the form was filled in with. Only differences from them are sent, so that changes made by others
/// in the meantime stay.
fn shown(release: &ReleaseEntry) -> Markup {
    let flags = [
        ("was_publish", release.published),
        ("was_critical", release.critical),
        ("was_intermediate", release.intermediate),
    ];
    html! {
        input type="hidden" name="was_rollout" value=(release.rollout_percent);
        @for (name, is_on) in flags { @if is_on { input type="hidden" name=(name) value="on"; } }
    }
}

fn check(name: &str, label: &str, is_on: bool) -> Markup {
    html! { label.check { input type="checkbox" name=(name) value="on" checked[is_on]; (label) } }
}

/// The text under the slider; the script writes the same when the slider moves.
fn meaning(percent: i64, devices: u64) -> String {
    let about = (devices * percent.unsigned_abs() + 50) / 100;
    format!("{percent} %, about {}", parts::count(about, "device"))
}

/// `POST /console/apps/{app}/releases/{id}`.
pub(crate) async fn edit(context: &Context<'_>, request: Request) -> Result<Response> {
    let (app, id) = (segment(request.path(), 2)?, segment(request.path(), 4)?);
    let form = context.form_within(request, MAX_NOTES_FORM_BYTES).await?;
    let change = change(id.clone(), &form)?;
    let notice = if change.changelog.is_some() { Notice::Saved } else { Notice::Offered };
    let nothing = ReleaseUpdateData { id: id.clone(), ..ReleaseUpdateData::default() };
    if change != nothing {
        let _: ReleaseUpdatedBody =
            context.service.send_data(&Address::call("/apps/update"), &change).await?;
    }
    Ok(respond::see_other(&notice.on(address(&app, &id))))
}

/// The changes of the form to its part of the release; boxes that are not checked are not sent.
fn change(id: String, form: &Query) -> Result<ReleaseUpdateData> {
    let switched = |name: &str, shown: &str| {
        let (is_on, was_on) = (form.get(name).is_some(), form.get(shown).is_some());
        (is_on != was_on).then_some(is_on)
    };
    match form.get("part") {
        Some("offer") => Ok(ReleaseUpdateData {
            id,
            publish: switched("publish", "was_publish"),
            critical: switched("critical", "was_critical"),
            intermediate: switched("intermediate", "was_intermediate"),
            rollout: form.optional("rollout")?.filter(|_| form.get("rollout") != form.get("was_rollout")),
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
    use spindrift_api::Percentage;
    use spindrift_core::BasisPoints;

    use super::*;

    fn read(form: &str) -> Result<ReleaseUpdateData> {
        change("1".to_owned(), &Query::parse(form).unwrap())
    }

    #[test]
    fn a_form_changes_its_own_part_only() {
        let offer = read("part=offer&publish=on&was_critical=on&rollout=25&was_rollout=100").unwrap();
        assert_eq!((offer.publish, offer.critical, offer.intermediate), (Some(true), Some(false), None));
        assert_eq!((offer.rollout, offer.changelog), (Some(Percentage(BasisPoints::from_percent(25))), None));
        let same = read("part=offer&publish=on&was_publish=on&rollout=25&was_rollout=25").unwrap();
        assert_eq!(same, ReleaseUpdateData { id: "1".to_owned(), ..ReleaseUpdateData::default() });

        let notes = read("part=notes&changelog=a%0D%0Ab").unwrap();
        assert_eq!((notes.publish, notes.rollout, notes.changelog.as_deref()), (None, None, Some("a\nb")));
        assert_eq!(read("part=notes&changelog=").unwrap().changelog.as_deref(), Some(""));

        assert!(read("publish=on").is_err());
        assert!(read("part=offer&rollout=all").is_err());
    }

    #[test]
    fn a_slider_means_devices() {
        assert_eq!(meaning(25, 10), "25 %, about 3 devices");
        assert_eq!(meaning(100, 1), "100 %, about 1 device");
    }
}
