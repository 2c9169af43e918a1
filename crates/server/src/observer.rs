//! Lets the program around a server observe its requests.

use std::fmt::Debug;
use std::time::Duration;

use http::StatusCode;

/// Learns about requests from outside, and may add to their answers.
pub trait Observer: Debug + Send + Sync {
    /// Called when a component has begun to answer a request, after this time.
    fn answered(&self, component: &str, status: StatusCode, time: Duration);

    /// A text to append to the answer to a `GET` of this path, if its status is 200.
    fn addition(&self, path: &str) -> Option<String>;
}
