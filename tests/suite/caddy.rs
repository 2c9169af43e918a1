//! The proxy of `deploy/compose.yaml` and of the installation guide, with Caddy if it is installed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use spindrift_tests::{Client, free_address, until};

/// Time limit for Caddy to start, and to write a line into its log.
const SOON: Duration = Duration::from_secs(20);

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// `None`: Caddy is not installed. Its files go to `folder`.
fn caddy(folder: &Path) -> Option<Command> {
    if Command::new("caddy").arg("version").output().is_err() {
        println!("skipped: there is no caddy (Debian's package `caddy`)");
        return None;
    }
    let mut command = Command::new("caddy");
    command.env("HOME", folder).env("XDG_DATA_HOME", folder).env("XDG_CONFIG_HOME", folder);
    command.stdin(Stdio::null());
    Some(command)
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_log_of_the_proxy_has_no_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut command) = caddy(folder.path()) else { return };
    let [updates, storage, files] = [(); 3].map(|()| free_address());
    let log = folder.path().join("log");
    let child = command
        .args(["run", "--adapter", "caddyfile", "--config"])
        .arg(file("deploy/Caddyfile"))
        .env("CADDY_ADMIN", free_address())
        .envs(
            [("UPDATES_HOST", &updates), ("STORAGE_HOST", &storage), ("FILES_HOST", &files)]
                .map(|(name, address)| (name, format!("http://{address}"))),
        )
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn();
    let _caddy = Running(child.unwrap());
    let client = Client::new(&format!("http://{storage}"));
    until("Caddy answers", SOON, || client.get("/").try_send().ok());

    // The proxy logs each of these requests, because nothing is behind it here.
    for path in [
        "/first?token=a_secret",
        "/second;group=a_secret/RELEASES",
        "/third%3Bgroup=a_secret/RELEASES?X-Amz-Signature=a_secret",
        "/fourth%3bgroup=a_secret",
    ] {
        let call = client.get(path).header("x-device-id", "a_secret").header("referer", "http://x/?a_secret");
        assert_eq!(call.send().status, 502, "{path}");
    }
    let text = until("the log has all requests", SOON, || {
        let text = std::fs::read_to_string(&log).unwrap();
        let is_there = |name: &&str| text.contains(&format!("\"uri\":\"/{name}\""));
        ["first", "second", "third", "fourth"].iter().all(is_there).then_some(text)
    });
    assert!(!text.contains("a_secret"), "{text}");
}

#[test]
fn the_configuration_in_the_guide_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut command) = caddy(folder.path()) else { return };
    let guide = std::fs::read_to_string(file("docs/install.md")).unwrap();
    let block = guide.split("```text\n").find(|block| block.contains("reverse_proxy")).unwrap();
    let config = folder.path().join("Caddyfile");
    std::fs::write(&config, block.split("```").next().unwrap()).unwrap();
    let done =
        command.args(["validate", "--adapter", "caddyfile", "--config"]).arg(&config).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
