//! An application with the client library's kit, for tests: it sends the failures of earlier runs, checks for an
//! update, prints the version that it is offered, and ends as it is told.

use clap::{Parser, ValueEnum};
use spindrift_client::{CheckOptions, Client, Config, Error, Kit, KitConfig, ReportKey};

#[derive(Parser)]
struct Arguments {
    /// Base URL of the service.
    url: String,
    /// The owner of the application `notes`.
    owner: String,
    key: ReportKey,
    folder: std::path::PathBuf,
    /// The installed version.
    version: String,
    end: End,
}

#[derive(Clone, Copy, ValueEnum)]
enum End {
    /// At once, without a word to anybody.
    Crash,
    Exit,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(run(Arguments::parse()))?)
}

async fn run(arguments: Arguments) -> Result<(), Error> {
    let Arguments { url, owner, key, folder, version, end } = arguments;
    let options = CheckOptions::new(owner, "notes", version).with_target("stable", "linux", "amd64");
    let kit = Kit::begin(KitConfig::new(folder, options).with_report_key(key));
    let client = Client::new(Config::new(url))?;
    kit.send(&client).await?;
    if let Some(update) = client.check(&kit.options()).await? {
        println!("{}", update.version);
    }
    match end {
        End::Crash => std::process::abort(),
        End::Exit => Ok(()),
    }
}
