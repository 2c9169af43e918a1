//! `cargo xtask`: checks and chores of this workspace.

mod circles;
mod components;
mod declarations;
mod docs;
mod error;
mod features;
mod fuzz;
mod layers;
mod markdown;
mod metadata;
mod modules;
mod named_tests;
mod openapi;
mod paths;
mod pattern;
mod rules;
mod settings;
mod sources;
mod wasm;
mod words;

use std::path::Path;
use std::process::ExitCode;

use error::Error;
use features::Difference;
use layers::Layers;
use metadata::Workspace;

const HELP: &str = "\
Usage: cargo xtask <command>

  check-layers            fails on dependencies, and circles of files, that layers.toml does not allow
  check-features          fails where a build would compile a dependency again for other features
  settings [--check]      writes the variables and grants of the manifests and docs/settings.md from the table of
                          settings, and deploy/fast/spin.toml and the lists of components in crates/server and
                          crates/openapi from the Cargo.toml of each component; --check: fails where they differ
  openapi [--check]       writes the description of the interface from the components; --check: fails where it differs
  check-components        fails where built components import something other than their grants say, or are larger
                          than their `max_kib`
  check-docs              fails on links that lead nowhere, and on commands and tests that are named and not there
  check-words             fails on words that words.toml replaces, on sentences that begin with its pronouns, and on
                          `is no` for `is not a`
  modules [--check]       builds the modules of the console's pages and writes them into components/console/assets; --check: fails
                          where they differ. Needs the target wasm32-wasip1
  fuzz [--seconds N] [TARGET]...
                          runs the fuzz targets one after the other, N seconds each [default: 300]; fails where a property
                          does not hold. Needs nightly Rust and cargo-fuzz
  wasm [MANIFEST]...      runs every build command of the manifests [default: spin.toml]
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = arguments.split_first().map_or(("", [].as_slice()), |(c, rest)| (c.as_str(), rest));
    let done = match command {
        "check-layers" if rest.is_empty() => check_layers(),
        "check-features" if rest.is_empty() => check_features(),
        "settings" if rest.is_empty() => write_settings(false),
        "settings" if rest == ["--check"] => write_settings(true),
        "openapi" => write_openapi(rest),
        "check-components" if rest.is_empty() => check_components(),
        "modules" if rest.is_empty() => write_modules(false),
        "modules" if rest == ["--check"] => write_modules(true),
        "check-docs" if rest.is_empty() => check_docs(),
        "check-words" if rest.is_empty() => check_words(),
        "fuzz" => fuzz(rest),
        "wasm" => run_builds(rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints each violation on its own line. `Ok(false)`: there are violations.
fn check_features() -> Result<bool, Error> {
    let differences = features::differences()?;
    for Difference { file, dependency } in &differences {
        eprintln!("{file}: another build has other features of {dependency}");
    }
    Ok(differences.is_empty())
}

fn check_layers() -> Result<bool, Error> {
    let workspace = Workspace::read()?;
    let layers = Layers::read(&workspace.root.join("layers.toml"))?;
    let mut violations = rules::check(&layers, &workspace);
    violations.extend(sources::check(&layers, &workspace)?);
    violations.extend(circles::check(&layers, &workspace)?);
    Ok(print(&violations))
}

/// Like [`check_layers`].
fn check_docs() -> Result<bool, Error> {
    Ok(print(&docs::check(&Workspace::read()?, HELP)?))
}

/// Like [`check_layers`].
fn check_words() -> Result<bool, Error> {
    Ok(print(&words::check(&Workspace::read()?)?))
}

/// Like [`check_layers`], for built components.
fn check_components() -> Result<bool, Error> {
    Ok(print(&components::check(&Workspace::read()?.root)?))
}

/// Prints the violations. Returns whether there are none.
fn print(violations: &[String]) -> bool {
    for violation in violations {
        println!("{violation}");
    }
    violations.is_empty()
}

fn write_settings(is_check: bool) -> Result<bool, Error> {
    settings::run(&Workspace::read()?.root, is_check)
}

/// `Ok(false)`: the committed module differs.
fn write_modules(is_check: bool) -> Result<bool, Error> {
    modules::run(&Workspace::read()?.root, is_check)
}

/// `Ok(false)`: the description differs.
fn write_openapi(arguments: &[String]) -> Result<bool, Error> {
    openapi::run(&Workspace::read()?.root, arguments)
}

/// `Ok(false)`: a property does not hold.
fn fuzz(arguments: &[String]) -> Result<bool, Error> {
    fuzz::run(&Workspace::read()?.root, arguments)
}

fn run_builds(manifests: &[String]) -> Result<bool, Error> {
    if manifests.is_empty() {
        wasm::build(&Workspace::read()?.root.join("spin.toml"))?;
    }
    for manifest in manifests {
        wasm::build(Path::new(manifest))?;
    }
    Ok(true)
}
