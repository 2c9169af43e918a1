//! The folders of `tests/clients`: scripts, and the packages of other languages that they use, installed once
//! each.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};

use serde_json::Value;

use crate::digests::sha256_hex;
use crate::skipped::skipped;
use crate::worker::Worker;

/// The language that runs the scripts.
#[derive(Debug)]
struct Language {
    name: &'static str,
    /// Commands that succeed where the language is installed, and the missing software where one does not.
    needs: &'static [(&'static str, &'static [&'static str])],
    /// The files that the packages are installed from. The first one pins them.
    files: &'static [&'static str],
    /// Installs the packages into a folder that has these files.
    install: fn(&Path),
    /// The program that runs scripts with the packages of a folder.
    program: fn(&Path) -> PathBuf,
}

const NODE: Language = Language {
    name: "node",
    needs: &[("node", &["node", "--version"]), ("npm", &["npm", "--version"])],
    files: &["package-lock.json", "package.json", ".npmrc"],
    install: |folder| run_in(folder, "npm", &["ci", "--prefer-offline"]),
    program: |_| "node".into(),
};

const PYTHON: Language = Language {
    name: "python",
    needs: &[(
        "Python 3.11 to 3.14 with venv",
        &[
            "python3",
            "-c",
            "import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 15))",
        ],
    )],
    files: &["requirements.txt"],
    install: |folder| {
        run_in(folder, "python3", &["-m", "venv", "."]);
        let pip = ["-m", "pip", "install", "--disable-pip-version-check", "-r", "requirements.txt"];
        run_in(folder, folder.join("bin/python"), &pip);
    },
    program: |folder| folder.join("bin/python"),
};

/// Scripts with the packages that they use.
#[derive(Debug)]
pub struct ClientPackage {
    folder: &'static str,
    language: &'static Language,
    /// The folder of the packages, or the reason why there are none.
    installed: OnceLock<Result<PathBuf, String>>,
    /// Idle processes of scripts, which wait for a question.
    waiting: Mutex<Vec<Worker>>,
}

impl ClientPackage {
    /// Scripts of this folder that run under Node.
    pub const fn node(folder: &'static str) -> Self {
        Self::new(folder, &NODE)
    }

    /// Scripts of this folder that run under Python.
    pub const fn python(folder: &'static str) -> Self {
        Self::new(folder, &PYTHON)
    }

    const fn new(folder: &'static str, language: &'static Language) -> Self {
        Self { folder, language, installed: OnceLock::new(), waiting: Mutex::new(Vec::new()) }
    }

    /// The package with everything installed. `None`: its language is not installed, a message
    /// reports that, and the test is skipped.
    pub fn available(&'static self) -> Option<&'static Self> {
        let installed = self.installed.get_or_init(|| self.install());
        let reason = installed.as_ref().err();
        if let Some(reason) = reason {
            skipped(&format!("{}: {reason}", self.folder));
        }
        reason.is_none().then_some(self)
    }

    /// The text of a file that was installed with an available package.
    pub fn read(&self, file: &str) -> String {
        let path = self.installed().join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Runs a script with one argument; it answers one line of JSON.
    pub(crate) fn run(&self, script: &str, argument: &Value) -> Value {
        let mut command = self.command(script);
        let output = command.arg(argument.to_string()).stdin(Stdio::null()).output();
        let output = output.expect("the language of the script");
        let answer = serde_json::from_slice(&output.stdout);
        answer.unwrap_or_else(|_| panic!("{script}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Sends a question to a script of this package that reads questions, one a line, and answers
    /// each with one line. The process stays for the next question, because starting it takes
    /// longer than answering. It ends with this process.
    pub(crate) fn ask(&self, script: &str, question: &Value) -> Value {
        let waiting = self.waiting.lock().expect("the workers").pop();
        let mut worker = waiting.unwrap_or_else(|| Worker::start(&mut self.command(script)));
        let answer = worker.ask(question);
        self.waiting.lock().expect("the workers").push(worker);
        answer
    }

    /// The folder with the installed packages.
    pub(crate) fn installed(&self) -> &Path {
        let installed = self.installed.get().and_then(|installed| installed.as_ref().ok());
        installed.expect("an available package")
    }

    /// The command that runs a script of an available package.
    pub(crate) fn command(&self, script: &str) -> Command {
        let installed = self.installed();
        let mut command = Command::new((self.language.program)(installed));
        command.arg(self.scripts().join(script)).current_dir(installed);
        command
    }

    fn scripts(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("clients").join(self.folder)
    }

    fn install(&self) -> Result<PathBuf, String> {
        if let Some((missing, _)) = self.language.needs.iter().find(|(_, command)| !succeeds(command)) {
            return Err(format!("{missing} is not installed"));
        }
        let scripts = self.scripts();
        let pinned = std::fs::read(scripts.join(self.language.files[0])).expect("a lock file");
        let cache = crate::embedded::cache_dir().join(self.language.name);
        let installed = cache.join(format!("{}-{}", self.folder, &sha256_hex(&pinned)[..16]));
        if !installed.exists() {
            std::fs::create_dir_all(&cache).expect("a cache folder");
            let fresh = tempfile::tempdir_in(&cache).expect("a folder");
            for file in self.language.files {
                let copied = std::fs::copy(scripts.join(file), fresh.path().join(file));
                let _bytes = copied.expect("a file of the package");
            }
            (self.language.install)(fresh.path());
            // Another process may have been faster: then its folder stays, and this one is deleted.
            if std::fs::rename(fresh.path(), &installed).is_ok() {
                let _moved = fresh.keep();
            }
        }
        Ok(installed)
    }
}

fn succeeds(command: &[&str]) -> bool {
    let mut command = command.iter();
    let program = command.next().expect("a program");
    let status = Command::new(program).args(command).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn run_in(folder: &Path, program: impl AsRef<OsStr>, arguments: &[&str]) {
    let output = Command::new(&program).args(arguments).current_dir(folder).output();
    let output = output.expect("a program that was there before");
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{} {arguments:?}: {}", program.as_ref().display(), said());
}
