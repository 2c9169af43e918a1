//! A web server with a few files, for clients.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// The answer at a path.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// Bytes. A client may request one range of them.
    File(Vec<u8>),
    /// A redirect with status 302.
    Redirect(String),
    /// A status with an empty body.
    Status(u16),
}

#[derive(Debug)]
struct Shared {
    entries: Mutex<BTreeMap<String, Entry>>,
    asked: Mutex<Vec<String>>,
    stopped: AtomicBool,
}

/// The server. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct FileServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl FileServer {
    /// Serves each entry under its path, which is compared with the path in requests unchanged.
    pub(crate) fn start(entries: impl IntoIterator<Item = (impl Into<String>, Entry)>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let entries = entries.into_iter().map(|(path, entry)| (path.into(), entry)).collect();
        let shared = Arc::new(Shared {
            entries: Mutex::new(entries),
            asked: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if of_thread.stopped.load(Ordering::SeqCst) {
                    break;
                }
                let of_connection = Arc::clone(&of_thread);
                std::thread::spawn(move || answer(stream.expect("a connection"), &of_connection));
            }
        });
        Self { address, shared, thread: Some(thread) }
    }

    /// The base URL, without a trailing slash.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on it serves these entries and no others.
    pub(crate) fn replace(&self, entries: impl IntoIterator<Item = (String, Entry)>) {
        *self.shared.entries.lock().expect("the entries") = entries.into_iter().collect();
    }

    /// Path and query of every request so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().expect("the requests").clone()
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn answer(mut stream: TcpStream, shared: &Shared) {
    let mut lines = BufReader::new(stream.try_clone().expect("a connection")).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    let target = first.split(' ').nth(1).expect("a request").to_owned();
    let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let range = headers.iter().find_map(|line| one_range(&line.to_ascii_lowercase()));
    let path = target.split('?').next().expect("a path").to_owned();
    shared.asked.lock().expect("the requests").push(target);
    let entry = shared.entries.lock().expect("the entries").get(&path).cloned();
    let (head, body) = match &entry {
        Some(Entry::File(bytes)) => match range {
            Some((first, last)) => {
                let head = format!("206 Partial\r\nContent-Range: bytes {first}-{last}/{}", bytes.len());
                (head, &bytes[first..=last])
            }
            None => ("200 OK\r\nAccept-Ranges: bytes".to_owned(), &bytes[..]),
        },
        Some(Entry::Redirect(to)) => (format!("302 Found\r\nLocation: {to}"), &[][..]),
        Some(Entry::Status(status)) => (format!("{status} x"), &[][..]),
        None => ("404 Not Found".to_owned(), &[][..]),
    };
    let length =
        if head.starts_with("204") { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    // The client may have disconnected already.
    let _ = write!(stream, "HTTP/1.1 {head}\r\n{length}Connection: close\r\n\r\n");
    let _ = stream.write_all(body);
}

/// First and last byte of `range: bytes=1-2`. `None` for several ranges, as in S3.
fn one_range(line: &str) -> Option<(usize, usize)> {
    let (first, last) = line.strip_prefix("range: bytes=")?.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}
