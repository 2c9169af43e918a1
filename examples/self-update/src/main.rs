//! A program that updates itself: it checks for a newer version, downloads the file next to itself, replaces itself
//! with it, and starts it.
//!
//! ```bash
//! SELF_UPDATE_URL=http://127.0.0.1:3000 SELF_UPDATE_OWNER=ada cargo run -p example-self-update
//! ```
//!
//! Publish another build of it as `self-update` (a file without an extension) in the application `self-update`, channel
//! `stable`, for the platform and architecture on which it runs.
//!
//! If the application has signed metadata, put its `root.json` beside `Cargo.toml` before you build: the program then
//! installs only what was signed for it. A `root.json` beside the program does the same. Without one it installs whatever
//! the service offers, which is nothing for a program that others install.

mod replace;
mod root;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use spindrift_client::{CheckOptions, Client, Config, Download, TrustConfig, Update, running_target};

/// The application's name at the service.
const APP: &str = "self-update";
const CHANNEL: &str = "stable";
/// The version of this build.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Why the update failed.
#[derive(Debug, thiserror::Error)]
enum UpdateError {
    #[error("set SELF_UPDATE_URL and SELF_UPDATE_OWNER")]
    Unconfigured,
    #[error(transparent)]
    Service(#[from] spindrift_client::Error),
    #[error("version {0} has no file for this program")]
    NoFile(String),
    #[error("root.json: {0}")]
    Root(std::io::Error),
    #[error("the new version cannot take this one's place: {0}")]
    File(#[from] std::io::Error),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    println!("this is version {VERSION}");
    match update().await {
        Ok(Some(program)) => start(&program),
        Ok(None) => {
            println!("it is up to date");
            ExitCode::SUCCESS
        }
        // An old version that works is better than none: a real program would continue here.
        Err(error) => {
            eprintln!("no update: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Installs an update if there is one. Returns the program to start instead of this one.
async fn update() -> Result<Option<PathBuf>, UpdateError> {
    let variable = |name| env::var(name).map_err(|_| UpdateError::Unconfigured);
    let client = Client::new(Config::new(variable("SELF_UPDATE_URL")?))?;
    let target = running_target();
    let owner = variable("SELF_UPDATE_OWNER")?;
    let options = CheckOptions::new(owner, APP, VERSION).with_target(CHANNEL, target.platform, target.arch);
    let Some(update) = client.check(&options).await? else {
        return Ok(None);
    };
    println!("version {} is there", update.version);

    let program = env::current_exe()?;
    let new = program.with_extension("new");
    let download = download(&client, &options, &update, &program, &new).await?;
    // The file is written completely or not at all. An interrupted download is resumed at the next start.
    client.download(&download, |_| {}).await?;
    replace::replace(&program, &new)?;
    Ok(Some(program))
}

/// The file without an extension. With a root it must be what was signed for this program, wherever the link leads.
async fn download(
    client: &Client,
    options: &CheckOptions,
    update: &Update,
    program: &Path,
    new: &Path,
) -> Result<Download, UpdateError> {
    let url = update.url_of("").ok_or_else(|| UpdateError::NoFile(update.version.clone()))?;
    let Some(root) = root::root(program).map_err(UpdateError::Root)? else {
        println!("it is not verified: there is no root.json");
        return Ok(Download::new(url, new));
    };
    let repository = format!("{}/{APP}", options.owner);
    let config = TrustConfig::new(root, repository, program.with_extension("trust"));
    let trusted = client.trust(&config, options)?.trusted(update, "").await?;
    println!("it is signed");
    Ok(trusted.download(url, new))
}

/// Starts the new version, which replaces this process.
fn start(program: &PathBuf) -> ExitCode {
    let mut next = Command::new(program);
    next.args(env::args_os().skip(1));
    #[cfg(unix)]
    {
        let error = std::os::unix::process::CommandExt::exec(&mut next);
        eprintln!("{}: {error}", program.display());
        ExitCode::FAILURE
    }
    #[cfg(not(unix))]
    match next.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
