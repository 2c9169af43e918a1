//! The ways to run the service under test.

use crate::spin;

/// One way to run the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// The native server, in this process. The test controls its clock and faults.
    InProcess,
    /// The components as WebAssembly, in the runner of `tests/spin-host` and this process.
    Embedded,
    /// `spin up`, if `SPINDRIFT_TEST_HOST=spin`.
    Spin,
}

/// Runs a test on a driver. Runs on Spin only if the environment variable is set.
pub fn run(driver: Driver, test: impl FnOnce(Driver)) {
    if driver == Driver::Spin && !spin::is_wanted() {
        println!(
            "skipped: set SPINDRIFT_TEST_HOST=spin (and SPIN_BIN, if `spin` is not in the PATH) to run this on Spin"
        );
        return;
    }
    test(driver);
}

/// Makes tests from functions that take a [`Driver`]. `every`: for all drivers. `in_process`: for tests that
/// change the clock or make the platform fail. `hosted`: for tests that modify the files of a host's stores.
/// A function that is not listed is dead code, which the compiler reports.
#[macro_export]
macro_rules! on_hosts {
    (
        every: [$($every:ident),* $(,)?]
        $(, in_process: [$($native:ident),* $(,)?])?
        $(, hosted: [$($hosted:ident),* $(,)?])?
        $(,)?
    ) => {
        mod in_process {
            $(#[test] fn $every() { $crate::run($crate::Driver::InProcess, super::$every); })*
            $($(#[test] fn $native() { $crate::run($crate::Driver::InProcess, super::$native); })*)?
        }
        mod embedded {
            $(#[test] fn $every() { $crate::run($crate::Driver::Embedded, super::$every); })*
            $($(#[test] fn $hosted() { $crate::run($crate::Driver::Embedded, super::$hosted); })*)?
        }
        mod spin {
            $(#[test] fn $every() { $crate::run($crate::Driver::Spin, super::$every); })*
            $($(#[test] fn $hosted() { $crate::run($crate::Driver::Spin, super::$hosted); })*)?
        }
    };
}
