//! The variables that an application gets, and the storage.

use std::path::Path;

use spindrift_local::{Local, LocalError, LocalOptions};
use spindrift_manifest::Values;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

async fn start(state: &Path, variables: &[(&str, &str)]) -> Result<Local, LocalError> {
    let variables: Values =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Local::start(LocalOptions { variables, ..LocalOptions::new(state) }).await
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_application_is_told_where_it_and_its_storage_are() {
    let state = folder();

    let local = start(state.path(), &[]).await.unwrap();

    assert_eq!(local.variable("api_url"), Some(local.url()));
    let storage = local.storage_url().unwrap();
    assert_eq!(local.variable("s3_api_endpoint"), Some(storage));
    assert_eq!(local.variable("s3_public_url"), Some(format!("{storage}/spindrift-public").as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_given_value_is_stronger_than_what_is_known_here() {
    let state = folder();

    let given =
        [("api_url", "https://updates.example"), ("s3_bucket", "files"), ("s3_secret_key", "a secret")];
    let local = start(state.path(), &given).await.unwrap();

    assert_eq!(local.variable("api_url"), Some("https://updates.example"));
    assert_eq!(local.variable("s3_secret_key"), Some("a secret"));
    let public = format!("{}/files", local.storage_url().unwrap());
    assert_eq!(local.variable("s3_public_url"), Some(public.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_that_nobody_gave_are_generated_unless_they_have_a_default() {
    let state = folder();

    let local = start(state.path(), &[]).await.unwrap();

    assert_eq!(local.variable("tuf_secret").unwrap().len(), 64);
    assert_eq!(local.variable("s3_secret_key").unwrap().len(), 64);
    assert_eq!(local.variable("s3_region"), Some("us-east-1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn generated_secrets_survive_a_restart_and_given_ones_win() {
    let state = folder();
    let local = start(state.path(), &[]).await.unwrap();
    let token = local.variable("tuf_secret").unwrap().to_owned();
    local.stop().await;

    let local = start(state.path(), &[]).await.unwrap();
    assert_eq!(local.variable("tuf_secret"), Some(token.as_str()));
    local.stop().await;

    let local = start(state.path(), &[("tuf_secret", "")]).await.unwrap();
    assert_eq!(local.variable("tuf_secret"), Some(""));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undeclared_variable_is_refused() {
    let state = folder();

    let error = start(state.path(), &[("typo", "x")]).await.unwrap_err();

    assert!(error.to_string().contains("typo"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unusable_setting_is_refused_and_a_secret_is_not_shown() {
    let state = folder();

    let given = [("s3_api_endpoint", "storage:9000"), ("api_url", "updates.example")];
    let error = start(state.path(), &given).await.unwrap_err().to_string();

    for text in ["the setting api_url must be an http or https address", "; it is \"storage:9000\""] {
        assert!(error.contains(text), "{error}");
    }
}

/// The console's pages send files directly to the storage.
#[tokio::test(flavor = "multi_thread")]
async fn the_storage_takes_files_from_pages_of_the_service() {
    let state = folder();

    let local = start(state.path(), &[("api_url", "https://updates.example/base")]).await.unwrap();

    let at_home = local.url().replace("127.0.0.1", "localhost");
    let storage = local.storage_url().unwrap().trim_start_matches("http://");
    for (origin, is_allowed) in [
        ("https://updates.example", true),
        (local.url(), true),
        (&at_home, true),
        ("https://evil.example", false),
    ] {
        let mut stream = TcpStream::connect(storage).await.unwrap();
        let asked = format!(
            "OPTIONS /spindrift-private/pending/1/a HTTP/1.1\r\nhost: {storage}\r\norigin: {origin}\r\n\
             access-control-request-method: PUT\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(asked.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let allowed = answer.lines().find_map(|line| line.strip_prefix("access-control-allow-origin: "));
        assert_eq!(allowed, is_allowed.then_some(origin), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_started_if_passkeys_of_nobody_are_to_be_removed() {
    let state = folder();
    let options = LocalOptions { reset_passkeys: vec!["ada".to_owned()], ..LocalOptions::new(state.path()) };

    let error = Local::start(options).await.unwrap_err();

    assert_eq!(error.to_string(), "--reset-passkeys: there is nobody with the name ada; nothing was started");
}
