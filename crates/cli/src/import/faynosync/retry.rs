//! Retries after transient failures.

use std::fmt::Display;
use std::time::Instant;

use crate::output::Output;
use crate::publish::limits::UploadLimits;
use crate::publish::retry::RetryBudget;

/// Why a request failed.
#[derive(Debug)]
pub(super) struct FailedRequest<E> {
    pub(super) error: E,
    /// Whether a retry may soon succeed.
    is_transient: bool,
}

impl<E> FailedRequest<E> {
    pub(super) const fn new(error: E, is_transient: bool) -> Self {
        Self { error, is_transient }
    }

    pub(super) const fn transient(error: E) -> Self {
        Self::new(error, true)
    }

    pub(super) const fn permanent(error: E) -> Self {
        Self::new(error, false)
    }
}

/// Retries until there is an answer or a permanent failure, as long as the limits allow.
pub(super) async fn retry<T, E: Display>(
    limits: &UploadLimits,
    output: Output,
    ask: impl AsyncFn() -> Result<T, FailedRequest<E>>,
) -> Result<T, E> {
    let mut budget = RetryBudget::new(limits);
    loop {
        let failed = match ask().await {
            Ok(answer) => return Ok(answer),
            Err(failed) => failed,
        };
        let next = failed.is_transient.then(|| budget.after_failure(Instant::now(), None)).flatten();
        let Some(next) = next else { return Err(failed.error) };
        output.message(&next.message(&failed.error));
        tokio::time::sleep(next.pause).await;
    }
}
