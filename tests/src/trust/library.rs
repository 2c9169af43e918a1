//! The project's own library over HTTP, as one more client.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request as HttpRequest, Response};
use serde_json::{Value, json};
use spindrift_client::{
    Body, CheckOptions, HttpSettings, HttpTransport, Transport, TransportError, TrustSettings, body,
};

use super::app::{App, edit_state};
use super::request::Request;
use super::web::Web;

/// Offers a version, and is otherwise HTTP. These tests are not about the offers of checks.
#[derive(Debug)]
struct Offering {
    version: String,
    http: HttpTransport,
}

impl Transport for Offering {
    fn send(
        &self,
        request: HttpRequest<Bytes>,
        time_out: Option<Duration>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        if request.uri().to_string().starts_with(Web::SERVICE) {
            let answer = json!({ "update_available": true, "critical": false, "version": self.version });
            return Box::pin(async move { Ok(Response::new(body(answer.to_string()))) });
        }
        self.http.send(request, time_out)
    }
}

/// One for all: reading the system's certificates takes longer than an update.
fn http() -> HttpTransport {
    static HTTP: LazyLock<HttpTransport> = LazyLock::new(|| {
        let settings = HttpSettings { proxies: false, ..HttpSettings::default() };
        HttpTransport::new(&settings).expect("a transport")
    });
    HTTP.clone()
}

/// Answers with the metadata of the target.
pub(super) fn update(request: &Request<'_>) -> Result<Value, String> {
    let said = |field: &str| request.target.custom[field].as_str().unwrap_or_default();
    let root = std::fs::read(&request.root).expect("a root");
    let transport = Offering { version: said("version").to_owned(), http: http() };
    let options = CheckOptions::new("acme", "notes", "0.0.1");
    let options = options.with_target(said("channel"), said("platform"), said("arch"));
    let settings = TrustSettings { time_out: request.limit, ..TrustSettings::default() };
    let app = App::over(transport, Web::SERVICE, &root).installed(|_| options).with(|mut config| {
        said("repository").clone_into(&mut config.repository);
        config.state_dir.clone_from(&request.state);
        config.with_mirrors([request.place.metadata.as_str()]).with_settings(settings)
    });
    let trusted = app.update_of(said("package")).map_err(|error| error.to_string())?;
    if trusted.name != request.target.name {
        return Err(format!("another target: {}", trusted.name));
    }
    let url = format!("{}{}", request.place.targets, trusted.name);
    // The library has no limit for a whole file, which may be of any length.
    let downloaded = app.download_within(request.limit, &trusted, &url);
    let bytes = downloaded.ok_or("no answer in time")?.map_err(|error| error.to_string())?;
    std::fs::write(&request.file, bytes).expect("a file");
    Ok(request.target.custom.clone())
}

/// Changes the library's copy of a role.
pub(super) fn keep(state: &Path, role: &str, file: &[u8]) {
    edit_state(&state.join("state.json"), |state| {
        assert!(state[role].is_string(), "the library keeps no {role}");
        state[role] = std::str::from_utf8(file).expect("text").into();
    });
}
