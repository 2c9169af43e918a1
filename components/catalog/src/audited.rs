//! The fields of the catalog that the audit log compares.

use serde_json::{Value, json};
use spindrift_core::audit::AuditKind;
use spindrift_core::{AccentColor, App, DownloadMode};
use spindrift_db::dimensions::{DimensionRow, Kind};

use crate::dimension_body::render_updaters;

/// A change to a channel, platform or architecture.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CatalogOperation {
    Create,
    Update,
    Delete,
}

pub(crate) const fn kind_of(kind: Kind, deed: CatalogOperation) -> AuditKind {
    match (kind, deed) {
        (Kind::Channel, CatalogOperation::Create) => AuditKind::ChannelCreate,
        (Kind::Channel, CatalogOperation::Update) => AuditKind::ChannelUpdate,
        (Kind::Channel, CatalogOperation::Delete) => AuditKind::ChannelDelete,
        (Kind::Platform, CatalogOperation::Create) => AuditKind::PlatformCreate,
        (Kind::Platform, CatalogOperation::Update) => AuditKind::PlatformUpdate,
        (Kind::Platform, CatalogOperation::Delete) => AuditKind::PlatformDelete,
        (Kind::Arch, CatalogOperation::Create) => AuditKind::ArchCreate,
        (Kind::Arch, CatalogOperation::Update) => AuditKind::ArchUpdate,
        (Kind::Arch, CatalogOperation::Delete) => AuditKind::ArchDelete,
    }
}

pub(crate) fn app(app: &App) -> Value {
    let mut fields = json!({
        "name": app.name.as_str(),
        "description": app.description,
        "logo": app.logo_key,
        "private": app.flags.private,
        "tuf": app.flags.tuf,
        "reports": app.flags.reports,
        "cdn": app.flags.cdn,
        "download_mode": app.download_mode.map(DownloadMode::as_str),
        "get_page": app.get_page.is_on,
        "get_page_color": app.get_page.color.as_ref().map(AccentColor::as_str),
    });
    if app.require_publisher {
        fields["require_publisher"] = true.into();
    }
    fields
}

/// `includes`: the names of the channels that a channel includes.
pub(crate) fn dimension(entry: &DimensionRow, includes: &[String]) -> Value {
    json!({
        "name": entry.name,
        "default": entry.is_default,
        "updaters": entry.updaters.as_ref().map(render_updaters),
        "includes": includes,
    })
}
