//! A file as the body of a request. A thread reads it a few chunks ahead of the network.

use std::io;

use bytes::Bytes;
use futures::stream;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::sync::oneshot;

use super::digest::{DigestTap, read, read_part};
use super::files::LocalFile;
use super::progress::Meter;
use crate::error::CliError;

/// Number of chunks to read ahead. Together with the number of parallel files, this limits the memory.
const AHEAD: usize = 2;

/// SHA-256 and SHA-512, if they were requested and the whole file was read.
pub(super) type BodyDigests = Option<(String, String)>;
/// Receives the result of reading the file. Nothing arrives if the body was never requested.
pub(super) type ReadOutcome = oneshot::Receiver<Result<BodyDigests, CliError>>;

type Chunks = Receiver<io::Result<Bytes>>;

enum BodyState<F> {
    /// No byte was requested yet, so there is no thread and no buffer.
    Idle(F),
    Reading(Chunks),
}

/// A whole file, or a part of one.
#[derive(Debug, Clone)]
pub(super) struct FilePiece {
    pub(super) file: LocalFile,
    /// Start and length of the part, in bytes.
    pub(super) part: Option<(u64, u64)>,
}

impl FilePiece {
    pub(super) fn whole(file: &LocalFile) -> Self {
        Self { file: file.clone(), part: None }
    }

    /// In bytes.
    pub(super) fn length(&self) -> u64 {
        self.part.map_or(self.file.length, |(_, length)| length)
    }

    fn read(&self, take: impl FnMut(Bytes) -> bool) -> Result<(), CliError> {
        match self.part {
            Some((offset, length)) => read_part(&self.file, offset, length, take),
            None => read(&self.file, take),
        }
    }
}

/// The body, and the result of reading the file. Reading begins when the body is first requested.
pub(super) fn body(piece: &FilePiece, meter: &Meter, digests: bool) -> (reqwest::Body, ReadOutcome) {
    let (done, reading) = oneshot::channel();
    let (piece, meter) = (piece.clone(), meter.clone());
    let begin = move || {
        let (to, from) = channel::<io::Result<Bytes>>(AHEAD);
        tokio::task::spawn_blocking(move || {
            let tap = digests.then(DigestTap::open);
            let outcome = piece.read(|chunk| {
                if let Some(tap) = &tap {
                    tap.add(&chunk);
                }
                let count = chunk.len() as u64;
                let sent = to.blocking_send(Ok(chunk)).is_ok();
                meter.add(count);
                sent
            });
            if outcome.is_err() {
                // Aborts the request, which would otherwise look complete.
                let _ = to.blocking_send(Err(io::Error::other("the file cannot be read")));
            }
            drop(to);
            // The receiver is gone if the request was given up.
            let _ = done.send(outcome.map(|()| tap.and_then(DigestTap::finish)));
        });
        from
    };
    let chunks = stream::unfold(BodyState::Idle(begin), async |state| {
        let mut from = match state {
            BodyState::Idle(begin) => begin(),
            BodyState::Reading(from) => from,
        };
        from.recv().await.map(|chunk| (chunk, BodyState::Reading(from)))
    });
    (reqwest::Body::wrap_stream(chunks), reading)
}
