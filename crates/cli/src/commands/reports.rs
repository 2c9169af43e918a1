//! `reports list|show|resolve|mute`.

use clap::{Args, Subcommand};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde::Serialize;
use spindrift_api::{BlobEntry, BlobsBody, GroupEntry, GroupPatchBody, GroupUpdatedBody, GroupsBody};

use super::scope::ScopeFilter;
use crate::context::Context;
use crate::error::CliError;
use crate::output::bytes;
use crate::service::Service;

/// Page size when searching for a group: the maximum that the service allows.
const PAGE: &str = "100";

/// The commands. Equal failures form a group, which is identified by the first characters of its hash.
#[derive(Debug, Subcommand)]
pub(crate) enum ReportsCommand {
    /// List groups of failures, latest first.
    List(ReportFilter),
    /// Show one group and the links to its details.
    Show {
        /// Hash of the group, or the beginning of it.
        hash: String,
    },
    /// Mark a group as resolved. A new report opens it again.
    Resolve {
        /// Hash of the group, or the beginning of it.
        hash: String,
        /// A note with the reason.
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Mute a group.
    Mute {
        /// Hash of the group, or the beginning of it.
        hash: String,
        /// A note with the reason.
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ReportFilter {
    /// Application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: Option<String>,
    /// Version.
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    #[command(flatten)]
    scope: ScopeFilter,
    /// `crash`, `startup_failure`, `update_failure`, `install_failure` or `rollback_failure`.
    #[arg(long = "type", value_name = "TYPE")]
    event: Option<String>,
    /// Reason.
    #[arg(long, value_name = "REASON")]
    reason: Option<String>,
    /// `open`, `resolved` or `muted`.
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Last reported on or after this day, like `2026-11-21`.
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Last reported on or before this day.
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Number of the page.
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    page: u32,
    /// Groups on a page, 1-100.
    #[arg(long, default_value_t = 20, value_name = "COUNT")]
    limit: u32,
}

impl ReportFilter {
    fn query(self) -> Vec<(&'static str, String)> {
        [
            ("app", self.app),
            ("version", self.version),
            ("type", self.event),
            ("reason", self.reason),
            ("status", self.status),
            ("from", self.from),
            ("to", self.to),
            ("page", Some(self.page.to_string())),
            ("limit", Some(self.limit.to_string())),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .chain(self.scope.query().map(|(name, value)| (name, value.to_owned())))
        .collect()
    }
}

impl ReportsCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        match self {
            Self::List(filter) => show_all(context, &service, filter).await,
            Self::Show { hash } => show_one(context, &service, &hash).await,
            Self::Resolve { hash, note } => set(context, &service, &hash, "resolved", note).await,
            Self::Mute { hash, note } => set(context, &service, &hash, "muted", note).await,
        }
    }
}

async fn show_all(context: &Context, service: &Service, filter: ReportFilter) -> Result<(), CliError> {
    let found: GroupsBody = service.get("/reports/groups").query(&filter.query()).json().await?;
    let row = |group: &GroupEntry| {
        vec![
            group.group_hash.chars().take(12).collect(),
            group.status.clone(),
            group.application.name.clone(),
            group.application.version.clone(),
            group.event.event_type.clone(),
            group.event.reason.clone(),
            group.stats.count.to_string(),
            group.stats.last_seen.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = found.items.iter().map(row).collect();
    let headers = ["HASH", "STATUS", "APP", "VERSION", "TYPE", "REASON", "COUNT", "LAST SEEN"];
    context.output.rows(&found, &headers, &rows)
}

/// A group with its details, as `--json` shows it.
#[derive(Serialize)]
struct ReportGroupView {
    #[serde(flatten)]
    group: GroupEntry,
    details: Vec<BlobEntry>,
}

async fn show_one(context: &Context, service: &Service, hash: &str) -> Result<(), CliError> {
    let group = find(service, hash).await?;
    let call = service.get(&format!("{}/blobs", path(&group))).query(&app_of(&group));
    let BlobsBody { items: details } = call.json().await?;
    let GroupEntry { application, system, event, stats, .. } = &group;
    let mut rows: Vec<Vec<String>> = [
        ("hash", group.group_hash.clone()),
        ("status", group.status.clone()),
        ("application", format!("{} {}", application.name, application.version)),
        ("channel", application.channel.clone()),
        ("system", format!("{} {}", system.platform, system.arch)),
        ("event", format!("{} {}", event.event_type, event.reason)),
        ("count", stats.count.to_string()),
        ("first seen", stats.first_seen.clone()),
        ("last seen", stats.last_seen.clone()),
        ("note", group.note.clone()),
    ]
    .map(|(label, value)| vec![label.to_owned(), value])
    .into();
    let detail = |blob: &BlobEntry| {
        let size = bytes(blob.storage.decompressed_size);
        vec!["details".to_owned(), format!("{}, {size}: --json has the link", blob.created_at)]
    };
    rows.extend(details.iter().map(detail));
    context.output.rows(&ReportGroupView { group, details }, &["", ""], &rows)
}

async fn set(
    context: &Context,
    service: &Service,
    hash: &str,
    status: &str,
    note: Option<String>,
) -> Result<(), CliError> {
    let group = find(service, hash).await?;
    let body = GroupPatchBody { status: Some(status.to_owned()), tags: None, note };
    let call = service.call(Method::PATCH, &path(&group)).query(&app_of(&group));
    let answer: GroupUpdatedBody = call.body_json(&body).json().await?;
    context.output.result(&answer, &format!("{} is {status}", group.group_hash))
}

fn path(group: &GroupEntry) -> String {
    format!("/reports/groups/{}", utf8_percent_encode(&group.group_hash, NON_ALPHANUMERIC))
}

/// The query with the group's application: a hash is unique only within an application.
fn app_of(group: &GroupEntry) -> [(&'static str, &str); 1] {
    [("app_id", group.app_id.as_str())]
}

/// The one group whose hash begins with `hash`.
async fn find(service: &Service, hash: &str) -> Result<GroupEntry, CliError> {
    let wanted = hash.to_ascii_lowercase();
    let mut found: Vec<GroupEntry> = Vec::new();
    let mut seen = 0;
    for page in 1_u32.. {
        let query = [("limit", PAGE.to_owned()), ("page", page.to_string())];
        let groups: GroupsBody = service.get("/reports/groups").query(&query).json().await?;
        let count = groups.items.len() as u64;
        found.extend(groups.items.into_iter().filter(|group| group.group_hash.starts_with(&wanted)));
        seen += count;
        if count == 0 || seen >= groups.total {
            break;
        }
    }
    match found.pop() {
        Some(group) if found.is_empty() => Ok(group),
        Some(_) => Err(CliError::usage(format!("several groups begin with {hash}: give more of the hash"))),
        None => Err(CliError::NotFound(format!(
            "no group begins with {hash}: `spindrift reports list` lists all groups"
        ))),
    }
}
