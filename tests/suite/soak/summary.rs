//! The table at the end.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::count::Count;
use super::stock::Stock;
use super::tally::Tally;

/// Prints the actions.
pub(super) fn print(tally: &Tally, [before, after]: [&Stock; 2], counted: &BTreeMap<String, Count>) {
    println!("\n| calls | answers | statuses | mean | slowest |\n|---|---:|---|---:|---:|");
    for (kind, calls) in &tally.calls {
        let count = calls.count();
        let mean = calls.total / u32::try_from(count.max(1)).unwrap_or(u32::MAX);
        let (mean, slowest) = (milliseconds(mean), milliseconds(calls.slowest));
        println!("| {kind} | {count} | {} | {mean} | {slowest} |", list(&calls.statuses));
    }
    println!("\ncompared with the current state: {}", list(&tally.compared));
    let total = |number: fn(&Count) -> u64| counted.values().map(number).sum::<u64>();
    println!("counted: {} devices, {} requests", total(|c| c.devices), total(|c| c.requests));
    let mib = |stock: &Stock| stock.memory.iter().map(|kib| kib.unwrap_or(0) / 1024).collect::<Vec<_>>();
    println!("memory in MiB, after the first quarter and at the end: {:?}, {:?}", mib(before), mib(after));
    println!("keys after the first quarter: {}\nkeys at the end: {}", list(&before.keys), list(&after.keys));
    println!("rows after the first quarter: {}\nrows at the end: {}", list(&before.rows), list(&after.rows));
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1_000.0)
}

fn list<K: Display>(counts: &BTreeMap<K, u64>) -> String {
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name}: {count}")).collect();
    counts.join(", ")
}

/// Prints the log lines below a folder about the requests that the problems name, and the number of complaints.
pub(super) fn print_logs(problems: &[String], folder: &Path) {
    let after = |problem: &String| Some(problem.split_once("request ")?.1.split_once(':')?.0.to_owned());
    let ids: Vec<String> = problems.iter().filter_map(after).filter(|id| !id.is_empty()).collect();
    let mut complaints = BTreeMap::new();
    for log in logs(folder) {
        let name = log.file_name().unwrap_or_default().display().to_string();
        let said = std::fs::read(&log).unwrap_or_default();
        for line in String::from_utf8_lossy(&said).lines() {
            if ids.iter().any(|id| line.contains(id.as_str())) {
                println!("{name}: {line}");
            }
            if let Some(complaint) = complaint(line) {
                *complaints.entry(format!("{name}: {complaint}")).or_default() += 1;
            }
        }
    }
    println!("complaints in the logs: {}", list(&complaints));
}

/// The message and the reason of a line that complains. `None`: it only informs.
fn complaint(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line.get(line.find('{')?..)?).ok()?;
    let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
    (line["level"].is_string() && line["level"] != "info")
        .then(|| [text("message"), text("reason")].join(": "))
}

/// The logs in a folder and the folders in it.
fn logs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_log = |file: &PathBuf| file.extension().is_some_and(|end| end == "log" || end == "txt");
    let below = folders.iter().flat_map(|folder| logs(folder));
    files.into_iter().filter(is_log).chain(below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_told_from_information() {
        let line = r#"[check] {"level":"warn","message":"slow","reason":"a lock","request_id":"1"}"#;
        assert_eq!(complaint(line).as_deref(), Some("slow: a lock"));
        assert_eq!(complaint(&line.replace("warn", "info")), None);
        assert_eq!(complaint("Storing default SQLite data"), None);
    }
}
