//! The speed of the storage alone: sends the same files to presigned URLs.

use std::path::Path;
use std::time::{Duration, Instant};

use futures::future::join_all;
use futures::stream;
use md5::{Digest as _, Md5};
use serde_json::{Value, json};
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;

use crate::files::{FILES, file_name};
use crate::spindrift::Spindrift;

/// Bytes per read, the same number as in `spindrift publish`.
const CHUNK: usize = 256 * 1024;

/// Sends all files at the same time, and returns the time this took.
pub(crate) fn put_all(spindrift: &Spindrift, folder: &Path, version: &str) -> Duration {
    // An error means that a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let granted = init(&http, spindrift, folder, version).await;
        let start = Instant::now();
        join_all(granted["files"].as_array().expect("files").iter().map(|file| put(&http, folder, file)))
            .await;
        start.elapsed()
    })
}

async fn init(http: &reqwest::Client, spindrift: &Spindrift, folder: &Path, version: &str) -> Value {
    let data = json!({
        "app_name": "speed", "version": version, "channel": "stable", "platform": "any", "arch": "any",
    });
    let files: Vec<Value> = (0..FILES).map(|number| entry(folder, &file_name(number))).collect();
    let form = [("data", data.to_string()), ("files", json!(files).to_string())];
    let request = http.post(format!("{}/upload/init", spindrift.url)).bearer_auth(spindrift.token());
    let answer = request.form(&form).send().await.expect("an answer");
    answer.error_for_status().expect("an upload").json().await.expect("JSON")
}

fn entry(folder: &Path, name: &str) -> Value {
    let mut file = std::fs::File::open(folder.join(name)).expect("the file");
    let mut md5 = Md5::new();
    let length = std::io::copy(&mut file, &mut Hashing(&mut md5)).expect("its bytes");
    let md5 = base16ct::lower::encode_string(&md5.finalize());
    json!({ "name": name, "md5": md5, "length": length })
}

struct Hashing<'a>(&'a mut Md5);

impl std::io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

async fn put(http: &reqwest::Client, folder: &Path, file: &Value) {
    let mut open = File::open(folder.join(file["name"].as_str().expect("a name"))).await.expect("the file");
    open.set_max_buf_size(CHUNK);
    let chunks = stream::unfold(open, async |mut open| {
        let mut chunk = vec![0; CHUNK];
        let count = open.read(&mut chunk).await.expect("its bytes");
        chunk.truncate(count);
        (count > 0).then_some((std::io::Result::Ok(chunk), open))
    });
    let body = reqwest::Body::wrap_stream(chunks);
    let mut request = http.put(file["url"].as_str().expect("an address")).body(body);
    for (name, value) in file["headers"].as_object().expect("headers") {
        request = request.header(name, value.as_str().expect("a value"));
    }
    request.send().await.expect("an answer").error_for_status().expect("a stored file");
}
