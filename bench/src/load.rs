//! A closed loop of keep-alive connections. It is as light as possible, because it shares the processors with the
//! measured service.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

/// The results of one round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures {
    /// Answers per second over all connections.
    pub(crate) per_second: f64,
    /// Median time of one answer on one connection, in milliseconds.
    pub(crate) latency_ms: f64,
}

impl Figures {
    /// The median of each figure. `None`: there are no rounds.
    pub(crate) fn median(rounds: &[Self]) -> Option<Self> {
        Some(Self {
            per_second: median(rounds.iter().map(|figures| figures.per_second))?,
            latency_ms: median(rounds.iter().map(|figures| figures.latency_ms))?,
        })
    }

    /// Each figure divided by the same figure of another measurement.
    pub(crate) fn to(self, other: Self) -> Self {
        Self {
            per_second: self.per_second / other.per_second,
            latency_ms: self.latency_ms / other.latency_ms,
        }
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// A server to measure.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    address: String,
    path: Box<dyn Fn(u32) -> String + Send + Sync>,
    /// The n-th request's header beside `Host`, with its line end; empty without one.
    header: Box<dyn Fn(u32) -> String + Send + Sync>,
    status: u16,
    /// How many requests were answered, if they are counted.
    counted: Option<AtomicU64>,
}

impl Target {
    /// `path` returns the path and query of the n-th request.
    pub(crate) fn new(
        name: &'static str,
        url: &str,
        path: impl Fn(u32) -> String + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let address = url.strip_prefix("http://").context("an http address")?.to_owned();
        Ok(Self {
            name,
            address,
            path: Box::new(path),
            header: Box::new(|_| String::new()),
            status: 200,
            counted: None,
        })
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
    pub(crate) fn answering(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Sends the n-th request.
    fn ask(&self, connection: &mut Connection, n: u32) -> anyhow::Result<()> {
        connection.get(&(self.path)(n), &(self.header)(n), self.status)?;
        if let Some(counted) = &self.counted {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Counts the answers.
    pub(crate) fn counting(mut self) -> Self {
        self.counted = Some(AtomicU64::new(0));
        self
    }

    /// The number of answers so far; 0 if they are not counted.
    pub(crate) fn counted(&self) -> u64 {
        self.counted.as_ref().map_or(0, |counted| counted.load(Ordering::Relaxed))
    }

    /// Sends each of the first `requests` requests once, so that every scope record exists. Returns how long this took.
    pub(crate) fn touch(&self, connections: usize, requests: u32) -> anyhow::Result<Duration> {
        let start = Instant::now();
        Self::on_each(connections, |worker| {
            let mut connection = Connection::open(&self.address)?;
            for n in (worker..requests).step_by(connections) {
                self.ask(&mut connection, n)?;
            }
            Ok(0)
        })?;
        Ok(start.elapsed())
    }

    /// Runs half a second of load that is not measured.
    pub(crate) fn warm_up(&self, connections: usize) -> anyhow::Result<()> {
        self.throughput(connections, Duration::from_millis(500)).map(|_| ())
    }

    pub(crate) fn measure(
        &self,
        connections: usize,
        milliseconds: u64,
        requests: usize,
    ) -> anyhow::Result<Figures> {
        Ok(Figures {
            per_second: self.throughput(connections, Duration::from_millis(milliseconds))?,
            latency_ms: self.latency(requests)?,
        })
    }

    fn throughput(&self, connections: usize, duration: Duration) -> anyhow::Result<f64> {
        let start = Instant::now();
        let total = Self::on_each(connections, |worker| self.count(worker, start + duration))?;
        Ok(f64::from(total) / start.elapsed().as_secs_f64())
    }

    /// Runs `work` on one thread for each connection, and returns the sum of the results.
    fn on_each(connections: usize, work: impl Fn(u32) -> anyhow::Result<u32> + Sync) -> anyhow::Result<u32> {
        let work = &work;
        let counts: Vec<anyhow::Result<u32>> = std::thread::scope(|scope| {
            let workers: Vec<_> =
                (0..connections).map(|worker| scope.spawn(move || work(u32::try_from(worker)?))).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|_| anyhow::bail!("a worker ended")))
                .collect()
        });
        counts.into_iter().sum()
    }

    fn count(&self, worker: u32, end: Instant) -> anyhow::Result<u32> {
        let mut connection = Connection::open(&self.address)?;
        let mut count = 0;
        while Instant::now() < end {
            // Every worker requests the applications in another order.
            self.ask(&mut connection, worker * 7919 + count * 31)?;
            count += 1;
        }
        Ok(count)
    }

    fn latency(&self, requests: usize) -> anyhow::Result<f64> {
        let mut connection = Connection::open(&self.address)?;
        let mut times = Vec::with_capacity(requests);
        for n in 0..u32::try_from(requests)? {
            let start = Instant::now();
            self.ask(&mut connection, n * 31)?;
            times.push(start.elapsed().as_secs_f64() * 1000.0);
        }
        median(times.into_iter()).context("no requests")
    }
}

struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
    line: String,
    body: Vec<u8>,
}

impl Connection {
    fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
            host: address.to_owned(),
            line: String::new(),
            body: Vec::new(),
        })
    }

    /// Sends one request. Any other status is an error.
    fn get(&mut self, path: &str, header: &str, status: u16) -> anyhow::Result<()> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{header}\r\n", self.host);
        self.stream.get_mut().write_all(request.as_bytes())?;
        let expected = format!("HTTP/1.1 {status} ");
        ensure!(self.line()?.starts_with(&expected), "{path}: {}", self.line.trim_end());
        let mut length = None;
        while !self.line()?.is_empty() {
            if let Some((name, value)) = self.line.trim_end().split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = Some(value.trim().parse()?);
            }
        }
        match length {
            _ if matches!(status, 204 | 304) => Ok(()),
            Some(length) => self.read(length),
            None => self.read_chunks(),
        }
    }

    /// Reads a body without a declared length.
    fn read_chunks(&mut self) -> anyhow::Result<()> {
        loop {
            let length = usize::from_str_radix(self.line()?, 16)?;
            self.read(length)?;
            // The line break at the end of the chunk or the body.
            self.line()?;
            if length == 0 {
                return Ok(());
            }
        }
    }

    fn line(&mut self) -> anyhow::Result<&str> {
        self.line.clear();
        ensure!(self.stream.read_line(&mut self.line)? > 0, "the connection was closed");
        Ok(self.line.trim_end())
    }

    fn read(&mut self, length: usize) -> anyhow::Result<()> {
        self.body.resize(length, 0);
        Ok(self.stream.read_exact(&mut self.body)?)
    }
}
