//! The places that a running request holds, and the reasons why it ends without an answer.

use tokio::sync::OwnedSemaphorePermit;

/// A place in the share of the client, and one among all requests. A request of another component holds neither.
pub(crate) type Places = [Option<OwnedSemaphorePermit>; 2];

/// Why a component gave no answer.
pub(crate) enum Failure {
    TimedOut,
    Stopped,
    Failed,
}
