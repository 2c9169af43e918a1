//! `audit list`.

use clap::Args;
use spindrift_api::{AuditActorBody, AuditBody, AuditItem};

use crate::context::Context;
use crate::error::CliError;
use crate::names::CallNames;
use crate::service::Service;

/// Page size: the maximum that the service allows.
const PAGE: u32 = 1000;

/// Filters for entries.
#[derive(Debug, Args)]
pub(crate) struct AuditListCommand {
    /// Only changes of this application, also of a deleted one.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: Option<String>,
    /// Only changes of this release of the application, also of a deleted one.
    #[arg(long, value_name = "VERSION")]
    release: Option<String>,
    /// Only changes of this kind, like `release.update`, or of all kinds that begin so, like `token.*`. May
    /// be repeated.
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,
    /// Only changes by this user or token, also by a deleted one: a name, or an id. Or by `clock` or
    /// `maintenance`.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Only changes at this time or later, like `2026-11-21T00:00:00Z`.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only changes before this time.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Most entries to list.
    #[arg(long, default_value_t = 100, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

impl AuditListCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        if self.release.is_some() && self.app.is_none() {
            return Err(CliError::usage("which application? --release needs --app"));
        }
        let service = context.authenticated()?;
        let names = CallNames { app: self.app.as_deref(), ..CallNames::default() };
        let found = match pages(&service, &self.query(), self.limit).await {
            Ok(found) => found,
            Err(error) => return Err(names.explain(&service, error).await),
        };
        let rows: Vec<Vec<String>> = found.items.iter().map(row).collect();
        context.output.rows(&found, &["ENTRY", "TIME", "BY", "CHANGE"], &rows)?;
        if let (true, Some(name)) = (rows.is_empty(), &self.by) {
            context.output.message(&format!("no change by `{name}` matches"));
        }
        if found.next.is_some() {
            context.output.message(&format!("the newest {}: see --limit", rows.len()));
        }
        Ok(())
    }

    /// The query parameters.
    fn query(&self) -> Vec<(&'static str, String)> {
        let query = [
            ("app", self.app.clone()),
            ("version", self.release.clone()),
            ("kind", (!self.kinds.is_empty()).then(|| self.kinds.join(","))),
            ("actor", self.by.clone()),
            ("from", self.since.clone()),
            ("to", self.until.clone()),
        ];
        query.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Fetches pages until there are `limit` entries.
async fn pages(
    service: &Service,
    query: &[(&'static str, String)],
    limit: u32,
) -> Result<AuditBody, CliError> {
    let mut found = AuditBody { items: Vec::new(), next: None };
    let mut left = limit;
    loop {
        let place = found.next.map(|after| ("after", after.to_string()));
        let page = [("limit", left.min(PAGE).to_string())].into_iter().chain(place);
        let query: Vec<_> = query.iter().cloned().chain(page).collect();
        let AuditBody { items, next } = service.get("/audit").query(&query).json().await?;
        left = left.saturating_sub(u32::try_from(items.len()).unwrap_or(u32::MAX));
        let is_last = next.is_none() || items.is_empty() || left == 0;
        found.items.extend(items);
        found.next = next;
        if is_last {
            return Ok(found);
        }
    }
}

/// The text of an entry begins with the actor, which the table shows in a column of its own.
fn row(item: &AuditItem) -> Vec<String> {
    let by = actor_name(&item.actor);
    let text = item.text.strip_prefix("the ").unwrap_or(&item.text);
    let change = text.strip_prefix(&by).map_or(item.text.as_str(), str::trim_start);
    vec![item.seq.to_string(), item.at.clone(), by.clone(), change.to_owned()]
}

fn actor_name(actor: &AuditActorBody) -> String {
    match (actor.actor_type.as_str(), &actor.name) {
        ("user", Some(name)) => name.clone(),
        (kind, Some(name)) => format!("{kind} {name}"),
        (kind, None) => kind.to_owned(),
    }
}
