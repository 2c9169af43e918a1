//! The commands for a local service, as processes.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

fn program(folder: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_spindrift"));
    program.current_dir(folder);
    program
}

/// Starts `up` in `folder` with further `arguments`, and stops it when it serves. Returns its
/// standard error.
fn said_at_start(folder: &Path, arguments: &[&str]) -> String {
    let mut server = program(folder)
        .args(["up", "--listen", "127.0.0.1:0", "--storage-listen", "127.0.0.1:0"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map_while(Result::ok);
    let serving = lines.next();
    let console = lines.find(|line| line.starts_with("Console "));
    server.kill().unwrap();
    let said = server.wait_with_output().unwrap().stderr;
    assert!(serving.is_some_and(|line| line.starts_with("Serving ")) && console.is_some());
    String::from_utf8(said).unwrap()
}

#[test]
fn a_service_needs_nothing_but_the_program() {
    let empty = tempfile::tempdir().unwrap();
    let said = said_at_start(empty.path(), &[]);
    assert!(!said.contains("error"), "{said}");
    assert!(empty.path().join(".spindrift/secrets.json").exists());
}

#[test]
fn a_second_process_on_a_state_folder_is_refused_and_touches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let up = ["up", "--listen", "127.0.0.1:0", "--storage-listen", "127.0.0.1:0"];
    let mut first = program(folder.path()).args(up).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("Storage ")));
    // At its start, a process takes this for the rest of a killed upload.
    let left = folder.path().join(".spindrift/storage/incoming/left");
    std::fs::create_dir_all(left.parent().unwrap()).unwrap();
    std::fs::write(&left, "being uploaded").unwrap();

    let second = program(folder.path()).args(up).output().unwrap();

    assert_eq!(second.status.code(), Some(1));
    assert!(second.stdout.is_empty(), "it does not serve");
    let said = String::from_utf8_lossy(&second.stderr);
    assert!(said.contains(&format!("in use by process {}", first.id())), "{said}");
    assert!(left.exists());
    first.kill().unwrap();
    first.wait().unwrap();
    said_at_start(folder.path(), &[]);
}

/// Like `| head -1`, with a reader that closes the pipe before the first line.
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
    // Errors go to a pipe without a reader.
    let mut again = program(folder.path());
    again.args(["restore", "--state-dir", "restored", "--from", made.to_str().unwrap()]);
    let mut again = again.stderr(Stdio::piped()).spawn().unwrap();
    drop(again.stderr.take());
    assert_eq!(again.wait().unwrap().code(), Some(1));
}

/// Runs `up` with arguments that it rejects before it serves. Returns its standard error.
fn refused_up(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let mut command = program(folder);
    command.args(["up", "--listen", "127.0.0.1:0", "--no-storage"]).args(arguments);
    let refused = command.envs(environment.iter().copied()).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty(), "it does not serve");
    String::from_utf8(refused.stderr).unwrap()
}

#[test]
fn settings_are_checked_before_anything_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let said =
        |arguments: &[&str], environment: &[(&str, &str)]| refused_up(folder.path(), arguments, environment);
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
    assert!(unusable.contains("telemetry_enabled must be true or false; it is \"maybe\""), "{unusable}");
    assert!(!unusable.contains("hunter2"), "{unusable}");
}

#[test]
fn a_log_that_goes_to_a_program_has_an_object_in_each_line() {
    let folder = tempfile::tempdir().unwrap();
    // At its start, the program asks the service whether an admin exists. That must not be logged.
    let said = said_at_start(folder.path(), &[]);
    let json: serde_json::Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    assert_eq!((&json["component"], &json["status"]), (&"accounts".into(), &200.into()), "{said}");
    assert_eq!(said_at_start(folder.path(), &["--log-format", "text"]), "");
}

#[test]
fn a_backup_is_restored_into_a_new_folder() {
    let folder = tempfile::tempdir().unwrap();
    let said = |folder: &Path, arguments: &[&str]| {
        let done = program(folder).args(arguments).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    // The service creates its database on the first request, so create an empty one here.
    std::fs::create_dir(folder.path().join(".spindrift")).unwrap();
    std::fs::write(folder.path().join(".spindrift/sqlite_db.db"), "").unwrap();
    said_at_start(folder.path(), &[]);
    let said_of_backup = said(folder.path(), &["backup", "--to", "backups"]);
    let mut lines = said_of_backup.lines();
    let backup = folder.path().join(lines.next().unwrap().strip_prefix("Backup ").unwrap());
    assert!(lines.next().unwrap().starts_with("Objects: 0 files"), "{said_of_backup}");

    let empty = tempfile::tempdir().unwrap();
    let next = said(empty.path(), &["restore", "--from", backup.to_str().unwrap()]);
    assert!(next.contains("Start the service: spindrift up\n"), "{next}");
    said_at_start(empty.path(), &[]);
    let secrets = |folder: &Path| std::fs::read(folder.join(".spindrift/secrets.json")).unwrap();
    assert_eq!(secrets(folder.path()), secrets(empty.path()));

    let again = program(empty.path()).args(["restore", "--from"]).arg(&backup).output().unwrap();
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("sqlite_db.db exists"));
}
