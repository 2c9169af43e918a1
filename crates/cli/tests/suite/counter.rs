//! Counts the bytes sent to the object storage, and cuts the connection.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

/// A relay in front of a storage.
pub(crate) struct Counter {
    url: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    storage: OnceLock<SocketAddr>,
    /// How many bytes may still pass.
    left: Mutex<u64>,
    used_up: Condvar,
    passed: AtomicU64,
}

impl Counter {
    /// A relay that passes `limit` bytes.
    pub(crate) fn new(limit: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared { left: Mutex::new(limit), ..Shared::default() });
        let relay = Arc::clone(&shared);
        std::thread::spawn(move || {
            for from in listener.incoming().flatten() {
                let shared = Arc::clone(&relay);
                std::thread::spawn(move || shared.relay(&from));
            }
        });
        Self { url, shared }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Puts the relay in front of the storage at this URL.
    pub(crate) fn lead_to(&self, storage: &str) {
        let address = storage.trim_start_matches("http://").parse().unwrap();
        self.shared.storage.set(address).unwrap();
    }

    /// Waits until no more bytes may pass.
    pub(crate) fn wait(&self) {
        let left = self.shared.left.lock().unwrap();
        drop(self.shared.used_up.wait_while(left, |left| *left > 0).unwrap());
    }

    /// How many bytes have passed since the last call. From now on there is no limit.
    pub(crate) fn open(&self) -> u64 {
        *self.shared.left.lock().unwrap() = u64::MAX;
        self.shared.passed.swap(0, Ordering::SeqCst)
    }
}

impl Shared {
    fn relay(&self, mut from: &TcpStream) {
        let Some(Ok(mut to)) = self.storage.get().map(TcpStream::connect) else { return };
        let (mut answers, mut back) = (to.try_clone().unwrap(), from.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut answers, &mut back));
        let mut chunk = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = from.read(&mut chunk) {
            if !self.may_pass(count as u64) || to.write_all(&chunk[..count]).is_err() {
                break;
            }
        }
        // One side may have closed the connection first.
        let _ = (to.shutdown(Shutdown::Both), from.shutdown(Shutdown::Both));
    }

    fn may_pass(&self, count: u64) -> bool {
        let mut left = self.left.lock().unwrap();
        if *left < count {
            *left = 0;
            self.used_up.notify_all();
            return false;
        }
        *left -= count;
        self.passed.fetch_add(count, Ordering::SeqCst);
        true
    }
}
