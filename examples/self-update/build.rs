//! Embeds `root.json`, if it is beside this file: the root whose signatures updates must have.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=root.json");
    let root = match fs::read("root.json") {
        Ok(root) => root,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&folder).join("root.json"), root)
}
