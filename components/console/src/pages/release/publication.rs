//! Changes an offer: when clients see a release, its guard, and the end of its withdrawal.

use spindrift_api::{OfferChangeBody, ReleaseBody, RestoreBody};
use spindrift_core::ReleaseState;
use spindrift_web::{Query, Request, Response};

use super::entered_values::GUARD;
use super::guard::GuardFields;
use super::order::{SentForm, channel, form_revision, reason};
use crate::force_confirmation::FORCE;
use crate::{Context, Notice, Result, moment, release_state};

/// `POST /console/apps/{app}/releases/{id}/offer`.
pub(super) async fn publish(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = SentForm::read(context, request).await?;
    let is_guard = sent.form.get("part") == Some(GUARD);
    let body = if is_guard { guard_change(&sent.form) } else { body(&sent.form) };
    let channel = channel(&sent.form);
    let notice = |release: &ReleaseBody| {
        if is_guard { Notice::Saved } else { notice(release, channel.as_deref()) }
    };
    sent.send(context, "offer", body, notice).await
}

/// `POST /console/apps/{app}/releases/{id}/restore`.
pub(super) async fn restore(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = SentForm::read(context, request).await?;
    let body =
        form_revision(&sent.form).map(|if_revision| RestoreBody { if_revision, reason: reason(&sent.form) });
    sent.send(context, "restore", body, |_| Notice::Restored).await
}

/// The notice after the change. A time in the past has published the release.
pub(super) fn notice(release: &ReleaseBody, channel: Option<&str>) -> Notice {
    let mut offers = release.offers.iter();
    let offer = offers.find(|offer| channel.map_or(offer.own, |channel| offer.channel == channel));
    match offer.and_then(|offer| release_state::parse(&offer.state)) {
        Some(ReleaseState::Published) => Notice::Published,
        Some(ReleaseState::Scheduled) => Notice::Scheduled,
        Some(ReleaseState::Draft) => Notice::Unpublished,
        Some(ReleaseState::Withdrawn) | None => Notice::Saved,
    }
}

/// The change of a form's button. `Err`: the mistake, for people.
fn body(form: &Query) -> Result<OfferChangeBody, String> {
    let change =
        OfferChangeBody { channel: channel(form), reason: reason(form), ..OfferChangeBody::default() };
    // The form has this field only if there is no guard yet.
    let guard = || GuardFields::sent(form).to_json().map(Some);
    match form.get("action") {
        Some("publish") => Ok(OfferChangeBody {
            publish: Some(true),
            guard: guard(),
            if_revision: form_revision(form)?,
            ..change
        }),
        Some("schedule") => {
            let at = form.get("publish_at").unwrap_or_default().trim();
            if at.is_empty() {
                return Err("choose a date and a time first".to_owned());
            }
            let publish_at = Some(Some(moment::rfc3339(at)));
            Ok(OfferChangeBody { publish_at, guard: guard(), if_revision: form_revision(form)?, ..change })
        }
        // Unpublishing skips the revision check, because it is a stop, unless devices could skip an
        // intermediate release.
        Some("draft") => {
            Ok(OfferChangeBody { publish: Some(false), force: form.get(FORCE).is_some(), ..change })
        }
        _ => Err("the form is incomplete".to_owned()),
    }
}

/// The change that the guard's form sends. `Err`: the mistake, for people.
fn guard_change(form: &Query) -> Result<OfferChangeBody, String> {
    Ok(OfferChangeBody {
        guard: Some(GuardFields::sent(form).to_json()),
        if_revision: form_revision(form)?,
        channel: channel(form),
        reason: reason(form),
        ..OfferChangeBody::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_button_is_a_change_of_the_offer() {
        for (form, expected) in [
            (
                "action=publish&publish_at=2026-12-01T09%3A00&if_revision=3&reason=+go+",
                json!({ "publish": true, "if_revision": 3, "reason": "go" }),
            ),
            (
                "action=schedule&publish_at=2026-12-01T09%3A00&if_revision=3&reason=",
                json!({ "publish_at": "2026-12-01T09:00:00Z", "if_revision": 3 }),
            ),
            (
                "action=publish&on_unhealthy=halt&if_revision=3",
                json!({ "publish": true, "guard": { "on_unhealthy": "halt" }, "if_revision": 3 }),
            ),
            ("action=draft&publish_at=x&on_unhealthy=halt&if_revision=3", json!({ "publish": false })),
        ] {
            let body = body(&Query::parse(form).unwrap()).unwrap();
            assert_eq!(serde_json::to_value(body).unwrap(), expected, "{form}");
        }
        for (form, mistake) in [
            ("action=schedule&publish_at=+&if_revision=3", "choose a date and a time first"),
            ("action=hide", "the form is incomplete"),
            ("", "the form is incomplete"),
        ] {
            assert_eq!(body(&Query::parse(form).unwrap()), Err(mistake.to_owned()), "{form}");
        }
    }

    #[test]
    fn a_form_sends_the_guard_and_nothing_else() {
        for (form, expected) in [
            ("part=guard&on_unhealthy=&alpha=0.05&if_revision=3", json!({ "guard": null, "if_revision": 3 })),
            (
                "on_unhealthy=pause&alpha=&factor=+1.5+&max_failing=20&if_revision=3&reason=new",
                json!({
                    "guard": { "on_unhealthy": "pause", "factor": 1.5, "max_failing": 20 },
                    "if_revision": 3, "reason": "new",
                }),
            ),
            // The service rejects invalid numbers.
            (
                "on_unhealthy=halt&min_failing=null",
                json!({ "guard": { "on_unhealthy": "halt", "min_failing": "null" } }),
            ),
        ] {
            let change = guard_change(&Query::parse(form).unwrap()).unwrap();
            assert_eq!(serde_json::to_value(change).unwrap(), expected, "{form}");
        }
        assert!(guard_change(&Query::parse("if_revision=x").unwrap()).is_err());
    }

    #[test]
    fn the_notice_tells_what_came_of_it() {
        for (state, expected) in [
            ("published", Notice::Published),
            ("scheduled", Notice::Scheduled),
            ("draft", Notice::Unpublished),
            ("of_tomorrow", Notice::Saved),
        ] {
            let rollout = json!({ "state": "complete", "percent": 100, "seed": "s" });
            let offer =
                json!({ "channel": "", "own": true, "state": state, "revision": 1, "rollout": rollout });
            let release =
                json!({ "id": "1", "app": "notes", "version": "2.0", "shut_off": false, "offers": [offer] });
            assert_eq!(notice(&serde_json::from_value(release).unwrap(), None), expected, "{state}");
        }
    }
}
