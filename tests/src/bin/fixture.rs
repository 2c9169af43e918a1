//! Writes the data that this version leaves in its stores: `cargo run -p spindrift-tests --bin fixture --
//! <version>`.

use std::process::ExitCode;

use spindrift_tests::fixture::Fixture;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [version] = arguments.as_slice() else {
        eprintln!("usage: fixture <version>");
        return ExitCode::from(2);
    };
    Fixture::make(version);
    ExitCode::SUCCESS
}
