//! The body of an answer, made of texts and parts of a file.

use std::collections::VecDeque;
use std::io::{self, SeekFrom};
use std::ops::Range;

use bytes::{Bytes, BytesMut};
use futures::Stream;
use futures::stream::try_unfold;
use http::HeaderValue;
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

/// Bytes per read from a file.
const CHUNK: u64 = 64 * 1024;

/// A piece of a body.
#[derive(Debug)]
pub(super) enum Piece {
    Text(Bytes),
    /// These bytes of the file.
    File(Range<u64>),
}

impl Piece {
    /// In bytes.
    pub(super) fn length(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::File(range) => range.end - range.start,
        }
    }
}

/// The value of `Content-Range` for a part of a file of `size` bytes.
pub(super) fn content_range(range: &Range<u64>, size: u64) -> String {
    format!("bytes {}-{}/{size}", range.start, range.end.saturating_sub(1))
}

/// A body of type `multipart/byteranges`, where `content_type` is that of the file. There is no text before
/// the first part, because some clients do not skip it.
pub(super) fn parts(
    ranges: Vec<Range<u64>>,
    size: u64,
    content_type: Option<&HeaderValue>,
    boundary: &str,
) -> Vec<Piece> {
    let text = |text: String| Piece::Text(text.into());
    let mut body = Vec::with_capacity(2 * ranges.len() + 1);
    let mut line_end = "";
    for range in ranges {
        let mut head = format!("{line_end}--{boundary}\r\n").into_bytes();
        if let Some(content_type) = content_type {
            head.extend([b"Content-Type: ", content_type.as_bytes(), b"\r\n"].concat());
        }
        head.extend(format!("Content-Range: {}\r\n\r\n", content_range(&range, size)).into_bytes());
        body.extend([Piece::Text(head.into()), Piece::File(range)]);
        line_end = "\r\n";
    }
    body.push(text(format!("{line_end}--{boundary}--\r\n")));
    body
}

/// A file that is being sent.
struct PieceReader {
    file: File,
    /// The position of the next read, unless a seek changes it.
    position: u64,
    rest: VecDeque<Piece>,
}

/// Reads the pieces one after the other.
pub(super) fn stream(file: File, pieces: Vec<Piece>) -> impl Stream<Item = io::Result<Bytes>> + Send + Sync {
    let source = PieceReader { file, position: 0, rest: pieces.into() };
    try_unfold(source, async |mut source: PieceReader| Ok(source.next().await?.map(|bytes| (bytes, source))))
}

impl PieceReader {
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            match self.rest.pop_front() {
                None => return Ok(None),
                Some(Piece::Text(text)) => return Ok(Some(text)),
                Some(Piece::File(range)) if range.is_empty() => {}
                Some(Piece::File(range)) => {
                    let bytes = self.read(&range).await?;
                    self.rest.push_front(Piece::File(self.position..range.end));
                    return Ok(Some(bytes));
                }
            }
        }
    }

    /// The first bytes of `range`.
    async fn read(&mut self, range: &Range<u64>) -> io::Result<Bytes> {
        if self.position != range.start {
            self.file.seek(SeekFrom::Start(range.start)).await?;
        }
        let length = CHUNK.min(range.end - range.start);
        let mut bytes = BytesMut::with_capacity(usize::try_from(length).map_err(io::Error::other)?);
        (&mut self.file).take(length).read_buf(&mut bytes).await?;
        if bytes.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.position = range.start + bytes.len() as u64;
        Ok(bytes.freeze())
    }
}
