//! Asking again after a failure that may pass.

use std::fmt::Display;

use crate::output::Output;
use crate::publish::limits::Limits;

/// Why a request failed.
#[derive(Debug)]
pub(super) struct Failed<E> {
    pub(super) error: E,
    /// Whether the same request may work soon.
    may_pass: bool,
}

impl<E> Failed<E> {
    pub(super) const fn new(error: E, may_pass: bool) -> Self {
        Self { error, may_pass }
    }

    pub(super) const fn for_now(error: E) -> Self {
        Self::new(error, true)
    }

    pub(super) const fn for_good(error: E) -> Self {
        Self::new(error, false)
    }
}

/// Asks until there is an answer, or a failure that does not pass, or as often as the limits allow.
pub(super) async fn patiently<T, E: Display>(
    limits: &Limits,
    output: Output,
    ask: impl AsyncFn() -> Result<T, Failed<E>>,
) -> Result<T, E> {
    let mut failed = 0;
    loop {
        match ask().await {
            Err(Failed { error, may_pass: true }) if failed < limits.retries => {
                failed += 1;
                let pause = limits.pause(failed);
                output.message(&format!("{error}; trying again in {} s", pause.as_secs()));
                tokio::time::sleep(pause).await;
            }
            other => return other.map_err(|failed| failed.error),
        }
    }
}
