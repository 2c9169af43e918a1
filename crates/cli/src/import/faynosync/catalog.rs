//! Compares applications, channels, platforms and architectures.

use spindrift_api::{AppData, AppEntry, ArchBody, ChannelBody, PlatformBody, Switch, UpdaterBody};
use spindrift_core::{
    AppName, ArchName, ChannelName, DownloadMode, PlatformName, PlatformUpdater, PlatformUpdaters, Updater,
};

use super::inventory::{Inventory, MAX_LISTED};
use super::item::{ImportItem, ItemKind, ItemOutcome};
use super::link::FileLink;
use super::service_data::ServiceData;
use super::wire::{FaynoSyncApp, FaynoSyncPlatform};
use super::work::{ItemWork, NewApp, NewKey, PlannedItem};

/// Why an item with an invalid name is refused.
const BAD_NAME: &str = "its name is not allowed here";
/// The note about lists that may be incomplete.
const TRUNCATED: &str = "the old server lists no more than 100 of them, so there may be others";

/// Plans everything that releases refer to. It comes before the releases.
pub(super) fn plan(inventory: &Inventory, here: &ServiceData, of_private: DownloadMode) -> Vec<PlannedItem> {
    let mut all = Vec::new();
    all.extend(inventory.channels.iter().map(|channel| {
        let name = &channel.name;
        let is_here = here.channels.iter().any(|entry| entry.channel_name == *name);
        let work =
            || ItemWork::Channel(ChannelBody { channel: Some(name.clone()), ..ChannelBody::default() });
        plan_named_item(ItemKind::Channel, name, is_here, name.parse::<ChannelName>().is_ok(), work)
    }));
    all.extend(inventory.platforms.iter().map(|platform| plan_platform(platform, here)));
    all.extend(inventory.archs.iter().map(|arch| {
        let name = &arch.name;
        let is_here = here.archs.iter().any(|entry| entry.arch_name == *name);
        let work = || ItemWork::Architecture(ArchBody { arch: Some(name.clone()), ..ArchBody::default() });
        plan_named_item(ItemKind::Architecture, name, is_here, name.parse::<ArchName>().is_ok(), work)
    }));
    for (kind, count) in [
        (ItemKind::Channel, inventory.channels.len()),
        (ItemKind::Platform, inventory.platforms.len()),
        (ItemKind::Architecture, inventory.archs.len()),
        (ItemKind::Application, inventory.all_apps.len()),
    ] {
        if count >= MAX_LISTED {
            all.push(PlannedItem::without_work(
                ImportItem::new(kind, "(others)", ItemOutcome::Refused).with_reason(TRUNCATED),
            ));
        }
    }
    for (app, _) in &inventory.apps {
        all.push(plan_app(app, here, of_private));
        all.extend(plan_key(app, inventory, here));
    }
    all
}

fn plan_named_item(
    kind: ItemKind,
    name: &str,
    is_here: bool,
    is_name: bool,
    work: impl FnOnce() -> ItemWork,
) -> PlannedItem {
    match (is_here, is_name) {
        (true, _) => PlannedItem::without_work(ImportItem::new(kind, name, ItemOutcome::Same)),
        (false, true) => PlannedItem::with_work(ImportItem::new(kind, name, ItemOutcome::Create), work()),
        (false, false) => {
            PlannedItem::without_work(ImportItem::new(kind, name, ItemOutcome::Refused).with_reason(BAD_NAME))
        }
    }
}

/// The updaters of a platform; only `manual` if the old server lists none. `Err`: why this service
/// cannot have them.
pub(super) fn updaters(listed: &[UpdaterBody]) -> Result<PlatformUpdaters, String> {
    let entry = |body: &UpdaterBody| {
        let updater: Updater = body.updater.parse().map_err(|_| format!("no updater `{}`", body.updater))?;
        Ok(PlatformUpdater { updater, default: body.default })
    };
    let entries = listed.iter().map(entry).collect::<Result<Vec<_>, String>>()?;
    PlatformUpdaters::new(entries).map_err(|error| error.to_string())
}

fn plan_platform(platform: &FaynoSyncPlatform, here: &ServiceData) -> PlannedItem {
    let name = &platform.name;
    let item = |outcome| ImportItem::new(ItemKind::Platform, name, outcome);
    let wanted = match updaters(&platform.updaters) {
        Ok(wanted) => wanted,
        Err(why) => return PlannedItem::without_work(item(ItemOutcome::Refused).with_reason(why)),
    };
    if let Some(entry) = here.platforms.iter().find(|entry| entry.platform_name == *name) {
        let is_same = updaters(&entry.updaters).is_ok_and(|updaters| are_equal(&updaters, &wanted));
        let conflict = || item(ItemOutcome::Conflict).with_reason("its updaters differ");
        return PlannedItem::without_work(if is_same { item(ItemOutcome::Same) } else { conflict() });
    }
    if name.parse::<PlatformName>().is_err() {
        return PlannedItem::without_work(item(ItemOutcome::Refused).with_reason(BAD_NAME));
    }
    let entry = |entry: &PlatformUpdater| UpdaterBody {
        updater: entry.updater.as_str().to_owned(),
        default: entry.default,
    };
    let updaters = Some(wanted.entries().iter().map(entry).collect());
    let body = PlatformBody { platform: Some(name.clone()), updaters, ..PlatformBody::default() };
    PlannedItem::with_work(
        item(ItemOutcome::Create).with_result(updaters_text(&wanted)),
        ItemWork::Platform(body),
    )
}

/// The updaters as text, the default first.
fn updaters_text(updaters: &PlatformUpdaters) -> String {
    let default = updaters.default_updater();
    let others = updaters.entries().iter().map(|entry| entry.updater).filter(|updater| *updater != default);
    let names: Vec<&str> = std::iter::once(default).chain(others).map(Updater::as_str).collect();
    format!("for {}", names.join(", "))
}

/// Whether both have the same updaters, in any order, and the same default.
fn are_equal(a: &PlatformUpdaters, b: &PlatformUpdaters) -> bool {
    a.default_updater() == b.default_updater()
        && a.entries().len() == b.entries().len()
        && a.entries().iter().all(|entry| b.has(entry.updater))
}

/// `of_private`: the download mode of private applications on the old server.
fn plan_app(app: &FaynoSyncApp, here: &ServiceData, of_private: DownloadMode) -> PlannedItem {
    let item = |outcome| ImportItem::new(ItemKind::Application, &app.name, outcome);
    if let Some(entry) = here.apps.iter().find(|entry| entry.app_name == app.name) {
        let differing = differences(app, of_private, entry);
        return PlannedItem::without_work(if differing.is_empty() {
            item(ItemOutcome::Same)
        } else {
            item(ItemOutcome::Conflict).with_reason(format!("it differs in {}", differing.join(", ")))
        });
    }
    if app.name.parse::<AppName>().is_err() {
        return PlannedItem::without_work(item(ItemOutcome::Refused).with_reason(BAD_NAME));
    }
    let switch = |on: bool| Some(Switch(on));
    let data = AppData {
        app: Some(app.name.clone()),
        description: Some(app.description.clone()),
        private: switch(app.private),
        tuf: switch(app.tuf),
        reports: switch(app.reports),
        cdn: switch(app.cdn_edge),
        download_mode: app.private.then(|| of_private.to_string()),
        ..AppData::default()
    };
    let logo = FileLink::parse(&app.logo).ok();
    let becomes =
        if app.private { format!("private, download_mode {of_private}") } else { "public".to_owned() };
    let mut item = item(ItemOutcome::Create).with_result(becomes);
    if app.tuf {
        item = item
            .with_reason("its signed metadata stays behind: run `spindrift trust init --adopt` afterwards");
    }
    PlannedItem::with_work(item, ItemWork::Application(Box::new(NewApp { data, logo })))
}

fn differences(app: &FaynoSyncApp, of_private: DownloadMode, entry: &AppEntry) -> Vec<&'static str> {
    let is_as_open = !app.private || entry.download_mode == of_private.to_string();
    [
        ("description", app.description == entry.description),
        ("private", app.private == entry.private),
        ("tuf", app.tuf == entry.tuf),
        ("reports", app.reports == entry.reports),
        ("cdn", app.cdn_edge == entry.cdn_edge),
        ("download_mode", is_as_open),
    ]
    .into_iter()
    .filter_map(|(what, is_same)| (!is_same).then_some(what))
    .collect()
}

/// The key with which installed copies report failures. A key that this service generated is
/// replaced, unless something was published with it.
fn plan_key(app: &FaynoSyncApp, inventory: &Inventory, here: &ServiceData) -> Option<PlannedItem> {
    let key = inventory.report_keys.iter().find(|key| key.app_name == app.name && app.reports)?;
    let item = |outcome| ImportItem::new(ItemKind::ReportKey, &app.name, outcome);
    let known = here.report_keys.iter().find(|known| known.app_name == app.name);
    Some(match known {
        Some(known) if known.key_value == key.key_value.expose() => {
            PlannedItem::without_work(item(ItemOutcome::Same))
        }
        Some(_) if here.has_releases(&app.name) => PlannedItem::without_work(
            item(ItemOutcome::Conflict).with_reason("copies that were published here have another key"),
        ),
        _ => {
            let new = NewKey { app: app.name.clone(), key: key.key_value.clone() };
            let item = item(ItemOutcome::Create).with_result("the same key");
            let replaced = "it replaces the key of this service, with which nothing was published";
            let item = if known.is_some() { item.with_reason(replaced) } else { item };
            PlannedItem::with_work(item, ItemWork::ReportKey(new))
        }
    })
}
