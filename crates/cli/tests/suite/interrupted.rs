//! Interrupted transfers, and storages that recover.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use spindrift_tests::{Driver, PRIVATE_BUCKET, World, on_hosts};

use crate::counter::Counter;
use crate::shell::Shell;

/// Size of the file, in bytes.
const LARGE: u64 = 96 * 1024 * 1024;
/// Bytes that are lost with a connection: the parts under way, and the bytes around them.
const LOST: u64 = 2 * 6 * 1024 * 1024;

on_hosts! {
    every: [
        a_cut_file_sends_the_rest,
        digests_and_whole_files_are_those_of_the_file,
        a_storage_that_comes_back_gets_the_file,
        ctrl_c_says_how_to_go_on,
    ],
}

fn content() -> Vec<u8> {
    (0..LARGE / 4).flat_map(|place| u32::try_from(place).unwrap().to_le_bytes()).collect()
}

/// Sends two parts at a time, of 5 MiB each.
fn arguments<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    let parts = ["--publish", "--json", "--parallel", "2", "--part-size", "5", "notes.deb"];
    Shell::publish("1.0.0", &[&parts, rest].concat())
}

fn a_cut_file_sends_the_rest(driver: Driver) {
    let counter = Counter::new(LARGE / 10 * 6);
    let world = World::builder(driver).with_variable("s3_presign_endpoint", counter.url()).start();
    counter.lead_to(world.store().url());
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", content());
    let mut child = start(&shell, &arguments(&[]));
    counter.wait();
    child.kill().unwrap();
    let _ = child.wait().unwrap();

    let first = counter.open();
    let done = shell.ok(&arguments(&[]));
    let second = counter.open();
    assert!(done.stderr.contains("resuming notes.deb: "), "{done:?}");
    assert_eq!(done.json()["resumed"], true);
    assert!(second < LARGE / 10 * 4 + LOST, "{first} bytes, and then {second}");
    assert_eq!(shell.check("0.9")["version"], "1.0.0");
    shell.ok(&["latest", "--app", "notes", "--download", "got"]);
    assert!(std::fs::read(shell.path("got")).unwrap() == content());
    assert_eq!(world.store().open_uploads(PRIVATE_BUCKET), [""; 0]);
}

fn digests_and_whole_files_are_those_of_the_file(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", content());
    let done = shell.ok(&arguments(&["--digests"]));
    assert_eq!(done.json()["files"][0]["sha256"], spindrift_tests::sha256_hex(&content()));
    assert_eq!(done.sent(), ["notes.deb"]);
}

fn a_storage_that_comes_back_gets_the_file(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content");
    world.store().stop();
    let mut child =
        start(&shell, &Shell::publish("1.0.0", &["--publish", "--retry-pause", "0", "notes.deb"]));
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let text = lines.find(|line| line.contains("trying again")).unwrap();
    assert!(text.contains("for up to 10 minutes") && !text.contains("run the same command"), "{text}");
    world.store().start_again();
    let rest: Vec<String> = lines.collect();
    assert!(child.wait().unwrap().success(), "{rest:?}");
    assert_eq!(shell.check("0.9")["version"], "1.0.0");
}

fn ctrl_c_says_how_to_go_on(driver: Driver) {
    if !cfg!(unix) {
        println!("skipped: needs `kill -INT`");
        return;
    }
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content");
    world.store().stop();
    let mut child = start(&shell, &Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("trying again")));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let last = lines.last().unwrap();
    assert!(last.starts_with("error: stopped: run the same command again to continue"), "{last}");
    world.store().start_again();
    let done = shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    assert!(done.stderr.contains("resuming an earlier upload"), "{done:?}");
}

fn start(shell: &Shell, arguments: &[&str]) -> Child {
    shell.command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}
