//! Promotes a release to another channel, and ends promotions.

use spindrift_api::OfferChangeBody;
use spindrift_core::BasisPoints;
use spindrift_web::{Query, Request, Response};

use super::order::{SentForm, reason};
use super::promotion::TO;
use super::publication;
use crate::{Context, Result};

/// `POST /console/apps/{app}/releases/{id}/promote`.
pub(super) async fn promote(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = SentForm::read(context, request).await?;
    let (body, to) = (body(&sent.form), sent.form.get(TO).map(ToOwned::to_owned));
    let sent = sent.with_channel(to.clone());
    sent.send(context, "promote", body, |release| publication::notice(release, to.as_deref())).await
}

/// The promotion in a form. `Err`: the mistake, for people.
fn body(form: &Query) -> Result<OfferChangeBody, String> {
    let text = |name: &str| form.get(name).unwrap_or_default().trim();
    let publish = match text("action") {
        "publish" => Some(true),
        "draft" => None,
        _ => return Err("the form is incomplete".to_owned()),
    };
    let percent: Option<BasisPoints> = match text("percent") {
        "" => None,
        percent => Some(percent.parse().map_err(|error| format!("{error}"))?),
    };
    Ok(OfferChangeBody {
        channel: Some(text(TO).to_owned()).filter(|channel| !channel.is_empty()),
        publish,
        rollout: percent.map(BasisPoints::to_json),
        reason: reason(form),
        ..OfferChangeBody::default()
    })
}

/// `POST /console/apps/{app}/releases/{id}/demote`.
pub(super) async fn demote(context: &Context<'_>, request: Request) -> Result<Response> {
    SentForm::read(context, request).await?.demote(context).await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_button_says_whether_it_is_published() {
        for (form, expected) in [
            (
                "action=publish&to=stable&percent=+10+&reason=+tested+&channel=beta",
                json!({ "channel": "stable", "publish": true, "rollout": 10, "reason": "tested" }),
            ),
            ("action=draft&to=stable&percent=&reason=", json!({ "channel": "stable" })),
        ] {
            let body = body(&Query::parse(form).unwrap()).unwrap();
            assert_eq!(serde_json::to_value(body).unwrap(), expected, "{form}");
        }
        for (form, mistake) in [
            ("to=stable", "the form is incomplete"),
            ("action=draft&to=stable&percent=x", "invalid percentage: 0 to 100, with up to two decimals"),
        ] {
            assert_eq!(body(&Query::parse(form).unwrap()), Err(mistake.to_owned()), "{form}");
        }
    }
}
