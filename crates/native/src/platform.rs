//! The platform of one service.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use spindrift_core::Timestamp;

use crate::clock::TimeSource;
use crate::counts::Counts;
use crate::faults::Faults;
use crate::grants::{Grants, RecordedUses, Use};
use crate::http::Chain;
use crate::key_value::Entries;
use crate::memory::{self, GATHER_MILLIS, MemoryScope};
use crate::pool::Pool;

/// Name of the database's file in the platform's folder.
pub const DATABASE_FILE: &str = "sqlite_db.db";

/// All platform services that a handler needs. Clones share their state, even across threads.
#[derive(Clone, Debug)]
pub struct NativePlatform {
    inner: Arc<PlatformState>,
    /// `None`: not the view of a manifest's component, so everything may be used.
    grants: Option<Arc<Grants>>,
    /// The number of changes in the key-value store when the request arrived. `None`: not the view of a
    /// component.
    changes_seen: Option<u64>,
    /// The life during which a request arrived. `None`: not the view of a component.
    life: Option<u64>,
    memory: MemoryScope,
    /// Whether this is the view of an instance that answers its first request, as on Spin.
    is_first: bool,
}

#[derive(Debug)]
struct PlatformState {
    number: u64,
    pool: Pool,
    entries: Mutex<Entries>,
    time: TimeSource,
    variables: RwLock<HashMap<String, String>>,
    chain: OnceLock<Box<dyn Chain>>,
    gather_millis: AtomicU64,
    faults: Faults,
    counts: Counts,
    /// Everything that components have used. `None` if this is not recorded.
    uses: Option<RecordedUses>,
}

impl NativePlatform {
    /// A platform with its database in `dir`, which must exist. Nothing is stored, all settings have their
    /// defaults, and the clock is the system's.
    pub fn new(dir: impl AsRef<Path>) -> Self {
        Self::with_uses(dir.as_ref(), None)
    }

    /// Like [`Self::new`], but records what components use, for tests of their grants.
    pub fn recording_uses(dir: impl AsRef<Path>) -> Self {
        Self::with_uses(dir.as_ref(), Some(RecordedUses::default()))
    }

    fn with_uses(dir: &Path, uses: Option<RecordedUses>) -> Self {
        Self {
            inner: Arc::new(PlatformState {
                number: memory::number(),
                pool: Pool::new(dir.join(DATABASE_FILE)),
                entries: Mutex::default(),
                time: TimeSource::default(),
                variables: RwLock::new(crate::variables::defaults()),
                chain: OnceLock::new(),
                gather_millis: AtomicU64::new(GATHER_MILLIS),
                faults: Faults::default(),
                counts: Counts::default(),
                uses,
            }),
            grants: None,
            changes_seen: None,
            life: None,
            memory: MemoryScope::Nothing,
            is_first: false,
        }
    }

    /// The same platform, as seen by a component with these grants that answers a request.
    #[must_use]
    pub fn with_grants(&self, grants: Arc<Grants>) -> Self {
        let life = Some(self.inner.faults.life.number());
        let changes_seen = Some(self.inner.entries.lock().unwrap_or_else(PoisonError::into_inner).changes());
        Self { grants: Some(grants), changes_seen, life, ..self.clone() }
    }

    /// The same platform, keeping values between requests.
    #[must_use]
    pub fn with_memory(self) -> Self {
        Self { memory: MemoryScope::Platform, ..self }
    }

    /// The same platform, as an instance on Spin sees it while it answers its first request. The instance may
    /// not get another one.
    #[must_use]
    pub fn first(self) -> Self {
        Self { is_first: true, ..self }
    }

    /// See [`Self::first`].
    pub(crate) const fn is_first(&self) -> bool {
        self.is_first
    }

    /// The same platform, as an instance on Spin sees it that answers many requests: the instance has a
    /// memory of its own, and does not learn of changes by other instances.
    #[must_use]
    pub fn as_instance(self) -> Self {
        Self { memory: MemoryScope::Instance(memory::number()), ..self }
    }

    pub(crate) const fn memory(&self) -> MemoryScope {
        self.memory
    }

    /// The number of this platform in the process.
    pub(crate) fn number(&self) -> u64 {
        self.inner.number
    }

    /// Everything that components have requested so far, whether granted or not. Empty unless uses are
    /// recorded.
    pub fn uses(&self) -> BTreeSet<Use> {
        self.inner.uses.as_ref().map(RecordedUses::all).unwrap_or_default()
    }

    /// Sets how requests reach other components of the application. Only the first call has an effect.
    pub fn set_chain(&self, chain: Box<dyn Chain>) {
        let _ = self.inner.chain.set(chain);
    }

    pub(crate) fn chain(&self) -> Option<&dyn Chain> {
        self.inner.chain.get().map(AsRef::as_ref)
    }

    /// Sets how long devices wait to be counted together.
    pub fn set_gather_time(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.inner.gather_millis.store(millis, Ordering::Relaxed);
    }

    pub(crate) fn gather_time(&self) -> Duration {
        Duration::from_millis(self.inner.gather_millis.load(Ordering::Relaxed))
    }

    /// Sets the variable `name`.
    #[must_use]
    pub fn with_variable(self, name: &str, value: &str) -> Self {
        self.set_variable(name, value);
        self
    }

    /// Stops the clock at `now` until it is moved.
    #[must_use]
    pub fn with_time(self, now: Timestamp) -> Self {
        self.set_time(now);
        self
    }

    /// Sets the variable `name`.
    pub fn set_variable(&self, name: &str, value: &str) {
        crate::variables::set(&self.inner.variables, name, value);
        self.inner.entries.lock().unwrap_or_else(PoisonError::into_inner).note_change();
    }

    /// Removes the variable `name`, so that it is undeclared.
    pub fn remove_variable(&self, name: &str) {
        crate::variables::remove(&self.inner.variables, name);
    }

    /// Stops the clock at `now`.
    pub fn set_time(&self, now: Timestamp) {
        self.inner.time.stop(now);
    }

    /// Moves the clock forward, stopped or running. Counts whole milliseconds.
    pub fn advance(&self, by: Duration) {
        self.inner.time.advance(by);
    }

    /// Sets whether every operation of the key-value store fails from now on.
    pub fn fail_key_value(&self, fail: bool) {
        self.inner.faults.key_value.set(fail);
    }

    /// Sets whether, from now on, every operation of the key-value store is refused because there are too
    /// many.
    pub fn refuse_key_value(&self, refuse: bool) {
        self.inner.faults.key_value_calls.set(refuse);
    }

    /// Sets whether counters and replacements of values fail from now on, as in a store without
    /// `wasi:keyvalue/atomics`.
    pub fn fail_atomics(&self, fail: bool) {
        self.inner.faults.atomics.set(fail);
    }

    /// Sets whether, from now on, every replacement of a value is reported as refused although it happened,
    /// as on Spin with Redis.
    pub fn misreport_replaces(&self, misreport: bool) {
        self.inner.faults.misreported_replaces.set(misreport);
    }

    /// Sets whether opening the database and every statement, including those on open connections, fails from
    /// now on.
    pub fn fail_sql(&self, fail: bool) {
        self.inner.faults.sql.set(fail);
    }

    /// Sets whether, from now on, every HTTP request stays unanswered.
    pub fn fail_http(&self, fail: bool) {
        self.inner.faults.http.set(fail);
    }

    /// Sets whether reading any variable fails from now on.
    pub fn fail_variables(&self, fail: bool) {
        self.inner.faults.variables.set(fail);
    }

    /// Lets this many writes to the database, the storage and the key-value store happen. The next one, and
    /// everything after it, fails until [`Self::revive`], as if the process were killed there.
    pub fn die_after(&self, writes: u64) {
        self.inner.faults.life.limit_writes(writes);
    }

    /// Whether everything has been failing since some write.
    pub fn is_dead(&self) -> bool {
        self.inner.faults.life.is_dead()
    }

    /// Lets everything happen again. Returns whether everything had been failing; then the requests from
    /// before keep failing.
    pub fn revive(&self) -> bool {
        self.inner.faults.life.begin()
    }

    /// The number of SQL statements run so far, on all connections.
    pub fn statements(&self) -> u64 {
        self.inner.counts.statements.get()
    }

    /// The number of rows that SQL statements have read sequentially so far, without an index.
    pub fn scanned_rows(&self) -> u64 {
        self.inner.counts.scanned_rows.get()
    }

    /// The number of HTTP requests sent so far.
    pub fn requests(&self) -> u64 {
        self.inner.counts.requests.get()
    }

    /// The database file, for tests that inspect or lock it.
    pub fn database_path(&self) -> &Path {
        self.inner.pool.path()
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.inner.pool
    }

    /// All keys in the key-value store, sorted, for tests that look for leftovers.
    pub fn stored_keys(&self) -> Vec<String> {
        let entries = self.inner.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut keys: Vec<String> = entries.keys().cloned().collect();
        keys.sort_unstable();
        keys
    }

    pub(crate) fn entries(&self) -> &Mutex<Entries> {
        &self.inner.entries
    }

    pub(crate) fn time(&self) -> &TimeSource {
        &self.inner.time
    }

    pub(crate) fn variables(&self) -> &RwLock<HashMap<String, String>> {
        &self.inner.variables
    }

    pub(crate) fn faults(&self) -> &Faults {
        &self.inner.faults
    }

    pub(crate) const fn changes_seen(&self) -> Option<u64> {
        self.changes_seen
    }

    /// The life during which the request arrived that this view is for.
    pub(crate) fn life(&self) -> u64 {
        self.life.unwrap_or_else(|| self.inner.faults.life.number())
    }

    /// Whether work that was started when the request arrived may continue. `writes`: whether it writes.
    pub(crate) fn is_alive(&self, writes: bool) -> bool {
        self.inner.faults.life.allows(self.life(), writes)
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.inner.counts
    }

    /// Records that a key of the manifest or a variable is requested, and returns what the component is
    /// granted.
    pub(crate) fn grants_for(&self, what: &str) -> Option<&Grants> {
        let grants = self.grants.as_deref()?;
        if let Some(uses) = &self.inner.uses {
            uses.note(&grants.component, what);
        }
        Some(grants)
    }

    /// Whether a key of the manifest is granted.
    pub(crate) fn is_granted(&self, key: &str) -> bool {
        self.grants_for(key).is_none_or(|grants| grants.parts.contains(key))
    }
}

#[cfg(test)]
mod tests {
    use super::NativePlatform;

    #[test]
    fn threads_may_share_it() {
        const fn shared<T: Clone + Send + Sync + 'static>() {}
        shared::<NativePlatform>();
    }
}
