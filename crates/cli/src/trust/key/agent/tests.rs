//! Tests with a real `ssh-agent`.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::*;

/// An agent with its socket in its own folder.
struct Running {
    folder: tempfile::TempDir,
    agent: Child,
}

impl Drop for Running {
    fn drop(&mut self) {
        // The agent may have ended already.
        let _ = self.agent.kill();
        let _ = self.agent.wait();
    }
}

impl Running {
    /// Starts an agent. `None`: OpenSSH is not installed, and a message reports that.
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let listener = std::os::unix::net::UnixListener::bind(folder.path().join("probe"));
        assert!(listener.is_ok(), "the path of the socket is too long");
        let socket = folder.path().join("agent");
        let agent = Command::new("ssh-agent").args(["-D", "-a"]).arg(&socket).stdout(Stdio::piped()).spawn();
        let mut agent = match agent {
            Ok(agent) => agent,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                println!("skipped: ssh-agent is not installed");
                return None;
            }
            Err(error) => panic!("{error}"),
        };
        // The agent listens before it prints.
        let mut line = String::new();
        io::BufRead::read_line(&mut io::BufReader::new(agent.stdout.take().unwrap()), &mut line).unwrap();
        assert!(line.contains("SSH_AUTH_SOCK"), "{line}");
        Some(Self { folder, agent })
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("agent")
    }

    /// Makes a key and adds it to the agent. Returns its fingerprint.
    fn add(&self, kind: &[&str]) -> String {
        let file = self.folder.path().join(kind.concat());
        let path = file.to_str().unwrap();
        self.run("ssh-keygen", &[&["-q", "-N", "", "-f", path, "-t"], kind].concat());
        self.run("ssh-add", &["-q", path]);
        let listed = self.run("ssh-keygen", &["-l", "-f", path]);
        listed.split(' ').nth(1).unwrap().to_owned()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program).args(arguments).env(SOCKET, self.socket()).output().unwrap();
        assert!(output.status.success(), "{program}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn agent(&self) -> Agent {
        Agent::at(&self.socket())
    }
}

#[test]
fn keys_of_an_agent_sign() {
    let Some(running) = Running::start() else { return };
    for (kind, keytype) in [(&["ed25519"][..], "ed25519"), (&["ecdsa", "-b", "256"], "ecdsa")] {
        let fingerprint = running.add(kind);
        let key = running.agent().find(&fingerprint).unwrap();
        assert_eq!(key.public().keytype(), keytype);
        // The numbers of a P-256 signature are sometimes shorter than 32 bytes.
        for message in (0..=255_u8).map(|first| [first, 0, 7]) {
            let signature = key.sign(&message).unwrap();
            assert!(key.public().verifies(&message, signature.bytes()));
        }
    }
}

#[test]
fn what_an_agent_cannot_do_is_said() {
    let Some(running) = Running::start() else { return };
    let fails = |fingerprint: &str| running.agent().find(fingerprint).unwrap_err().to_string();
    assert!(fails("SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").contains("has no key"));
    assert!(fails("nothing").contains("is not a fingerprint"));
    assert!(fails(&running.add(&["rsa", "-b", "2048"])).contains("not supported"));
    assert!(fails(&running.add(&["ecdsa", "-b", "384"])).contains("not supported"));

    let fingerprint = running.add(&["ed25519"]);
    let key = running.agent().find(&fingerprint).unwrap();
    running.run("ssh-add", &["-q", "-D"]);
    assert!(key.sign(b"x").unwrap_err().to_string().contains("refuses"));

    let nobody = Agent { address: None }.find(&fingerprint).unwrap_err().to_string();
    assert!(nobody.contains(SOCKET), "{nobody}");
    let gone = Agent::at(Path::new("/nowhere")).find(&fingerprint).unwrap_err().to_string();
    assert!(gone.contains("cannot be reached"), "{gone}");
}
