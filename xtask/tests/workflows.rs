//! YAML files that no other test reads. Their services run elsewhere, and would be the first to say that a
//! file is broken.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot read the files fails")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The files of the repository that match a pattern of git.
fn files(pattern: &str) -> Vec<String> {
    let listed = Command::new("git").args(["ls-files", "--", pattern]).current_dir(root()).output().unwrap();
    let names: Vec<String> = String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect();
    assert!(!names.is_empty(), "{pattern}");
    names
}

fn read(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    serde_saphyr::from_multiple(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn jobs(file: &str) -> Vec<(String, Value)> {
    let jobs = read(file)[0]["jobs"].clone();
    jobs.as_object().unwrap_or_else(|| panic!("{file} has no jobs")).clone().into_iter().collect()
}

#[test]
fn every_yaml_file_is_yaml() {
    for file in files("*.yml").iter().chain(&files("*.yaml")) {
        assert!(!read(file).is_empty(), "{file}");
    }
}

#[test]
fn jobs_need_jobs_of_their_workflow() {
    for file in files(".github/workflows/*.yml") {
        let jobs = jobs(&file);
        for (name, job) in &jobs {
            let needs = job["needs"].as_array().cloned().unwrap_or_else(|| vec![job["needs"].clone()]);
            for needed in needs.iter().filter_map(Value::as_str) {
                assert!(jobs.iter().any(|(other, _)| other == needed), "{file}: {name} needs {needed}");
            }
        }
    }
}

/// A step runs commands or an action, and the scripts of this repository that it runs exist.
#[test]
fn steps_run_what_exists() {
    for file in files(".github/workflows/*.yml") {
        for (name, job) in jobs(&file) {
            for step in job["steps"].as_array().unwrap() {
                assert!(step["run"].is_string() != step["uses"].is_string(), "{file}: {name}: {step}");
                let words = step["run"].as_str().unwrap_or_default().split_whitespace();
                for script in words.filter(|word| word.starts_with("deploy/") || word.starts_with(".ci/")) {
                    assert!(root().join(script).is_file(), "{file}: {name}: {script}");
                }
            }
        }
    }
}
