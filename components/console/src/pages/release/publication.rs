//! From when on clients see a release, and the end of its withdrawal.

use spindrift_api::{OfferChangeBody, ReleaseBody, RestoreBody};
use spindrift_core::ReleaseState;
use spindrift_web::{Query, Request, Response};

use super::order::{Sent, reason, seen};
use crate::{Context, Notice, Result, moment, release_state};

/// `POST /console/apps/{app}/releases/{id}/offer`.
pub(super) async fn publish(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = Sent::read(context, request).await?;
    let body = body(&sent.form);
    sent.give(context, "offer", body, notice).await
}

/// `POST /console/apps/{app}/releases/{id}/restore`.
pub(super) async fn restore(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = Sent::read(context, request).await?;
    let body = seen(&sent.form).map(|if_revision| RestoreBody { if_revision, reason: reason(&sent.form) });
    sent.give(context, "restore", body, |_| Notice::Restored).await
}

/// A time that is past by now has published the release.
fn notice(release: &ReleaseBody) -> Notice {
    let own = release.offers.iter().find(|offer| offer.own);
    match own.and_then(|offer| release_state::named(&offer.state)) {
        Some(ReleaseState::Published) => Notice::Published,
        Some(ReleaseState::Scheduled) => Notice::Scheduled,
        Some(ReleaseState::Draft) => Notice::Unpublished,
        Some(ReleaseState::Withdrawn) | None => Notice::Saved,
    }
}

/// The order of a form's button. `Err`: a mistake, for people.
fn body(form: &Query) -> Result<OfferChangeBody, String> {
    let change = OfferChangeBody { reason: reason(form), ..OfferChangeBody::default() };
    match form.get("action") {
        Some("publish") => Ok(OfferChangeBody { publish: Some(true), if_revision: seen(form)?, ..change }),
        Some("schedule") => {
            let at = form.get("publish_at").unwrap_or_default().trim();
            if at.is_empty() {
                return Err("choose a date and a time first".to_owned());
            }
            let publish_at = Some(Some(moment::rfc3339(at)));
            Ok(OfferChangeBody { publish_at, if_revision: seen(form)?, ..change })
        }
        // A stop: nothing holds it up.
        Some("draft") => Ok(OfferChangeBody { publish: Some(false), ..change }),
        _ => Err("the form is incomplete".to_owned()),
    }
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
            ("action=draft&publish_at=x&if_revision=3", json!({ "publish": false })),
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
            let release = json!({ "id": "1", "app": "notes", "version": "2.0", "offers": [offer] });
            assert_eq!(notice(&serde_json::from_value(release).unwrap()), expected, "{state}");
        }
    }
}
