//! A device id, and failures that the application need not look for.

mod kept;
mod run;

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde_json::{Map, Value};
use spindrift_core::{EventType, Reason};

use self::kept::{Kept, KeptReport};
use self::run::{Run, rollback};
use crate::{CheckOptions, Client, Error, ReportKey};

/// The settings of a [`Kit`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct KitConfig {
    /// A folder of the application's own data, for this user. It is created if it is missing.
    pub folder: PathBuf,
    /// The application and its place. The kit adds the device id.
    pub options: CheckOptions,
    /// `None`: no failures are kept or sent.
    pub report_key: Option<ReportKey>,
    /// Whether the application calls [`Kit::started`]. Then a run that ends before counts as a failed start, and
    /// otherwise as a crash. Default `false`.
    pub says_when_started: bool,
}

impl KitConfig {
    /// The default settings. Without a report key, the kit only keeps a device id.
    pub fn new(folder: impl Into<PathBuf>, options: CheckOptions) -> Self {
        Self { folder: folder.into(), options, report_key: None, says_when_started: false }
    }

    /// Sets the report key.
    #[must_use]
    pub fn with_report_key(mut self, key: ReportKey) -> Self {
        self.report_key = Some(key);
        self
    }

    /// Sets whether the application says when it has started.
    #[must_use]
    pub fn with_start(mut self, says_when_started: bool) -> Self {
        self.says_when_started = says_when_started;
        self
    }
}

/// The status of a limit.
const TOO_MANY: u16 = 429;

/// Keeps a random device id, and notices crashes, failed starts and rollbacks.
///
/// A run begins with [`Kit::begin`] and ends when the kit is dropped. If the process ends in any other way, such
/// as a panic, a signal or [`std::process::exit`], the next run finds that out, and [`Kit::send`] reports it. So
/// keep the kit in `main`, and call [`Kit::exit`] before `std::process::exit`.
///
/// Nothing here fails or panics: if the folder cannot be used, there is an id for this run only, and nothing is
/// noticed. If another process of the application has the folder, only that one notices failures.
///
/// ```
/// use spindrift_client::{CheckOptions, Kit, KitConfig};
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path();
///
/// let options = CheckOptions::new("acme", "notes", "1.2.0").with_target("stable", "linux", "amd64");
/// let kit = Kit::begin(KitConfig::new(folder, options));
/// let options = kit.options();
/// # assert!(options.device_id.is_some());
/// // Now `client.check(&options)`, and `kit.send(&client)`.
/// ```
pub struct Kit {
    config: KitConfig,
    /// `None`: another process has the folder, or it cannot be used.
    lock: Option<File>,
    kept: Mutex<Kept>,
}

impl Kit {
    /// Begins a run. Reads and writes one small file.
    pub fn begin(config: KitConfig) -> Self {
        Self::begin_at(config, SystemTime::now())
    }

    fn begin_at(config: KitConfig, now: SystemTime) -> Self {
        let lock = lock(&config.folder);
        let mut kept = Kept::read(&config.folder);
        let version = &config.options.version;
        if lock.is_some() && config.report_key.is_some() {
            let ended = kept.run.take().and_then(Run::failure);
            let rolled_back = kept.last_version.as_deref().and_then(|last| rollback(last, version));
            for (version, event, reason) in [ended, rolled_back].into_iter().flatten() {
                kept.add(KeptReport::new(version, event, &reason, None, now));
            }
            kept.expire(now);
            kept.run = Some(Run::new(version, config.says_when_started));
            kept.last_version = Some(version.clone());
        }
        let kit = Self { config, lock, kept: Mutex::new(kept) };
        kit.save(&kit.kept());
        kit
    }

    /// The options of a check, with the device id.
    pub fn options(&self) -> CheckOptions {
        self.config.options.clone().with_device_id(self.device_id())
    }

    /// The device id: 32 random hexadecimal digits.
    pub fn device_id(&self) -> String {
        self.kept().device.clone()
    }

    /// The application has started, and works.
    pub fn started(&self) {
        self.change(|kept| {
            if let Some(run) = &mut kept.run {
                run.has_started = Some(true);
            }
        });
    }

    /// Keeps a failure that the application has noticed, such as a failed update, until it is sent.
    pub fn report(&self, event: EventType, reason: &Reason, details: Option<Map<String, Value>>) {
        if self.config.report_key.is_none() {
            return;
        }
        let version = self.config.options.version.clone();
        let report = KeptReport::new(version, event, reason, details, SystemTime::now());
        self.change(|kept| kept.add(report));
    }

    /// Sends the failures that wait, the oldest first. Returns how many the service has counted.
    ///
    /// A report that the service refuses is dropped.
    ///
    /// # Errors
    /// The service cannot be reached, or asks to wait: see [`Error::retry_after`]. The failures that it has not
    /// counted stay for the next call.
    pub async fn send(&self, client: &Client) -> Result<usize, Error> {
        let Some(key) = self.config.report_key.as_ref().filter(|_| self.lock.is_some()) else { return Ok(0) };
        let waiting: VecDeque<KeptReport> = self.kept().reports.clone();
        let (mut counted, mut limited) = (0, None);
        for kept in waiting {
            let report = kept.to_report(&self.config.options, &self.device_id());
            match report {
                None => {}
                Some(report) => match client.report_event(key, &report).await {
                    Ok(_) => counted += 1,
                    // The limit of one group or key says nothing about the next report.
                    Err(error) if status(&error) == Some(TOO_MANY) => {
                        limited = Some(error);
                        continue;
                    }
                    Err(error) if is_for_later(&error) => return Err(error),
                    Err(_) => {}
                },
            }
            self.change(|all| all.reports.retain(|one| *one != kept));
        }
        limited.map_or(Ok(counted), Err)
    }

    /// Makes another device id.
    pub fn reset_device(&self) {
        self.change(|kept| kept.device = kept::new_device());
    }

    /// Deletes everything that the kit has kept, as when a user withdraws consent. Until the next
    /// [`Kit::begin`], it keeps nothing.
    pub fn forget(mut self) {
        *self.kept() = Kept::default();
        let _already_gone = std::fs::remove_file(kept::path(&self.config.folder));
        self.lock = None;
    }

    /// Ends the run, as dropping the kit does.
    pub fn exit(self) {
        drop(self);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Kept)) {
        let mut kept = self.kept();
        change(&mut kept);
        self.save(&kept);
    }

    /// Only the process that has the folder writes.
    fn save(&self, kept: &Kept) {
        if self.lock.is_some() {
            kept.write(&self.config.folder);
        }
    }
}

/// Ends the run, unless the thread panics.
impl Drop for Kit {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.change(|kept| kept.run = None);
        }
    }
}

/// Hides the device id, because it must not be logged.
impl std::fmt::Debug for Kit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kit").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Locks the folder until the process ends.
fn lock(folder: &Path) -> Option<File> {
    std::fs::create_dir_all(folder).ok()?;
    let file = File::create(folder.join("kit.lock")).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// Whether the service may accept the same report later.
fn is_for_later(error: &Error) -> bool {
    matches!(error, Error::RequestFailed(_)) && status(error).is_none_or(|status| status >= 500)
}

/// The status of the service's answer, if there is one.
fn status(error: &Error) -> Option<u16> {
    match error {
        Error::RequestFailed(error) => error.status,
        _ => None,
    }
}

#[cfg(test)]
mod tests;
