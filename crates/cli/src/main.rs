//! The program `spindrift`.

fn main() -> std::process::ExitCode {
    spindrift_cli::main_from_args()
}
