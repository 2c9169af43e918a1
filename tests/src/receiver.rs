//! A receiver of webhooks, which records everything that is sent to it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

/// A message that arrived.
#[derive(Debug, Clone)]
pub struct Message {
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// The status that it was answered with.
    pub status: u16,
}

/// A running receiver. It ends with the process.
pub struct Receiver {
    url: String,
    status: Arc<AtomicU16>,
    /// Held by a test, so that nothing is answered.
    gate: Arc<Mutex<()>>,
    messages: Arc<Mutex<Vec<Message>>>,
}

impl Receiver {
    /// Starts one, which answers 200.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (status, messages) = (Arc::new(AtomicU16::new(200)), Arc::new(Mutex::new(Vec::new())));
        let gate = Arc::new(Mutex::new(()));
        let receiver = Self {
            url,
            status: Arc::clone(&status),
            gate: Arc::clone(&gate),
            messages: Arc::clone(&messages),
        };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (status, gate, messages) =
                    (Arc::clone(&status), Arc::clone(&gate), Arc::clone(&messages));
                thread::spawn(move || while take(&stream, &status, &gate, &messages).is_some() {});
            }
        });
        receiver
    }

    /// Its address, without a path.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Answers with this status from now on.
    pub fn answer(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// Accepts messages without answering them, until the result is dropped.
    pub fn hold(&self) -> MutexGuard<'_, ()> {
        self.gate.lock().expect("the gate")
    }

    /// Everything that arrived, oldest first.
    pub fn messages(&self) -> Vec<Message> {
        self.messages.lock().expect("messages").clone()
    }
}

/// Takes one request of a connection. `None`: it has ended.
fn take(
    stream: &TcpStream,
    status: &AtomicU16,
    gate: &Mutex<()>,
    messages: &Mutex<Vec<Message>>,
) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let status = status.load(Ordering::SeqCst);
    messages.lock().expect("messages").push(Message { path, headers, body, status });
    drop(gate.lock().expect("the gate"));
    let mut answer = stream;
    answer.write_all(format!("HTTP/1.1 {status} Status\r\ncontent-length: 0\r\n\r\n").as_bytes()).ok()
}
