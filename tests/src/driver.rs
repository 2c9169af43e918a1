//! What a test runs against.

use crate::spin;

/// One way to run the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// The components as libraries over native adapters, in this process. The clock and faults are the test's.
    InProcess,
    /// The components as WebAssembly in the embedded host, in this process.
    Embedded,
    /// `spin up`, when `SPINDRIFT_TEST_HOST=spin`.
    Spin,
}

/// Runs a test on a driver; on Spin only when the environment asks for it.
pub fn run(driver: Driver, test: impl FnOnce(Driver)) {
    if driver == Driver::Spin && !spin::is_wanted() {
        println!(
            "skipped: set SPINDRIFT_TEST_HOST=spin (and SPIN_BIN, if `spin` is not in the PATH) to run this on Spin"
        );
        return;
    }
    test(driver);
}

/// Makes tests of functions that take a [`Driver`]: `every` for all drivers, `in_process` for those that move the clock
/// or make parts of the platform fail, `hosted` for those that lay hands on the files of a host's stores. A function that is
/// listed nowhere is dead code, which the compiler reports.
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
