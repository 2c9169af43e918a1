//! The embedded host as a separate process, for tests that kill or measure it.

fn main() -> std::process::ExitCode {
    spindrift_local::main_from_args()
}
