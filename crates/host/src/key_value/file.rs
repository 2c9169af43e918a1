//! The SQLite file behind key-value labels.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::KeyValueStore;
use super::cache::{Cache, Lookup};
use crate::blocking::blocking;
use crate::error::HostError;

/// How long a writer waits for another process that holds the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The message for a counter operation on a value that is not a counter.
const NOT_A_COUNTER: &str = "the value is not a counter: it is not 8 bytes long or would overflow";

/// Two connections to one file. In WAL mode a reader never waits for the writer, so a read stays a matter of
/// microseconds even while the writer waits for the disk.
pub(crate) struct KeyValueFile {
    reader: Mutex<Connection>,
    writer: Mutex<Connection>,
    cache: Cache,
    result_bytes: usize,
}

impl KeyValueFile {
    /// Opens or creates the file. Reads of more than `result_bytes` bytes fail.
    pub(crate) fn open(path: &Path, result_bytes: usize) -> Result<Self, HostError> {
        let open = || {
            let writer = connect(path)?;
            writer.execute_batch(
                "CREATE TABLE IF NOT EXISTS spin_key_value (
                    store TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (store, key))",
            )?;
            let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
            writer.create_scalar_function("counter_add", 2, flags, counter_add)?;
            let reader = connect(path)?;
            reader.execute_batch("PRAGMA query_only = 1")?;
            Ok((Mutex::new(reader), Mutex::new(writer)))
        };
        let (reader, writer) = open().map_err(HostError::database(path))?;
        Ok(Self { reader, writer, cache: Cache::default(), result_bytes })
    }

    /// Tells the cache whether another process has written; false when that cannot be seen right now.
    fn look(&self) -> bool {
        // The writer's view: what it has written itself is no change to it. It may be waiting for the disk.
        let Ok(writer) = self.writer.try_lock() else { return false };
        let version = writer
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)));
        version.map(|version| self.cache.looked(version)).is_ok()
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 268435456",
    )?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// SQL function: an 8-byte little-endian counter plus a delta.
fn counter_add(context: &Context<'_>) -> rusqlite::Result<Vec<u8>> {
    let refuse = || rusqlite::Error::UserFunctionError(NOT_A_COUNTER.into());
    let value = context.get_raw(0).as_blob().map_err(|_| refuse())?;
    let value = i64::from_le_bytes(value.try_into().map_err(|_| refuse())?);
    let sum = value.checked_add(context.get(1)?).ok_or_else(refuse)?;
    Ok(sum.to_le_bytes().to_vec())
}

fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    // A panic while the lock was held cannot have left a statement half done: SQLite undoes it.
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Errors are texts, as the interfaces that pass them on have no structure for them.
type Result<T, E = String> = std::result::Result<T, E>;

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn text(error: rusqlite::Error) -> String {
    error.to_string()
}

impl KeyValueStore {
    pub(super) fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let cache = &self.file.cache;
        let mut known = cache.get(&self.name, key);
        if matches!(known, Lookup::Look) && self.file.look() {
            known = cache.get(&self.name, key);
        }
        match known {
            Lookup::Value(value) => Ok(value),
            Lookup::Unknown(began) => {
                let value = self.read(key)?;
                cache.keep(&self.name, key, value.as_ref(), began);
                Ok(value)
            }
            Lookup::Look => self.read(key),
        }
    }

    fn read(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let reader = lock(&self.file.reader);
        let mut statement = reader
            .prepare_cached("SELECT value FROM spin_key_value WHERE store = ?1 AND key = ?2")
            .map_err(text)?;
        let value: Option<Vec<u8>> =
            statement.query_row(params![&*self.name, key], |row| row.get(0)).optional().map_err(text)?;
        match value {
            Some(value) if value.len() > self.file.result_bytes => Err(self.too_large()),
            value => Ok(value),
        }
    }

    pub(super) fn exists(&self, key: &str) -> Result<bool> {
        let reader = lock(&self.file.reader);
        let mut statement = reader
            .prepare_cached("SELECT 1 FROM spin_key_value WHERE store = ?1 AND key = ?2")
            .map_err(text)?;
        statement.exists(params![&*self.name, key]).map_err(text)
    }

    pub(super) fn keys(&self) -> Result<Vec<String>> {
        blocking(|| {
            let reader = lock(&self.file.reader);
            let mut statement =
                reader.prepare_cached("SELECT key FROM spin_key_value WHERE store = ?1").map_err(text)?;
            let mut rows = statement.query(params![&*self.name]).map_err(text)?;
            let mut keys = Vec::new();
            let mut bytes = 0;
            while let Some(row) = rows.next().map_err(text)? {
                let key: String = row.get(0).map_err(text)?;
                bytes += key.len() + size_of::<String>();
                if bytes > self.file.result_bytes {
                    return Err(self.too_large());
                }
                keys.push(key);
            }
            Ok(keys)
        })
    }

    pub(super) fn set(&self, key: &str, value: &[u8]) -> Result<()> {
        self.write(
            key,
            "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3)
             ON CONFLICT (store, key) DO UPDATE SET value = excluded.value",
            params![&*self.name, key, value],
        )
        .map(drop)
    }

    pub(super) fn delete(&self, key: &str) -> Result<()> {
        self.write(key, "DELETE FROM spin_key_value WHERE store = ?1 AND key = ?2", params![&*self.name, key])
            .map(drop)
    }

    /// Adds `delta` in one statement, so no two callers can see the same sum.
    pub(super) fn increment(&self, key: &str, delta: i64) -> Result<i64> {
        let sum: Result<Vec<u8>> = blocking(|| {
            let writer = lock(&self.file.writer);
            let mut statement = writer
                .prepare_cached(
                    "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3)
                     ON CONFLICT (store, key) DO UPDATE SET value = counter_add(value, ?4) RETURNING value",
                )
                .map_err(text)?;
            let parameters = params![&*self.name, key, delta.to_le_bytes(), delta];
            statement.query_row(parameters, |row| row.get(0)).map_err(text)
        });
        self.file.cache.written(&self.name, key);
        let sum = sum?;
        sum.as_slice().try_into().map(i64::from_le_bytes).map_err(|_| NOT_A_COUNTER.to_owned())
    }

    /// Writes `value` if the key still holds `expected`; `None` stands for an absent key. Says whether it did.
    pub(super) fn swap(&self, key: &str, expected: Option<&[u8]>, value: &[u8]) -> Result<bool> {
        let changed = match expected {
            None => self.write(
                key,
                "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                params![&*self.name, key, value],
            ),
            Some(expected) => self.write(
                key,
                "UPDATE spin_key_value SET value = ?3 WHERE store = ?1 AND key = ?2 AND value = ?4",
                params![&*self.name, key, value, expected],
            ),
        }?;
        Ok(changed == 1)
    }

    /// Runs several writes in one transaction.
    pub(super) fn batch<T>(
        &self,
        items: &[T],
        write: impl Fn(&Self, &Connection, &T) -> Result<()>,
    ) -> Result<()> {
        blocking(|| {
            let writer = lock(&self.file.writer);
            writer.execute_batch("BEGIN IMMEDIATE").map_err(text)?;
            let done = items.iter().try_for_each(|item| write(self, &writer, item));
            let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
            let done = done.and(writer.execute_batch(end).map_err(text));
            self.file.cache.all_written();
            done
        })
    }

    pub(super) fn set_in(&self, writer: &Connection, key: &str, value: &[u8]) -> Result<()> {
        let sql = "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3)
                   ON CONFLICT (store, key) DO UPDATE SET value = excluded.value";
        run(writer, sql, params![&*self.name, key, value]).map(drop)
    }

    pub(super) fn delete_in(&self, writer: &Connection, key: &str) -> Result<()> {
        run(writer, "DELETE FROM spin_key_value WHERE store = ?1 AND key = ?2", params![&*self.name, key])
            .map(drop)
    }

    fn write(&self, key: &str, sql: &str, parameters: impl rusqlite::Params) -> Result<usize> {
        let done = blocking(|| run(&lock(&self.file.writer), sql, parameters));
        self.file.cache.written(&self.name, key);
        done
    }

    fn too_large(&self) -> String {
        format!("the result exceeds {} bytes", self.file.result_bytes)
    }
}

fn run(connection: &Connection, sql: &str, parameters: impl rusqlite::Params) -> Result<usize> {
    connection.prepare_cached(sql).and_then(|mut statement| statement.execute(parameters)).map_err(text)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn store(folder: &Path) -> KeyValueStore {
        KeyValueStore::new("default", Arc::new(KeyValueFile::open(&folder.join("kv.db"), 1024).unwrap()))
    }

    #[test]
    fn counts_without_loss_from_several_threads() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..50).for_each(|_| assert!(store.increment("n", 1).is_ok())));
            }
        });
        assert_eq!(store.increment("n", 0).unwrap(), 400);
        assert_eq!(store.get("n").unwrap().unwrap(), 400_i64.to_le_bytes());
    }

    #[test]
    fn counting_on_another_value_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        store.set("n", b"abc").unwrap();
        assert!(store.increment("n", 1).unwrap_err().contains("not a counter"));
        store.set("n", &i64::MAX.to_le_bytes()).unwrap();
        assert!(store.increment("n", 1).is_err());
        assert_eq!(store.get("n").unwrap().unwrap(), i64::MAX.to_le_bytes());
    }

    #[test]
    fn whatever_writes_ends_what_was_read_before() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let value = |key| store.get(key).unwrap();
        assert_eq!(value("k"), None);
        store.set("k", b"1").unwrap();
        assert_eq!(value("k").unwrap(), b"1");
        assert!(store.swap("k", Some(b"1"), b"2").unwrap());
        assert_eq!(value("k").unwrap(), b"2");
        store.batch(&[b"3"], |store, writer, value| store.set_in(writer, "k", *value)).unwrap();
        assert_eq!(value("k").unwrap(), b"3");
        store.delete("k").unwrap();
        assert_eq!(value("k"), None);
        store.increment("k", 1).unwrap();
        assert_eq!(value("k").unwrap(), 1_i64.to_le_bytes());
    }

    #[test]
    fn a_write_of_another_process_is_seen_at_the_next_look() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (store(folder.path()), store(folder.path()));
        here.set("k", b"1").unwrap();
        assert_eq!(here.get("k").unwrap().unwrap(), b"1");
        there.set("k", b"2").unwrap();
        assert!(here.file.look());
        assert_eq!(here.get("k").unwrap().unwrap(), b"2");
    }

    #[test]
    fn one_of_several_swaps_from_absent_wins() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let winners: usize = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8_u8)
                .map(|n| {
                    scope.spawn({
                        let store = &store;
                        move || store.swap("k", None, &[n]).unwrap()
                    })
                })
                .collect();
            tries.into_iter().map(|t| usize::from(t.join().unwrap())).sum()
        });
        assert_eq!(winners, 1);
        let now = store.get("k").unwrap().unwrap();
        assert!(!store.swap("k", Some(b"other"), b"x").unwrap());
        assert!(store.swap("k", Some(&now), b"x").unwrap());
    }

    #[test]
    fn labels_do_not_see_each_other_and_large_values_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let first = store(folder.path());
        let second = KeyValueStore::new("second", first.file.clone());
        first.set("k", b"1").unwrap();
        assert_eq!(second.get("k").unwrap(), None);
        first.set("k", &[0; 2000]).unwrap();
        assert!(first.get("k").unwrap_err().contains("1024"));
    }
}
