//! Plain HTTP requests. Every status is a value, not an error, and redirects are not followed.

use std::io::{Read, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::Agent;

use crate::answer::Answer;
use crate::build::{Build, Changes};
use crate::contract::Contract;
use crate::form::{Multipart, urlencoded};

/// Time limit of a request in a test.
const TIME_OUT: Duration = Duration::from_mins(1);

/// More than the number of threads in a test.
const KEPT_CONNECTIONS: usize = 64;

/// `connections`: the maximum number of connections kept for later requests.
fn agent(time_out: Duration, connections: usize) -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_idle_connections(connections)
        .max_idle_connections_per_host(connections)
        .allow_non_standard_methods(true)
        .timeout_global(Some(time_out))
        .proxy(None)
        .build()
        .new_agent()
}

/// A client of one service or storage.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    base: String,
    authorization: Option<String>,
    /// Shared by all clients that were made from one.
    changes: Arc<Changes>,
    /// The contract that answers are checked against. `None`: the server is not the service.
    contract: Option<&'static Contract>,
}

impl Client {
    /// A client without credentials, of any server. Paths are appended to `base`, which may be empty.
    pub fn new(base: &str) -> Self {
        Self { contract: None, ..Self::of(base, Build::of_tests()) }
    }

    /// A client without credentials of a service that runs this build. Each answer has to be as the service
    /// documents it.
    pub(crate) fn of(base: &str, build: Build) -> Self {
        Self {
            agent: agent(TIME_OUT, 0),
            base: base.to_owned(),
            authorization: None,
            changes: Arc::new(Changes::of(build)),
            contract: Some(Contract::own()),
        }
    }

    /// The same client, with a time limit for transferring `bytes` at 4 MiB per second.
    #[must_use]
    pub fn with_time_for(&self, bytes: u64) -> Self {
        let time = TIME_OUT + Duration::from_secs(bytes / (4 * 1024 * 1024));
        Self { agent: agent(time, 0), ..self.clone() }
    }

    /// The same client, which reuses connections; for many sequential requests.
    #[must_use]
    pub fn keeping_connections(&self) -> Self {
        Self { agent: agent(TIME_OUT, KEPT_CONNECTIONS), ..self.clone() }
    }

    /// The same client with this bearer token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { authorization: Some(format!("Bearer {token}")), ..self.clone() }
    }

    /// For a host with only some of the calls. The others are unknown there.
    pub(crate) fn of_a_part(self) -> Self {
        Self { contract: None, ..self }
    }

    /// The same client, for another server that shows the changes made here.
    #[must_use]
    pub(crate) fn elsewhere(&self, base: &str) -> Self {
        Self { base: base.to_owned(), ..self.clone() }
    }

    /// Waits until all changes are visible, before others send requests.
    pub(crate) fn settle(&self) {
        self.changes.settle_all();
    }

    /// Records a change that was not made by a call.
    pub(crate) fn note_change(&self) {
        self.changes.note();
    }

    /// The `Authorization` header of every call; empty without credentials.
    pub fn authorization(&self) -> &str {
        self.authorization.as_deref().unwrap_or_default()
    }

    /// A call to be sent later.
    pub fn call(&self, method: Method, path: &str) -> Call<'_> {
        let mut headers = Vec::new();
        if let Some(value) = &self.authorization {
            headers.push(("authorization".to_owned(), value.clone()));
        }
        Call { client: self, method, url: format!("{}{path}", self.base), headers, body: Vec::new() }
    }

    pub fn get(&self, path: &str) -> Call<'_> {
        self.call(Method::GET, path)
    }

    pub fn head(&self, path: &str) -> Call<'_> {
        self.call(Method::HEAD, path)
    }

    pub fn delete(&self, path: &str) -> Call<'_> {
        self.call(Method::DELETE, path)
    }

    pub fn put(&self, path: &str, body: &[u8]) -> Call<'_> {
        self.call(Method::PUT, path).body(body)
    }

    /// POST without a body.
    pub fn post(&self, path: &str) -> Call<'_> {
        self.call(Method::POST, path)
    }

    pub fn post_json(&self, path: &str, body: impl Serialize) -> Call<'_> {
        let body = serde_json::to_vec(&body).expect("a body that has a JSON form");
        self.post(path).header("content-type", "application/json").body(&body)
    }

    pub fn post_form(&self, path: &str, fields: &[(&str, &str)]) -> Call<'_> {
        let body = urlencoded(fields);
        self.post(path).header("content-type", "application/x-www-form-urlencoded").body(body.as_bytes())
    }

    /// POST with a form with files.
    pub fn post_multipart(&self, path: &str, form: Multipart) -> Call<'_> {
        self.post(path).header("content-type", &Multipart::content_type()).body(&form.finish())
    }
}

impl Client {
    /// PUT of `length` bytes, streamed from a reader.
    pub fn put_stream(&self, url: &str, headers: &[(&str, &str)], body: impl Read, length: u64) -> Answer {
        self.send_stream(http::Request::put(url), headers, body, length)
    }

    /// POST of `length` bytes, streamed from a reader.
    pub fn post_stream(&self, path: &str, content_type: &str, body: impl Read, length: u64) -> Answer {
        let request = http::Request::post(format!("{}{path}", self.base));
        let headers = [("content-type", content_type), ("authorization", self.authorization())];
        self.send_stream(request, &headers, body, length)
    }

    /// Checks an answer against the documentation.
    fn check(&self, method: &Method, url: &str, answer: &Answer) {
        let (Some(contract), Some(target)) = (self.contract, url.strip_prefix(&self.base)) else { return };
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let checked = contract.check(method, path, answer);
        checked.unwrap_or_else(|error| panic!("not as documented: {method} {target}: {error}"));
    }

    fn send_stream(
        &self,
        request: http::request::Builder,
        headers: &[(&str, &str)],
        mut body: impl Read,
        length: u64,
    ) -> Answer {
        let mut request = request.header("content-length", length);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(ureq::SendBody::from_reader(&mut body)).expect("a valid request");
        let (method, url) = (request.method().clone(), request.uri().to_string());
        let (parts, mut body) = self.agent.run(request).expect("an answer").into_parts();
        let body = body.read_to_vec().expect("a body");
        let answer = Answer { status: parts.status.as_u16(), headers: parts.headers, body };
        self.check(&method, &url, &answer);
        answer
    }

    /// GET of a large body, streamed. The status must be 200.
    pub fn get_stream(&self, url: &str) -> impl Read + use<> {
        let response = self.agent.get(url).call().expect("an answer");
        assert_eq!(response.status().as_u16(), 200);
        response.into_body().into_reader()
    }
}

/// Bodies with more bytes are sent once the service wants them.
const ASKED_BEFORE: usize = 128 * 1024;

/// A request being built.
#[derive(Debug)]
#[must_use = "a call does nothing until it is sent"]
pub struct Call<'a> {
    client: &'a Client,
    method: Method,
    url: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Call<'_> {
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn body(mut self, bytes: &[u8]) -> Self {
        self.body = bytes.to_vec();
        self
    }

    /// Sends the request. A server that does not answer fails the test.
    pub fn send(self) -> Answer {
        let what = format!("{} {}", self.method, self.url);
        self.try_send().unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    pub fn try_send(self) -> Result<Answer, Box<ureq::Error>> {
        let is_read = matches!(self.method, Method::GET | Method::HEAD | Method::OPTIONS);
        self.client.changes.settle(self.url.strip_prefix(&self.client.base).unwrap_or_default());
        let mut request = http::Request::builder().method(self.method.clone()).uri(&self.url);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if self.body.len() > ASKED_BEFORE {
            // Like curl. A service that refuses a body closes the connection, and a client that is
            // still sending would see that instead of the answer.
            request = request.header("expect", "100-continue");
        }
        let empty = self.body.is_empty() && !matches!(self.method, Method::POST | Method::PUT);
        let response = if empty {
            self.client.agent.run(request.body(()).expect("a valid request"))
        } else {
            self.client.agent.run(request.body(&self.body[..]).expect("a valid request"))
        };
        if !is_read {
            self.client.note_change();
        }
        let (parts, mut body) = response.map_err(Box::new)?.into_parts();
        let body = body.with_config().limit(u64::MAX).read_to_vec().map_err(Box::new)?;
        let answer = Answer { status: parts.status.as_u16(), headers: parts.headers, body };
        self.client.check(&self.method, &self.url, &answer);
        Ok(answer)
    }

    /// Sends only the head, which declares a body of `length` bytes that is never sent. Returns everything
    /// received.
    pub fn announce(self, length: u64) -> String {
        let path = self.url.strip_prefix(&self.client.base).unwrap_or_default();
        let mut head = format!("{} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n", self.method);
        for (name, value) in &self.headers {
            for part in [name, ": ", value, "\r\n"] {
                head.push_str(part);
            }
        }
        head.push_str("\r\n");
        raw(&self.client.base, head.as_bytes())
    }

    /// Sends the request, which must succeed with 200. Returns the body as JSON.
    pub fn ok(self) -> Value {
        self.read()
    }

    /// Sends the request, which must succeed with 200. Returns the parsed body.
    pub fn read<T: DeserializeOwned>(self) -> T {
        self.send().expect(200).read()
    }
}

/// Sends exactly these bytes. Returns everything received until the server closes the connection, or until
/// the body has the declared `content-length`. For requests that no HTTP library would send.
pub fn raw(url: &str, request: &[u8]) -> String {
    let authority = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(authority).expect("a connection");
    stream.set_read_timeout(Some(TIME_OUT)).expect("a time-out");
    stream.write_all(request).expect("a request that is taken");
    let mut answer = Vec::new();
    let mut chunk = [0; 4096];
    while !is_complete(&answer) {
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => answer.extend_from_slice(&chunk[..length]),
            Err(error) => {
                assert!(!answer.is_empty(), "no answer: {error}");
                break;
            }
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

fn is_complete(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).and_then(|n| n.parse().ok());
    length.is_some_and(|length: usize| body.len() >= length)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// A server that answers one request with this.
    fn server(answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _asked = stream.read(&mut [0; 4096]).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        });
        url
    }

    const TEAPOT: &str = "HTTP/1.1 418 I'm a teapot\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

    #[test]
    #[should_panic(expected = "not as documented: GET /health?x=1: 418 is not documented")]
    fn a_service_that_answers_otherwise_fails_the_test() {
        let _ = Client::of(&server(TEAPOT), Build::Preview2).get("/health?x=1").send();
    }

    #[test]
    fn other_servers_answer_what_they_want() {
        assert_eq!(Client::new(&server(TEAPOT)).get("/health").send().status, 418);
    }
}
