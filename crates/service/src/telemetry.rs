//! Counting devices, after the response is sent.

pub mod gathered_sightings;
mod sighting;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use spindrift_core::{Day, DeviceHashKey, DownloadWay, Version};
use spindrift_db::device_hash_key as stored_key;
use spindrift_db::downloads::DownloadEvent;
use spindrift_db::telemetry::{self, LockWait};
use spindrift_db::{Database, SqlConn, SqlError};
use spindrift_settings::{DEVICE_HASH_KEY, TELEMETRY_ENABLED};
use spindrift_web::DeferredWork;

use crate::{Ports, ServiceError, log};

use gathered_sightings::RETRY_SECONDS;
use sighting::Countable;
pub use sighting::{DeviceSighting, device_hash_key};

/// Whether devices are counted.
pub fn is_enabled(ports: &impl Ports) -> Result<bool, ServiceError> {
    Ok(TELEMETRY_ENABLED.read(ports)?)
}

/// Maximum number of devices and downloads that one transaction counts.
const BATCH: usize = 8192;
/// Maximum number of devices and downloads that wait on one thread, which take some 25 MB. If they arrive
/// faster than the database can be written, the excess is not counted, and the log reports how many.
const MAX_WAITING: usize = 50_000;

thread_local! {
    /// Devices and downloads of all requests of the instance that wait to be counted together. They live as
    /// long as the instance.
    static WAITING: RefCell<Vec<Countable>> = const { RefCell::new(Vec::new()) };
    /// Whether a request of this thread is counting them.
    static IS_COUNTED: Cell<bool> = const { Cell::new(false) };
    /// How many found no room in [`WAITING`] since the last log line about that.
    static LOST: Cell<usize> = const { Cell::new(0) };
}

/// A download that a device reports: the version, and the way it was downloaded.
pub type ReportedDownload = (Version, DownloadWay);

/// Counts the device after the response is sent, together with those of other requests of the instance.
/// Failures are logged and do not affect the answer. `None`: devices are not counted.
pub fn count_after<P: Ports>(ports: &P, sighting: DeviceSighting) -> Option<DeferredWork> {
    count_with_download_after(ports, sighting, None)
}

/// Like [`count_after`], with a download that the device reports.
pub fn count_with_download_after<P: Ports>(
    ports: &P,
    sighting: DeviceSighting,
    download: Option<ReportedDownload>,
) -> Option<DeferredWork> {
    match is_enabled(ports) {
        Ok(true) => {}
        Ok(false) => return None,
        Err(failure) => {
            log_failure(1, &failure);
            return None;
        }
    }
    // An edge has no database, and the compiler leaves out what follows.
    if ports.is_edge() {
        return None;
    }
    let (ports, day) = (ports.clone(), Day::of(ports.now()));
    let download = download.map(|(version, way)| {
        Countable::Download(DownloadEvent { app_id: sighting.app_id.clone(), day, version, way })
    });
    let mut of_request = vec![Countable::Device(sighting, day)];
    of_request.extend(download);
    if !ports.is_reused() {
        return Some(Box::pin(async move { count_alone(&ports, of_request).await }));
    }
    let turn = enqueue(of_request)?;
    Some(Box::pin(async move { count_with_retries(&ports, turn).await }))
}

/// The turn to count everything that waits on this thread. Only one request at a time holds it; otherwise a
/// slow database would get ever more concurrent transactions.
struct Turn;

impl Turn {
    /// `None` if another request holds it.
    fn take() -> Option<Self> {
        // Built lazily: dropping a value that is not needed would give the turn back.
        (!IS_COUNTED.replace(true)).then(|| Self)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        IS_COUNTED.set(false);
    }
}

/// Queues the devices and downloads of a request. Returns the turn to count everything that waits, if no
/// other request holds it.
fn enqueue(of_request: Vec<Countable>) -> Option<Turn> {
    WAITING.with_borrow_mut(|waiting| {
        let room = MAX_WAITING.saturating_sub(waiting.len());
        LOST.set(LOST.get() + of_request.len().saturating_sub(room));
        waiting.extend(of_request.into_iter().take(room));
    });
    Turn::take()
}

/// Counts the device of an instance that may not get another request: leaves it to other instances, or else
/// writes it.
async fn count_alone(ports: &impl Ports, of_request: Vec<Countable>) {
    let kept = gathered_sightings::keep(ports, &of_request).await;
    if let Err(failure) = &kept {
        log::warn("a device is not gathered", failure);
    }
    if !kept.unwrap_or(false)
        && let Some(turn) = enqueue(of_request)
    {
        count_with_retries(ports, turn).await;
    }
}

/// Counts the devices that wait, again and again while the database is locked. An instance gathers devices
/// only if it has answered other requests: its host may give each request an instance of its own, which would
/// all wait for nothing.
async fn count_with_retries(ports: &impl Ports, _turn: Turn) {
    let mut started = ports.now();
    let mut gathers = ports.is_reused();
    loop {
        let others_wait = if gathers { ports.gather().await } else { ports.is_shared() };
        let lock_wait = if others_wait { LockWait::Short } else { LockWait::Long };
        if count_waiting(ports, lock_wait).await {
            if WAITING.with_borrow(Vec::is_empty) {
                return log_lost();
            }
            // More devices have arrived in the meantime, and others may follow.
            started = ports.now();
            gathers = ports.is_shared();
            continue;
        }
        if !started.is_within(ports.now(), RETRY_SECONDS) {
            return log_failure(WAITING.take().len(), &SqlError::Busy.into());
        }
        gathers = ports.is_shared();
    }
}

/// Counts the devices that wait, in batches. `false`: the database is locked, and they still wait.
async fn count_waiting(ports: &impl Ports, lock_wait: LockWait) -> bool {
    loop {
        let batch = next_batch();
        let is_last = batch.len() < BATCH;
        if !batch.is_empty() && !count_batch(ports, batch, lock_wait).await {
            return false;
        }
        if is_last {
            return true;
        }
    }
}

/// Takes the first devices that wait.
fn next_batch() -> Vec<Countable> {
    WAITING.with_borrow_mut(|queue| {
        let rest = queue.split_off(queue.len().min(BATCH));
        std::mem::replace(queue, rest)
    })
}

/// Counts a batch. `false`: the database is locked, and the batch waits again.
async fn count_batch(ports: &impl Ports, waiting: Vec<Countable>, lock_wait: LockWait) -> bool {
    let (waiting, counted) = ports
        .aside(move |ports| {
            let counted = count(ports, &waiting, lock_wait);
            (waiting, counted)
        })
        .await;
    match counted {
        Ok(()) => {}
        Err(ServiceError::Sql(SqlError::Busy)) => {
            WAITING.with_borrow_mut(|queue| queue.extend(waiting));
            return false;
        }
        Err(failure) => log_failure(waiting.len(), &failure),
    }
    true
}

/// Runs one statement, or a transaction if there are downloads. A connection that is new to the instance
/// takes one or two more statements, and a key that the service has generated itself takes another one. The
/// schema is checked only if a table turns out to be missing.
fn count<P: Ports>(ports: &P, waiting: &[Countable], lock_wait: LockWait) -> Result<(), ServiceError> {
    match write(ports, &Database::connect(ports)?, waiting, lock_wait) {
        Err(ServiceError::Sql(SqlError::Schema(_))) => {
            write(ports, &spindrift_db::open(ports, ports.now())?, waiting, lock_wait)
        }
        result => result,
    }
}

fn write(
    ports: &impl Ports,
    conn: &impl SqlConn,
    waiting: &[Countable],
    lock_wait: LockWait,
) -> Result<(), ServiceError> {
    let key = hash_key(ports, conn)?;
    let (mut sightings, mut downloads) = (Vec::new(), Vec::new());
    for countable in waiting {
        match countable {
            Countable::Device(sighting, day) => sightings.extend(sighting.to_sighting(&key, *day)),
            Countable::Download(download) => downloads.push(download.clone()),
        }
    }
    if sightings.is_empty() && downloads.is_empty() {
        return Ok(());
    }
    Ok(telemetry::count(conn, &sightings, &downloads, lock_wait)?)
}

/// The key from the settings, or else the service's own, which is generated on first use.
fn hash_key(ports: &impl Ports, conn: &impl SqlConn) -> Result<Arc<DeviceHashKey>, ServiceError> {
    if let Some(key) = ports.remembered(DEVICE_HASH_KEY.row.name) {
        return Ok(key);
    }
    let key = match device_hash_key(ports)? {
        Some(key) => key,
        None => match stored_key::load(conn)? {
            Some(key) => key,
            None => stored_key::keep_first(conn, &DeviceHashKey::generate(ports.random_bytes()))?,
        },
    };
    let key = Arc::new(key);
    ports.remember(DEVICE_HASH_KEY.row.name, key.expose().len(), &key);
    Ok(key)
}

fn log_lost() {
    let lost = LOST.take();
    if lost > 0 {
        log::warn("devices were not counted", &format!("{lost} devices and downloads: too many waited"));
    }
}

fn log_failure(lost: usize, error: &ServiceError) {
    log::warn("devices were not counted", &format!("{lost} devices and downloads: {error}"));
}
