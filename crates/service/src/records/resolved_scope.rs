//! Resolving the names in a scope.

use spindrift_core::{
    ArchName, ChannelName, Dimension, Dimensions, Id, PlatformName, PlatformUpdaters, Scope, ScopeRecord,
    Stops, Target, Timestamp, UserName,
};
use spindrift_db::listings::ScopePlace;
use spindrift_db::{SqlConn, scopes, shutoffs};

use crate::links::DownloadLinks;
use crate::{Ports, ServiceError};

/// A scope whose names have all been resolved: the start for deriving any of its records.
pub(crate) struct ResolvedScope {
    /// The record, still without releases.
    pub(crate) record: ScopeRecord,
    pub(crate) target: Target,
    pub(crate) links: DownloadLinks,
    /// Whether the application has shut-offs or withdrawn releases.
    has_stops: bool,
}

impl ResolvedScope {
    /// A scope given by its ids. Its record answers no client until the other fields are filled in.
    pub(crate) fn of<P: Ports>(ports: &P, app_id: Id, place: ScopePlace) -> Result<Self, ServiceError> {
        let (links, now) = (DownloadLinks::new(ports)?, ports.now());
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
            stops: Stops::default(),
            valid_until: None,
            groups: Vec::new(),
        };
        Ok(Self { record, target: place.target, links, has_stops: false })
    }

    /// The scope as of `at`, to read what is published then.
    pub(crate) fn with_time(mut self, at: Timestamp) -> Self {
        self.record.read_at = at;
        self
    }

    /// The shut-offs and withdrawn versions that apply to the scope. Does not query the database if there are
    /// none.
    pub(crate) fn stops(&self, conn: &impl SqlConn) -> Result<Stops, ServiceError> {
        if self.has_stops {
            Ok(shutoffs::of_scope(conn, &self.record.app_id, &self.target)?)
        } else {
            Ok(Stops::default())
        }
    }
}

/// Resolves the names in a check, as of now. Fails if a name does not exist or a required one is missing.
pub(crate) fn resolve<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    scope: &Scope,
) -> Result<ResolvedScope, ServiceError> {
    let found = scopes::names(conn, scope, ports.now())?.ok_or(ServiceError::UnknownName(UserName::KIND))?;
    let (app_id, flags) = found.app.ok_or(ServiceError::UnknownName("application"))?;
    let [channel, platform, arch] = scope.dimensions();
    let (channel_id, channel) = resolve_dimension(found.channel.of_copy(channel), ChannelName::KIND)?.unzip();
    let platform = resolve_dimension(found.platform.of_copy(platform), PlatformName::KIND)?;
    let (arch_id, arch) = resolve_dimension(found.arch.of_copy(arch), ArchName::KIND)?.unzip();
    let (platform_id, platform, updaters) = match platform {
        Some((id, name, updaters)) => (Some(id), Some(name), updaters),
        None => (None, None, PlatformUpdaters::default()),
    };
    let target = Target { channel_id, platform_id, arch_id };
    let resolved = ResolvedScope::of(ports, app_id, ScopePlace { target, updaters })?;
    let names = Dimensions { channel, platform, arch };
    let is_as_sent =
        (&names.channel, &names.platform, &names.arch) == (&scope.channel, &scope.platform, &scope.arch);
    let record = ScopeRecord {
        cdn: flags.cdn,
        revision: found.revision,
        stands_for: (!is_as_sent).then_some(names),
        valid_until: found.next_publication,
        ..resolved.record
    };
    Ok(ResolvedScope { record, has_stops: found.has_stops, ..resolved })
}

fn resolve_dimension<T>(dimension: Dimension<T>, name: &'static str) -> Result<Option<T>, ServiceError> {
    match dimension {
        Dimension::Known(value) => Ok(Some(value)),
        Dimension::Unused => Ok(None),
        Dimension::Unknown => Err(ServiceError::UnknownName(name)),
        Dimension::Required => Err(ServiceError::NameRequired(name)),
    }
}
