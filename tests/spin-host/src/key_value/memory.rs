//! A label in memory, as Spin has it for a store without a path. It ends with the process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::result::{NOT_A_COUNTER, Result};

/// The values of one label.
pub(crate) struct KeyValueMemory {
    values: Mutex<HashMap<String, Vec<u8>>>,
    /// Largest value, in bytes. A larger one could not be read.
    value_bytes: usize,
}

impl KeyValueMemory {
    /// An empty label.
    pub(crate) fn new(value_bytes: usize) -> Self {
        Self { values: Mutex::default(), value_bytes }
    }

    pub(super) fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.lock().get(key).cloned()
    }

    pub(super) fn exists(&self, key: &str) -> bool {
        self.lock().contains_key(key)
    }

    pub(super) fn keys(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    pub(super) fn set_many(&self, pairs: &[(&str, &[u8])]) -> Result<()> {
        pairs.iter().try_for_each(|(_, value)| self.fits(value))?;
        let mut values = self.lock();
        for (key, value) in pairs {
            match values.get_mut(*key) {
                Some(known) => (*value).clone_into(known),
                None => drop(values.insert((*key).to_owned(), value.to_vec())),
            }
        }
        Ok(())
    }

    pub(super) fn delete_many(&self, keys: &[&str]) {
        let mut values = self.lock();
        for key in keys {
            values.remove(*key);
        }
    }

    pub(super) fn increment(&self, key: &str, delta: i64) -> Result<i64> {
        let mut values = self.lock();
        let Some(value) = values.get_mut(key) else {
            values.insert(key.to_owned(), delta.to_le_bytes().to_vec());
            return Ok(delta);
        };
        let counter = value.as_slice().try_into().map(i64::from_le_bytes).ok();
        let sum = counter.and_then(|counter| counter.checked_add(delta)).ok_or(NOT_A_COUNTER)?;
        value.copy_from_slice(&sum.to_le_bytes());
        Ok(sum)
    }

    pub(super) fn swap(&self, key: &str, expected: Option<&[u8]>, value: &[u8]) -> Result<bool> {
        self.fits(value)?;
        let mut values = self.lock();
        let is_expected = values.get(key).map(Vec::as_slice) == expected;
        if is_expected {
            values.insert(key.to_owned(), value.to_vec());
        }
        Ok(is_expected)
    }

    fn fits(&self, value: &[u8]) -> Result<()> {
        if value.len() > self.value_bytes {
            return Err(format!("the value exceeds {} bytes", self.value_bytes));
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<u8>>> {
        // The code under this lock does not panic, so the values are consistent.
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
