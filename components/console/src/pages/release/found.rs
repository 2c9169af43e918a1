//! The release that an address names.

use futures::future::try_join;
use spindrift_api::{AppEntry, ReleaseEntry, SearchBody, WhoamiBody};
use spindrift_core::{Action, Resource};
use spindrift_web::Request;

use crate::address::segment;
use crate::{Address, ConsoleError, Context, Result, catalog, rights};

/// A release that the address names, and its visitor.
pub(super) struct Found {
    pub(super) me: WhoamiBody,
    pub(super) app: AppEntry,
    pub(super) release: ReleaseEntry,
}

impl Found {
    pub(super) async fn of(context: &Context<'_>, request: &Request) -> Result<Self> {
        Self::named(context, &segment(request.path(), 2)?, &segment(request.path(), 4)?).await
    }

    /// The release of an application with this name.
    pub(super) async fn named(context: &Context<'_>, name: &str, id: &str) -> Result<Self> {
        let search = Address::call("/search").with("id", id);
        let loaded = try_join(catalog::app_named(context, name), context.service.get::<SearchBody>(&search));
        let (me, (app, found)) = context.with_me(loaded).await?;
        let release = found.items.into_iter().find(|release| release.app_name == name);
        Ok(Self { me, app, release: release.ok_or(ConsoleError::NoPage)? })
    }

    pub(super) fn may_edit(&self) -> bool {
        rights::actor(&self.me).may(Action::Edit(Resource::App), Some(&self.app.id))
    }

    pub(super) fn may_delete(&self) -> bool {
        rights::actor(&self.me).may(Action::Delete(Resource::App), Some(&self.app.id))
    }

    pub(super) fn address(&self) -> Address {
        address(&self.app.app_name, self.release.id.as_str())
    }

    /// The pages above this one.
    pub(super) fn above(&self) -> [(&str, Address); 2] {
        let app = &self.app.app_name;
        [("Overview", Address::page([])), (app, Address::page(["apps", app]))]
    }
}

/// The page of a release.
pub(crate) fn address(app: &str, release: &str) -> Address {
    Address::page(["apps", app, "releases", release])
}
