//! Downloads with the client library. They are resumable and verified, and a file appears only once
//! it is complete.

use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use percent_encoding::percent_decode_str;
use spindrift_client::{Cause, Client, Config, Download, Downloaded, Error, TransportError, TrustError};
use url::Url;

use crate::config::check_replaceable;
use crate::context::Context;
use crate::error::CliError;
use crate::output::ProgressMode;
use crate::refusal::Refusal;
use crate::service::Service;
use crate::stop;

/// File name for a URL without one.
const NAMELESS: &str = "download";

/// Downloads `url` to a file, or into a folder under the last part of the URL.
pub(crate) async fn download(context: &Context, url: &str, to: &Path) -> Result<Downloaded, CliError> {
    let target = target(url, to)?;
    let service = context.service()?;
    let client =
        Client::new(Config::new(service.url())).map_err(|error| from_client(service.url(), error))?;
    let download = with_token(Download::new(url, &target), url, &service)?;
    fetch(context, &client, &download, &target).await.map_err(|error| from_client(url, error))
}

/// Runs a download to the file `target`, and shows its progress.
pub(crate) async fn fetch(
    context: &Context,
    client: &Client,
    download: &Download,
    target: &Path,
) -> Result<Downloaded, Error> {
    stop::explain(context.output, "run the same command again to resume the download");
    let bar = bar(context, target);
    let done = client
        .download(download, |progress| {
            bar.set_length(progress.total.unwrap_or(progress.bytes));
            bar.set_position(progress.bytes);
        })
        .await;
    bar.finish_and_clear();
    done
}

/// Authenticates a download from a URL of the service. The library sends the token only to the host of the
/// URL, but that host may not be the service.
pub(crate) fn with_token(download: Download, url: &str, service: &Service) -> Result<Download, CliError> {
    match service.token().filter(|_| is_below(url, service.url())) {
        Some(token) => {
            let token = token.expose().parse().map_err(|_| CliError::usage("the token is malformed"))?;
            Ok(download.with_token(token))
        }
        None => Ok(download),
    }
}

fn is_below(url: &str, base: &str) -> bool {
    url.strip_prefix(base).is_some_and(|rest| rest.starts_with('/'))
}

fn bar(context: &Context, target: &Path) -> ProgressBar {
    if context.output.progress_mode() != ProgressMode::Bars {
        return ProgressBar::hidden();
    }
    let style = "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
    let style = ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style).with_message(target.display().to_string())
}

fn target(url: &str, to: &Path) -> Result<PathBuf, CliError> {
    if is_folder(to) {
        std::fs::create_dir_all(to).map_err(CliError::file(to))?;
    }
    let target =
        if to.is_dir() { to.join(usable_name(&file_name(url), cfg!(windows))?) } else { to.to_owned() };
    check_replaceable(&target)?;
    Ok(target)
}

/// Whether `to` names a folder, which need not exist yet.
fn is_folder(to: &Path) -> bool {
    to.to_string_lossy().ends_with(std::path::is_separator)
}

/// Accepts a file name from the network only if it stays in the chosen folder. On Windows `a:b` is
/// an alternate stream of the file `a`, and `c:b` is a file on another drive.
fn usable_name(name: &str, is_windows: bool) -> Result<&str, CliError> {
    if is_windows && name.contains(':') {
        return Err(CliError::usage(format!(
            "a file on Windows cannot be called {name:?}: give the file's name, and not only its folder"
        )));
    }
    Ok(name)
}

/// The last segment of a URL's path. For a private file, it is taken from the key in the URL.
pub(crate) fn file_name(url: &str) -> String {
    let Ok(url) = Url::parse(url) else { return NAMELESS.to_owned() };
    let key = url.query_pairs().find(|(name, _)| name == "key").map(|(_, key)| key.into_owned());
    let path = key.unwrap_or_else(|| percent_decode_str(url.path()).decode_utf8_lossy().into_owned());
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    match name {
        "" | "." | ".." => NAMELESS.to_owned(),
        name => name.chars().filter(|c| !c.is_control()).collect(),
    }
}

/// Translates an error of the client library. `url` is the requested URL.
pub(crate) fn from_client(url: &str, error: Error) -> CliError {
    let address = url.split(['?', '#']).next().unwrap_or_default().to_owned();
    match error {
        Error::File { path, source } => CliError::File { path, source },
        Error::RequestFailed(error) => match (&error.cause, error.status) {
            (Cause::Status(Some(text)), Some(status)) => CliError::Refused(Refusal {
                status,
                code: error.code.clone(),
                text: text.clone(),
                retry_after: error.retry_after.map(|pause| pause.as_secs()),
                ..Refusal::default()
            }),
            (Cause::Transport(TransportError::TimedOut), _) => {
                CliError::Unreachable { url: address, reason: "no answer in time".to_owned() }
            }
            (Cause::Transport(TransportError::Failed(reason)), _) => {
                CliError::Unreachable { url: address, reason: reason.clone() }
            }
            (_, Some(status)) => {
                CliError::NotSpindrift { url: address, reason: format!("{status}, no valid answer") }
            }
            _ => CliError::Other(error.to_string()),
        },
        Error::WrongLength { .. } | Error::WrongDigest { .. } => {
            CliError::Storage(format!("{address}: {error}: the file there is different; nothing was kept"))
        }
        Error::Busy { .. } => CliError::Conflict(format!("{error}: wait for it, or choose another file")),
        Error::Trust(TrustError::Busy { .. }) => CliError::Conflict(format!("{error}: wait for it")),
        Error::Trust(error) => CliError::Untrusted(error.to_string()),
        other => CliError::usage(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_end_of_the_address() {
        for (url, name) in [
            ("https://s3/b/notes-1.0.deb?x=/y", "notes-1.0.deb"),
            ("https://s3/b/a%20b.deb", "a b.deb"),
            ("https://s3/b/..%2F..%2Fetc", "etc"),
            ("https://s3/b/%2E%2E", "download"),
            ("https://s3/", "download"),
            ("https://u/download?key=notes-ada%2Fstable%2Fnotes-1.0.deb", "notes-1.0.deb"),
        ] {
            assert_eq!(file_name(url), name, "{url}");
        }
    }

    #[test]
    fn names_with_a_colon_are_no_files_on_windows() {
        for name in ["notes.deb:hidden", "c:notes.deb", ":"] {
            assert!(usable_name(name, true).unwrap_err().to_string().contains("Windows"), "{name}");
            assert_eq!(usable_name(name, false).unwrap(), name);
        }
        assert_eq!(usable_name("notes-1.0.deb", true).unwrap(), "notes-1.0.deb");
    }

    #[test]
    fn a_folder_is_made() {
        let root = tempfile::tempdir().unwrap();
        let to = root.path().join("new/updates/");
        assert_eq!(target("https://s3/b/notes.deb", &to).unwrap(), to.join("notes.deb"));
        assert!(to.is_dir());
        let to = root.path().join("new/file");
        assert_eq!(target("https://s3/b/notes.deb", &to).unwrap(), to);
        assert!(!to.exists());
    }

    #[test]
    fn tokens_are_for_the_service() {
        assert!(is_below("https://u.example/download?key=a", "https://u.example"));
        assert!(!is_below("https://u.example.evil/download", "https://u.example"));
        assert!(!is_below("https://s3.example/a", "https://u.example"));
    }
}
