//! The program `spindrift-host`.

fn main() -> std::process::ExitCode {
    spindrift_host::main_from_args()
}
