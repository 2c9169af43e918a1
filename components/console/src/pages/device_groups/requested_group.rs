//! The group in an address.

use futures::future::try_join;
use spindrift_api::{AppEntry, DeviceGroupEntry, DeviceGroupsBody, WhoamiBody};
use spindrift_core::{Action, Resource};
use spindrift_web::Request;

use super::pages::{page, parent_pages};
use crate::address::segment;
use crate::{Address, ConsoleError, Context, Problem, Result, catalog, rights};

/// The groups of an application, by name.
pub(crate) async fn load(context: &Context<'_>, app: &str) -> Result<Vec<DeviceGroupEntry>> {
    let body: DeviceGroupsBody =
        context.service.get(&Address::call("/device-groups").with("app", app)).await?;
    Ok(body.groups)
}

/// Whether the visitor may change the groups of an application.
pub(super) fn may_edit(me: &WhoamiBody, app: &AppEntry) -> bool {
    rights::actor(me).may(Action::Edit(Resource::App), Some(&app.id))
}

/// The group in an address, and the visitor.
pub(super) struct RequestedGroup {
    pub(super) me: WhoamiBody,
    pub(super) group: DeviceGroupEntry,
    may_edit: bool,
}

impl RequestedGroup {
    pub(super) async fn of(context: &Context<'_>, request: &Request) -> Result<Self> {
        let (name, id) = (segment(request.path(), 2)?, segment(request.path(), 4)?);
        let loaded = try_join(catalog::app_named(context, &name), load(context, &name));
        let (me, (app, groups)) = context.with_me(loaded).await?;
        let group = groups.into_iter().find(|group| group.id.as_str() == id).ok_or(ConsoleError::NoPage)?;
        let may_edit = may_edit(&me, &app);
        Ok(Self { me, group, may_edit })
    }

    /// Fails unless the visitor may change the group. `problem`: why the service refused a change.
    pub(super) fn require_edit(&self, problem: Option<&Problem>) -> Result<()> {
        if self.may_edit { Ok(()) } else { Err(ConsoleError::of_forbidden_form(problem.cloned())) }
    }

    pub(super) fn page(&self) -> Address {
        page(&self.group.app).with_segment(self.group.id.as_str())
    }

    /// A call about the group. `action`: the last segment of its path.
    pub(super) fn call(&self, action: &str) -> Address {
        Address::call("/device-groups").with_segment(self.group.id.as_str()).with_segment(action)
    }

    /// The parents of the group's page, with their names.
    pub(super) fn parent_pages(&self) -> Vec<(&str, Address)> {
        let app = &self.group.app;
        parent_pages(app).into_iter().chain([("Groups", page(app))]).collect()
    }

    /// The parents of a page below the group's page.
    pub(super) fn parent_pages_of_question(&self) -> Vec<(&str, Address)> {
        self.parent_pages().into_iter().chain([(&*self.group.name, self.page())]).collect()
    }
}
