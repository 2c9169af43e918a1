//! Running the fuzz targets of `fuzz/targets`, one after the other, with nightly Rust and cargo-fuzz.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::Error;

/// Seconds for each target, if the command does not say.
const DEFAULT_SECONDS: u64 = 300;
/// Seconds for one input. Real ones take milliseconds.
const INPUT_SECONDS: u32 = 20;
/// Memory of a target, in MiB, with the checks of the sanitizer.
const MEMORY_MIB: u32 = 1500;
/// Longest input, in bytes. Problems of longer ones are the subject of `fuzz/properties/tests/growth.rs`.
const MAX_INPUT_BYTES: u32 = 8192;
/// Where targets are built and inputs are collected. The inputs to keep are in `fuzz/corpus`.
const BUILD: &str = "target/fuzz";

/// The targets to run, and for how long.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    seconds: u64,
    /// Empty: all.
    targets: Vec<String>,
}

/// The findings of one target.
struct TargetFindings {
    target: String,
    elapsed: Duration,
    stats: Stats,
    crashed: bool,
}

/// The last lines of libFuzzer.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stats {
    /// Without those in which the target was built again.
    seconds: Option<u64>,
    executions: Option<u64>,
    new_inputs: Option<u64>,
    /// Executions until the last input that reached new code. Long ago: more time would hardly find more.
    new_code_until: Option<u64>,
    /// The files of inputs that broke a property.
    broken: Vec<String>,
}

/// Runs the targets and prints a table. `Ok(false)`: a property does not hold.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<bool, Error> {
    let all = targets(&root.join("fuzz/targets/src"))?;
    let plan = plan(arguments, &all)?;
    require_tools()?;
    let chosen = if plan.targets.is_empty() { &all } else { &plan.targets };
    for target in chosen {
        let built = fuzz(root, "build").arg(target).status().map_err(|error| failed("build", &error))?;
        if !built.success() {
            return Err(failed("build", &built));
        }
    }
    let mut outcomes = Vec::new();
    for target in chosen {
        eprintln!("{target}: {} seconds", plan.seconds);
        let outcome = run_one(root, target, plan.seconds)?;
        println!("{}", line(&outcome));
        outcomes.push(outcome);
    }
    println!("\n{HEAD}");
    for outcome in &outcomes {
        println!("{}", line(outcome));
    }
    for path in outcomes.iter().flat_map(|outcome| &outcome.stats.broken) {
        println!("kept: {path}");
    }
    Ok(!outcomes.iter().any(|outcome| outcome.crashed))
}

/// The names of all targets, sorted.
fn targets(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))? {
        let path = entry.map_err(Error::file(folder))?.path();
        names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort_unstable();
    Ok(names)
}

fn plan(arguments: &[String], all: &[String]) -> Result<Plan, Error> {
    let mut plan = Plan { seconds: DEFAULT_SECONDS, targets: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--seconds" {
            let seconds = rest.next().and_then(|seconds| seconds.parse().ok()).filter(|seconds| *seconds > 0);
            plan.seconds = seconds.ok_or_else(|| failed("--seconds", &"needs a number of seconds"))?;
        } else if all.contains(argument) {
            plan.targets.push(argument.clone());
        } else {
            return Err(failed(argument, &format!("is not a target; there are {}", all.join(", "))));
        }
    }
    Ok(plan)
}

/// Fails with the command that installs the missing tool.
fn require_tools() -> Result<(), Error> {
    let works = |command: &mut Command| {
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    };
    if !works(nightly("rustc").arg("--version")) {
        return Err(failed(
            "rustup",
            &"nightly Rust is missing: rustup toolchain install nightly --profile minimal",
        ));
    }
    if !works(nightly("cargo").args(["fuzz", "--version"])) {
        return Err(failed("cargo fuzz", &"is missing: cargo install cargo-fuzz --locked"));
    }
    Ok(())
}

/// A program of nightly Rust. The stable cargo that runs this one must not answer in its place.
fn nightly(program: &str) -> Command {
    let mut command = Command::new("rustup");
    command
        .args(["run", "nightly", program])
        .env_remove("CARGO")
        .env_remove("RUSTC")
        .env_remove("RUSTUP_TOOLCHAIN");
    command
}

fn fuzz(root: &Path, what: &str) -> Command {
    let mut command = nightly("cargo");
    command.current_dir(root).args(["fuzz", what, "--fuzz-dir", "fuzz/targets", "--target-dir", BUILD]);
    command
}

fn run_one(root: &Path, target: &str, seconds: u64) -> Result<TargetFindings, Error> {
    let build = root.join(BUILD);
    let (found, crashes) = (build.join("corpus").join(target), root.join("fuzz/crashes").join(target));
    for folder in [&found, &crashes] {
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    let log = build.join(format!("{target}.log"));
    let start = Instant::now();
    let status = fuzz(root, "run")
        .arg(target)
        .args([&found, &root.join("fuzz/corpus").join(target)])
        .args(["--", "-print_final_stats=1"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={INPUT_SECONDS}"))
        .arg(format!("-rss_limit_mb={MEMORY_MIB}"))
        .arg(format!("-max_len={MAX_INPUT_BYTES}"))
        .arg(format!("-artifact_prefix={}/", crashes.display()))
        .stdout(Stdio::null())
        .stderr(File::create(&log).map_err(Error::file(&log))?)
        .status()
        .map_err(|error| failed("run", &error))?;
    let elapsed = start.elapsed();
    // Remains only if something was found.
    let _ = std::fs::remove_dir(&crashes);
    let text = read(&log)?;
    let outcome = TargetFindings {
        target: target.to_owned(),
        elapsed,
        stats: stats(&text),
        crashed: !status.success(),
    };
    if outcome.crashed && outcome.stats.broken.is_empty() {
        return Err(failed(target, &format!("ended without a result, see {}", log.display())));
    }
    Ok(outcome)
}

/// A log, which may repeat bytes of inputs.
fn read(log: &PathBuf) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&std::fs::read(log).map_err(Error::file(log))?).into_owned())
}

fn stats(log: &str) -> Stats {
    let number = |name: &str| log.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    let broken = log
        .lines()
        .filter_map(|line| line.split_once("Test unit written to ").map(|(_, path)| path.to_owned()));
    let done = log.lines().find_map(|line| line.strip_prefix("Done ")?.split_once(" runs in "));
    Stats {
        seconds: done.and_then(|(_, rest)| rest.split(' ').next()?.parse().ok()),
        executions: number("stat::number_of_executed_units:"),
        new_inputs: number("stat::new_units_added:"),
        new_code_until: new_code_until(log),
        broken: broken.collect(),
    }
}

/// In lines such as `#4096 NEW    cov: 812 ft: 1650 corp: 65/2048b`, the number of the last one with more
/// coverage than all before it.
fn new_code_until(log: &str) -> Option<u64> {
    let mut most = 0;
    let mut until = None;
    for line in log.lines() {
        let mut words = line.split_whitespace();
        let number = words.next().and_then(|word| word.strip_prefix('#')?.parse().ok());
        let coverage: Option<u64> =
            words.skip_while(|word| *word != "cov:").nth(1).and_then(|coverage| coverage.parse().ok());
        if let (Some(number), Some(coverage)) = (number, coverage)
            && coverage > most
        {
            (most, until) = (coverage, Some(number));
        }
    }
    until
}

const HEAD: &str = "target           seconds  executions  new code until  new inputs  crashes";

fn line(TargetFindings { target, elapsed, stats, .. }: &TargetFindings) -> String {
    let number = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), |number| number.to_string());
    let [executions, until, new] = [stats.executions, stats.new_code_until, stats.new_inputs].map(number);
    let seconds = stats.seconds.unwrap_or(elapsed.as_secs());
    format!("{target:<16} {seconds:>7}  {executions:>10}  {until:>14}  {new:>10}  {:>7}", stats.broken.len())
}

fn failed(what: &str, reason: &impl ToString) -> Error {
    Error::Command { command: format!("cargo xtask fuzz: {what}"), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(arguments: &[&str]) -> Result<Plan, String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        plan(&words(arguments), &words(&["names", "versions"])).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments() {
        assert_eq!(planned(&[]), Ok(Plan { seconds: DEFAULT_SECONDS, targets: Vec::new() }));
        let one = Plan { seconds: 5, targets: vec!["versions".to_owned()] };
        assert_eq!(planned(&["versions", "--seconds", "5"]), Ok(one));
        for (wrong, reason) in [
            (&["--seconds"][..], "`cargo xtask fuzz: --seconds`: needs a number of seconds"),
            (&["--seconds", "0"], "`cargo xtask fuzz: --seconds`: needs a number of seconds"),
            (&["verions"], "`cargo xtask fuzz: verions`: is not a target; there are names, versions"),
        ] {
            assert_eq!(planned(wrong), Err(reason.to_owned()));
        }
    }

    #[test]
    fn results_are_read_from_the_log() {
        let log = "#2\tINITED cov: 5 ft: 9\n#4\tNEW    cov: 7 ft: 12 corp: 2/9b\n#8\tREDUCE cov: 7 ft: 12\nDone 12 runs in 7 second(s)\nstat::number_of_executed_units: 12\n\
            stat::new_units_added:          3\n";
        let good = stats(log);
        let expected = Stats {
            seconds: Some(7),
            executions: Some(12),
            new_inputs: Some(3),
            new_code_until: Some(4),
            broken: Vec::new(),
        };
        assert_eq!(good, expected);
        let outcome = TargetFindings {
            target: "names".to_owned(),
            elapsed: Duration::from_secs(61),
            stats: good,
            crashed: false,
        };
        let shown = line(&outcome);
        assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), ["names", "7", "12", "4", "3", "0"]);
        assert_eq!(shown.len(), HEAD.len());
        let crash = "artifact_prefix='a/'; Test unit written to a/crash-1\n";
        assert_eq!(stats(crash).broken, ["a/crash-1"]);
    }

    #[test]
    fn targets_are_the_files_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.rs", "a.rs"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(targets(folder.path()).unwrap(), ["a", "b"]);
        assert!(targets(&folder.path().join("missing")).is_err());
    }
}
