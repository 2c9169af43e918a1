//! The examples, each built and run as its readers do.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::build::{can_link, command, compile, is_installed, is_there, package, run, shared_library, skip};
use crate::server::{FILE, Server};

const SAYS: &str = "1.3.0 is there\n";

fn example(name: &str) -> PathBuf {
    package().join("examples").join(name)
}

#[test]
fn c() {
    if !can_link() {
        return;
    }
    let (server, folder) = (Server::start([]), TempDir::new().unwrap());
    let program = folder.path().join("check");
    compile(&example("check.c"), &program);

    let said = run(&mut command(&program, [&server.url, &folder.path()]));

    assert_eq!(said, format!("{SAYS}Faster – much\ndownloaded {}/notes.deb\n", folder.path().display()));
    assert_eq!(fs::read(folder.path().join("notes.deb")).unwrap(), FILE);
}

#[test]
fn the_c_of_the_readme() {
    if !can_link() {
        return;
    }
    let readme = fs::read_to_string(package().join("README.md")).unwrap();
    let (_, code) = readme.split_once("```c\n").unwrap();
    let (code, _) = code.split_once("```").unwrap();
    let folder = TempDir::new().unwrap();
    let server = Server::start([]);
    let source = folder.path().join("readme.c");
    fs::write(&source, code.replace("https://updates.example", &server.url)).unwrap();
    let program = folder.path().join("readme");
    compile(&source, &program);

    assert_eq!(run(command(&program, []).current_dir(folder.path())), SAYS);
    assert_eq!(fs::read(folder.path().join("notes.deb")).unwrap(), FILE);
}

#[test]
fn cpp() {
    if !cfg!(unix) || !is_installed("cmake") {
        return;
    }
    let (server, folder) = (Server::start([]), TempDir::new().unwrap());
    let library = format!("-DSPINDRIFT_LIBRARY={}", shared_library().display());
    let include = format!("-DSPINDRIFT_INCLUDE={}", package().join("include").display());
    let build = folder.path().join("build");
    run(&mut command("cmake", [&"-S", &example("cpp"), &"-B", &build, &library, &include]));
    run(&mut command("cmake", [&"--build", &build]));

    assert_eq!(run(&mut command(build.join("check"), [&server.url])), SAYS);
}

#[test]
fn python() {
    if !cfg!(unix) || !is_installed("python3") {
        return;
    }
    let server = Server::start([]);
    let said = run(&mut command("python3", [&example("check.py"), &shared_library(), &server.url]));
    assert_eq!(said, SAYS);
}

/// Mono finds the library by the folders of the loader. CI has no Mono, so this is not one of the tests that it
/// requires.
#[test]
fn c_sharp() {
    if !cfg!(target_os = "linux") || !["mcs", "mono"].iter().all(|program| is_there(program)) {
        return skip("mcs and mono are not installed");
    }
    let (server, folder) = (Server::start([]), TempDir::new().unwrap());
    let program = folder.path().join("check.exe");
    run(&mut command("mcs", [&format!("-out:{}", program.display()), &example("Check.cs")]));

    let mut mono = command("mono", [&program, &server.url]);
    assert_eq!(run(mono.env("LD_LIBRARY_PATH", shared_library().parent().unwrap())), SAYS);
}
