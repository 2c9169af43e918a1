//! Looking up the names in a scope.

use spindrift_core::{
    ArchName, ChannelName, Dimension, Dimensions, Id, PlatformName, PlatformUpdaters, Scope, ScopeRecord,
    Target, UserName,
};
use spindrift_db::listings::ScopePlace;
use spindrift_db::scopes;

use crate::links::Links;
use crate::{Ports, ServiceError};

/// A scope whose names all exist.
pub(crate) struct Known {
    /// The record, still without releases.
    pub(crate) record: ScopeRecord,
    pub(crate) target: Target,
    pub(crate) links: Links,
}

impl Known {
    /// A scope that is known by its ids. Unless more is filled in, the record does not answer anybody.
    pub(crate) fn of<P: Ports>(ports: &P, app_id: Id, place: ScopePlace) -> Result<Self, ServiceError> {
        let (links, now) = (Links::new(ports)?, ports.now());
        let record = ScopeRecord {
            app_id,
            cdn: false,
            derived_at: now,
            read_at: now,
            revision: 0,
            link_settings: links.settings_digest(),
            stands_for: None,
            updaters: place.updaters,
            critical: Vec::new(),
            releases: Vec::new(),
        };
        Ok(Self { record, target: place.target, links })
    }
}

/// Looks a scope up. Errors: a name does not exist, a dimension is missing.
pub(crate) fn known<P: Ports>(ports: &P, conn: &P::Conn, scope: &Scope) -> Result<Known, ServiceError> {
    let names = scopes::names(conn, scope)?.ok_or(ServiceError::UnknownName(UserName::KIND))?;
    let (app_id, flags) = names.app.ok_or(ServiceError::UnknownName("application"))?;
    let [channel, platform, arch] = scope.dimensions();
    let channel = meant(names.channel.of_copy(channel), ChannelName::KIND)?;
    let platform = meant(names.platform.of_copy(platform), PlatformName::KIND)?;
    let arch = meant(names.arch.of_copy(arch), ArchName::KIND)?;
    let (channel_id, channel) = channel.unzip();
    let (arch_id, arch) = arch.unzip();
    let (platform_id, platform, updaters) = match platform {
        Some((id, name, updaters)) => (Some(id), Some(name), updaters),
        None => (None, None, PlatformUpdaters::default()),
    };
    let place = ScopePlace { target: Target { channel_id, platform_id, arch_id }, updaters };
    let known = Known::of(ports, app_id, place)?;
    let is_asked = (&channel, &platform, &arch) == (&scope.channel, &scope.platform, &scope.arch);
    let stands_for = (!is_asked).then_some(Dimensions { channel, platform, arch });
    let record = ScopeRecord { cdn: flags.cdn, revision: names.revision, stands_for, ..known.record };
    Ok(Known { record, ..known })
}

fn meant<T>(dimension: Dimension<T>, name: &'static str) -> Result<Option<T>, ServiceError> {
    match dimension {
        Dimension::Known(value) => Ok(Some(value)),
        Dimension::Unused => Ok(None),
        Dimension::Unknown => Err(ServiceError::UnknownName(name)),
        Dimension::Required => Err(ServiceError::NameRequired(name)),
    }
}
