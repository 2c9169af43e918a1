//! The resources that the processes of a host use. Linux reports them; elsewhere nothing is measured.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Written to `clear_refs` of a process, resets its peak.
const RESET_PEAK: &str = "5";
/// Unit of times in `/proc`: ticks per second, the same on every Linux.
const TICKS_PER_SECOND: u64 = 100;
/// Fields of `/proc/<id>/stat` between the name of the program and the processor time in user mode.
const FIELDS_BEFORE_TIME: usize = 11;
/// A host that has used no processor time for this long has nothing left to do. Longer than devices wait for
/// others, to be counted with them.
const IDLE: Duration = Duration::from_millis(300);
/// Time limit for a host to become idle.
const IDLE_WITHIN: Duration = Duration::from_secs(30);
/// Pause between two looks at a host that is to become idle.
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub struct Processes(Vec<u32>);

impl Processes {
    /// This one.
    pub fn this() -> Self {
        Self(vec![std::process::id()])
    }

    /// A process, and all that it and its children have started.
    pub fn under(root: u32) -> Self {
        let parents: Vec<_> = all().into_iter().filter_map(|id| Some((id, parent(id)?))).collect();
        let mut found = BTreeSet::from([root]);
        while let Some((id, _)) =
            parents.iter().find(|(id, parent)| found.contains(parent) && !found.contains(id))
        {
            found.insert(*id);
        }
        Self(found.into_iter().collect())
    }

    pub fn ids(&self) -> &[u32] {
        &self.0
    }

    pub fn processor_time(&self) -> Option<Duration> {
        let ticks: u64 = self.0.iter().map(|id| ticks(*id)).sum::<Option<u64>>()?;
        Some(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
    }

    /// Waits until they have nothing left to do. Returns their processor time.
    pub fn settle(&self) -> Option<Duration> {
        let start = Instant::now();
        let mut last = (start, self.processor_time()?);
        while last.0.elapsed() < IDLE && start.elapsed() < IDLE_WITHIN {
            std::thread::sleep(PAUSE);
            let now = self.processor_time()?;
            if now != last.1 {
                last = (Instant::now(), now);
            }
        }
        Some(last.1)
    }

    /// Memory in use, and the most that was in use since their start or [`Self::reset_peak`], for reading.
    pub fn memory(&self) -> String {
        let mib = |kib: Option<u64>| kib.map_or_else(|| "?".to_owned(), |kib| (kib / 1024).to_string());
        format!("{} MiB of memory, at most {} MiB", mib(self.memory_kib()), mib(self.peak_kib()))
    }

    /// Memory in use, in KiB.
    pub fn memory_kib(&self) -> Option<u64> {
        self.sum("VmRSS:")
    }

    /// Most memory in use since their start or [`Self::reset_peak`], in KiB.
    pub fn peak_kib(&self) -> Option<u64> {
        self.sum("VmHWM:")
    }

    /// Resets the peak. `None`: the system cannot do that.
    pub fn reset_peak(&self) -> Option<()> {
        self.0.iter().try_for_each(|id| std::fs::write(folder(*id).join("clear_refs"), RESET_PEAK)).ok()
    }

    fn sum(&self, name: &str) -> Option<u64> {
        self.0.iter().map(|id| number(*id, name)).sum()
    }
}

fn folder(id: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{id}"))
}

fn all() -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn parent(id: u32) -> Option<u32> {
    number(id, "PPid:").and_then(|parent| parent.try_into().ok())
}

/// Processor time in user mode and in the kernel.
fn ticks(id: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(folder(id).join("stat")).ok()?;
    // The name may contain anything, so the text after its closing parenthesis is read.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times =
        fields.split_whitespace().skip(FIELDS_BEFORE_TIME).map_while(|field| field.parse::<u64>().ok());
    Some(times.next()? + times.next()?)
}

/// A number in the status of a process; memory is in KiB.
fn number(id: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(folder(id).join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn work_takes_processor_time() {
        let this = Processes::this();
        let before = this.processor_time().unwrap();
        let start = Instant::now();
        while this.processor_time().unwrap() == before {
            assert!(start.elapsed() < Duration::from_mins(1), "no time was counted");
        }
        let memory = this.memory_kib();
        assert!(memory > Some(0) && this.peak_kib() >= memory);
    }

    #[test]
    fn children_are_found() {
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let found = Processes::under(std::process::id()).0;
        assert!(found.contains(&child.id()) && found.contains(&std::process::id()), "{found:?}");
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
