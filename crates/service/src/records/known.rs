//! Looking up the names in a scope.

use spindrift_core::{Id, PlatformUpdaters, Scope, ScopeRecord, Target, UserName};
use spindrift_db::listings::ScopePlace;
use spindrift_db::scopes::{self, Dimension};
use spindrift_web::ApiError;

use crate::links::Links;
use crate::{Failure, Ports};

/// A scope whose names all exist.
pub(crate) struct Known {
    /// The record, still without releases.
    pub(crate) record: ScopeRecord,
    pub(crate) target: Target,
    pub(crate) links: Links,
}

impl Known {
    /// What is known of a scope by its ids. Unless more is filled in, the record is no answer to anybody.
    pub(crate) fn of<P: Ports>(ports: &P, app_id: Id, place: ScopePlace) -> Result<Self, Failure> {
        let (links, now) = (Links::new(ports)?, ports.now());
        let record = ScopeRecord {
            app_id,
            cdn: false,
            derived_at: now,
            read_at: now,
            revision: 0,
            link_settings: links.settings_digest(),
            updaters: place.updaters,
            critical: Vec::new(),
            releases: Vec::new(),
        };
        Ok(Self { record, target: place.target, links })
    }
}

/// Looks a scope up: 404 for a name that does not exist, 400 for a missing dimension.
pub(crate) fn known<P: Ports>(ports: &P, conn: &P::Conn, scope: &Scope) -> Result<Known, Failure> {
    let names = scopes::names(conn, scope)?.ok_or_else(|| ApiError::not_found(UserName::KIND))?;
    let (app_id, flags) = names.app.ok_or_else(|| ApiError::not_found("application"))?;
    let target = Target {
        channel_id: dimension(names.channel, "channel")?,
        platform_id: dimension(names.platform, "platform")?,
        arch_id: dimension(names.arch, "arch")?,
    };
    let updaters = names.updaters.unwrap_or_else(PlatformUpdaters::default);
    let known = Known::of(ports, app_id, ScopePlace { target, updaters })?;
    Ok(Known { record: ScopeRecord { cdn: flags.cdn, revision: names.revision, ..known.record }, ..known })
}

fn dimension(dimension: Dimension, name: &str) -> Result<Option<Id>, ApiError> {
    match dimension {
        Dimension::Known(id) => Ok(Some(id)),
        Dimension::Unused => Ok(None),
        Dimension::Unknown => Err(ApiError::not_found(name)),
        Dimension::Required => Err(ApiError::bad_request(format!("{name} is required"))),
    }
}
