//! Memory of the processes that run a host. Linux reports it; elsewhere nothing is measured.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// Written to `clear_refs` of a process, makes its peak begin anew.
const RESET_PEAK: &str = "5";

/// The processes of a host, and their memory at a moment.
pub(crate) struct Memory {
    processes: Vec<u32>,
    before_kib: u64,
}

impl Memory {
    /// Of this process, which runs the embedded host and the storage.
    pub(crate) fn of_this_process() -> Option<Self> {
        Self::of(vec![std::process::id()])
    }

    /// Of all processes that this one has started: those of Spin, while nothing else runs.
    pub(crate) fn of_children() -> Option<Self> {
        let parents: Vec<_> = processes().into_iter().filter_map(|id| Some((id, parent(id)?))).collect();
        let mut found = BTreeSet::from([std::process::id()]);
        while let Some((id, _)) =
            parents.iter().find(|(id, parent)| found.contains(parent) && !found.contains(id))
        {
            found.insert(*id);
        }
        found.remove(&std::process::id());
        Self::of(found.into_iter().collect())
    }

    fn of(processes: Vec<u32>) -> Option<Self> {
        let mut this = Self { processes, before_kib: 0 };
        for id in &this.processes {
            std::fs::write(folder(*id).join("clear_refs"), RESET_PEAK).ok()?;
        }
        this.before_kib = this.sum("VmRSS:")?;
        (this.before_kib > 0).then_some(this)
    }

    /// How much more memory was in use at most since then, in MiB.
    pub(crate) fn growth_mib(&self) -> Option<u64> {
        Some(self.sum("VmHWM:")?.saturating_sub(self.before_kib) / 1024)
    }

    fn sum(&self, name: &str) -> Option<u64> {
        self.processes.iter().map(|id| number(*id, name)).sum()
    }
}

fn folder(id: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{id}"))
}

fn processes() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn parent(id: u32) -> Option<u32> {
    number(id, "PPid:").and_then(|parent| parent.try_into().ok())
}

/// A number in the status of a process; memory is in KiB.
fn number(id: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(folder(id).join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}
