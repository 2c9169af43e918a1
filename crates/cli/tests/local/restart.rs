//! A restart with inherited sockets, as under systemd.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// Passes the sockets as descriptors 3 and 4, and sets `LISTEN_PID`.
const AS_SYSTEMD: &str =
    "exec 3<&0 4<&2 0</dev/null 2>>log; export LISTEN_PID=$$ LISTEN_FDS=2; exec \"$0\" \"$@\"";
/// How many times the program is replaced.
const RESTARTS: usize = 5;
/// Half of the clients call the service, the others its storage. Each always has a request in
/// flight.
const CLIENTS: usize = 8;
/// How many answers every client gets before the next restart.
const ANSWERS: usize = 20;
/// Time limit of a request, which may have to wait for the start of the program.
const PATIENCE: Duration = Duration::from_mins(1);

struct Sockets {
    service: TcpListener,
    storage: TcpListener,
}

impl Sockets {
    fn open() -> Self {
        let open = || TcpListener::bind("127.0.0.1:0").unwrap();
        Self { service: open(), storage: open() }
    }

    /// `up` with both sockets and further arguments. Its own addresses are unusable.
    fn command(&self, folder: &Path, further: &[&str]) -> Command {
        let inherited = |socket: &TcpListener| Stdio::from(OwnedFd::from(socket.try_clone().unwrap()));
        let mut command = Command::new("sh");
        command.args(["-c", AS_SYSTEMD, env!("CARGO_BIN_EXE_spindrift"), "up"]);
        command.args(["--listen", "192.0.2.1:1", "--storage-listen", "192.0.2.1:1"]);
        command.args(further).current_dir(folder);
        command.stdin(inherited(&self.service)).stderr(inherited(&self.storage)).stdout(Stdio::piped());
        command
    }

    fn start(&self, folder: &Path) -> Program {
        let mut program = Program(self.command(folder, &[]).spawn().unwrap());
        let said = BufReader::new(program.0.stdout.as_mut().unwrap()).lines().map_while(Result::ok);
        let said: Vec<String> = said.take(2).collect();
        let [service, storage] = [&self.service, &self.storage].map(|socket| socket.local_addr().unwrap());
        assert_eq!(said, [format!("Serving http://{service}"), format!("Storage http://{storage}")]);
        program
    }
}

/// A program that serves. Dropping it kills the process.
struct Program(Child);

impl Program {
    fn stop(mut self) {
        let asked = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status().unwrap();
        assert!(asked.success());
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a request on its own connection. Returns the status.
fn ask(address: SocketAddr) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    let request = format!("GET /signup HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(failed)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or(format!("cut off: {answer:?}"))?;
    assert!(!body.is_empty(), "{answer}");
    Ok(head.lines().next().unwrap_or_default().to_owned())
}

/// The client, and the answer that it got.
type ReceivedAnswer = (usize, Result<String, String>);

struct Answers {
    seen: Receiver<ReceivedAnswer>,
    count: usize,
}

impl Answers {
    fn note(&mut self, (client, answer): ReceivedAnswer) -> usize {
        let status = answer.unwrap_or_else(|error| error);
        // The storage refuses requests without a signature.
        let expected = ["HTTP/1.1 200 OK", "HTTP/1.1 403 Forbidden"][client % 2];
        assert_eq!(status, expected, "client {client}");
        self.count += 1;
        client
    }

    /// Waits until every client has got further answers.
    fn wait_for_more(&mut self) {
        let mut counts = [0; CLIENTS];
        while counts.iter().any(|count| *count < ANSWERS) {
            let seen = self.seen.recv().unwrap();
            counts[self.note(seen)] += 1;
        }
    }
}

#[test]
fn a_restart_on_the_same_sockets_refuses_and_cuts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let sockets = Sockets::open();
    let addresses = [&sockets.service, &sockets.storage].map(|socket| socket.local_addr().unwrap());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let mut program = sockets.start(folder.path());
        let (sender, seen) = channel();
        let mut answers = Answers { seen, count: 0 };
        for client in 0..CLIENTS {
            let (sender, is_over) = (sender.clone(), &is_over);
            let address = addresses[client % 2];
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) && sender.send((client, ask(address))).is_ok() {}
            });
        }
        drop(sender);
        for _ in 0..RESTARTS {
            answers.wait_for_more();
            program.stop();
            program = sockets.start(folder.path());
        }
        answers.wait_for_more();
        is_over.store(true, Ordering::SeqCst);
        while let Ok(last) = answers.seen.recv() {
            answers.note(last);
        }
        println!("{} answers, {RESTARTS} restarts", answers.count);
        program.stop();
    });
}

#[test]
fn a_socket_that_nothing_would_serve_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = Sockets::open().command(folder.path(), &["--no-storage"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let said = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(said.contains("systemd opened 2 sockets, and at most 1 can be served"), "{said}");
}
