//! Metrics that only the serving process knows. They are appended to the answer of `GET /metrics`, which the
//! metrics token protects. The reference is `docs/metrics.md`.

mod requests;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use http::StatusCode;
use spindrift_server::Observer;

use crate::last_backup;
use requests::Requests;

/// The path of the component that reports the contents of the stores.
const PATH: &str = "/metrics";

/// The metrics of one process.
#[derive(Debug)]
pub(crate) struct Metrics {
    requests: Requests,
    state_dir: PathBuf,
}

impl Metrics {
    pub(crate) fn new(state_dir: impl Into<PathBuf>) -> Self {
        Self { requests: Requests::default(), state_dir: state_dir.into() }
    }

    fn text(&self, now: SystemTime) -> String {
        let mut text = self.requests.text();
        if let Some(Disk { free, size }) = Disk::of(&self.state_dir) {
            gauge(
                &mut text,
                "spindrift_disk_free_bytes",
                "Bytes that the service can still write to its disk.",
                free,
            );
            gauge(&mut text, "spindrift_disk_size_bytes", "Size of the disk with the state folder.", size);
        }
        if let Some(at) = last_backup::time(&self.state_dir) {
            let age = now.duration_since(at).unwrap_or_default().as_secs();
            let help = "Seconds since the last backup, or since the first start if there was none.";
            gauge(&mut text, "spindrift_backup_age_seconds", help, age);
        }
        text
    }
}

impl Observer for Metrics {
    fn answered(&self, component: &str, status: StatusCode, time: Duration) {
        self.requests.count(component, status, time);
    }

    fn addition(&self, path: &str) -> Option<String> {
        (path == PATH).then(|| self.text(SystemTime::now()))
    }
}

fn gauge(text: &mut String, name: &str, help: &str, value: u64) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
}

/// The file system of a folder, in bytes.
struct Disk {
    free: u64,
    size: u64,
}

impl Disk {
    /// `None` if the system does not report it.
    #[cfg(unix)]
    fn of(folder: &std::path::Path) -> Option<Self> {
        let found = rustix::fs::statvfs(folder).ok()?;
        let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
        Some(Self { free: bytes(found.f_bavail), size: bytes(found.f_blocks) })
    }

    #[cfg(not(unix))]
    fn of(_: &std::path::Path) -> Option<Self> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_follow_those_of_the_stores() {
        let state = tempfile::tempdir().unwrap();
        let metrics = Metrics::new(state.path());
        metrics.answered("check", StatusCode::OK, Duration::from_millis(3));
        assert!(metrics.addition("/health").is_none());
        let text = metrics.addition("/metrics").unwrap();
        assert!(text.contains("spindrift_requests_total{component=\"check\",status=\"2xx\"} 1\n"), "{text}");
        assert!(!text.contains("spindrift_backup_age_seconds "), "{text}");
        #[cfg(unix)]
        assert!(text.contains("\nspindrift_disk_free_bytes "), "{text}");
    }

    #[test]
    fn the_age_of_the_last_backup() {
        let state = tempfile::tempdir().unwrap();
        let metrics = Metrics::new(state.path());
        let at = "2026-11-27T20:00:00Z".parse::<jiff::Timestamp>().unwrap();
        last_backup::record(state.path(), at).unwrap();
        let text = metrics.text(SystemTime::from(at) + Duration::from_secs(90));
        assert!(text.ends_with("\nspindrift_backup_age_seconds 90\n"), "{text}");
    }
}
