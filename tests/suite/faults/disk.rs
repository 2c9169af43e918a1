//! Files that cannot be written, or not be read.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;
use spindrift_tests::{Account, Client, DATABASE_FILE, Driver, HostProcess, Processes, Release, World};

use crate::telemetry::BEACON;

const PROGRAM: &str = env!("CARGO_BIN_EXE_host-under-test");
/// The place in the header of a database of the version that a writer needs. 2: write-ahead logs; more: no current
/// program.
const WRITE_VERSION_AT: u64 = 18;

/// A program that starts the host so that a write beyond the limit of a file's size fails, and kills nobody.
fn patient_host(folder: &Path) -> PathBuf {
    let script = folder.join("host");
    std::fs::write(&script, format!("#!/bin/sh\ntrap '' XFSZ\nexec '{PROGRAM}' \"$@\"\n")).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    script
}

/// Sets how large files may be that a host writes, in bytes; `None`: as large as they like.
fn limit_files(host: u32, bytes: Option<u64>) {
    for id in Processes::under(host).ids() {
        let process = Pid::from_raw((*id).try_into().unwrap());
        let _before = prlimit(process, Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
    }
}

/// Folder in a small file system, which the test of Spin fills. It has to be that of temporary files (`TMPDIR`) too.
const SMALL_DISK: &str = "SPINDRIFT_TEST_SMALL_DISK";

/// The disk below a host.
enum Disk {
    /// One that the test fills with a file.
    Small(PathBuf),
    /// That of the host, which may write no byte more: which SQLite takes for another failure than a full disk.
    Limited(u32),
}

impl Disk {
    fn below(host: u32) -> Self {
        match std::env::var_os(SMALL_DISK) {
            Some(folder) => Self::Small(Path::new(&folder).join("filling")),
            None => Self::Limited(host),
        }
    }

    fn fill(&self) {
        match self {
            Self::Small(path) => {
                let mut file = File::create(path).unwrap();
                let mut piece = vec![7; 1 << 20];
                while !piece.is_empty() {
                    if file.write_all(&piece).is_err() {
                        piece.truncate(piece.len() / 2);
                    }
                }
            }
            Self::Limited(host) => limit_files(*host, Some(0)),
        }
    }

    fn free(&self) {
        match self {
            Self::Small(path) => std::fs::remove_file(path).unwrap(),
            Self::Limited(host) => limit_files(*host, None),
        }
    }
}

/// Calls that change something, to load all code that a test needs: that takes memory which counts as a file.
fn load_code(acme: &Account, id: &str) {
    let _ = acme.edit(id, json!({ "critical": false })).expect(200);
    let _ = acme.post("/maintenance/run").send().expect(200);
    let beacon = acme.get(BEACON).header("x-device-id", "c").send();
    assert_eq!(beacon.status, 204);
}

/// The requests of installed copies and of their publisher.
fn assert_is_read(host: &HostProcess, acme: &Account, version: &str) {
    let check = acme.check("0.1");
    assert_eq!(check["version"], version);
    let link = check["update_url_deb"].as_str().unwrap();
    assert_eq!(Client::new("").get(link).send().expect(200).text(), format!("notes {version}"));
    let latest = host.client().get("/apps/latest?app_name=notes&owner=acme").send();
    assert_eq!(latest.status, 302);
    assert_eq!(acme.releases()[0].version, version);
}

/// Nothing was lost, and the files are whole.
fn assert_is_whole(host: &HostProcess) {
    let database = Connection::open(host.database_path()).unwrap();
    let said: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(said, "ok");
}

#[test]
fn a_full_disk() {
    let (state, scripts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let program = patient_host(scripts.path());
    let program = program.to_str().unwrap();
    let mut host = HostProcess::start(program, state.path());
    let acme = host.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let id = acme.release("1.0.0").id.to_string();
    let staged = acme.stage(&Release::new("2.0.0").published());
    let begun = acme.begin(&Release::new("3.0.0").published());
    assert_is_read(&host, &acme, "1.0.0");
    load_code(&acme, &id);

    limit_files(host.id(), Some(0));
    assert_is_read(&host, &acme, "1.0.0");
    assert_eq!(acme.edit(&id, json!({ "critical": true })).refusal().0, 503);
    assert_eq!(acme.complete(&staged).refusal().0, 503);
    assert!(begun.files[0].send().status >= 500, "the storage is full as well");
    assert_eq!(acme.post("/maintenance/run").send().refusal().0, 503);
    let beacon = host.client().get(BEACON).header("x-device-id", "d").send();
    assert_eq!(beacon.status, 204);
    assert_is_read(&host, &acme, "1.0.0");

    limit_files(host.id(), None);
    let _ = acme.edit(&id, json!({ "critical": true })).expect(200);
    assert_eq!(acme.check("0.1")["critical"], true);
    let _ = acme.complete(&staged).expect(200);
    assert_is_read(&host, &acme, "2.0.0");
    begun.send_all();
    let _ = acme.complete(&begun).expect(200);
    host = host.killed_and_restarted(program);
    assert_is_read(&host, &acme, "3.0.0");
    assert_is_whole(&host);
    let _ = acme.post("/maintenance/run").send().expect(200);
}

/// Spin keeps its key-value file open, and opens the database for each request.
#[test]
fn a_full_disk_below_spin() {
    spindrift_tests::run(Driver::Spin, |host| {
        let world = World::builder(host);
        if world.are_stores_shared() {
            println!("skipped: the stores are servers");
            return;
        }
        let world = world.start();
        let acme = world.admin("acme").with_notes();
        acme.publish(Release::new("1.0.0"));
        let id = acme.release("1.0.0").id.to_string();
        let staged = acme.stage(&Release::new("2.0.0").published());
        assert_eq!(acme.check("0.1")["version"], "1.0.0");
        load_code(&acme, &id);
        let disk = Disk::below(world.host_process().unwrap());

        disk.fill();
        assert_eq!(acme.check("0.1")["version"], "1.0.0");
        assert_eq!(acme.edit(&id, json!({ "critical": true })).refusal().0, 503);
        assert_eq!(acme.complete(&staged).refusal().0, 503);
        assert_eq!(acme.post("/maintenance/run").send().refusal().0, 503);
        let beacon = world.client().get(BEACON).header("x-device-id", "d").send();
        assert_eq!(beacon.status, 204);
        let read = acme.get("/search").send().status;
        assert!(read == 200 || read == 503, "{read}");
        assert_eq!(acme.check("0.1")["version"], "1.0.0");

        disk.free();
        let _ = acme.edit(&id, json!({ "critical": true })).expect(200);
        let _ = acme.complete(&staged).expect(200);
        assert_eq!(acme.check("0.1")["version"], "2.0.0");
        let _ = acme.post("/maintenance/run").send().expect(200);
        let said: String =
            world.database().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(said, "ok");
    });
}

/// Sets whether a database may be written: by its header, because permissions do not hold for root.
fn let_write(file: &Path, may: bool) {
    let database = Connection::open(file).unwrap();
    let moved: i64 = database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
    assert_eq!(moved, 0, "nobody reads now");
    drop(database);
    let header = std::fs::OpenOptions::new().write(true).open(file).unwrap();
    header.write_all_at(&[if may { 2 } else { 3 }], WRITE_VERSION_AT).unwrap();
}

#[test]
fn a_database_that_nobody_may_write() {
    let state = tempfile::tempdir().unwrap();
    let host = HostProcess::start(PROGRAM, state.path());
    let acme = host.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let id = acme.release("1.0.0").id.to_string();
    let staged = acme.stage(&Release::new("2.0.0").published());
    let killed = host.killed();
    let_write(&state.path().join(DATABASE_FILE), false);

    let host = killed.start_again(PROGRAM);
    assert_is_read(&host, &acme, "1.0.0");
    assert_eq!(acme.edit(&id, json!({ "critical": true })).refusal().0, 503);
    assert_eq!(acme.complete(&staged).refusal().0, 503);
    assert_eq!(acme.post("/maintenance/run").send().refusal().0, 503);
    assert_is_read(&host, &acme, "1.0.0");

    let killed = host.killed();
    let_write(&state.path().join(DATABASE_FILE), true);
    let host = killed.start_again(PROGRAM);
    let _ = acme.complete(&staged).expect(200);
    assert_is_read(&host, &acme, "2.0.0");
    assert_is_whole(&host);
}
