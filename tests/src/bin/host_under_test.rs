//! The embedded host as a process of its own, for tests that kill it or measure it.

fn main() -> std::process::ExitCode {
    spindrift_host::main_from_args()
}
