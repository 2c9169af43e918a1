//! Running a property with many inputs.

use std::cell::Cell;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use spindrift_fuzz_properties::Property;

/// Runs the property with this many inputs, the same in every run. A fuzzer is for others. At least a fifth of them must
/// be read: a property of read inputs says nothing about inputs that are all refused.
pub(crate) fn check(property: Property, cases: u32, inputs: impl Strategy<Value = Vec<u8>>) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let read = Cell::new(0_u32);
    let result = runner.run(&inputs.prop_map(Shown), |input| {
        read.set(read.get() + u32::from(property(&input.0)));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(read.get() >= cases / 5, "only {} of {cases} inputs were read", read.get());
}

/// An input that is shown as text.
struct Shown(Vec<u8>);

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}
