//! An OpenTelemetry collector, which accepts everything that is sent to it over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Maximum size of a body, in bytes.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// Path and body of a request.
type Taken = (String, Vec<u8>);

/// A running collector. It ends with the process.
pub struct Collector {
    url: String,
    taken: Arc<Mutex<Vec<Taken>>>,
}

impl Collector {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let taken = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&taken);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let taken = Arc::clone(&taken);
                thread::spawn(move || while take(&stream, &taken).is_some() {});
            }
        });
        Self { url, taken: all }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether a request to this path contained this text. The bodies are protobuf, in which texts
    /// are readable.
    pub fn has(&self, path: &str, text: &str) -> bool {
        let taken = self.taken.lock().expect("what was taken");
        taken
            .iter()
            .any(|(at, body)| at == path && body.windows(text.len()).any(|window| window == text.as_bytes()))
    }

    /// The paths of the requests so far.
    pub fn paths(&self) -> Vec<String> {
        let taken = self.taken.lock().expect("what was taken");
        taken.iter().map(|(path, _)| path.clone()).collect()
    }
}

/// Takes one request of a connection. `None`: it has ended.
fn take(stream: &TcpStream, taken: &Mutex<Vec<(String, Vec<u8>)>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok().filter(|length| *length <= MAX_BODY)?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    taken.lock().expect("what was taken").push((path, body));
    let mut answer = stream;
    answer
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n")
        .ok()
}
