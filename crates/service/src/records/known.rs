//! Resolving the names in a scope.

use spindrift_core::{
    AppFlags, ArchName, ChannelName, Dimension, Dimensions, Id, PlatformName, PlatformUpdaters, Scope,
    ScopeRecord, Stops, Target, Timestamp, UserName,
};
use spindrift_db::listings::ScopePlace;
use spindrift_db::{SqlConn, scopes, shutoffs};

use crate::links::Links;
use crate::{Ports, ServiceError};

/// A scope whose names are all resolved.
pub(crate) struct Known {
    /// The record, still without releases.
    pub(crate) record: ScopeRecord,
    pub(crate) target: Target,
    pub(crate) links: Links,
    /// Whether the application has shut-offs or withdrawn releases.
    has_stops: bool,
}

impl Known {
    /// A scope given by its ids. Its record answers no client until the other fields are filled in.
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
            stops: Stops::default(),
            valid_until: None,
            groups: Vec::new(),
        };
        Ok(Self { record, target: place.target, links, has_stops: false })
    }

    /// The scope as of `at`, to read what is published then.
    pub(crate) fn at(mut self, at: Timestamp) -> Self {
        self.record.read_at = at;
        self
    }

    pub(crate) fn stops(&self, conn: &impl SqlConn) -> Result<Stops, ServiceError> {
        if self.has_stops {
            Ok(shutoffs::of_scope(conn, &self.record.app_id, &self.target)?)
        } else {
            Ok(Stops::default())
        }
    }
}

/// The ids and data behind a scope's names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Meant {
    app_id: Id,
    flags: AppFlags,
    /// The owner's revision at the time of reading.
    revision: i64,
    target: Target,
    names: Dimensions,
    updaters: PlatformUpdaters,
    /// When the next scheduled release of the application is published.
    next_publication: Option<Timestamp>,
    /// Whether the application has shut-offs or withdrawn releases.
    has_stops: bool,
}

/// Resolves the names in a check, as of `at`. Fails if a name does not exist or a required one is missing.
fn meant(conn: &impl SqlConn, scope: &Scope, at: Timestamp) -> Result<Meant, ServiceError> {
    let found = scopes::names(conn, scope, at)?.ok_or(ServiceError::UnknownName(UserName::KIND))?;
    let (app_id, flags) = found.app.ok_or(ServiceError::UnknownName("application"))?;
    let [channel, platform, arch] = scope.dimensions();
    let channel = one(found.channel.of_copy(channel), ChannelName::KIND)?;
    let platform = one(found.platform.of_copy(platform), PlatformName::KIND)?;
    let arch = one(found.arch.of_copy(arch), ArchName::KIND)?;
    let (channel_id, channel) = channel.unzip();
    let (arch_id, arch) = arch.unzip();
    let (platform_id, platform, updaters) = match platform {
        Some((id, name, updaters)) => (Some(id), Some(name), updaters),
        None => (None, None, PlatformUpdaters::default()),
    };
    let target = Target { channel_id, platform_id, arch_id };
    let names = Dimensions { channel, platform, arch };
    let (revision, next_publication, has_stops) = (found.revision, found.next_publication, found.has_stops);
    Ok(Meant { app_id, flags, revision, target, names, updaters, next_publication, has_stops })
}

/// Resolves the names in a check, as of now. Fails like [`meant`].
pub(crate) fn known<P: Ports>(ports: &P, conn: &P::Conn, scope: &Scope) -> Result<Known, ServiceError> {
    let Meant { app_id, flags, revision, target, names, updaters, next_publication, has_stops } =
        meant(conn, scope, ports.now())?;
    let known = Known::of(ports, app_id, ScopePlace { target, updaters })?;
    let is_asked =
        (&names.channel, &names.platform, &names.arch) == (&scope.channel, &scope.platform, &scope.arch);
    let record = ScopeRecord {
        cdn: flags.cdn,
        revision,
        stands_for: (!is_asked).then_some(names),
        valid_until: next_publication,
        ..known.record
    };
    Ok(Known { record, has_stops, ..known })
}

fn one<T>(dimension: Dimension<T>, name: &'static str) -> Result<Option<T>, ServiceError> {
    match dimension {
        Dimension::Known(value) => Ok(Some(value)),
        Dimension::Unused => Ok(None),
        Dimension::Unknown => Err(ServiceError::UnknownName(name)),
        Dimension::Required => Err(ServiceError::NameRequired(name)),
    }
}
