//! Groups of a release's files that are uploaded together: for one platform, architecture and
//! updater.

use spindrift_api::{ArtifactEntry, ReleaseData, ReleaseEntry};
use spindrift_core::{
    AppName, FeedName, FileName, Packages, PlatformUpdaters, Updater, Version, artifact_path, check_upload,
    naming_updater,
};

use super::catalog::updaters;
use super::inventory::Inventory;
use super::item::{ImportItem, ItemKind, ItemOutcome};
use super::link::FileLink;
use super::service_data::ServiceData;
use super::signatures::Signatures;
use super::wire::{FaynoSyncApp, FaynoSyncRelease};
use super::work::{FilePair, ItemWork, PlannedItem, PlannedUpload, RemoteFeed, RemoteFile};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UploadGroupKey {
    /// Empty for an unused dimension, like `arch`.
    pub(super) platform: String,
    pub(super) arch: String,
    /// `None`: the old server's storage has no folder of its own for the updater.
    pub(super) updater: Option<Updater>,
}

/// A group and its release.
pub(super) struct UploadGroup<'a> {
    pub(super) app: &'a FaynoSyncApp,
    pub(super) name: &'a AppName,
    pub(super) release: &'a FaynoSyncRelease,
    pub(super) version: &'a Version,
    /// The release, if this service has it.
    pub(super) known: Option<&'a ReleaseEntry>,
    /// The release's part of the upload's metadata.
    pub(super) data: &'a ReleaseData,
    pub(super) key: UploadGroupKey,
    pub(super) files: Vec<RemoteFile>,
}

/// The updater of an upload, and the signature that it needs.
struct UpdaterChoice<'a> {
    updater: Updater,
    signature: Option<&'a str>,
    /// Whether the platform is for Tauri's updater, but the old server does not return the
    /// signature.
    lacks_signature: bool,
}

/// For files that were imported, or will be, without a signature.
const UNSIGNED: &str = "without signatures for Tauri: the old server does not tell them";
/// For files that were imported without a signature, which is available now.
const SIGNED_NOW: &str =
    "without the signature for Tauri that the old server now tells: delete them here, and run this again";

/// The files of a group: those that this service has, and those that it lacks.
struct SplitFiles {
    pairs: Vec<FilePair>,
    /// Whether some files were imported without the signature for Tauri's updater.
    is_unsigned: bool,
    missing: Vec<RemoteFile>,
}

impl UploadGroup<'_> {
    fn item(&self, updater: Updater, outcome: ItemOutcome) -> ImportItem {
        let UploadGroupKey { platform, arch, .. } = &self.key;
        let place: Vec<&str> =
            [platform.as_str(), arch.as_str()].into_iter().filter(|p| !p.is_empty()).collect();
        let place = if place.is_empty() { String::new() } else { format!(" {}", place.join("/")) };
        let name = format!("{} {}{place} ({updater})", self.app.name, self.release.version);
        ImportItem::new(ItemKind::Files, name, outcome)
    }
}

/// Plans the work for a group: compares the files that exist, and uploads the others.
pub(super) fn plan_group(
    inventory: &Inventory,
    here: &ServiceData,
    signatures: &Signatures,
    group: &UploadGroup<'_>,
) -> Vec<PlannedItem> {
    let platform = inventory.platforms.iter().find(|platform| platform.name == group.key.platform);
    let listed = platform.and_then(|platform| updaters(&platform.updaters).ok()).unwrap_or_default();
    let choice = choose(group, &listed, signatures);
    let refused = |why: &str| {
        vec![PlannedItem::without_work(group.item(choice.updater, ItemOutcome::Refused).with_reason(why))]
    };
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
    let scope = here.scope(group.name, &group.release.channel, &group.key.platform, &group.key.arch);
    let naming = naming_updater(choice.updater, feeds.iter().map(|feed| &feed.name));
    let name_here = |file: &RemoteFile| {
        let key = artifact_path(naming, &scope, group.version, &file.name, &file.name.package());
        key.rsplit('/').next().unwrap_or_default().to_owned()
    };
    let SplitFiles { pairs, is_unsigned, missing } = split(group, files, name_here);
    let mut all = Vec::new();
    let names_here = pairs.iter().map(|pair| pair.name.clone()).collect();
    if !pairs.is_empty() {
        let item = group.item(choice.updater, ItemOutcome::Same);
        let item = match choice.signature {
            Some(_) if is_unsigned => item.with_reason(SIGNED_NOW),
            None if is_unsigned && choice.lacks_signature => item.with_reason(UNSIGNED),
            _ => item,
        };
        all.push(PlannedItem::ToCompare(item, pairs));
    }
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(name_here).collect();
        all.push(upload(group, (&choice, &listed), &names, missing, feeds, names_here));
    }
    all
}

fn choose<'a>(
    group: &UploadGroup<'_>,
    listed: &PlatformUpdaters,
    signatures: &'a Signatures,
) -> UpdaterChoice<'a> {
    let plain = if listed.has(Updater::Manual) { Updater::Manual } else { listed.default_updater() };
    if let Some(updater) = group.key.updater {
        return UpdaterChoice { updater, signature: None, lacks_signature: false };
    }
    if let Some(signature) = group.files.iter().find_map(|file| signatures.of(&file.link)) {
        return UpdaterChoice { updater: Updater::Tauri, signature: Some(signature), lacks_signature: false };
    }
    UpdaterChoice { updater: plain, signature: None, lacks_signature: listed.has(Updater::Tauri) }
}

/// `name_here`: the last part of a file's key.
fn split(
    group: &UploadGroup<'_>,
    files: Vec<RemoteFile>,
    name_here: impl Fn(&RemoteFile) -> String,
) -> SplitFiles {
    let UploadGroupKey { platform, arch, .. } = &group.key;
    let stored: Vec<(String, &ArtifactEntry)> = group
        .known
        .into_iter()
        .flat_map(|known| &known.artifacts)
        .filter(|artifact| artifact.platform == *platform && artifact.arch == *arch)
        .filter_map(|artifact| Some((FileLink::parse(&artifact.link).ok()?.last_segment(), artifact)))
        .collect();
    let mut split = SplitFiles { pairs: Vec::new(), is_unsigned: false, missing: Vec::new() };
    for file in files {
        let name = name_here(&file);
        match stored.iter().find(|(stored, _)| *stored == name) {
            Some((_, artifact)) => {
                split.is_unsigned |= !artifact.has_signature;
                split.pairs.push(FilePair { name: file.name, old: file.link, size: artifact.size });
            }
            None => split.missing.push(file),
        }
    }
    split
}

/// An upload that follows the rules of the service. Reading its feed will show whether that lists
/// the files. `names`: the names of the files on this service.
fn upload(
    group: &UploadGroup<'_>,
    (choice, listed): (&UpdaterChoice<'_>, &PlatformUpdaters),
    names: &[String],
    files: Vec<RemoteFile>,
    feeds: Vec<RemoteFile>,
    here: Vec<FileName>,
) -> PlannedItem {
    let file_names: Vec<&FileName> = files.iter().map(|file| &file.name).collect();
    let feed_names =
        feeds.iter().filter_map(|feed| FeedName::try_from(feed.name.clone()).ok()).collect::<Vec<_>>();
    let checked = check_upload(&spindrift_core::Upload {
        updater: choice.updater,
        private: group.app.private,
        signed: choice.signature.is_some(),
        files: &file_names,
        feeds: &feed_names,
        packages: &Packages::default(),
        platform: listed,
    });
    if let Err(error) = checked {
        return PlannedItem::without_work(
            group.item(choice.updater, ItemOutcome::Refused).with_reason(error.to_string()),
        );
    }
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let data = ReleaseData {
        platform: given(&group.key.platform),
        arch: given(&group.key.arch),
        updater: Some(choice.updater.as_str().to_owned()),
        signature: choice.signature.map(str::to_owned),
        ..group.data.clone()
    };
    let becomes = becomes(group.data, names, &feeds);
    let item = group.item(choice.updater, ItemOutcome::Create).with_result(becomes);
    let item = if choice.lacks_signature { item.with_reason(UNSIGNED) } else { item };
    let feeds = feeds.into_iter().map(|file| RemoteFeed { file, bytes: [].into() }).collect();
    PlannedItem::with_work(item, ItemWork::Upload(Box::new(PlannedUpload { data, files, feeds, here })))
}

/// Describes the release and its files as they will be on this service.
fn becomes(data: &ReleaseData, names: &[String], feeds: &[RemoteFile]) -> String {
    let date =
        data.created_at.as_deref().map(|date| format!(" of {}", date.split('T').next().unwrap_or(date)));
    let state = if data.publish { "published" } else { "draft" };
    let rollout =
        data.rollout.filter(|percent| !percent.0.is_all()).map(|percent| format!(" to {percent} %"));
    let feeds: Vec<&str> = feeds.iter().map(|feed| feed.name.as_str()).collect();
    let feeds = if feeds.is_empty() { String::new() } else { format!(" with {}", feeds.join(", ")) };
    let (date, rollout) = (date.unwrap_or_default(), rollout.unwrap_or_default());
    format!("{}{date}, {state}{rollout}: {}{feeds}", data.version, names.join(", "))
}
