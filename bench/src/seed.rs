//! Creates a database with applications and releases. It does not use the service, because this is not
//! measured.

use std::path::Path;

use anyhow::Context as _;
use serde_json::json;
use spindrift_core::{
    AdmittedGroups, App, AppFlags, Artifact, BasisPoints, Course, CuredVersions, GroupDevice, GroupKey, Id,
    MAX_GROUP_DEVICES, MAX_PLAN_STEPS, Plan, PlatformUpdater, PlatformUpdaters, Release, ReleaseFlags,
    StoredObject, Target, Timestamp, Updater, User, Visibility,
};
use spindrift_db::changes::{self, Change, Subject};
use spindrift_db::device_groups::{self, DeviceGroup};
use spindrift_db::dimensions::{DimensionRow, Kind};
use spindrift_db::edits;
use spindrift_db::{Audit, SqlConn, SqlError, SqlFailure, apps, artifacts, dimensions, releases, users};
use spindrift_native::NativePlatform;
use spindrift_tests::DATABASE_FILE;

/// The application with a release that uses all conditions.
const CONTROLLED: &str = "app-controlled";
/// The signature of each file for Tauri. The bench does not verify it.
pub(crate) const SIGNATURE: &str = "signature";

/// The scope of the n-th application, as a query.
fn scope(app: u32) -> String {
    format!("app_name=app-{app}&owner=bench&channel=stable&platform=linux&arch=amd64")
}

/// Path and query of an update check for a release with a long plan and with groups.
pub(crate) fn controlled_path() -> String {
    check_path(0).replace("app_name=app-0&", &format!("app_name={CONTROLLED}&"))
}

/// Path of the same check's answer, without a query.
pub(crate) fn static_path(app: u32) -> String {
    format!("/responses/bench/app-{app}/stable/linux/amd64/0.5.0.json")
}

/// Path and query of a copy that says it runs.
pub(crate) fn beacon_path(app: u32) -> String {
    format!("/telemetry/beacon?{}&version=0.5.0", scope(app))
}

/// Path of a feed, as Tauri's updater asks for it.
pub(crate) fn feed_path(app: u32) -> String {
    format!("/update/bench/app-{app}/stable/linux/amd64/0.5.0/tauri.json")
}

/// Path and query for the newest build.
pub(crate) fn latest_path(app: u32) -> String {
    format!("/apps/latest?{}&package=deb", scope(app))
}

/// Path and query of an update check for the n-th application.
pub(crate) fn check_path(app: u32) -> String {
    format!("/checkVersion?{}&version=0.5.0", scope(app))
}

/// Writes the database of a host that has not been started into its state folder.
pub(crate) fn seed(folder: &Path, apps: u32, releases: u32) -> anyhow::Result<()> {
    let platform = NativePlatform::new(folder);
    let now = Timestamp::from_millis(1_800_000_000_000);
    let conn = spindrift_db::open(&platform, now)?;
    let mut ids = Ids { next: 0, now };
    let owner = User { id: ids.next(), name: "bench".parse()?, team: None };
    edits::commit(&conn, &owner.id, ids.now, |conn| {
        Ok::<_, SqlError>((users::insert(conn, &owner, "", ids.now)?, Audit::Consequence))
    })?;
    let (subject, now) = (Subject::Owner(&owner.id), ids.now);
    changes::commit(&conn, &owner.id, subject, now, |conn| {
        insert_all(conn, &mut ids, &owner.id, (apps, releases)).map_err(RolledBack)?;
        Ok(((), Audit::Consequence))
    })
    .map_err(|RolledBack(error)| error)?;
    // The last connection puts everything into one file.
    drop(conn);
    Ok(std::fs::rename(platform.database_path(), folder.join(DATABASE_FILE))?)
}

struct Ids {
    next: u32,
    now: Timestamp,
}

impl Ids {
    fn next(&mut self) -> Id {
        self.next += 1;
        let mut random = [0; 10];
        random[6..].copy_from_slice(&self.next.to_be_bytes());
        Id::generate(self.now, random)
    }
}

/// Why the transaction was rolled back.
struct RolledBack(anyhow::Error);

impl From<SqlError> for RolledBack {
    fn from(error: SqlError) -> Self {
        Self(error.into())
    }
}

impl SqlFailure for RolledBack {
    fn sql_error(&self) -> Option<&SqlError> {
        self.0.downcast_ref()
    }
}

fn insert_all(
    conn: &Change<'_, impl SqlConn>,
    ids: &mut Ids,
    owner: &Id,
    (apps, releases): (u32, u32),
) -> anyhow::Result<()> {
    let target = target(conn, ids, owner)?;
    for number in 0..apps {
        let app = app(conn, ids, owner, &format!("app-{number}"))?;
        (0..releases).try_for_each(|minor| release(conn, ids, owner, (&app, &target), minor, Ok))?;
    }
    controlled(conn, ids, owner, &target, releases)
}

/// An application whose newest release uses everything that decides who gets it: the longest plan, and groups
/// with many devices.
fn controlled(
    conn: &Change<'_, impl SqlConn>,
    ids: &mut Ids,
    owner: &Id,
    target: &Target,
    releases: u32,
) -> anyhow::Result<()> {
    let app = app(conn, ids, owner, CONTROLLED)?;
    for (number, name) in ["qa", "friends"].into_iter().enumerate() {
        let key = GroupKey::from_digest(&[u8::try_from(number)?; 16]).context("a digest")?;
        let group = DeviceGroup {
            id: ids.next(),
            app_id: app.id.clone(),
            app: app.name.clone(),
            name: name.parse()?,
            devices: 0,
            created_at: ids.now,
        };
        device_groups::insert(conn, owner, &group, &key)?;
        let devices = (0..MAX_GROUP_DEVICES).map(|n| GroupDevice::of(&app.id, &format!("{name}-{n}")));
        device_groups::change_devices(conn, &group.id, &devices.collect::<Vec<_>>(), &[])?;
    }
    let last = MAX_PLAN_STEPS - 1;
    let steps = (0..last).map(|step| format!("{}:90d", step + 1)).chain(["100".to_owned()]);
    let plan: Plan = steps.collect::<Vec<_>>().join(",").parse()?;
    let admitted_groups = AdmittedGroups::from_json(&json!(["qa", "friends"]))?;
    for minor in 0..releases {
        let is_newest = minor + 1 == releases;
        release(conn, ids, owner, (&app, target), minor, |release| {
            if !is_newest {
                return Ok(release);
            }
            let rollout = Course::planned(plan.clone(), "seed".to_owned()).with_visibility(true, now());
            Ok(Release { rollout, admitted_groups: admitted_groups.clone(), ..release })
        })?;
    }
    Ok(())
}

/// The plan begins with the measurement.
fn now() -> Timestamp {
    Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
}

fn target(conn: &Change<'_, impl SqlConn>, ids: &mut Ids, owner: &Id) -> anyhow::Result<Target> {
    let tauri = PlatformUpdater { updater: Updater::Tauri, default: false };
    let updaters = PlatformUpdaters::default().with(&[tauri], &[])?;
    let mut defined = Vec::new();
    for (kind, name) in [(Kind::Channel, "stable"), (Kind::Platform, "linux"), (Kind::Arch, "amd64")] {
        let entry = DimensionRow {
            id: ids.next(),
            name: name.to_owned(),
            updaters: (kind == Kind::Platform).then(|| updaters.clone()),
            is_default: false,
            updated_at: ids.now,
        };
        dimensions::insert(conn, kind, owner, &entry)?;
        defined.push(entry.id);
    }
    let mut defined = defined.into_iter();
    Ok(Target { channel_id: defined.next(), platform_id: defined.next(), arch_id: defined.next() })
}

fn app(conn: &Change<'_, impl SqlConn>, ids: &mut Ids, owner: &Id, name: &str) -> anyhow::Result<App> {
    let app = App {
        id: ids.next(),
        name: name.parse()?,
        description: String::new(),
        logo_key: String::new(),
        flags: AppFlags::default(),
        download_mode: None,
        get_page: spindrift_core::GetPage::default(),
        require_publisher: false,
        updated_at: ids.now,
    };
    apps::insert(conn, owner, &app)?;
    Ok(app)
}

/// A release for everybody, or as it is `changed`.
fn release(
    conn: &Change<'_, impl SqlConn>,
    ids: &mut Ids,
    owner: &Id,
    (app, target): (&App, &Target),
    minor: u32,
    changed: impl FnOnce(Release) -> anyhow::Result<Release>,
) -> anyhow::Result<()> {
    let version = format!("1.{minor}.0");
    let release = changed(Release {
        id: ids.next(),
        app_id: app.id.clone(),
        version: version.parse()?,
        channel_id: target.channel_id.clone(),
        is_promoted: false,
        flags: ReleaseFlags { published: true, critical: minor % 7 == 3, intermediate: false },
        rollout: Course::fixed(BasisPoints::ALL, "seed".to_owned()),
        publish_at: None,
        planned_at: None,
        withdrawal: None,
        offered_at: Some(ids.now),
        admitted_groups: AdmittedGroups::default(),
        cures: CuredVersions::default(),
        guard: None,
        round_at: Some(ids.now),
        revision: 1,
        changelog: "A few fixes, and a little that is new.".to_owned(),
    })?;
    releases::insert(conn, owner, &release, ids.now, ids.now)?;
    for package in ["deb", "rpm", "appimage"] {
        let artifact = artifact(ids.next(), app, &version, package, ids.now)?;
        artifacts::insert(conn, &release.id, &app.id, target, &artifact)?;
    }
    let bundle = Artifact {
        updater: Updater::Tauri,
        signature: Some(SIGNATURE.to_owned()),
        ..artifact(ids.next(), app, &version, "app.tar.gz", ids.now)?
    };
    artifacts::insert(conn, &release.id, &app.id, target, &bundle)?;
    Ok(())
}

fn artifact(id: Id, app: &App, version: &str, package: &str, now: Timestamp) -> anyhow::Result<Artifact> {
    Ok(Artifact {
        id,
        package: package.parse()?,
        slot: package.to_owned(),
        updater: Updater::Manual,
        file_name: format!("{}.{package}", app.name).parse()?,
        object: StoredObject {
            bucket: Visibility::Public,
            key: format!("{}-bench/stable/linux/amd64/{}-{version}.{package}", app.name, app.name),
        },
        size: 1,
        md5: "d41d8cd98f00b204e9800998ecf8427e".to_owned(),
        sha256: None,
        sha512: None,
        are_digests_verified: false,
        signature: None,
        patch: None,
        built_by: None,
        created_at: now,
    })
}
