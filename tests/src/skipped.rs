//! Tests that need software that not every machine has.

/// Environment variable: these tests fail where they would be skipped.
const REQUIRED: &str = "SPINDRIFT_TEST_REQUIRED";

/// Says that a test has nothing to run, and why.
pub(crate) fn skipped(reason: &str) {
    assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, but {reason}");
    println!("skipped: {reason}");
}
