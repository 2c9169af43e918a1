//! What a request holds while it runs, and why it may end without an answer.

use tokio::sync::OwnedSemaphorePermit;

/// The client's share and the place among all requests that a running request holds. `None`: it holds neither, because
/// another component sent it.
pub(crate) type Places = Option<(Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>)>;

/// Why a component gave no answer.
pub(crate) enum Failure {
    TimedOut,
    Stopped,
    Failed,
}
