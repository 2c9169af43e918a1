//! The program `spindrift-local`.

fn main() -> std::process::ExitCode {
    spindrift_local::main_from_args()
}
