//! A web server with a few files, for clients.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Bytes of an endless body that are sent at once.
const CHUNK: usize = 65536;

/// The answer at a path.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// Bytes. A client may request one range of them.
    File(Vec<u8>),
    /// A redirect with status 302.
    Redirect(String),
    /// A status with an empty body.
    Status(u16),
    /// Bytes with a `Content-Length` that is not theirs.
    Announced(Vec<u8>, u64),
    /// Bytes until the client has enough: `Content-Length` announces so many, `None` says nothing (chunked).
    Endless(Option<u64>),
    /// A byte, then this pause, and so on.
    Slow(Vec<u8>, Duration),
}

#[derive(Debug)]
struct Shared {
    entries: Mutex<BTreeMap<String, Entry>>,
    asked: Mutex<Vec<String>>,
    /// The files to serve after so many more requests.
    then: Mutex<Option<(usize, BTreeMap<String, Entry>)>>,
    /// Bytes of endless bodies that were given to connections.
    endless: AtomicU64,
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
            then: Mutex::default(),
            endless: AtomicU64::new(0),
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

    /// Serves these entries and no others after so many more requests.
    pub(crate) fn replace_after(&self, requests: usize, entries: impl IntoIterator<Item = (String, Entry)>) {
        *self.shared.then.lock().expect("the change") = Some((requests, entries.into_iter().collect()));
    }

    /// From now on this is the answer at a path.
    pub(crate) fn answer(&self, path: String, entry: Entry) {
        let _old = self.shared.entries.lock().expect("the entries").insert(path, entry);
    }

    /// How many bytes of endless bodies clients and the buffers of their connections have taken so far, at
    /// most.
    pub(crate) fn endless_bytes(&self) -> u64 {
        self.shared.endless.load(Ordering::SeqCst)
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
    shared.change();
    let entry = shared.entries.lock().expect("the entries").get(&path).cloned();
    // The client may have disconnected already.
    let _sent = match entry {
        Some(Entry::Announced(bytes, length)) => {
            send_head(&mut stream, "200 OK", Some(length)).and_then(|()| stream.write_all(&bytes))
        }
        Some(Entry::Endless(length)) => send_endless(&mut stream, length, shared),
        Some(Entry::Slow(bytes, pause)) => send_slowly(&mut stream, &bytes, pause, shared),
        entry => send(&mut stream, entry, range),
    };
}

impl Shared {
    /// Counts a request, and changes the entries if it was the one to do so after.
    fn change(&self) {
        let mut then = self.then.lock().expect("the change");
        match then.take() {
            Some((0, entries)) => *self.entries.lock().expect("the entries") = entries,
            Some((left, entries)) => *then = Some((left - 1, entries)),
            None => (),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

/// `length`: of the body; `None` leaves it open.
fn send_head(stream: &mut TcpStream, status: &str, length: Option<u64>) -> std::io::Result<()> {
    let length = length.map(|length| format!("Content-Length: {length}\r\n")).unwrap_or_default();
    write!(stream, "HTTP/1.1 {status}\r\n{length}Connection: close\r\n\r\n")
}

/// `range`: first and last byte.
fn send(stream: &mut TcpStream, entry: Option<Entry>, range: Option<(usize, usize)>) -> std::io::Result<()> {
    let (status, body) = match entry {
        Some(Entry::File(bytes)) => match range {
            Some((first, last)) => {
                let status = format!("206 Partial\r\nContent-Range: bytes {first}-{last}/{}", bytes.len());
                (status, bytes[first..=last].to_vec())
            }
            None => ("200 OK\r\nAccept-Ranges: bytes".to_owned(), bytes),
        },
        Some(Entry::Redirect(to)) => (format!("302 Found\r\nLocation: {to}"), Vec::new()),
        Some(Entry::Status(status)) => (format!("{status} x"), Vec::new()),
        _ => ("404 Not Found".to_owned(), Vec::new()),
    };
    let length = Some(body.len() as u64).filter(|_| !status.starts_with("204"));
    send_head(stream, &status, length)?;
    stream.write_all(&body)
}

fn send_endless(stream: &mut TcpStream, length: Option<u64>, shared: &Shared) -> std::io::Result<()> {
    let chunked = "200 OK\r\nTransfer-Encoding: chunked";
    send_head(stream, if length.is_some() { "200 OK" } else { chunked }, length)?;
    let bytes = vec![b' '; CHUNK];
    let mut sent = 0;
    while !shared.is_stopped() && length.is_none_or(|length| sent < length) {
        // Before they are sent: a client may hang up in the middle of the first chunk.
        let _before = shared.endless.fetch_add(CHUNK as u64, Ordering::SeqCst);
        if length.is_none() {
            write!(stream, "{CHUNK:x}\r\n")?;
        }
        stream.write_all(&bytes)?;
        if length.is_none() {
            write!(stream, "\r\n")?;
        }
        sent += CHUNK as u64;
    }
    Ok(())
}

fn send_slowly(
    stream: &mut TcpStream,
    bytes: &[u8],
    pause: Duration,
    shared: &Shared,
) -> std::io::Result<()> {
    send_head(stream, "200 OK", Some(bytes.len() as u64))?;
    for byte in bytes {
        if shared.is_stopped() {
            break;
        }
        stream.write_all(&[*byte])?;
        std::thread::sleep(pause);
    }
    Ok(())
}

/// First and last byte of `range: bytes=1-2`. `None` for several ranges, as in S3.
fn one_range(line: &str) -> Option<(usize, usize)> {
    let (first, last) = line.strip_prefix("range: bytes=")?.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}
