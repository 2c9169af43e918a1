//! What installed copies have reported: groups of failures, and each of them.

mod change;
mod details;
mod group;
mod list;

use spindrift_api::{GroupEntry, GroupsBody};
use spindrift_service::Ports;
use spindrift_web::{Request, Response};

use crate::address::{self, Address};
use crate::context::Context;
use crate::error::ConsoleError;
use crate::parts;

/// What is done with failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureCall {
    /// All groups.
    List,
    /// One group with its details.
    Show,
    /// Its status, or its tags and note.
    Change,
    /// Asks before it goes.
    AskDelete,
    /// Removes it.
    Delete,
    /// The packed details of one report, for the page's script.
    Details,
}

pub(crate) async fn answer<P: Ports>(
    context: &Context<'_, P>,
    call: FailureCall,
    request: Request,
) -> Result<Response, ConsoleError> {
    match call {
        FailureCall::List => list::show(context, &request).await,
        FailureCall::Show => group::show(context, &request).await,
        FailureCall::Change => change::change(context, request).await,
        FailureCall::AskDelete => change::ask_delete(context, &request).await,
        FailureCall::Delete => change::delete(context, request).await,
        FailureCall::Details => details::read(context, &request).await,
    }
}

/// Which group a page is about. Two applications may have groups with the same hash: then the id says whose.
struct Named {
    hash: String,
    app_id: String,
}

impl Named {
    fn of(request: &Request) -> Result<Self, ConsoleError> {
        let hash = address::segment(request.path(), 2)?;
        Ok(Self { hash, app_id: request.query()?.get("app_id").unwrap_or_default().to_owned() })
    }

    fn of_entry(group: &GroupEntry) -> Self {
        Self { hash: group.group_hash.clone(), app_id: group.app_id.to_string() }
    }

    /// The group's page, or one below it.
    fn page(&self, below: &[&str]) -> Address {
        let segments = ["failures", self.hash.as_str()];
        Address::page(segments.into_iter().chain(below.iter().copied())).with("app_id", &self.app_id)
    }

    /// A call about the group.
    fn call(&self, below: &[&str]) -> Address {
        let address = Address::call("/reports/groups").then(&self.hash);
        below.iter().fold(address, |address, segment| address.then(segment)).with("app_id", &self.app_id)
    }

    /// The group itself.
    async fn load<P: Ports>(&self, context: &Context<'_, P>) -> Result<GroupEntry, ConsoleError> {
        let call = Address::call("/reports/groups").with("hash", &self.hash).with("status", "all");
        let found: GroupsBody = context.service.get(&call).await?;
        let is_it = |group: &GroupEntry| self.app_id.is_empty() || group.app_id.as_str() == self.app_id;
        found.items.into_iter().find(is_it).ok_or(ConsoleError::NoPage)
    }
}

fn status(status: &str) -> maud::Markup {
    let kind = match status {
        "open" => "warn",
        "resolved" => "good",
        _ => "",
    };
    parts::badge(kind, status)
}
