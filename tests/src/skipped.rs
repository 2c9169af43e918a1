//! Tests that need software that not every machine has.

/// Environment variable: these tests fail where they would be skipped.
const REQUIRED: &str = "SPINDRIFT_TEST_REQUIRED";

/// Reports that a test is skipped, and why.
pub(crate) fn skipped(reason: &str) {
    assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, but {reason}");
    println!("skipped: {reason}");
}

/// Whether these programs are installed. If not, reports that the test is skipped.
pub fn are_installed(programs: &[&str]) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_there =
        |program: &&&str| std::env::split_paths(&folders).any(|folder| folder.join(program).is_file());
    let missing: Vec<_> = programs.iter().filter(|program| !is_there(program)).copied().collect();
    if !missing.is_empty() {
        skipped(&format!("not installed: {}", missing.join(", ")));
    }
    missing.is_empty()
}
