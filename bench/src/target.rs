//! The requests to a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use anyhow::{Context as _, ensure};

use crate::connection::Connection;
use spindrift_tests::Processes;

/// A server, and its host.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    /// `host:port`.
    address: String,
    processes: Arc<Processes>,
    /// How many answered requests the service counts.
    counted: Arc<AtomicU64>,
}

impl Server {
    /// At an address that begins with `http://`.
    pub(crate) fn new(url: &str, processes: Processes) -> anyhow::Result<Self> {
        let address = url.strip_prefix("http://").context("an http address")?.to_owned();
        Ok(Self { address, processes: Arc::new(processes), counted: Arc::default() })
    }

    pub(crate) fn processes(&self) -> &Processes {
        &self.processes
    }

    /// How many requests were answered that the service counts.
    pub(crate) fn counted(&self) -> u64 {
        self.counted.load(Ordering::Relaxed)
    }
}

type Text = Box<dyn Fn(u32) -> String + Send + Sync>;

/// A row of requests to a server.
pub(crate) struct Target {
    pub(crate) name: String,
    server: Server,
    path: Text,
    /// The n-th request's header beside `Host`, with its line end; empty without one.
    header: Text,
    status: u16,
    /// The number of the next request.
    next: AtomicU32,
    /// Whether the service counts the requests, which it does after its answers.
    is_counted: bool,
}

impl Target {
    /// Its name without the build.
    pub(crate) fn row(&self) -> &str {
        self.name.split_once(", preview").map_or(&self.name, |(row, _)| row)
    }

    /// `path` returns the path and query of the n-th request.
    pub(crate) fn new(
        name: &str,
        server: &Server,
        path: impl Fn(u32) -> String + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.to_owned(),
            server: server.clone(),
            path: Box::new(path),
            header: Box::new(|_| String::new()),
            status: 200,
            next: AtomicU32::new(0),
            is_counted: false,
        }
    }

    /// With a header, whose value is that of the n-th request.
    pub(crate) fn with_header(
        mut self,
        name: &'static str,
        value: impl Fn(u32) -> String + Send + Sync + 'static,
    ) -> Self {
        self.header = Box::new(move |n| format!("{name}: {}\r\n", value(n)));
        self
    }

    /// Answered with this status; any other is an error.
    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Counted by the service after its answer, and here.
    pub(crate) fn counting(mut self) -> Self {
        self.is_counted = true;
        self
    }

    /// Whether the service continues to work after its answers.
    pub(crate) fn leaves_work(&self) -> bool {
        self.is_counted
    }

    pub(crate) fn processes(&self) -> &Processes {
        self.server.processes()
    }

    /// A new connection to the server.
    pub(crate) fn connect(&self) -> anyhow::Result<Connection> {
        Connection::open(&self.server.address)
    }

    /// The number of the next request; `requests` of them are sent from there on.
    pub(crate) fn take(&self, requests: u32) -> u32 {
        self.next.fetch_add(requests, Ordering::Relaxed)
    }

    /// Sends the n-th request.
    pub(crate) fn ask(&self, connection: &mut Connection, n: u32) -> anyhow::Result<()> {
        connection.ask(&self.request(n, ""), self.status)?;
        self.count();
        Ok(())
    }

    fn count(&self) {
        if self.is_counted {
            self.server.counted.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn request(&self, n: u32, more: &str) -> String {
        let Self { path, header, server, .. } = self;
        format!("GET {} HTTP/1.1\r\nHost: {}\r\n{}{more}\r\n", path(n), server.address, header(n))
    }

    /// Sends the first request, and fails unless the complete answer, including its headers, is
    /// right.
    pub(crate) fn check_answer(self, is_right: impl Fn(&str) -> bool) -> anyhow::Result<Self> {
        let url = format!("http://{}", self.server.address);
        let answer = spindrift_tests::raw(&url, self.request(0, "Connection: close\r\n").as_bytes());
        let status = format!("HTTP/1.1 {} ", self.status);
        ensure!(answer.starts_with(&status) && is_right(&answer), "{}: {answer}", self.name);
        self.count();
        Ok(self)
    }
}
