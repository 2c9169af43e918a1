//! The folders of `tests/clients`, each installed once.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use crate::digests::sha256_hex;

/// Scripts, with the packages that they use.
#[derive(Debug)]
pub struct NodePackage {
    /// The folder with the packages.
    installed: PathBuf,
    /// The folder with the scripts.
    scripts: PathBuf,
}

/// The client. `None`: there is no Node. A message says so, and the test must end.
pub fn client() -> Option<&'static NodePackage> {
    static CLIENT: OnceLock<Result<NodePackage, String>> = OnceLock::new();
    installed(&CLIENT, "electron")
}

/// The tools that make releases. `None` as in [`client`].
pub fn release_tools() -> Option<&'static NodePackage> {
    static TOOLS: OnceLock<Result<NodePackage, String>> = OnceLock::new();
    installed(&TOOLS, "electron-builder")
}

/// Prints the reason in every skipped test.
fn installed(
    package: &'static OnceLock<Result<NodePackage, String>>,
    name: &str,
) -> Option<&'static NodePackage> {
    let package = package.get_or_init(|| NodePackage::install(name)).as_ref();
    package.inspect_err(|reason| println!("skipped: {reason}")).ok()
}

impl NodePackage {
    fn install(name: &str) -> Result<Self, String> {
        if let Some(missing) = ["node", "npm"].into_iter().find(|program| !runs(program)) {
            return Err(format!("{missing} is not installed"));
        }
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join(name);
        let lock = std::fs::read(scripts.join("package-lock.json")).expect("a lock file");
        let cache = crate::embedded::cache_dir().join("node");
        let installed = cache.join(format!("{name}-{}", &sha256_hex(&lock)[..16]));
        if !installed.exists() {
            std::fs::create_dir_all(&cache).expect("a cache folder");
            let fresh = tempfile::tempdir_in(&cache).expect("a folder");
            install_into(fresh.path(), &scripts);
            // Another process may have been faster. Then its folder is used, and this one is removed.
            if std::fs::rename(fresh.path(), &installed).is_ok() {
                let _moved = fresh.keep();
            }
        }
        Ok(Self { installed, scripts })
    }

    /// Runs a script with one argument. Its output is one line of JSON.
    pub(super) fn run(&self, script: &str, argument: &Value) -> Value {
        let output = Command::new("node")
            .arg(self.scripts.join(script))
            .arg(argument.to_string())
            .current_dir(&self.installed)
            .stdin(Stdio::null())
            .output()
            .expect("node");
        let answer = serde_json::from_slice(&output.stdout);
        answer.unwrap_or_else(|_| panic!("{script}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

fn runs(program: &str) -> bool {
    let status = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn install_into(folder: &Path, scripts: &Path) {
    for file in ["package.json", "package-lock.json", ".npmrc"] {
        let _ = std::fs::copy(scripts.join(file), folder.join(file)).expect("a file of the package");
    }
    let output = Command::new("npm").args(["ci", "--prefer-offline"]).current_dir(folder).output();
    let output = output.expect("npm");
    assert!(output.status.success(), "npm ci: {}", String::from_utf8_lossy(&output.stderr));
}
