//! Standard output and standard error of components, written as whole lines to the host's standard error.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};

use spindrift_http::log_of_component;

/// Writes the output of one component.
#[derive(Clone)]
pub(crate) struct GuestOutput {
    component: Arc<str>,
    line_bytes: usize,
}

impl GuestOutput {
    /// Splits lines longer than `line_bytes`.
    pub(crate) fn new(component: &Arc<str>, line_bytes: usize) -> Self {
        Self { component: component.clone(), line_bytes }
    }
}

impl IsTerminal for GuestOutput {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for GuestOutput {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(Lines { output: self.clone(), pending: Vec::new() })
    }
}

struct Lines {
    output: GuestOutput,
    pending: Vec<u8>,
}

impl Lines {
    fn print(&self, line: &[u8]) {
        log_of_component(&self.output.component, &String::from_utf8_lossy(line));
    }
}

impl AsyncWrite for Lines {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        for byte in bytes {
            if *byte != b'\n' {
                self.pending.push(*byte);
            }
            if *byte == b'\n' || self.pending.len() >= self.output.line_bytes {
                let line = std::mem::take(&mut self.pending);
                self.print(&line);
            }
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        if !self.pending.is_empty() {
            self.print(&self.pending);
        }
    }
}
