//! Retries after transient failures.

use std::fmt::Display;
use std::time::Instant;

use crate::output::Output;
use crate::publish::limits::UploadLimits;
use crate::publish::patience::RetryBudget;

/// Why a request failed.
#[derive(Debug)]
pub(super) struct Failed<E> {
    pub(super) error: E,
    /// Whether a retry may soon succeed.
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

/// Retries until there is an answer or a permanent failure, as long as the limits allow.
pub(super) async fn patiently<T, E: Display>(
    limits: &UploadLimits,
    output: Output,
    ask: impl AsyncFn() -> Result<T, Failed<E>>,
) -> Result<T, E> {
    let mut patience = RetryBudget::new(limits);
    loop {
        let failed = match ask().await {
            Ok(answer) => return Ok(answer),
            Err(failed) => failed,
        };
        let next = failed.may_pass.then(|| patience.after_failure(Instant::now(), None)).flatten();
        let Some(next) = next else { return Err(failed.error) };
        output.message(&next.tell(&failed.error));
        tokio::time::sleep(next.pause).await;
    }
}
