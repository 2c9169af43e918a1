//! Changes which clients may get a release: groups of devices, and OS requirements.

use spindrift_api::{OfferChangeBody, RequiresChangeBody};
use spindrift_web::{Query, Request, Response};

use super::entered_values::EnteredValues;
use super::order::{SentForm, channel, form_revision, reason};
use super::requirements::{REMOVE, RequirementFields};
use crate::{Context, Notice, Result};

/// `POST /console/apps/{app}/releases/{id}/groups`.
pub(super) async fn set_groups(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = SentForm::read(context, request).await?;
    let body = groups(&sent.form);
    sent.send(context, "offer", body, |_| Notice::Offered).await
}

/// `POST /console/apps/{app}/releases/{id}/requires`.
pub(super) async fn set_requirements(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = SentForm::read(context, request).await?;
    let body = requires(&sent.form);
    sent.send(context, "requires", body, |_| Notice::Offered).await
}

/// The new groups. `Err`: the mistake, for people.
fn groups(form: &Query) -> Result<OfferChangeBody, String> {
    Ok(OfferChangeBody {
        groups: Some(EnteredValues::of(form).groups.into()),
        if_revision: form_revision(form)?,
        channel: channel(form),
        reason: reason(form),
        ..OfferChangeBody::default()
    })
}

/// The change that a button of the requirements form makes. `Err`: the mistake, for people.
fn requires(form: &Query) -> Result<RequiresChangeBody, String> {
    let choice = RequirementFields::sent(form);
    let requires = if form.get("action") == Some(REMOVE) {
        serde_json::json!({})
    } else {
        choice.to_json().ok_or_else(|| "enter a version first".to_owned())?
    };
    let [platform, arch] = choice.place();
    Ok(RequiresChangeBody {
        platform,
        arch,
        requires: Some(requires),
        if_revision: form_revision(form)?,
        reason: reason(form),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_sends_all_chosen_groups() {
        for (form, expected) in [
            (
                "groups=qa&groups=beta&if_revision=3&reason=+try+it+",
                json!({ "groups": ["qa", "beta"], "if_revision": 3, "reason": "try it" }),
            ),
            ("part=groups&if_revision=3", json!({ "groups": [], "if_revision": 3 })),
        ] {
            let change = groups(&Query::parse(form).unwrap()).unwrap();
            assert_eq!(serde_json::to_value(change).unwrap(), expected, "{form}");
        }
        assert!(groups(&Query::parse("if_revision=x").unwrap()).is_err());
    }

    #[test]
    fn requirements_are_set_or_taken_away() {
        let all = json!({ "os_version": { "min": "12", "max": "14", "not": ["13.2", "13.3"] }, "unknown": "offer" });
        for (form, expected) in [
            (
                "platform=mac&arch=&min=+12+&max=14&not=13.2%2C+13.3%2C&unknown=offer&if_revision=3&reason=new",
                json!({ "platform": "mac", "requires": all, "if_revision": 3, "reason": "new" }),
            ),
            (
                "arch=arm64&min=x&max=&not=",
                json!({ "arch": "arm64", "requires": { "os_version": { "min": "x" } } }),
            ),
            ("action=remove&platform=mac&min=x&unknown=offer", json!({ "platform": "mac", "requires": {} })),
        ] {
            let change = requires(&Query::parse(form).unwrap()).unwrap();
            assert_eq!(serde_json::to_value(change).unwrap(), expected, "{form}");
        }
        for form in ["", "min=&max=+&not=%2C+&unknown=offer"] {
            let nothing = requires(&Query::parse(form).unwrap());
            assert_eq!(nothing, Err("enter a version first".to_owned()), "{form}");
        }
    }
}
