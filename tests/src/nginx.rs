//! nginx as a process.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The second is the path on Debian, which may not be in the `PATH`.
const PROGRAMS: [&str; 2] = ["nginx", "/usr/sbin/nginx"];

/// A running nginx. Dropping it stops it.
pub(crate) struct Nginx {
    child: Child,
    _dir: TempDir,
}

impl Nginx {
    /// Starts one whose server listens at `address`. `http` and `server` are directives of these blocks;
    /// `{folder}` in them is a folder of its own. `None`: nginx is not installed.
    pub(crate) fn start(address: &str, http: &str, server: &str) -> Option<Self> {
        let is_there =
            |program: &&str| Command::new(program).arg("-v").stderr(Stdio::null()).status().is_ok();
        let program = PROGRAMS.into_iter().find(is_there)?;
        let dir = tempfile::tempdir().expect("a folder");
        let config = dir.path().join("nginx.conf");
        std::fs::write(&config, configuration(dir.path(), address, http, server)).expect("a configuration");
        let mut command = Command::new(program);
        command.arg("-p").arg(dir.path()).arg("-c").arg(&config).args(["-e", "stderr"]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Some(Self { child: command.spawn().expect("nginx starts"), _dir: dir })
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A single process that stays in the foreground, with all its files in `folder`.
fn configuration(folder: &Path, address: &str, http: &str, server: &str) -> String {
    let text = format!(
        "daemon off; master_process off; pid {{folder}}/nginx.pid;\n\
         events {{ worker_connections 1024; }}\n\
         http {{\n\
           access_log off;\n\
           client_body_temp_path {{folder}}/body; proxy_temp_path {{folder}}/proxy;\n\
           fastcgi_temp_path {{folder}}/fastcgi; uwsgi_temp_path {{folder}}/uwsgi; scgi_temp_path {{folder}}/scgi;\n\
           {http}\n\
           server {{\n\
             listen {address};\n\
             {server}\n\
           }}\n\
         }}\n"
    );
    text.replace("{folder}", &folder.display().to_string())
}
