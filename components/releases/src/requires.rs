//! `POST /releases/{id}/requires`: the systems that a release runs on.

use serde_json::{Value, json};
use spindrift_api::RequiresChangeBody;
use spindrift_core::audit::AuditKind;
use spindrift_core::{Action, ArchName, PlatformName, Release, Requirements, Timestamp};
use spindrift_db::changes::Change;
use spindrift_db::requirements::PlaceRequirements;
use spindrift_db::{SqlConn, release_places, requirements};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::MAX_JSON_BYTES;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response, parse_parameter};

use crate::order::{AuditedFields, Order, OrderTerms, carry_out};
use crate::show::find;

pub(crate) async fn change<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let order = RequiresOrder::parse(request.read_json(MAX_JSON_BYTES).await?)?;
    let release = find(&session, &request)?;
    carry_out(&session, &release, &order).await
}

struct RequiresOrder {
    /// `None`: all platforms of the release.
    platform: Option<PlatformName>,
    /// `None`: all architectures of the release.
    arch: Option<ArchName>,
    /// `None` removes the requirements.
    requires: Option<Requirements>,
    terms: OrderTerms,
}

impl RequiresOrder {
    fn parse(body: RequiresChangeBody) -> Result<Self, ApiError> {
        let RequiresChangeBody { platform, arch, requires, if_revision, reason } = body;
        let name = |name: Option<String>| name.filter(|name| !name.is_empty());
        let requires = requires.ok_or_else(|| ApiError::missing("requires"))?;
        Ok(Self {
            platform: name(platform).map(|name| parse_parameter("platform", &name)).transpose()?,
            arch: name(arch).map(|name| parse_parameter("arch", &name)).transpose()?,
            requires: read_requires(&requires)?,
            terms: OrderTerms::new(None, if_revision, reason)?,
        })
    }
}

impl Order for RequiresOrder {
    fn terms(&self) -> &OrderTerms {
        &self.terms
    }

    fn needs(&self, release: &Release, _: Timestamp) -> Action {
        if release.flags.published { Action::Roll } else { Action::Publish }
    }

    fn is_stop(&self, _: &Release, _: Timestamp) -> bool {
        false
    }

    fn is_for_all_offers(&self) -> bool {
        true
    }

    fn change(&self, release: Release, _: Timestamp) -> Result<(Release, AuditKind), Failure> {
        Ok((Release { revision: release.revision + 1, ..release }, AuditKind::ReleaseRequires))
    }

    fn write(&self, conn: &Change<'_, impl SqlConn>, release: &Release) -> Result<AuditedFields, Failure> {
        let places = release_places::matching(conn, release, self.platform.as_ref(), self.arch.as_ref())?;
        if places.is_empty() {
            return Err(no_files().into());
        }
        set(conn, release, self.requires.as_ref(), &places)
    }
}

/// The error for a place without files, which therefore cannot have requirements.
pub(crate) fn no_files() -> ApiError {
    ApiError::not_found("file of the release for this platform and architecture")
}

/// Sets the requirements of a release in places. Returns the fields for the audit log.
pub(crate) fn set(
    conn: &Change<'_, impl SqlConn>,
    release: &Release,
    requires: Option<&Requirements>,
    places: &[spindrift_core::Target],
) -> Result<AuditedFields, Failure> {
    let before = requirements::of_release(conn, &release.id)?;
    for place in places {
        requirements::set(conn, &release.id, place, requires)?;
    }
    let after = requirements::of_release(conn, &release.id)?;
    Ok(AuditedFields {
        is_changed: before != after,
        before: requirement_fields(&before),
        after: requirement_fields(&after),
    })
}

/// The requirements of all places, in the form that the audit log shows.
fn requirement_fields(places: &[PlaceRequirements]) -> Value {
    let texts: Vec<String> = places.iter().map(ToString::to_string).collect();
    if texts.is_empty() { json!({}) } else { json!({ "requires": texts }) }
}

/// Reads requirements. `Ok(None)` if nothing is required.
pub(crate) fn read_requires(requires: &Value) -> Result<Option<Requirements>, ApiError> {
    Requirements::from_json(requires).map_err(|error| ApiError::bad_request(error.to_string()))
}
