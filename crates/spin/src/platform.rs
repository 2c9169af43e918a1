//! The platform behind the handlers' traits.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use spindrift_core::Timestamp;
use spindrift_settings::{VariableError, Variables};
use spindrift_web::{Clock, Deployment, KeyValueError, Lifetime, Random};

use crate::bindings::fermyon::spin::variables;
use crate::form::{lifetime, memory};

/// Spin, as seen by one request. The copies that a request makes share their state.
///
/// Whether it is an edge is part of the type. So the compiler leaves out what only the other kind of
/// deployment does, and the component does not import what that needs.
#[derive(Debug, Clone, Default)]
pub struct SpinPlatform<const IS_EDGE: bool = false> {
    /// The first failure of the key-value store. A call to an unresponsive store takes as long as the host
    /// allows, so it is not repeated within a request.
    pub(crate) store_failure: Rc<OnceCell<KeyValueError>>,
}

/// The platform of an edge deployment.
pub type EdgePlatform = SpinPlatform<true>;

impl<const IS_EDGE: bool> Clock for SpinPlatform<IS_EDGE> {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

impl<const IS_EDGE: bool> Deployment for SpinPlatform<IS_EDGE> {
    #[inline]
    fn is_edge(&self) -> bool {
        IS_EDGE
    }
}

impl<const IS_EDGE: bool> Lifetime for SpinPlatform<IS_EDGE> {
    fn remembered<T: Send + Sync + 'static>(&self, key: &str) -> Option<Arc<T>> {
        memory::remembered(key)
    }

    fn remember<T: Send + Sync + 'static>(&self, key: &str, size: usize, value: &Arc<T>) {
        memory::remember(key, size, value);
    }

    fn is_reused(&self) -> bool {
        lifetime::is_reused()
    }

    fn is_shared(&self) -> bool {
        lifetime::IS_SHARED
    }

    fn gather(&self) -> impl Future<Output = bool> {
        lifetime::gather()
    }
}

impl<const IS_EDGE: bool> Random for SpinPlatform<IS_EDGE> {
    fn fill(&self, buffer: &mut [u8]) {
        // Word by word: returning a list costs more than a few calls, and no caller needs more than 32 bytes.
        for chunk in buffer.chunks_mut(8) {
            let word = wasi::random::random::get_random_u64().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }
}

impl<const IS_EDGE: bool> Variables for SpinPlatform<IS_EDGE> {
    fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
        memory::kept_variable(name, || match variables::get(name) {
            Ok(value) => Ok(Some(value)),
            Err(variables::Error::Undefined(_)) => Ok(None),
            Err(error) => Err(VariableError { name: name.to_owned(), reason: format!("{error:?}") }),
        })
    }
}
