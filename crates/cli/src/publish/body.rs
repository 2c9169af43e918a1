//! A file as the body of a request: read by a thread, a few chunks ahead of the network.

use std::io;

use bytes::Bytes;
use futures::stream;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::sync::oneshot;

use super::digest::{Tap, read};
use super::files::LocalFile;
use super::progress::Meter;
use crate::error::CliError;

/// Chunks that are read ahead: together with the files at once this bounds the memory.
const AHEAD: usize = 2;

/// SHA-256 and SHA-512, if they were wanted and everything was read.
pub(super) type Digested = Option<(String, String)>;
/// What reading comes to. Nothing, when the body was never asked for.
pub(super) type Reading = oneshot::Receiver<Result<Digested, CliError>>;

type Chunks = Receiver<io::Result<Bytes>>;

enum State<F> {
    /// Nobody has asked for a byte: no thread, no memory.
    Idle(F),
    Reading(Chunks),
}

/// The body, and what becomes of the reading, which begins when the body is first asked for and ends with it.
pub(super) fn body(file: &LocalFile, meter: &Meter, digests: bool) -> (reqwest::Body, Reading) {
    let (done, reading) = oneshot::channel();
    let (file, meter) = (file.clone(), meter.clone());
    let begin = move || {
        let (to, from) = channel::<io::Result<Bytes>>(AHEAD);
        tokio::task::spawn_blocking(move || {
            let tap = digests.then(Tap::open);
            let outcome = read(&file, |chunk| {
                if let Some(tap) = &tap {
                    tap.add(&chunk);
                }
                let count = chunk.len() as u64;
                let sent = to.blocking_send(Ok(chunk)).is_ok();
                meter.add(count);
                sent
            });
            if outcome.is_err() {
                // Breaks the request off: it must not look complete.
                let _ = to.blocking_send(Err(io::Error::other("the file cannot be read")));
            }
            drop(to);
            // Whoever gave the request up does not listen.
            let _ = done.send(outcome.map(|()| tap.and_then(Tap::finish)));
        });
        from
    };
    let chunks = stream::unfold(State::Idle(begin), async |state| {
        let mut from = match state {
            State::Idle(begin) => begin(),
            State::Reading(from) => from,
        };
        from.recv().await.map(|chunk| (chunk, State::Reading(from)))
    });
    (reqwest::Body::wrap_stream(chunks), reading)
}
