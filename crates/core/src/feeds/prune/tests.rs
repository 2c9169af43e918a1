use crate::condition::testing::{random_conditions, some_clients, two_groups};
use crate::feeds::electron::{ElectronFile, ElectronInfo};
use crate::feeds::sparkle::{SparkleFeed, SparkleItem, SparkleItems};
use crate::feeds::squirrel::{PackageKind, SquirrelFeed, SquirrelPackage};
use crate::feeds::testing::{Numbers, device_in, random_rollout, scope, scope_record, some_times};
use crate::feeds::velopack::{VelopackAsset, VelopackAssetKind, VelopackFeed};
use crate::feeds::{FeedPart, MAX_DELTAS, NativeAnswer, NativeQuestion, ReleaseFeed, UpdaterRecord};
use crate::{
    BasisPoints, ClientFacts, Conditions, NO_CLIENT_FACTS, Rollout, Scope, ScopeRelease, Timestamp, Updater,
    Version, keep_critical,
};

/// Maximum size of a nightly channel's record, in bytes.
const NIGHTLY_MAX_BYTES: usize = 64 * 1024;
/// Length of the release notes, in characters.
const NOTES_LENGTH: usize = 500;

const UPDATERS: [Updater; 4] =
    [Updater::SquirrelWindows, Updater::Velopack, Updater::ElectronBuilder, Updater::Sparkle];

fn version(number: usize) -> Version {
    format!("1.0.{number}").parse().unwrap()
}

fn file_name(updater: Updater, number: usize, kind: &str) -> String {
    match updater {
        Updater::SquirrelWindows | Updater::Velopack => format!("Notes-1.0.{number}-{kind}.nupkg"),
        _ => format!("Notes-1.0.{number}.zip"),
    }
}

/// A feed with a delta from `base`. `notes` are used in formats that have notes.
fn feed(updater: Updater, number: usize, base: Option<usize>, notes: &str) -> ReleaseFeed {
    let kinds = ["full", "delta"].into_iter().take(if base.is_some() { 2 } else { 1 });
    match updater {
        Updater::SquirrelWindows => {
            let package = |kind| SquirrelPackage {
                file_name: file_name(updater, number, kind),
                sha1: "94689fede03fed7ab59c24337673a27837f0c3ec".into(),
                size: 80_000_000,
                kind: if kind == "full" { PackageKind::Full } else { PackageKind::Delta },
                package_id: "Notes".into(),
            };
            let packages = kinds.map(package).collect();
            ReleaseFeed::SquirrelWindows(SquirrelFeed { packages, delta_base: base.map(version) })
        }
        Updater::Velopack => {
            let asset = |kind| VelopackAsset {
                package_id: "Notes".into(),
                version: version(number).to_string(),
                kind: if kind == "full" { VelopackAssetKind::Full } else { VelopackAssetKind::Delta },
                file_name: file_name(updater, number, kind),
                sha1: "94689fede03fed7ab59c24337673a27837f0c3ec".into(),
                sha256: Some("a".repeat(64)),
                size: 80_000_000,
                notes_markdown: Some(notes.into()),
                notes_html: Some(format!("<p>{notes}</p>")),
            };
            let assets = kinds.map(asset).collect();
            ReleaseFeed::Velopack(VelopackFeed { assets, delta_base: base.map(version) })
        }
        Updater::ElectronBuilder => ReleaseFeed::ElectronBuilder(ElectronInfo {
            version: version(number).to_string(),
            files: vec![ElectronFile {
                file_name: file_name(updater, number, ""),
                sha512: "z".repeat(88),
                size: Some(80_000_000),
                block_map_size: Some(90_000),
                is_admin_rights_required: None,
            }],
            packages: Vec::new(),
            release_date: Some("2026-11-21T10:00:00.000Z".into()),
            release_name: None,
            release_notes: None,
            minimum_system_version: None,
        }),
        _ => {
            let system = number / 7;
            let xml = format!(
                "<item><title>{number}</title><s:minimumSystemVersion>{system}</s:minimumSystemVersion>{notes}</item>"
            );
            let items = vec![SparkleItem { xml, enclosures: Vec::new() }];
            ReleaseFeed::Sparkle(SparkleFeed::Items(SparkleItems { namespaces: Vec::new(), items }))
        }
    }
}

/// A release and its feed in one updater's format.
fn release(
    updater: Updater,
    number: usize,
    (rollout, intermediate): (Rollout, bool),
    base: Option<usize>,
    notes: &str,
) -> (ScopeRelease, Vec<FeedPart>) {
    let folder = "https://downloads.example.com/spindrift/squirrel_windows/notes-acme/nightly/windows/amd64";
    let feed = feed(updater, number, base, notes);
    let names = ["full", "delta"].map(|kind| file_name(updater, number, kind));
    let part = FeedPart {
        arch: Some("amd64".parse().unwrap()),
        // The feed's name changed at some point.
        feed_name: if number < 5 { "old.yml" } else { "latest.yml" }.parse().unwrap(),
        links: names.into_iter().map(|name| (name.clone(), format!("{folder}/{name}"))).collect(),
        feed,
    };
    let release = ScopeRelease {
        version: version(number),
        intermediate,
        rollout,
        changelog: notes.into(),
        released_at: Timestamp::from_millis(1000),
        artifacts: Vec::new(),
        conditions: Conditions::default(),
    };
    (release, vec![part])
}

/// Releases are given newest first.
fn record(
    all: impl IntoIterator<Item = (ScopeRelease, Vec<FeedPart>)>,
    critical: Vec<Version>,
) -> UpdaterRecord {
    let (releases, feeds) = all.into_iter().unzip();
    let scope = scope_record(releases, critical);
    UpdaterRecord { scope, feeds, feed_names: Vec::new() }
}

fn pruned(whole: &UpdaterRecord) -> UpdaterRecord {
    let mut pruned = whole.clone().pruned();
    pruned.scope.critical = keep_critical(pruned.scope.critical, &pruned.scope.releases);
    assert_eq!(pruned.scope.releases.len(), pruned.feeds.len());
    pruned
}

fn question<'a>(
    (updater, scope): (Updater, &'a Scope),
    client: &'a Version,
    (device, facts): (Option<&'a str>, &'a ClientFacts),
    at: Timestamp,
) -> NativeQuestion<'a> {
    NativeQuestion { updater, file: "latest-mac.yml", scope, client, device, bundle: None, facts, at }
}

fn percent(percent: u8) -> Rollout {
    Rollout::fixed(BasisPoints::from_percent(percent), "seed".into())
}

/// An answer without the lines of `RELEASES` about versions that the client has reached. At least
/// one of them must be present, but it does not matter which.
fn above(client: &Version, answer: NativeAnswer) -> NativeAnswer {
    let NativeAnswer::Body { content_type: content_type @ "text/plain; charset=utf-8", text } = answer else {
        return answer;
    };
    let is_above = |line: &&str| {
        let version = line.split("/Notes-").nth(1).and_then(|name| name.split('-').next());
        version.and_then(|version| version.parse::<Version>().ok()).is_none_or(|version| version > *client)
    };
    let lines: Vec<&str> = text.lines().filter(is_above).collect();
    NativeAnswer::Body { content_type, text: lines.join("\n") }
}

/// The newest release of random histories.
const NEWEST: usize = 40;

/// On average, one in `staged` releases is for a part of the devices, and one in `floors` is an
/// intermediate.
fn random_history(
    numbers: &mut Numbers,
    (updater, staged, floors): (Updater, usize, usize),
    has_conditions: bool,
) -> UpdaterRecord {
    let (mut critical, mut releases) = (Vec::new(), Vec::new());
    let present: Vec<_> = (1..=NEWEST).rev().filter(|_| numbers.below(12) > 0).collect();
    for number in present {
        let rollout = random_rollout(numbers, staged);
        let base = (numbers.below(9) > 0).then_some(number - 1);
        if numbers.below(5) == 0 {
            critical.push(version(number));
        }
        let is_floor = numbers.below(floors) == 0;
        let (mut release, parts) = release(updater, number, (rollout, is_floor), base, "notes");
        if has_conditions {
            release.conditions = random_conditions(numbers);
        }
        releases.push((release, parts));
    }
    let mut whole = record(releases, critical);
    whole.scope.groups = two_groups();
    whole
}

/// Pruning must not change any answer.
#[test]
fn a_pruned_record_answers_as_the_whole_history() {
    let mut numbers = Numbers(20_261_122);
    let devices = [None, Some(device_in(0..30)), Some(device_in(30..100))];
    let times: Vec<_> = some_times().collect();
    let clients = some_clients();
    let (scope, mut dropped) = (scope(), 0);
    for round in 0..60 {
        let (staged, floors) = (2 + round % 8, 3 + round % 20);
        let updater = UPDATERS[round % UPDATERS.len()];
        // Half of the histories have conditions.
        let whole = random_history(&mut numbers, (updater, staged, floors), round % 2 == 0);
        let kept = pruned(&whole);
        dropped += whole.scope.releases.len() - kept.scope.releases.len();
        for (client, device) in
            (0..=NEWEST + 1).flat_map(|n| devices.iter().map(move |device| (version(n), device)))
        {
            let at = *numbers.pick(&times);
            let facts = numbers.pick(&clients).clone();
            let question = question((updater, &scope), &client, (device.as_deref(), &facts), at);
            let about = format!("round {round} {updater} {client} {device:?} {facts:?} {at:?}");
            let (of_whole, of_kept) = (
                whole.decide(&client, question.asker(), &facts, at),
                kept.decide(&client, question.asker(), &facts, at),
            );
            let facts = |d: &crate::Decision<'_>| (d.update_available, d.critical, d.possible_rollback);
            assert_eq!(facts(&of_kept), facts(&of_whole), "{about}");
            let (of_whole_feed, of_kept_feed) = (whole.answer(&question), kept.answer(&question));
            if of_whole.update_available || round % 2 > 0 {
                assert_eq!(above(&client, of_kept_feed), above(&client, of_whole_feed), "{about}");
            } else {
                // The client's own release may be dropped, because the answer depends on facts that
                // the client does not report.
                let is_whole = |release: &ScopeRelease| !release.changelog.is_empty();
                let mut older = kept.scope.releases.iter().filter(|release| release.version <= client);
                let has_any = of_kept.release.is_some() && older.any(is_whole);
                assert!(!has_any || of_kept_feed != NativeAnswer::Nothing, "{about}");
            }
            // The files of the offered release can be found.
            let offered = of_whole.version().filter(|_| of_whole.update_available || round % 2 > 0);
            if let Some((offered, part)) =
                offered.and_then(|offered| Some((offered, whole.own_part(offered)?)))
            {
                let is_found = |name: &String| kept.link(offered, name) == whole.link(offered, name);
                assert!(part.links.keys().all(is_found), "{about}");
            }
        }
        for name in
            ["old.yml", "latest.yml"].into_iter().filter(|_| matches!(updater, Updater::ElectronBuilder))
        {
            assert_eq!(kept.has_feed_name(name), whole.has_feed_name(name));
        }
    }
    assert!(dropped > 500, "only {dropped} releases were dropped in all rounds");
}

#[test]
fn a_nightly_channel_stays_small() {
    let notes = "A line of what is new. ".repeat(NOTES_LENGTH / 23);
    for updater in UPDATERS {
        let releases = (1..=2000).rev().map(|number| {
            // The last three are being rolled out; every 500th is an intermediate.
            let rollout = percent(if number > 1997 { 20 } else { 100 });
            release(updater, number, (rollout, number % 500 == 0), Some(number - 1), &notes)
        });
        let kept = pruned(&record(releases, Vec::new()));
        let bytes = serde_json::to_vec(&kept).unwrap().len();
        if !matches!(updater, Updater::Sparkle) {
            assert!(bytes < NIGHTLY_MAX_BYTES, "{updater}: {bytes} bytes of {} releases", kept.feeds.len());
        }
        assert!(kept.scope.releases.len() < 1000, "{updater}: {}", kept.scope.releases.len());
    }
}

#[test]
fn clients_too_far_behind_take_the_full_package() {
    for updater in [Updater::SquirrelWindows, Updater::Velopack] {
        let releases = (1..=40)
            .rev()
            .map(|number| release(updater, number, (percent(100), false), Some(number - 1), ""));
        let kept = pruned(&record(releases, Vec::new()));
        let deltas = |client: usize| match kept.answer(&question(
            (updater, &scope()),
            &version(client),
            (None, &NO_CLIENT_FACTS),
            Timestamp::default(),
        )) {
            NativeAnswer::Body { text, .. } => text.matches("-delta.nupkg").count(),
            other => panic!("{other:?}"),
        };
        assert_eq!(deltas(39), 1);
        assert_eq!(deltas(40 - MAX_DELTAS), MAX_DELTAS, "{updater}");
        assert_eq!(deltas(40 - MAX_DELTAS - 1), 0, "{updater}");
        assert_eq!(kept.scope.releases.len(), MAX_DELTAS);
    }
}
