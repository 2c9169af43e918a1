//! Compilers, and the programs that they make.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variable: tests fail where they would be skipped.
const REQUIRED: &str = "SPINDRIFT_TEST_REQUIRED";
/// The libraries of Linux that the static one needs: `rustc --print native-static-libs`.
const SYSTEM_LIBRARIES: [&str; 6] = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"];

/// The folder of this package.
pub(crate) fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The shared library.
pub(crate) fn shared_library() -> PathBuf {
    beside_the_test(if cfg!(target_vendor = "apple") { "libspindrift.dylib" } else { "libspindrift.so" })
}

/// A library that Cargo has built for this test.
fn beside_the_test(name: &str) -> PathBuf {
    let path = std::env::current_exe().unwrap().with_file_name(name);
    assert!(path.is_file(), "Cargo has not built {}", path.display());
    path
}

/// Whether a program is installed.
pub(crate) fn is_there(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// Whether a program is installed that CI has. If not, the test is skipped.
pub(crate) fn is_installed(program: &str) -> bool {
    if !is_there(program) {
        assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, but {program} is not installed");
        skip(&format!("{program} is not installed"));
        return false;
    }
    true
}

/// Says why a test is skipped, past the capture of its output, which nobody would see.
pub(crate) fn skip(reason: &str) {
    drop(writeln!(std::io::stderr(), "skipped: {reason}"));
}

/// Whether a program can be linked with the static library. If not, the test is skipped.
pub(crate) fn can_link() -> bool {
    let is_linux = cfg!(target_os = "linux");
    if !is_linux {
        skip("the libraries that the static one needs are named for Linux only");
    }
    is_linux
}

/// Compiles a C program, with all warnings as errors, and links it with the static library.
pub(crate) fn compile(source: &Path, program: &Path) {
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]);
    command.arg(package().join("include")).arg("-o").arg(program).arg(source);
    command.arg(beside_the_test("libspindrift.a")).args(SYSTEM_LIBRARIES);
    run(&mut command);
}

/// The output of a command that must succeed. Proxies of the environment are not used.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out.into_owned()
}

/// A command with arguments.
pub(crate) fn command<const N: usize>(
    program: impl AsRef<OsStr>,
    arguments: [&dyn AsRef<OsStr>; N],
) -> Command {
    let mut command = Command::new(program);
    command.args(arguments.map(AsRef::as_ref));
    command
}
