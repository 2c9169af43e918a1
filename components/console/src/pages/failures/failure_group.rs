//! The group that a page is about.

use spindrift_api::{GroupEntry, GroupsBody};
use spindrift_web::Request;

use crate::{Address, ConsoleError, Context, Result, address, parts};

/// How many digits of a group's hash to show.
pub(super) const HASH_SHOWN: usize = 12;

/// The group that a page is about. Two applications may have groups with the same hash, so it
/// includes the application's id.
pub(super) struct FailureGroupRef {
    pub(super) hash: String,
    app_id: String,
}

impl FailureGroupRef {
    pub(super) fn of(request: &Request) -> Result<Self> {
        let hash = address::segment(request.path(), 2)?;
        Ok(Self { hash, app_id: request.query()?.get("app_id").unwrap_or_default().to_owned() })
    }

    pub(super) fn of_entry(group: &GroupEntry) -> Self {
        Self { hash: group.group_hash.clone(), app_id: group.app_id.to_string() }
    }

    /// The group's page, or one below it.
    pub(super) fn page(&self, below: &[&str]) -> Address {
        let segments = ["failures", self.hash.as_str()];
        Address::page(segments.into_iter().chain(below.iter().copied())).with("app_id", &self.app_id)
    }

    /// A call about the group.
    pub(super) fn call(&self, below: &[&str]) -> Address {
        let address = Address::call("/reports/groups").with_segment(&self.hash);
        below
            .iter()
            .fold(address, |address, segment| address.with_segment(segment))
            .with("app_id", &self.app_id)
    }

    pub(super) async fn load(&self, context: &Context<'_>) -> Result<GroupEntry> {
        let call = Address::call("/reports/groups").with("hash", &self.hash).with("status", "all");
        let found: GroupsBody = context.service.get(&call).await?;
        let is_it = |group: &GroupEntry| self.app_id.is_empty() || group.app_id.as_str() == self.app_id;
        found.items.into_iter().find(is_it).ok_or(ConsoleError::NoPage)
    }
}

/// A status as a coloured word.
pub(super) fn status(status: &str) -> maud::Markup {
    let kind = match status {
        "open" => "warn",
        "resolved" => "good",
        _ => "",
    };
    parts::badge(kind, status)
}
