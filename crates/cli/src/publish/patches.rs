//! `--patches`: makes patches from the files of published releases.
//!
//! Publishing goes on if a patch cannot be made: clients then download the whole file.

mod base;
mod binary_delta;
mod comparison;
mod diff;

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use spindrift_api::{PatchEntry, SearchBody};
use spindrift_core::{FileName, MAX_PATCHES_OF_FILE, Package, PatchFormat};
use spindrift_patch::Cancelled;
use tempfile::TempDir;

use self::base::PatchBase;
use self::comparison::Comparison;
use self::diff::Diff;
use super::files::LocalFile;
use super::limits::MIB;
use super::plan::UploadPlan;
use crate::error::CliError;
use crate::output::bytes;
use crate::releases::PAGE;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Smaller downloads")]
pub(crate) struct PatchOptions {
    /// Also publish patches from the files of this many older releases, at most 10. Clients of those versions
    /// then download only the patch.
    #[arg(long, default_value_t = 0, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(0..=10))]
    pub(super) patches: u8,
    /// Keep a patch only if it has at most this percentage of the file's bytes.
    #[arg(long, default_value_t = 60, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=99))]
    patch_max_percent: u8,
    /// Make no patches for larger files, in MiB. Making one takes up to five times as much memory, and at
    /// most 2 GiB.
    #[arg(long, default_value_t = 512, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=2047))]
    patch_max_size: u64,
    /// Stop making patches after this many minutes, and publish with those that are ready.
    #[arg(long, default_value_t = 10, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..=1440))]
    patch_max_minutes: u32,
    /// Also publish a `.zsync` file for each AppImage, with which AppImageUpdate downloads only what has
    /// changed.
    #[arg(long)]
    pub(super) zsync: bool,
    /// Make block maps of electron-builder again that do not describe their files, and correct the digests in
    /// `*.yml`. Use it if files are signed after electron-builder has packed them.
    #[arg(long)]
    pub(super) rebuild_block_maps: bool,
}

const _: () = assert!(MAX_PATCHES_OF_FILE == 10, "the help says it");

/// Patches to publish.
pub(super) struct MadePatches {
    _folder: TempDir,
    files: Vec<LocalFile>,
    entries: Vec<PatchEntry>,
}

impl MadePatches {
    /// Adds the patches to the plan.
    pub(super) fn add_to(&self, plan: &mut UploadPlan) {
        plan.files.large.extend_from_slice(&self.files);
        plan.files.large.sort_by(|one, other| one.name.cmp(&other.name));
        plan.data.patches.extend_from_slice(&self.entries);
    }
}

/// Makes the patches. `None`: there are none to publish.
pub(super) async fn make(plan: &UploadPlan, options: &PatchOptions) -> Result<Option<MadePatches>, CliError> {
    if options.patches == 0 {
        return Ok(None);
    }
    let published = match published_releases(plan).await {
        Ok(published) => published,
        Err(error) => {
            plan.progress.print(&format!("no patches: {}", error.brief()));
            return Ok(None);
        }
    };
    let folder = tempfile::tempdir().map_err(CliError::file(&std::env::temp_dir()))?;
    let (mut files, mut entries) = (Vec::new(), Vec::new());
    let until = Instant::now() + Duration::from_mins(options.patch_max_minutes.into());
    for file in &plan.files.large {
        let Some(kind) = patchable(plan, file, options) else { continue };
        for base in base::of(plan, &published, &kind.0).take(options.patches.into()) {
            match patch(plan, (file, &kind), &base, (folder.path(), options), until).await {
                Ok((made, entry)) => {
                    files.push(made);
                    entries.push(entry);
                }
                Err(why) => {
                    plan.progress.print(&format!("{}: no patch from {}: {why}", file.name, base.version));
                }
            }
        }
    }
    Ok((!files.is_empty()).then_some(MadePatches { _folder: folder, files, entries }))
}

/// The published releases of the scope, newest first. The first page has enough bases.
async fn published_releases(plan: &UploadPlan) -> Result<SearchBody, CliError> {
    let data = &plan.data;
    let mut query = vec![
        ("app_name", data.app_name.as_str()),
        ("state", "published"),
        ("changelog", "false"),
        ("limit", PAGE),
    ];
    for (name, value) in [("channel", &data.channel), ("platform", &data.platform), ("arch", &data.arch)] {
        query.extend(value.as_deref().map(|value| (name, value)));
    }
    plan.service.get("/search").query(&query).json().await
}

/// The package and patch format of a file. `None`: no patches are made for it.
fn patchable(plan: &UploadPlan, file: &LocalFile, options: &PatchOptions) -> Option<(Package, PatchFormat)> {
    let given = plan.data.packages.get(&file.name);
    let package = match given {
        Some(package) => package.parse().ok()?,
        None => Package::from_file_name(&file.name),
    };
    let updater = plan.data.updater.as_deref().and_then(|updater| updater.parse().ok());
    let format = PatchFormat::for_file(&package, updater)?;
    if file.length > options.patch_max_size * MIB {
        let limit = options.patch_max_size;
        plan.progress.print(&format!(
            "{}: no patches, because it is larger than {limit} MiB (--patch-max-size)",
            file.name
        ));
        return None;
    }
    if format == PatchFormat::BinaryDelta {
        if binary_delta::is_there() {
            return Some((package, format));
        }
        plan.progress
            .print(&format!("{}: no patches, because BinaryDelta of Sparkle is not in PATH", file.name));
        return None;
    }
    if diff::is_compressed(&file.path).unwrap_or_default() {
        let why = "because it is compressed: a patch would save nothing";
        plan.progress.print(&format!("{}: no patches, {why}", file.name));
        return None;
    }
    Some((package, format))
}

/// Downloads the base and makes a patch from it. The error explains why there is no patch.
async fn patch(
    plan: &UploadPlan,
    (file, (package, format)): (&LocalFile, &(Package, PatchFormat)),
    base: &PatchBase<'_>,
    (folder, options): (&Path, &PatchOptions),
    until: Instant,
) -> Result<(LocalFile, PatchEntry), String> {
    if base.length > options.patch_max_size * MIB {
        return Err(format!(
            "the older file is larger than {} MiB (--patch-max-size)",
            options.patch_max_size
        ));
    }
    let name = file.name.parse::<FileName>().and_then(|name| name.of_patch(&base.version));
    let name = String::from(name.map_err(|_| "its name would be too long".to_owned())?);
    let download = tokio::time::timeout_at(until.into(), base::download(plan, base, folder)).await;
    let downloaded = download.map_err(|_| TIME_IS_OVER)?.map_err(|error| error.brief())?;
    let path = folder.join(&name);
    let comparison = Comparison::begin(&plan.progress, (&file.name, file.length), &base.version, until);
    let made = compare(*format, [&downloaded, &file.path, &path], comparison).await;
    let _ = std::fs::remove_file(&downloaded);
    let made = made?;
    let percent = made.length * 100 / file.length.max(1);
    let text = format!("{} of {}, {percent} %", bytes(made.length), bytes(file.length));
    if percent > options.patch_max_percent.into() {
        return Err(format!("it would save too little ({text})"));
    }
    plan.progress.print(&format!("{}: patch from {} ({text})", file.name, base.version));
    let entry = PatchEntry {
        name: name.clone(),
        package: package.to_string(),
        format: format.to_string(),
        base_version: base.version.clone(),
        base_sha256: made.base_sha256,
    };
    Ok((LocalFile { path, name, length: made.length }, entry))
}

/// Why a patch was not ready.
const TIME_IS_OVER: &str = "the time for patches is over (--patch-max-minutes)";

/// Writes the patch from the first file to the second into the third.
async fn compare(format: PatchFormat, files: [&Path; 3], comparison: Comparison) -> Result<Diff, String> {
    let make = match format {
        PatchFormat::BidiffBrotli => diff::make,
        PatchFormat::BinaryDelta => binary_delta::make,
    };
    let [base, new, patch] = files.map(Path::to_owned);
    let made = tokio::task::spawn_blocking(move || {
        let made = make(&base, &new, &patch, &comparison);
        comparison.end();
        made
    });
    let said =
        |error: io::Error| if Cancelled::is(&error) { TIME_IS_OVER.to_owned() } else { error.to_string() };
    made.await.map_err(|error| error.to_string())?.map_err(said)
}
