use super::*;
use crate::{DimensionKind, Id, PlatformUpdater, PlatformUpdaters, Target, Updater};

const KINDS: [DimensionKind; 3] = [DimensionKind::Channel, DimensionKind::Platform, DimensionKind::Arch];

fn id(text: &str) -> Id {
    Id::from_text(text)
}

fn value(name: &str) -> DimensionItem {
    DimensionItem {
        id: id(name),
        name: name.to_owned(),
        is_default: false,
        updaters: None,
        includes: Vec::new(),
    }
}

fn platform(name: &str, updaters: &[Updater]) -> DimensionItem {
    let entry =
        |(place, updater): (usize, &Updater)| PlatformUpdater { updater: *updater, default: place == 0 };
    let updaters = updaters.iter().enumerate().map(entry).collect();
    DimensionItem { updaters: Some(PlatformUpdaters::new(updaters).unwrap()), ..value(name) }
}

/// `channel/platform/arch`; `-` for none.
fn publication(place: &str, updaters: &[Updater]) -> PublishedScope {
    let ids: Vec<Option<Id>> = place.split('/').map(|name| (name != "-").then(|| id(name))).collect();
    let [channel_id, platform_id, arch_id] = ids.try_into().unwrap();
    let target = Target { channel_id, platform_id, arch_id };
    PublishedScope { app: id("notes"), target, updaters: updaters.iter().copied().collect() }
}

fn copies(place: &str, devices: u64) -> InstalledCopies {
    let names: Vec<String> = place.split('/').map(|name| name.trim_matches('-').to_owned()).collect();
    InstalledCopies { app: id("notes"), names: names.try_into().unwrap(), updater: None, devices }
}

/// `notes` is on offer in `stable` and in no channel, both for `linux` and `amd64`.
fn supply() -> Supply {
    Supply {
        channels: vec![value("stable"), value("beta")],
        platforms: vec![platform("linux", &[Updater::Manual]), platform("windows", &[Updater::Manual])],
        archs: vec![value("amd64")],
        published: vec![
            publication("stable/linux/amd64", &[Updater::Manual]),
            publication("-/linux/amd64", &[Updater::Manual]),
        ],
    }
}

fn renamed(supply: &Supply, kind: DimensionKind, name: &str) -> CatalogChange<'static> {
    let all = [&supply.channels, &supply.platforms, &supply.archs];
    let old = all.into_iter().flatten().find(|value| value.name == name).unwrap();
    changed(kind, DimensionItem { name: "new".to_owned(), ..old.clone() })
}

fn changed(kind: DimensionKind, to: DimensionItem) -> CatalogChange<'static> {
    let id: &'static Id = Box::leak(Box::new(to.id.clone()));
    CatalogChange::Item { kind, id, to: Some(to) }
}

/// The number of devices that a change cuts off.
fn devices(supply: &Supply, change: &CatalogChange<'_>, seen: &[InstalledCopies]) -> u64 {
    cut_off(supply, change, KnownCopies::Counted(seen))
        .map_or(0, |cut| cut.devices.expect("they are counted"))
}

#[test]
fn a_rename_cuts_off_copies_that_send_the_old_name() {
    let supply = supply();
    let seen = [copies("stable/linux/amd64", 3), copies("beta/linux/amd64", 5), copies("-/linux/amd64", 7)];
    for (kind, name, expected) in [
        (DimensionKind::Channel, "stable", 3),
        (DimensionKind::Channel, "beta", 5),
        (DimensionKind::Platform, "linux", 15),
        (DimensionKind::Platform, "windows", 0),
        (DimensionKind::Arch, "amd64", 15),
    ] {
        assert_eq!(devices(&supply, &renamed(&supply, kind, name), &seen), expected, "{name}");
        let gone = id(name);
        let deleted = CatalogChange::Item { kind, id: &gone, to: None };
        assert_eq!(devices(&supply, &deleted, &seen), expected, "{name} deleted");
    }
}

#[test]
fn applications_and_owners_take_all_with_them() {
    let other = InstalledCopies { app: id("other"), ..copies("stable/linux/amd64", 2) };
    let seen = [copies("gone/linux/amd64", 1), copies("stable/linux/amd64", 3), other];
    assert_eq!(devices(&supply(), &CatalogChange::App(&id("notes")), &seen), 4);
    assert_eq!(devices(&supply(), &CatalogChange::App(&id("other")), &seen), 2);
    assert_eq!(devices(&supply(), &CatalogChange::Owner, &seen), 6);
    assert_eq!(cut_off(&supply(), &CatalogChange::Owner, KnownCopies::Counted(&[])), None);
}

#[test]
fn copies_that_were_cut_off_before_are_not_cut_off_again() {
    let supply = supply();
    let seen = [copies("gone/linux/amd64", 9)];
    for kind in KINDS {
        let name = ["stable", "linux", "amd64"][kind as usize];
        assert_eq!(devices(&supply, &renamed(&supply, kind, name), &seen), 0, "{name}");
    }
}

#[test]
fn defaults_are_for_copies_that_name_none() {
    let without = supply();
    let seen = [copies("stable/linux/amd64", 3), copies("-/linux/amd64", 7)];
    let default = |name: &str, is_default| DimensionItem { is_default, ..value(name) };
    let mark = |supply: &Supply, name, is_default| {
        devices(supply, &changed(DimensionKind::Channel, default(name, is_default)), &seen)
    };
    assert_eq!(mark(&without, "stable", true), 0, "something is published there");
    assert_eq!(mark(&without, "beta", true), 7, "nothing is published there");
    let with = Supply { channels: vec![default("stable", true), value("beta")], ..without };
    assert_eq!(mark(&with, "stable", false), 0, "they get what has no channel");
    assert_eq!(mark(&with, "beta", true), 7);
    let alone = Supply { published: with.published[..1].to_vec(), ..with };
    assert_eq!(mark(&alone, "stable", false), 7, "they would have to name a channel");
    assert_eq!(
        devices(&alone, &renamed(&alone, DimensionKind::Channel, "stable"), &seen),
        3,
        "a name does not matter"
    );
}

#[test]
fn included_channels_are_offered_too() {
    let mut supply = supply();
    supply.channels[1].includes = vec![id("stable")];
    let seen = [copies("-/linux/amd64", 7)];
    let beta = DimensionItem { is_default: true, ..supply.channels[1].clone() };
    assert_eq!(devices(&supply, &changed(DimensionKind::Channel, beta), &seen), 0);
}

#[test]
fn removing_an_updater_cuts_off_copies_that_may_use_it() {
    use Updater::{ElectronBuilder, Manual, SquirrelWindows, Tauri};
    let seen = [copies("stable/linux/amd64", 3)];
    for (had, has, published, expected) in [
        (&[Manual][..], &[ElectronBuilder][..], &[Manual][..], Some(Some(3))),
        (&[Manual, Tauri], &[Manual], &[Manual], None),
        (&[Manual, Tauri], &[Manual], &[Manual, Tauri], Some(Some(3))),
        (&[Manual], &[Manual, Tauri], &[Manual], None),
        (&[Manual, Tauri], &[Tauri, Manual], &[Manual], Some(Some(3))),
        (&[ElectronBuilder, Manual], &[ElectronBuilder], &[ElectronBuilder], None),
        (&[Tauri, Manual], &[Tauri], &[Tauri], Some(Some(3))),
    ] {
        let mut supply = supply();
        supply.platforms[0] = platform("linux", had);
        supply.published = vec![publication("stable/linux/amd64", published)];
        let change = changed(DimensionKind::Platform, platform("linux", has));
        let cut = cut_off(&supply, &change, KnownCopies::Counted(&seen));
        assert_eq!(cut.map(|cut| cut.devices), expected, "{had:?} to {has:?} with {published:?}");
    }
    let mut supply = supply();
    supply.platforms[0] = platform("linux", &[Manual, SquirrelWindows]);
    supply.published = vec![publication("stable/linux/amd64", &[SquirrelWindows])];
    let change = changed(DimensionKind::Platform, platform("linux", &[Manual]));
    let silent = cut_off(&supply, &change, KnownCopies::Counted(&[]));
    assert_eq!(silent, Some(CutOff { devices: None }), "its copies send no device");
    supply.published.push(publication("-/linux/amd64", &[SquirrelWindows]));
    let beta = DimensionItem { is_default: true, ..value("beta") };
    let marked = cut_off(&supply, &changed(DimensionKind::Channel, beta), KnownCopies::Counted(&[]));
    assert_eq!(marked, None, "they name `default`, which is not the default channel");
    assert_eq!(
        cut_off(&supply, &CatalogChange::Owner, KnownCopies::Counted(&[])),
        Some(CutOff { devices: None })
    );
}

#[test]
fn where_nothing_is_counted_releases_stand_for_copies() {
    let supply = supply();
    let uncounted = |change: &CatalogChange<'_>| cut_off(&supply, change, KnownCopies::Uncounted).is_some();
    for (kind, name, expected) in [
        (DimensionKind::Channel, "stable", true),
        (DimensionKind::Channel, "beta", false),
        (DimensionKind::Platform, "linux", true),
        (DimensionKind::Platform, "windows", false),
    ] {
        assert_eq!(uncounted(&renamed(&supply, kind, name)), expected, "{name}");
    }
    assert!(uncounted(&CatalogChange::App(&id("notes"))) && !uncounted(&CatalogChange::App(&id("other"))));
    let beta = DimensionItem { is_default: true, ..value("beta") };
    assert!(uncounted(&changed(DimensionKind::Channel, beta)), "copies that name no channel");
    let gone = Supply { published: vec![publication("stable/linux/amd64", &[])], ..supply.clone() };
    assert_eq!(
        cut_off(&gone, &CatalogChange::Owner, KnownCopies::Uncounted),
        None,
        "nothing is on offer any more"
    );
}
