//! `demo`: the main job once, from end to end.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper_util::rt::TokioIo;

use crate::cli::Source;
use crate::error::HostError;
use crate::options::HostOptions;
use crate::{Host, Program};

/// Starts the application on temporary state and free ports, walks through its main job, and cleans up.
pub(crate) async fn run(source: &Source) -> Result<(), HostError> {
    let manifest = source.build()?;
    let state = TemporaryState::create()?;
    let cache = source.cache_dir.clone().unwrap_or_else(|| PathBuf::from(".spindrift/cache"));
    let program = Program::load(&source.from, &cache)?;
    let options = HostOptions {
        state_dir: state.0.clone(),
        runtime_config: source.runtime_config(),
        ..HostOptions::default()
    };
    let host = Host::start(&program, options).await?;
    let secret = |(name, variable): (&String, &crate::manifest::Variable)| {
        variable.secret.then(|| Some((name.clone(), host.variable(name)?.to_owned()))).flatten()
    };
    let secrets = manifest.variables.iter().filter_map(secret).collect();
    let walked = walk(host.url(), host.storage_url().unwrap_or_default(), &secrets).await;
    host.stop().await;
    walked
}

/// The walk itself. `secrets` holds the value of every secret variable by name.
async fn walk(service: &str, storage: &str, secrets: &BTreeMap<String, String>) -> Result<(), HostError> {
    println!("Service {service}, storage {storage}, {} secrets", secrets.len());
    let (status, body) = get(service, "/health").await?;
    println!("GET /health: {status} {body}");
    Ok(())
}

async fn get(service: &str, path: &str) -> Result<(http::StatusCode, String), HostError> {
    let fail = |error: &dyn std::fmt::Display| HostError::Engine(format!("GET {path}: {error}"));
    let authority = service.trim_start_matches("http://");
    let stream = tokio::net::TcpStream::connect(authority).await.map_err(|error| fail(&error))?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|error| fail(&error))?;
    tokio::spawn(connection);
    let request = http::Request::get(path)
        .header(http::header::HOST, authority)
        .body(Empty::<Bytes>::new())
        .map_err(|error| fail(&error))?;
    let response = sender.send_request(request).await.map_err(|error| fail(&error))?;
    let status = response.status();
    let body = response.into_body().collect().await.map_err(|error| fail(&error))?.to_bytes();
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}

/// A folder that is removed at the end.
struct TemporaryState(PathBuf);

impl TemporaryState {
    fn create() -> Result<Self, HostError> {
        let path = std::env::temp_dir().join(format!("spindrift-demo-{}", crate::secrets::generate()?));
        std::fs::create_dir_all(&path).map_err(HostError::file(&path))?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryState {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
