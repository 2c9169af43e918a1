//! The release that an address names.

use maud::Markup;
use spindrift_api::{AppEntry, ReleaseEntry, SearchBody, WhoamiBody};
use spindrift_core::{Action, Resource};
use spindrift_service::Ports;
use spindrift_web::Request;

use crate::address::{Address, segment};
use crate::context::Context;
use crate::error::ConsoleError;
use crate::{catalog, parts, rights};

/// A release that the address names, and its visitor.
pub(super) struct Found {
    pub(super) me: WhoamiBody,
    pub(super) app: AppEntry,
    pub(super) release: ReleaseEntry,
}

impl Found {
    pub(super) async fn of<P: Ports>(
        context: &Context<'_, P>,
        request: &Request,
    ) -> Result<Self, ConsoleError> {
        let (name, id) = (segment(request.path(), 2)?, segment(request.path(), 4)?);
        let search = Address::call("/search").with("id", &id);
        let (me, app, found) = futures::join!(
            context.me(),
            catalog::app_named(context, &name),
            context.service.get::<SearchBody>(&search),
        );
        let (me, app, found) = (me?, app?, found?);
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

    /// The steps to this page, or to one below it.
    pub(super) fn trail(&self, below: Option<&str>) -> Markup {
        let mut steps = vec![
            ("Overview", Address::page([])),
            (&*self.app.app_name, Address::page(["apps", &self.app.app_name])),
        ];
        if below.is_some() {
            steps.push((&self.release.version, self.address()));
        }
        parts::trail(&steps, below.unwrap_or(&self.release.version))
    }
}

/// The page of a release.
pub(crate) fn address(app: &str, release: &str) -> Address {
    Address::page(["apps", app, "releases", release])
}
