//! The place that a running request holds, and the reasons why it ends without an answer.

use tokio::sync::OwnedSemaphorePermit;

/// A place among all requests. A request of another component holds none.
pub(crate) type Place = Option<OwnedSemaphorePermit>;

/// Why a component gave no answer.
pub(crate) enum Failure {
    TimedOut,
    Stopped,
    Failed,
}
