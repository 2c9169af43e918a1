//! The largest list.

use std::time::Instant;

use serde_json::json;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Account, Driver, Release, World};

use crate::figure::{figure, part};
use spindrift_tests::Processes;

const OWNER: &str = "bench";
/// Architectures, releases, and packages of a release for an architecture.
const LISTED: [usize; 3] = [40, 20, 10];

/// Prints the cost of making it current.
pub(crate) fn report(host: Driver) -> anyhow::Result<()> {
    let world = World::builder(host).in_memory().start();
    let account = world.admin(OWNER);
    let targets = record(&world, &account)?;
    part(&format!("A list of {} targets", targets.len()));
    let publisher = Publisher::new(&account, "notes");
    let _ = publisher.start(Some(&publisher.list(&[]))).expect(202);
    for (what, count) in [
        ("all of them are new", targets.len()),
        ("one is gone", targets.len() - 1),
        ("one is new", targets.len()),
    ] {
        let list = publisher.list(&targets[..count]);
        let kib = list.to_string().len() / 1024;
        // The server and the storage are in this process.
        let processes = world.host_process().map_or_else(Processes::this, Processes::under);
        let before = processes.reset_peak().and_then(|()| processes.memory_kib());
        let start = Instant::now();
        let _ = publisher.send("metadata", json!({ "metadata": { "targets": list } })).expect(200);
        let seconds = start.elapsed().as_secs_f64();
        let growth =
            processes.peak_kib().zip(before).map(|(peak, before)| peak.saturating_sub(before) / 1024);
        let growth = growth.map_or_else(|| "?".to_owned(), |mib| mib.to_string());
        let measured = format!("{seconds:.2} s, +{growth} MiB; the list: {kib} KiB");
        figure(&format!("committed: {what}"), measured, "5 s, 64 MiB");
    }
    Ok(())
}

/// Records the files: one of each release is uploaded, and the database gets the others as copies of that
/// one.
fn record(world: &World, account: &Account) -> anyhow::Result<Vec<TestTarget>> {
    let [archs, releases, packages] = LISTED;
    account.create_app_with(json!({ "app": "notes", "tuf": true }));
    account.create_channel("stable");
    account.create_platform("linux");
    for arch in 0..archs {
        account.create_arch(&format!("arch-{arch:02}"));
    }
    let mut targets = Vec::new();
    for release in 0..releases {
        let version = format!("1.{release}.0");
        let bytes = format!("notes {version}");
        let upload = Release::empty(&version).with("arch", "arch-00").file("notes.p0", bytes.clone());
        account.upload(&upload.with_digests().published());
        for number in 0..archs * packages {
            let (arch, package) =
                (format!("arch-{:02}", number / packages), format!("p{}", number % packages));
            let key = format!("{OWNER}/notes/stable/linux/{arch}/notes-{version}.{package}");
            let custom = json!({
                "arch": arch, "channel": "stable", "package": package, "platform": "linux",
                "repository": format!("{OWNER}/notes"), "version": version,
            });
            targets.push(TestTarget::new(&key, bytes.as_bytes(), custom));
        }
    }
    let copies = format!(
        "WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < {packages} - 1) \
         INSERT INTO artifacts (id, release_id, app_id, platform_id, arch_id, package, slot, updater, file_name, \
          bucket, storage_key, size, md5, sha256, sha512, signature, created_at, listing, digests_verified) \
         SELECT x.id || '-' || h.name || '-' || n, x.release_id, x.app_id, x.platform_id, h.id, 'p' || n, 'p' || n, \
          x.updater, 'notes.p' || n, x.bucket, '{OWNER}/notes/stable/linux/' || h.name || '/notes-' || r.version || '.p' || n, \
          x.size, x.md5, x.sha256, x.sha512, x.signature, x.created_at, x.listing, x.digests_verified \
         FROM artifacts x JOIN releases r ON r.id = x.release_id, archs h, n WHERE h.name <> 'arch-00' OR n > 0"
    );
    world.database().execute(&copies, [])?;
    Ok(targets)
}
