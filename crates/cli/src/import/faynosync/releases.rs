//! Compares releases, and sorts their files into uploads.

use std::collections::BTreeMap;

use spindrift_api::{Percentage, ReleaseData, ReleaseEntry};
use spindrift_core::{AppName, BasisPoints, Updater, Version};

use super::dates::first_published;
use super::group::{Group, GroupKey, plan_group};
use super::here::Here;
use super::inventory::Inventory;
use super::item::{Item, Kind, Outcome};
use super::link::{Link, Place};
use super::signatures::Signatures;
use super::wire::{App, Artifact, Release};
use super::work::{Planned, RemoteFile};

/// The context in which a release is compared.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) inventory: &'a Inventory,
    pub(super) here: &'a Here,
    /// The admin's name on the old server.
    pub(super) old_owner: &'a str,
    pub(super) signatures: &'a Signatures,
}

/// Plans the releases of an application, oldest first, so that clients are never offered a release
/// before its predecessors exist.
pub(super) fn plan(scene: Scene<'_>, app: &App, releases: &[Release]) -> Vec<Planned> {
    let mut all = Vec::new();
    // This service cannot have the application, so it has no releases of it.
    let Ok(name) = app.name.parse::<AppName>() else { return all };
    let mut versions = Vec::new();
    for release in releases {
        match release.version.parse::<Version>() {
            Ok(version) => versions.push((version, release)),
            Err(_) => all.push(refused(app, release, "its version is not valid here")),
        }
    }
    versions.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut last: Option<(&Version, &Release)> = None;
    for (version, release) in &versions {
        if let Some((_, same)) = last.filter(|(earlier, _)| *earlier == version) {
            let why = format!("{} is the same version here", same.version);
            all.push(refused(app, release, &why));
        } else {
            last = Some((version, release));
            all.extend(plan_release(scene, app, &name, version, release));
        }
    }
    all
}

fn item(app: &App, release: &Release, outcome: Outcome) -> Item {
    Item::new(Kind::Release, format!("{} {}", app.name, release.version), outcome)
}

fn refused(app: &App, release: &Release, why: &str) -> Planned {
    Planned::settled(item(app, release, Outcome::Refused).because(why))
}

fn plan_release(
    scene: Scene<'_>,
    app: &App,
    name: &AppName,
    version: &Version,
    release: &Release,
) -> Vec<Planned> {
    if release.channel.is_empty() && !scene.inventory.channels.is_empty() {
        return vec![refused(
            app,
            release,
            "it has no channel, which is needed as soon as there are channels",
        )];
    }
    let rollout = u8::try_from(release.rollout_percent.unwrap_or(100)).ok().filter(|percent| *percent <= 100);
    let Some(rollout) = rollout else {
        return vec![refused(app, release, "its rollout is not a percentage")];
    };
    let data = ReleaseData {
        app_name: app.name.clone(),
        version: version.as_str().to_owned(),
        channel: given(&release.channel),
        publish: release.published,
        critical: release.critical,
        intermediate: release.intermediate,
        rollout: Some(Percentage(BasisPoints::from_percent(rollout))),
        changelog: given(&changelog(release)),
        created_at: first_published(release),
        ..ReleaseData::default()
    };
    let known = scene.here.releases.get(&app.name).into_iter().flatten();
    let known = known.into_iter().find(|entry| entry.version.parse::<Version>().is_ok_and(|v| v == *version));
    let differing = known.map(|entry| differences(&data, entry)).unwrap_or_default();
    if !differing.is_empty() {
        let why = format!("it differs in {}", differing.join(", "));
        return vec![Planned::settled(item(app, release, Outcome::Conflict).because(why))];
    }
    let (groups, mut all) = sort(scene, app, release);
    if groups.is_empty() && all.is_empty() {
        return vec![refused(app, release, "it has no files")];
    }
    for (key, files) in groups {
        let group = Group { app, name, release, version, known, data: &data, key, files };
        all.extend(plan_group(scene.inventory, scene.here, scene.signatures, &group));
    }
    all
}

/// The text, unless it is empty.
fn given(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn changelog(release: &Release) -> String {
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
fn sort(
    scene: Scene<'_>,
    app: &App,
    release: &Release,
) -> (BTreeMap<GroupKey, Vec<RemoteFile>>, Vec<Planned>) {
    let (mut groups, mut refused) = (BTreeMap::<GroupKey, Vec<RemoteFile>>::new(), Vec::new());
    // A release that lost its files still lists an artifact without a link.
    for artifact in release.artifacts.iter().filter(|artifact| !artifact.link.is_empty()) {
        match read(scene, app, release, artifact) {
            Ok((updater, file)) => {
                let key =
                    GroupKey { platform: artifact.platform.clone(), arch: artifact.arch.clone(), updater };
                groups.entry(key).or_default().push(file);
            }
            Err(why) => {
                let name = format!("{} {} {}", app.name, release.version, artifact.link);
                refused.push(Planned::settled(Item::new(Kind::Files, name, Outcome::Refused).because(why)));
            }
        }
    }
    (groups, refused)
}

fn read(
    scene: Scene<'_>,
    app: &App,
    release: &Release,
    artifact: &Artifact,
) -> Result<(Option<Updater>, RemoteFile), &'static str> {
    let link = Link::parse(&artifact.link).map_err(|_| "its link is not an address")?;
    let place = Place {
        owner: scene.old_owner,
        app: &app.name,
        version: &release.version,
        platform: &artifact.platform,
        arch: &artifact.arch,
    };
    let name = link.file_name(&place).map_err(|_| "its link does not end in a file name")?;
    Ok((link.updater(&place), RemoteFile { name, link }))
}
