//! Reads and writes one label of a file.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::cache::Lookup;
use super::file::KeyValueFile;
use super::result::{NOT_A_COUNTER, Result};
use spindrift_http::blocking;

const SET: &str = "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3)
                   ON CONFLICT (store, key) DO UPDATE SET value = excluded.value";
const DELETE: &str = "DELETE FROM spin_key_value WHERE store = ?1 AND key = ?2";

#[derive(Clone)]
pub(super) struct FileStore {
    name: Arc<str>,
    file: Arc<KeyValueFile>,
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn text(error: rusqlite::Error) -> String {
    error.to_string()
}

impl FileStore {
    pub(super) fn new(name: &str, file: Arc<KeyValueFile>) -> Self {
        Self { name: name.into(), file }
    }

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
        let reader = self.file.reader();
        let mut statement = reader
            .prepare_cached("SELECT value FROM spin_key_value WHERE store = ?1 AND key = ?2")
            .map_err(text)?;
        let value: Option<Vec<u8>> =
            statement.query_row(params![&*self.name, key], |row| row.get(0)).optional().map_err(text)?;
        match value {
            Some(value) if value.len() > self.file.limits.result_bytes => Err(self.too_large()),
            value => Ok(value),
        }
    }

    pub(super) fn exists(&self, key: &str) -> Result<bool> {
        let reader = self.file.reader();
        let mut statement = reader
            .prepare_cached("SELECT 1 FROM spin_key_value WHERE store = ?1 AND key = ?2")
            .map_err(text)?;
        statement.exists(params![&*self.name, key]).map_err(text)
    }

    pub(super) fn keys(&self) -> Result<Vec<String>> {
        blocking(|| {
            let reader = self.file.reader();
            let mut statement =
                reader.prepare_cached("SELECT key FROM spin_key_value WHERE store = ?1").map_err(text)?;
            let mut rows = statement.query(params![&*self.name]).map_err(text)?;
            let mut keys = Vec::new();
            let mut bytes = 0;
            while let Some(row) = rows.next().map_err(text)? {
                let key: String = row.get(0).map_err(text)?;
                bytes += key.len() + size_of::<String>();
                if bytes > self.file.limits.result_bytes {
                    return Err(self.too_large());
                }
                keys.push(key);
            }
            Ok(keys)
        })
    }

    pub(super) fn set_many(&self, pairs: &[(&str, &[u8])]) -> Result<()> {
        match pairs {
            [(key, value)] => self.write(key, SET, params![&*self.name, key, value]).map(drop),
            pairs => self.batch(pairs, |writer, (key, value)| {
                run(writer, SET, params![&*self.name, key, value]).map(drop)
            }),
        }
    }

    pub(super) fn delete_many(&self, keys: &[&str]) -> Result<()> {
        match keys {
            [key] => self.write(key, DELETE, params![&*self.name, key]).map(drop),
            keys => self.batch(keys, |writer, key| run(writer, DELETE, params![&*self.name, key]).map(drop)),
        }
    }

    /// One statement, so that no two callers get the same sum.
    pub(super) fn increment(&self, key: &str, delta: i64) -> Result<i64> {
        let sum: Result<Vec<u8>> = blocking(|| {
            let writer = self.file.writer()?;
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
    fn batch<T>(&self, items: &[T], write: impl Fn(&Connection, &T) -> Result<()>) -> Result<()> {
        blocking(|| {
            let writer = self.file.writer()?;
            writer.execute_batch("BEGIN IMMEDIATE").map_err(text)?;
            let done = items.iter().try_for_each(|item| write(&writer, item));
            let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
            let done = done.and(writer.execute_batch(end).map_err(text));
            self.file.cache.all_written();
            done
        })
    }

    fn write(&self, key: &str, sql: &str, parameters: impl rusqlite::Params) -> Result<usize> {
        let done = blocking(|| run(&*self.file.writer()?, sql, parameters));
        self.file.cache.written(&self.name, key);
        done
    }

    fn too_large(&self) -> String {
        format!("the result exceeds {} bytes", self.file.limits.result_bytes)
    }
}

fn run(connection: &Connection, sql: &str, parameters: impl rusqlite::Params) -> Result<usize> {
    connection.prepare_cached(sql).and_then(|mut statement| statement.execute(parameters)).map_err(text)
}

#[cfg(test)]
mod tests;
