//! `release prune`.

mod decide;

use std::collections::BTreeSet;

use clap::Args;
use serde::Serialize;
use spindrift_api::{
    ArtifactRef, ArtifactsDeleteData, ArtifactsDeletedBody, ReleaseDeletedBody, SearchBody, TelemetryBody,
};
use spindrift_core::Version;

use self::decide::{Fate, KeepLimits, PrunableRelease, decide};
use super::confirm::confirm;
use crate::context::Context;
use crate::error::CliError;
use crate::output::bytes;
use crate::releases::{self, PAGE};
use crate::service::Service;

#[derive(Debug, Args)]
pub(crate) struct ReleasePruneCommand {
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// Keep this many releases of each channel, platform, architecture and package that are rolled out to
    /// everybody, and all newer ones.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..), required_unless_present = "keep_patches")]
    keep: Option<u16>,
    /// Keep the patches of this many of them. Clients are only ever offered patches to the newest release
    /// that they may have.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    keep_patches: Option<u16>,
    /// Also delete releases that devices run, or may run because no devices were counted.
    #[arg(long)]
    even_if_run: bool,
    /// Show what would be deleted, and delete nothing.
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

/// The part of a release that was deleted, or would be.
#[derive(Serialize)]
struct PrunedPart {
    version: String,
    /// `release` or `patches`.
    deleted: &'static str,
    bytes: u64,
}

impl ReleasePruneCommand {
    pub(super) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        let run = match self.keep {
            Some(_) if !self.even_if_run => versions_in_use(&service, &self.app).await?,
            _ => BTreeSet::new(),
        };
        let known = published_releases(&service, &self.app).await?;
        let limits =
            KeepLimits { releases: self.keep.map(usize::from), patches: self.keep_patches.map(usize::from) };
        let fates = decide(&known, limits, &run);
        let deletion: Vec<(&PrunableRelease, Fate)> =
            known.iter().zip(fates).filter(|(_, fate)| *fate != Fate::Kept).collect();
        let mut pruned: Vec<PrunedPart> =
            deletion.iter().map(|(release, fate)| PrunedPart::of(release, *fate)).collect();
        // One failed deletion must not stop the others.
        let mut failed = None;
        if !self.dry_run && !pruned.is_empty() {
            if !self.yes {
                let total = pruned.iter().map(|pruned| pruned.bytes).sum();
                let of = pruned.iter().map(|pruned| format!("{} of {}", pruned.deleted, pruned.version));
                let what = of.collect::<Vec<_>>().join(", ");
                confirm(&format!("Permanently delete of {}: {what} ({})?", self.app, bytes(total)))?;
            }
            for (at, (release, fate)) in deletion.iter().enumerate().rev() {
                match delete(&service, &self.app, release, *fate).await {
                    Ok(()) => {}
                    Err(error @ CliError::Refused(_)) => {
                        pruned.remove(at);
                        if let Some(earlier) = failed.replace(error) {
                            context.output.error(&earlier);
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        let rows = pruned
            .iter()
            .map(|pruned| vec![pruned.version.clone(), pruned.deleted.to_owned(), bytes(pruned.bytes)]);
        context.output.rows(&pruned, &["VERSION", "DELETED", "SIZE"], &rows.collect::<Vec<_>>())?;
        failed.map_or(Ok(()), Err)
    }
}

impl PrunedPart {
    fn of(release: &PrunableRelease, fate: Fate) -> Self {
        let is_whole = fate == Fate::Deleted;
        let files = release.entry.artifacts.iter().filter(|artifact| is_whole || artifact.patch.is_some());
        Self {
            version: release.entry.version.clone(),
            deleted: if is_whole { "release" } else { "patches" },
            bytes: files.map(|artifact| artifact.size).sum(),
        }
    }
}

/// The versions that devices ran in the days with figures, at most 90.
async fn versions_in_use(service: &Service, app: &str) -> Result<BTreeSet<Version>, CliError> {
    let figures: TelemetryBody =
        service.get("/telemetry").query(&[("apps", app), ("range", "quarter")]).json().await?;
    let usage = figures.versions.usage;
    if usage.is_empty() {
        return Err(CliError::Other(format!(
            "no device of {app} was counted, so it is not known which releases still run: --even-if-run \
             deletes them all the same"
        )));
    }
    if usage.len() as u64 != figures.versions.used_versions_count {
        return Err(CliError::Other(format!(
            "devices of {app} run too many versions to list: --even-if-run deletes the releases all the same"
        )));
    }
    Ok(usage.into_iter().filter_map(|of| of.version.parse().ok()).collect())
}

/// All published releases, newest first.
async fn published_releases(service: &Service, app: &str) -> Result<Vec<PrunableRelease>, CliError> {
    let mut all = Vec::new();
    for page in 1_u32.. {
        let page = page.to_string();
        let query = [
            ("app_name", app),
            ("state", "published"),
            ("changelog", "false"),
            ("limit", PAGE),
            ("page", &page),
        ];
        let found: SearchBody = service.get("/search").query(&query).json().await?;
        let is_last = found.items.is_empty();
        for entry in found.items {
            let offered = releases::offers_by_id(service, &entry.id).await?;
            all.push(PrunableRelease { entry, offered });
        }
        if is_last || all.len() as u64 >= found.total {
            break;
        }
    }
    Ok(all)
}

async fn delete(service: &Service, app: &str, release: &PrunableRelease, fate: Fate) -> Result<(), CliError> {
    let entry = &release.entry;
    if fate == Fate::Deleted {
        let _: ReleaseDeletedBody = service.delete("/apps/delete", &entry.id).await?;
        return Ok(());
    }
    let patches = entry.artifacts.iter().filter(|artifact| artifact.patch.is_some());
    let named = |error: &str| CliError::Other(format!("{app} {}: {error}", entry.version));
    let data = ArtifactsDeleteData {
        id: entry.id.as_str().to_owned(),
        app_name: app.parse().map_err(|_| named("not a name"))?,
        version: entry.version.parse().map_err(|_| named("not a version"))?,
        artifacts_to_delete: patches.map(|patch| ArtifactRef::Text(patch.id.as_str().to_owned())).collect(),
        force: None,
    };
    let _: ArtifactsDeletedBody = service.post_data("/artifact/delete", &data).await?;
    Ok(())
}
