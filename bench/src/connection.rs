//! One keep-alive connection. It uses little processor time, because it shares the processors with
//! the measured service.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context as _, ensure};

/// Time limit for the next bytes of an answer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(30);

pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    line: String,
    body: Vec<u8>,
}

impl Connection {
    /// Connects to `host:port`.
    pub(crate) fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWERED_WITHIN))?;
        Ok(Self { stream: BufReader::new(stream), line: String::new(), body: Vec::new() })
    }

    /// Sends one request. Any other status is an error.
    pub(crate) fn ask(&mut self, request: &str, status: u16) -> anyhow::Result<()> {
        self.stream.get_mut().write_all(request.as_bytes())?;
        ensure!(self.line()?.starts_with("HTTP/1.1 "), "{}", self.line.trim_end());
        let found: u16 = self.line.get(9..12).unwrap_or_default().parse()?;
        let mut length = None;
        while !self.line()?.is_empty() {
            if let Some((name, value)) = self.line.trim_end().split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = Some(value.trim().parse()?);
            }
        }
        match length {
            _ if matches!(found, 204 | 304) => {}
            Some(length) => self.read(length)?,
            None => self.read_chunks()?,
        }
        let said = || String::from_utf8_lossy(&self.body);
        ensure!(found == status, "{found}: {}, asked with {request}", said());
        Ok(())
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
        let length = self.stream.read_line(&mut self.line);
        let length = length.with_context(|| format!("no answer within {ANSWERED_WITHIN:?}"))?;
        ensure!(length > 0, "the connection was closed");
        Ok(self.line.trim_end())
    }

    fn read(&mut self, length: usize) -> anyhow::Result<()> {
        self.body.resize(length, 0);
        Ok(self.stream.read_exact(&mut self.body)?)
    }
}
