//! Private keys stay where they were made.

use std::path::{Path, PathBuf};

use spindrift_tests::{Driver, World, on_hosts};

use super::publisher::{Publisher, publish};
use crate::shell::Finished;

on_hosts! {
    every: [a_private_key_is_nowhere_else],
}

fn a_private_key_is_nowhere_else(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    let mut said = String::new();
    let mut say = |done: Finished| said.push_str(&(done.stdout + &done.stderr));
    say(ada.publish("1.0.0", "a program"));
    say(ada.try_trust(&["rotate", "targets", "--no-passphrase"]));
    say(ada.try_trust(&["rotate", "root", "--no-passphrase"]));
    say(ada.try_trust(&["key", "show", ada.key("root.pem").to_str().unwrap()]));
    say(ada.try_trust(&["status"]));
    let key = std::fs::read_to_string(ada.key("targets-2.pem")).unwrap();
    let token = ada.token();
    ada.shell.write("notes.deb", "a better program");
    say(Finished::from(ada.ci(&token, Some(&key), &publish("1.1.0", &["notes.deb"])).output().unwrap()));
    // The error must not repeat a key in a wrong place.
    say(ada.try_trust(&["sign", "--key", &key]));
    assert_eq!(ada.verified_files(), 2);

    let names = ["root.pem", "recovery.pem", "targets.pem", "targets-2.pem", "root-3.pem"];
    let secrets: Vec<(&str, Vec<Vec<u8>>)> = names.map(|name| (name, forms(&ada.key(name)))).into();
    for (name, forms) in &secrets {
        for form in forms {
            assert!(!contains(said.as_bytes(), form), "{name} was printed");
        }
    }
    let mut files = Vec::new();
    collect(world.dir(), &mut files);
    assert!(files.len() > 5, "{files:?}");
    for file in files {
        let content = std::fs::read(&file).unwrap_or_default();
        for (name, forms) in &secrets {
            assert!(!forms.iter().any(|form| contains(&content, form)), "{name} is in {}", file.display());
        }
    }
}

/// The seed as bytes, as hexadecimal, and as the text in the file.
fn forms(path: &Path) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(path).unwrap();
    let (_, document) = pkcs8::SecretDocument::from_pem(&text).unwrap();
    let seed = document.as_bytes().last_chunk::<32>().unwrap().to_vec();
    let hex = base16ct::lower::encode_string(&seed).into_bytes();
    // The end of the text contains the whole seed. Its beginning is the same in every file.
    let base64: Vec<u8> = text.lines().filter(|line| !line.starts_with('-')).flat_map(str::bytes).collect();
    vec![seed, hex, base64.last_chunk::<40>().unwrap().to_vec()]
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
