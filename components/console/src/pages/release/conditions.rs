//! Which clients a release is for: admitted groups of devices, and OS requirements.

mod groups;
mod requirements;

use maud::{Markup, html};
use spindrift_api::{DeviceGroupEntry, OfferBody, ReleaseBody};

use super::forms::Forms;
use super::requested_release::RequestedRelease;

/// The sections. `groups`: those of the application. `forms`: for visitors who may change them.
pub(super) fn sections(
    found: &RequestedRelease,
    release: &ReleaseBody,
    offer: &OfferBody,
    groups: &[DeviceGroupEntry],
    forms: Option<&Forms<'_>>,
) -> Markup {
    html! {
        (groups::section(&found.app.app_name, offer, groups, forms))
        (requirements::section(&found.release, &release.requires, forms))
    }
}
