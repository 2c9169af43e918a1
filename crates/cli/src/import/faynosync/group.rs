//! Files of a release that are uploaded together: those for one platform, architecture and updater.

use spindrift_api::{ReleaseData, ReleaseEntry};
use spindrift_core::{
    AppName, FeedName, FileName, PlatformUpdaters, Updater, Version, artifact_path, check_upload,
};

use super::catalog::updaters;
use super::here::Here;
use super::inventory::Inventory;
use super::item::{Item, Kind, Outcome};
use super::link::Link;
use super::signatures::Signatures;
use super::wire::{App, Release};
use super::work::{Pair, Planned, RemoteFile, Upload, Work};

/// What the files of a group have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GroupKey {
    /// Empty for an unused dimension, like `arch`.
    pub(super) platform: String,
    pub(super) arch: String,
    /// `None`: one without a folder of its own in the old server's storage.
    pub(super) updater: Option<Updater>,
}

/// A group, and the release that it belongs to.
pub(super) struct Group<'a> {
    pub(super) app: &'a App,
    pub(super) name: &'a AppName,
    pub(super) release: &'a Release,
    pub(super) version: &'a Version,
    /// The release here.
    pub(super) known: Option<&'a ReleaseEntry>,
    /// The release's part of the upload's metadata.
    pub(super) data: &'a ReleaseData,
    pub(super) key: GroupKey,
    pub(super) files: Vec<RemoteFile>,
}

/// The updater of an upload, and what to know about it.
struct Choice<'a> {
    updater: Updater,
    signature: Option<&'a str>,
    note: Option<&'static str>,
}

impl Group<'_> {
    fn item(&self, updater: Updater, outcome: Outcome) -> Item {
        let GroupKey { platform, arch, .. } = &self.key;
        let place: Vec<&str> =
            [platform.as_str(), arch.as_str()].into_iter().filter(|p| !p.is_empty()).collect();
        let place = if place.is_empty() { String::new() } else { format!(" {}", place.join("/")) };
        let name = format!("{} {}{place} ({updater})", self.app.name, self.release.version);
        Item::new(Kind::Files, name, outcome)
    }
}

/// What is to be done for a group: comparing the files that are here, and uploading the others.
pub(super) fn plan_group(
    inventory: &Inventory,
    here: &Here,
    signatures: &Signatures,
    group: &Group<'_>,
) -> Vec<Planned> {
    let platform = inventory.platforms.iter().find(|platform| platform.name == group.key.platform);
    let listed = platform.and_then(|platform| updaters(&platform.updaters).ok()).unwrap_or_default();
    let choice = choose(group, &listed, signatures);
    let refused =
        |why: &str| vec![Planned::settled(group.item(choice.updater, Outcome::Refused).because(why))];
    for (name, all, what) in [
        (&group.key.platform, inventory.platforms.len(), "platform"),
        (&group.key.arch, inventory.archs.len(), "architecture"),
    ] {
        if name.is_empty() && all > 0 {
            return refused(&format!("they have no {what}, which is needed as soon as there is any"));
        }
    }
    if !listed.has(choice.updater) {
        return refused(
            "its platform does not list this updater: add it on the old server, and run this again",
        );
    }
    let (feeds, files): (Vec<RemoteFile>, Vec<RemoteFile>) =
        group.files.iter().cloned().partition(|file| file.name.is_feed());
    if files.is_empty() {
        return refused("there is a feed, and no file");
    }
    let (pairs, missing) = split(here, group, &choice, files);
    let mut all = Vec::new();
    if !pairs.is_empty() {
        all.push(Planned::to_do(group.item(choice.updater, Outcome::Same), Work::Compare(pairs)));
    }
    if !missing.is_empty() {
        all.push(upload(group, &choice, missing, feeds));
    }
    all
}

fn choose<'a>(group: &Group<'_>, listed: &PlatformUpdaters, signatures: &'a Signatures) -> Choice<'a> {
    let plain = if listed.has(Updater::Manual) { Updater::Manual } else { listed.default_updater() };
    if let Some(updater) = group.key.updater {
        return Choice { updater, signature: None, note: None };
    }
    if let Some(signature) = group.files.iter().find_map(|file| signatures.of(&file.link)) {
        return Choice { updater: Updater::Tauri, signature: Some(signature), note: None };
    }
    let note = listed
        .has(Updater::Tauri)
        .then_some("without signatures for Tauri: the old server does not tell them");
    Choice { updater: plain, signature: None, note }
}

/// The files that are here, and those that are not.
fn split(
    here: &Here,
    group: &Group<'_>,
    choice: &Choice<'_>,
    files: Vec<RemoteFile>,
) -> (Vec<Pair>, Vec<RemoteFile>) {
    let GroupKey { platform, arch, .. } = &group.key;
    let scope = here.scope(group.name, (&group.release.channel, platform, arch));
    let stored: Vec<Link> = group
        .known
        .into_iter()
        .flat_map(|known| &known.artifacts)
        .filter(|artifact| artifact.platform == *platform && artifact.arch == *arch)
        .filter_map(|artifact| Link::parse(&artifact.link).ok())
        .collect();
    let (mut pairs, mut missing) = (Vec::new(), Vec::new());
    for file in files {
        let key = artifact_path(choice.updater, &scope, group.version, &file.name);
        let name = key.rsplit('/').next().unwrap_or_default();
        match stored.iter().find(|link| link.last_segment() == name) {
            Some(link) => pairs.push(Pair { name: file.name, old: file.link, here: link.clone() }),
            None => missing.push(file),
        }
    }
    (pairs, missing)
}

/// An upload that follows the rules of the service. Whether its feed lists its files is seen when it is read.
fn upload(group: &Group<'_>, choice: &Choice<'_>, files: Vec<RemoteFile>, feeds: Vec<RemoteFile>) -> Planned {
    let names: Vec<&FileName> = files.iter().map(|file| &file.name).collect();
    let feed_names =
        feeds.iter().filter_map(|feed| FeedName::try_from(feed.name.clone()).ok()).collect::<Vec<_>>();
    let checked = check_upload(&spindrift_core::Upload {
        updater: choice.updater,
        private: group.app.private,
        signed: choice.signature.is_some(),
        files: &names,
        feeds: &feed_names,
    });
    if let Err(error) = checked {
        return Planned::settled(group.item(choice.updater, Outcome::Refused).because(error.to_string()));
    }
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let data = ReleaseData {
        platform: given(&group.key.platform),
        arch: given(&group.key.arch),
        updater: Some(choice.updater.as_str().to_owned()),
        signature: choice.signature.map(str::to_owned),
        ..group.data.clone()
    };
    let mut item = group.item(choice.updater, Outcome::Create);
    if let Some(note) = choice.note {
        item = item.because(note);
    }
    Planned::to_do(item, Work::Upload(Box::new(Upload { data, files, feeds })))
}
