//! Compares releases, and sorts their files into uploads.

use std::collections::BTreeMap;

use spindrift_api::{Percentage, ReleaseData, ReleaseEntry};
use spindrift_core::{AppName, BasisPoints, Updater, Version};

use super::dates::first_published;
use super::group::{UploadGroup, UploadGroupKey, plan_group};
use super::inventory::Inventory;
use super::item::{ImportItem, ItemKind, ItemOutcome};
use super::link::{FileLink, FolderNames};
use super::service_data::ServiceData;
use super::signatures::Signatures;
use super::wire::{FaynoSyncApp, FaynoSyncArtifact, FaynoSyncRelease};
use super::work::{PlannedItem, RemoteFile};

/// The context in which a release is compared.
#[derive(Clone, Copy)]
pub(super) struct ImportContext<'a> {
    pub(super) inventory: &'a Inventory,
    pub(super) here: &'a ServiceData,
    /// The admin's name on the old server.
    pub(super) old_owner: &'a str,
    pub(super) signatures: &'a Signatures,
}

/// Plans the releases of an application, oldest first, so that clients are never offered a release
/// before its predecessors exist.
pub(super) fn plan(
    context: ImportContext<'_>,
    app: &FaynoSyncApp,
    releases: &[FaynoSyncRelease],
) -> Vec<PlannedItem> {
    let mut all = Vec::new();
    // This service cannot have the application, so it has no releases of it.
    let Ok(name) = app.name.parse::<AppName>() else { return all };
    let mut versions = Vec::new();
    for release in releases {
        match release.version.parse::<Version>() {
            Ok(version) => versions.push((version, release)),
            Err(_) => all.push(refused_item(app, release, "its version is not valid here")),
        }
    }
    versions.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut last: Option<(&Version, &FaynoSyncRelease)> = None;
    for (version, release) in &versions {
        if let Some((_, same)) = last.filter(|(earlier, _)| *earlier == version) {
            let why = format!("{} is the same version here", same.version);
            all.push(refused_item(app, release, &why));
        } else {
            last = Some((version, release));
            all.extend(plan_release(context, app, &name, version, release));
        }
    }
    all
}

fn item(app: &FaynoSyncApp, release: &FaynoSyncRelease, outcome: ItemOutcome) -> ImportItem {
    ImportItem::new(ItemKind::Release, format!("{} {}", app.name, release.version), outcome)
}

fn refused_item(app: &FaynoSyncApp, release: &FaynoSyncRelease, why: &str) -> PlannedItem {
    PlannedItem::without_work(item(app, release, ItemOutcome::Refused).with_reason(why))
}

fn plan_release(
    context: ImportContext<'_>,
    app: &FaynoSyncApp,
    name: &AppName,
    version: &Version,
    release: &FaynoSyncRelease,
) -> Vec<PlannedItem> {
    if release.channel.is_empty() && !context.inventory.channels.is_empty() {
        return vec![refused_item(
            app,
            release,
            "it has no channel, which is needed as soon as there are channels",
        )];
    }
    let rollout = u8::try_from(release.rollout_percent.unwrap_or(100)).ok().filter(|percent| *percent <= 100);
    let Some(rollout) = rollout else {
        return vec![refused_item(app, release, "its rollout is not a percentage")];
    };
    let data = ReleaseData {
        app_name: app.name.clone(),
        version: version.as_str().to_owned(),
        channel: non_empty(&release.channel),
        publish: release.published,
        critical: release.critical,
        intermediate: release.intermediate,
        rollout: Some(Percentage(BasisPoints::from_percent(rollout))),
        changelog: non_empty(&changelog(release)),
        created_at: first_published(release),
        ..ReleaseData::default()
    };
    let known = context.here.releases.get(&app.name).into_iter().flatten();
    let known = known.into_iter().find(|entry| entry.version.parse::<Version>().is_ok_and(|v| v == *version));
    let differing = known.map(|entry| differences(&data, entry)).unwrap_or_default();
    if !differing.is_empty() {
        let why = format!("it differs in {}", differing.join(", "));
        return vec![PlannedItem::without_work(item(app, release, ItemOutcome::Conflict).with_reason(why))];
    }
    let (groups, mut all) = sort_files(context, app, release);
    if groups.is_empty() && all.is_empty() {
        return vec![refused_item(app, release, "it has no files")];
    }
    for (key, files) in groups {
        let group = UploadGroup { app, name, release, version, known, data: &data, key, files };
        all.extend(plan_group(context.inventory, context.here, context.signatures, &group));
    }
    all
}

/// The text, unless it is empty.
fn non_empty(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn changelog(release: &FaynoSyncRelease) -> String {
    let texts: Vec<&str> = release
        .changelog
        .iter()
        .map(|entry| entry.changes.as_str())
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n")
}

fn differences(data: &ReleaseData, entry: &ReleaseEntry) -> Vec<&'static str> {
    let notes = entry.changelog.first().map(|entry| entry.changes.as_str()).unwrap_or_default();
    [
        ("channel", data.channel.as_deref().unwrap_or_default() == entry.channel),
        ("published", data.publish == entry.published),
        ("critical", data.critical == entry.critical),
        ("intermediate", data.intermediate == entry.intermediate),
        ("rollout", data.rollout.map(|percent| percent.0.percent().into()) == Some(entry.rollout_percent)),
        ("changelog", data.changelog.as_deref().unwrap_or_default() == notes),
    ]
    .into_iter()
    .filter_map(|(what, is_same)| (!is_same).then_some(what))
    .collect()
}

/// The files of a release, sorted into uploads, and the files that cannot be uploaded.
fn sort_files(
    context: ImportContext<'_>,
    app: &FaynoSyncApp,
    release: &FaynoSyncRelease,
) -> (BTreeMap<UploadGroupKey, Vec<RemoteFile>>, Vec<PlannedItem>) {
    let (mut groups, mut refused) = (BTreeMap::<UploadGroupKey, Vec<RemoteFile>>::new(), Vec::new());
    // A release that lost its files still lists an artifact without a link.
    for artifact in release.artifacts.iter().filter(|artifact| !artifact.link.is_empty()) {
        match read_artifact(context, app, release, artifact) {
            Ok((updater, file)) => {
                let key = UploadGroupKey {
                    platform: artifact.platform.clone(),
                    arch: artifact.arch.clone(),
                    updater,
                };
                groups.entry(key).or_default().push(file);
            }
            Err(why) => {
                let name = format!("{} {} {}", app.name, release.version, artifact.link);
                refused.push(PlannedItem::without_work(
                    ImportItem::new(ItemKind::Files, name, ItemOutcome::Refused).with_reason(why),
                ));
            }
        }
    }
    (groups, refused)
}

fn read_artifact(
    context: ImportContext<'_>,
    app: &FaynoSyncApp,
    release: &FaynoSyncRelease,
    artifact: &FaynoSyncArtifact,
) -> Result<(Option<Updater>, RemoteFile), &'static str> {
    let link = FileLink::parse(&artifact.link).map_err(|_| "its link is not an address")?;
    let place = FolderNames {
        owner: context.old_owner,
        app: &app.name,
        version: &release.version,
        platform: &artifact.platform,
        arch: &artifact.arch,
    };
    let name = link.file_name(&place).map_err(|_| "its link does not end in a file name")?;
    Ok((link.updater(&place), RemoteFile { name, link }))
}
