//! nginx as a caching proxy in front of a service.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::client::Client;
use crate::free_address::free_address;
use crate::wait::until;

/// Time limit for nginx to answer after its start.
const START_LIMIT: Duration = Duration::from_secs(20);
/// The second is the path on Debian, which may not be in the `PATH`.
const PROGRAMS: [&str; 2] = ["nginx", "/usr/sbin/nginx"];

/// A proxy that caches whatever `Cache-Control` and `Vary` allow. `X-Cache` is `HIT` for a cached answer. Dropping it
/// stops it.
pub struct CachingProxy {
    child: Child,
    client: Client,
    _dir: TempDir,
}

impl CachingProxy {
    /// A proxy for the service at `url`. `None`: nginx is not installed.
    pub fn before(url: &str) -> Option<Self> {
        let is_there =
            |program: &&str| Command::new(program).arg("-v").stderr(Stdio::null()).status().is_ok();
        let program = PROGRAMS.into_iter().find(is_there)?;
        let dir = tempfile::tempdir().expect("a folder");
        let address = free_address();
        let config = dir.path().join("nginx.conf");
        std::fs::write(&config, configuration(dir.path(), &address, url)).expect("a configuration");
        let child = Command::new(program)
            .arg("-p")
            .arg(dir.path())
            .arg("-c")
            .arg(&config)
            .args(["-e", "stderr"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("nginx starts");
        let proxy = Self { child, client: Client::new(&format!("http://{address}")), _dir: dir };
        until("nginx answers", START_LIMIT, || proxy.client.get("/health").try_send().ok());
        Some(proxy)
    }

    /// A client that sends requests through the proxy.
    pub fn client(&self) -> &Client {
        &self.client
    }
}

impl Drop for CachingProxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A single process that stays in the foreground, with all its files in `folder`.
fn configuration(folder: &Path, address: &str, upstream: &str) -> String {
    let folder = folder.display();
    format!(
        "daemon off; master_process off; pid {folder}/nginx.pid;\n\
         events {{ worker_connections 256; }}\n\
         http {{\n\
           access_log off;\n\
           client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;\n\
           uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;\n\
           proxy_cache_path {folder}/cache keys_zone=answers:10m use_temp_path=off;\n\
           server {{\n\
             listen {address};\n\
             location / {{\n\
               proxy_pass {upstream};\n\
               proxy_cache answers;\n\
               add_header X-Cache $upstream_cache_status always;\n\
             }}\n\
           }}\n\
         }}\n"
    )
}
