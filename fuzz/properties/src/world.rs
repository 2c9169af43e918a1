//! A platform whose stores and servers answer as strangers want.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, stream};
use spindrift_core::Timestamp;
use spindrift_db::{Database, SqlConn, SqlError, SqlRows, SqlValue};
use spindrift_settings::{ORIGIN_URL, SECTIONS, VariableError, Variables};
use spindrift_storage::{HttpSend, SendError};
use spindrift_web::{Clock, Deployment, KeyValue, KeyValueError, Lifetime, Random};

/// 2026-11-21T01:43:42Z.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

/// A body that arrives in chunks.
type Chunks = Pin<Box<dyn Stream<Item = std::io::Result<Bytes>>>>;

/// The platform: one value in the key-value store, one answer of every server, no database.
#[derive(Clone, Default)]
pub(crate) struct World {
    value: Rc<RefCell<Option<Vec<u8>>>>,
    /// `None`: servers do not answer.
    answer: Option<(u16, Bytes)>,
    is_edge: bool,
    variables: Vec<(&'static str, &'static str)>,
}

impl World {
    /// An edge, whose origin does not answer.
    pub(crate) fn edge() -> Self {
        Self {
            is_edge: true,
            variables: vec![(ORIGIN_URL.row.name, "https://origin.example")],
            ..Self::default()
        }
    }

    /// The value of every key of the key-value store.
    pub(crate) fn keeping(self, value: &[u8]) -> Self {
        Self { value: Rc::new(RefCell::new(Some(value.to_vec()))), ..self }
    }

    /// The answer of every server.
    pub(crate) fn answering(self, status: u16, body: &[u8]) -> Self {
        Self { answer: Some((status, Bytes::copy_from_slice(body))), ..self }
    }

    /// The value of a setting.
    pub(crate) fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.variables.push((name, value));
        self
    }

    /// The current value in the key-value store.
    pub(crate) fn kept(&self) -> Option<Vec<u8>> {
        self.value.borrow().clone()
    }
}

/// A body that arrives in these chunks, with a wait before each, as from a network.
pub(crate) fn slowly(chunks: Vec<Bytes>) -> Chunks {
    let (mut chunks, mut waits) = (chunks.into_iter(), false);
    Box::pin(stream::poll_fn(move |context: &mut Context<'_>| {
        waits = !waits;
        if waits {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(chunks.next().map(Ok))
    }))
}

impl KeyValue for World {
    fn get(&self, _: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        Ok(self.kept())
    }

    fn set(&self, _: &str, value: &[u8]) -> Result<(), KeyValueError> {
        *self.value.borrow_mut() = Some(value.to_vec());
        Ok(())
    }

    fn replace(&self, _: &str, expected: &[u8], value: &[u8]) -> Result<bool, KeyValueError> {
        let is_expected = self.value.borrow().as_deref() == Some(expected);
        if is_expected {
            *self.value.borrow_mut() = Some(value.to_vec());
        }
        Ok(is_expected)
    }

    fn delete(&self, _: &str) -> Result<(), KeyValueError> {
        *self.value.borrow_mut() = None;
        Ok(())
    }

    fn increment(&self, _: &str, delta: i64) -> Result<i64, KeyValueError> {
        Ok(delta)
    }
}

impl HttpSend for World {
    async fn send(&self, _: http::Request<Bytes>, _: Duration) -> Result<http::Response<Chunks>, SendError> {
        let (status, body) =
            self.answer.clone().ok_or_else(|| SendError::Unreachable("no answer".to_owned()))?;
        let middle = body.len() / 2;
        let chunks = vec![body.slice(..middle), body.slice(middle..)];
        let response = http::Response::builder().status(status).body(slowly(chunks));
        Ok(response.expect("a response"))
    }
}

impl Clock for World {
    fn now(&self) -> Timestamp {
        NOW
    }
}

impl Random for World {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

impl Deployment for World {
    fn is_edge(&self) -> bool {
        self.is_edge
    }
}

impl Variables for World {
    fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
        let given =
            self.variables.iter().find(|(given, _)| *given == name).map(|(_, value)| (*value).to_owned());
        let mut rows = SECTIONS.iter().flat_map(|section| section.rows).map(|setting| setting.row());
        Ok(given.or_else(|| rows.find(|row| row.name == name).map(|row| row.default.to_owned())))
    }
}

impl Lifetime for World {}

/// No database.
pub(crate) struct NoConn;

impl SqlConn for NoConn {
    fn run(&self, _: &str, _: &[SqlValue]) -> Result<SqlRows, SqlError> {
        Err(SqlError::Unavailable("no database".to_owned()))
    }
}

impl Database for World {
    type Conn = NoConn;

    fn connect(&self) -> Result<NoConn, SqlError> {
        Err(SqlError::Unavailable("no database".to_owned()))
    }
}
