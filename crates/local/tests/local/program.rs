//! The program `spindrift-local`.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::probe::manifest;

fn program(folder: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_spindrift-local"));
    program.current_dir(folder);
    program
}

/// The standard error output of `up`, started in this folder with these further arguments, until it serves.
fn said_at_start(folder: &Path, arguments: &[&OsStr]) -> String {
    let mut host = program(folder)
        .args(["up", "--no-build", "--listen", "127.0.0.1:0", "--storage-listen", "127.0.0.1:0", "--from"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let serving = BufReader::new(host.stdout.take().unwrap()).lines().map_while(Result::ok).next();
    host.kill().unwrap();
    let said = host.wait_with_output().unwrap().stderr;
    assert!(serving.is_some_and(|line| line.starts_with("Serving ")));
    String::from_utf8(said).unwrap()
}

#[test]
fn a_first_start_says_that_it_compiles() {
    let folder = tempfile::tempdir().unwrap();
    let start = || said_at_start(folder.path(), &[manifest().as_os_str()]);
    let first = start();
    assert!(first.contains("Compiling bare for this machine"), "{first}");
    let second = start();
    assert!(!second.contains("Compiling"), "{second}");
}

#[test]
fn a_bundle_needs_nothing_else_and_is_compiled_already() {
    let folder = tempfile::tempdir().unwrap();
    let stores = folder.path().join("stores.toml");
    std::fs::write(&stores, "[key_value_store.default]\ntype = \"spin\"\n").unwrap();
    let bundled = program(folder.path())
        .args([
            "bundle",
            "--no-build",
            "--to",
            "app.bundle",
            "--runtime-config-file",
            "stores.toml",
            "--from",
        ])
        .arg(manifest())
        .output()
        .unwrap();
    assert!(bundled.status.success(), "{}", String::from_utf8_lossy(&bundled.stderr));

    let empty = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("app.bundle");
    for _ in 0..2 {
        let said = said_at_start(empty.path(), &[bundle.as_os_str()]);
        assert!(!said.contains("Compiling"), "{said}");
    }
    assert!(empty.path().join(".spindrift/secrets.json").exists());
    let unpacked = empty.path().join(".spindrift/cache").read_dir().unwrap().map(Result::unwrap);
    let unpacked: Vec<_> = unpacked.map(|entry| entry.path()).collect();
    let [unpacked] = unpacked.as_slice() else { panic!("{unpacked:?}") };
    let kept = std::fs::read_to_string(unpacked.join("runtime-config.toml")).unwrap();
    assert!(kept.contains("key_value_store.default"), "the configuration of the stores");
}

#[test]
fn a_file_that_is_no_bundle_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("app.bundle"), "text").unwrap();
    let refused = program(folder.path()).args(["up", "--from", "app.bundle"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("not a bundle"));
}

/// `| head -1`, whose end comes before the first line.
#[test]
fn a_reader_that_stops_ends_no_command_with_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".spindrift")).unwrap();
    std::fs::write(folder.path().join(".spindrift/sqlite_db.db"), "").unwrap();
    let backups = folder.path().join("backups");
    let run = |arguments: &[&str]| {
        let mut program = program(folder.path());
        let mut program =
            program.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(program.stdout.take());
        let done = program.wait_with_output().unwrap();
        assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(0), &[][..]), "{arguments:?}");
    };
    run(&["backup", "--to", "backups"]);
    let made = backups.read_dir().unwrap().next().unwrap().unwrap().path();
    run(&["restore", "--state-dir", "restored", "--from", made.to_str().unwrap()]);
    run(&["--help"]);
    assert!(folder.path().join("restored/sqlite_db.db").is_file());
    // Errors go to a pipe that nobody reads.
    let mut again = program(folder.path());
    again.args(["restore", "--state-dir", "restored", "--from", made.to_str().unwrap()]);
    let mut again = again.stderr(Stdio::piped()).spawn().unwrap();
    drop(again.stderr.take());
    assert_eq!(again.wait().unwrap().code(), Some(1));
}

#[test]
fn without_a_service_inside_and_a_checkout_it_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let refused = program(folder.path()).args(["up", "--no-build"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("there is no service in this program, and no spin.toml"), "{said}");
    assert!(said.contains("--from") && !said.contains("No such file"), "{said}");
}

/// An application with two settings, whose component is compiled, which the log says, and then cannot be run.
const MANIFEST: &str = "\
spin_manifest_version = 2
[application]
name = \"settings\"
[variables]
jwt_secret = { default = \"\", secret = true }
telemetry_enabled = { default = \"true\" }
";
const NO_ROUTE: &str = "[trigger]\nhttp = []\n";
const ROUTE: &str = "\
[[trigger.http]]
route = \"/...\"
component = \"empty\"
[component.empty]
source = \"empty.wasm\"
";
/// A component without anything in it.
const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

/// The standard error output of `up` with these arguments, which is refused before it serves.
fn refused_up(folder: &Path, manifest: &str, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    std::fs::write(folder.join("spin.toml"), manifest).unwrap();
    std::fs::write(folder.join("empty.wasm"), EMPTY).unwrap();
    let mut command = program(folder);
    command.args(["up", "--no-build", "--listen", "127.0.0.1:0", "--no-storage"]).args(arguments);
    let refused = command.envs(environment.iter().copied()).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty(), "it does not serve");
    String::from_utf8(refused.stderr).unwrap()
}

#[test]
fn settings_are_checked_before_anything_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str], environment: &[(&str, &str)]| {
        refused_up(folder.path(), &format!("{MANIFEST}{NO_ROUTE}"), arguments, environment)
    };
    let mistyped = said(&[], &[("SPIN_VARIABLE_TELEMETRY_ENABELD", "false")]);
    assert!(mistyped.contains("did you mean SPIN_VARIABLE_TELEMETRY_ENABLED?"), "{mistyped}");
    let flag = said(&["--variable", "jwt_secrte=x"], &[]);
    assert!(
        flag.contains("--variable jwt_secrte: there is no such setting: did you mean jwt_secret?"),
        "{flag}"
    );
    let unusable =
        said(&["--variable", "telemetry_enabled=maybe"], &[("SPIN_VARIABLE_JWT_SECRET", "hunter2")]);
    assert!(unusable.contains("the setting jwt_secret must be at least 32 bytes"), "{unusable}");
    let message = &json_message(&unusable);
    assert!(message.contains("telemetry_enabled must be true or false; it is \"maybe\""), "{message}");
    assert!(!unusable.contains("hunter2"), "{unusable}");
}

/// The message of the last line, which is JSON because it goes to a program.
fn json_message(lines: &str) -> String {
    let last: serde_json::Value = serde_json::from_str(lines.trim().lines().last().unwrap()).unwrap();
    last["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_log_that_goes_to_a_program_has_an_object_in_each_line() {
    let first = |arguments: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let said = refused_up(folder.path(), &format!("{MANIFEST}{ROUTE}"), arguments, &[]);
        said.lines().next().unwrap().to_owned()
    };
    let json: serde_json::Value = serde_json::from_str(&first(&[])).unwrap();
    let told = "Compiling empty for this machine";
    assert_eq!((&json["component"], &json["message"]), (&"host".into(), &told.into()));
    let text = first(&["--log-format", "text"]);
    assert!(text.ends_with(&format!(" {told}")) && !text.starts_with('{'), "{text}");
}

#[test]
fn a_backup_is_restored_into_a_new_folder() {
    let folder = tempfile::tempdir().unwrap();
    let said = |folder: &Path, arguments: &[&str]| {
        let done = program(folder).args(arguments).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    // The host makes one when a component first asks for it.
    std::fs::create_dir(folder.path().join(".spindrift")).unwrap();
    std::fs::write(folder.path().join(".spindrift/sqlite_db.db"), "").unwrap();
    said_at_start(folder.path(), &[manifest().as_os_str()]);
    let said_of_backup = said(folder.path(), &["backup", "--to", "backups"]);
    let mut lines = said_of_backup.lines();
    let backup = folder.path().join(lines.next().unwrap().strip_prefix("Backup ").unwrap());
    assert!(lines.next().unwrap().starts_with("Objects: 0 files"), "{said_of_backup}");

    let empty = tempfile::tempdir().unwrap();
    let next = said(empty.path(), &["restore", "--from", backup.to_str().unwrap()]);
    assert!(next.contains("Start the service: spindrift up\n"), "{next}");
    said_at_start(empty.path(), &[manifest().as_os_str()]);
    let secrets = |folder: &Path| std::fs::read(folder.join(".spindrift/secrets.json")).unwrap();
    assert_eq!(secrets(folder.path()), secrets(empty.path()));

    let again = program(empty.path()).args(["restore", "--from"]).arg(&backup).output().unwrap();
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("sqlite_db.db exists"));
}
