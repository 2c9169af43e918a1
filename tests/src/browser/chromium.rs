//! The process of a browser, and its driver.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::error::CmdError;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::free_address::free_address;
use crate::processes::Processes;
use crate::skipped::skipped;
use crate::wait::until;

/// The programs that Debian's packages `chromium` and `chromium-driver` install.
const DRIVER: &str = "chromedriver";
const CHROMIUM: [&str; 2] = ["chromium", "google-chrome"];
/// Ends the driver when its own input ends, as it does when this process ends, and the browser with it. Then removes
/// the profile.
const UNTIL_INPUT_ENDS: &str = "\"$@\" >/dev/null 2>&1 & read -r _; kill $!; wait $!; rm -rf \"$0\"";
/// Time limit for the driver to answer after its start.
const START_LIMIT: Duration = Duration::from_secs(30);

/// A browser with one window and a profile of its own. It ends when it is dropped, or with this process.
pub(super) struct Chromium {
    pub(super) runtime: Runtime,
    pub(super) client: Client,
    driver: Driver,
    _profile: tempfile::TempDir,
}

/// The running driver, which ends with its browser.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

impl Chromium {
    /// `None`, with a printed reason: there is none on this machine.
    pub(super) fn start(arguments: &[String]) -> Option<Self> {
        let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
        let chromium = CHROMIUM.into_iter().find(|program| is_there(program));
        let (Some(chromium), true) = (chromium, is_there(DRIVER)) else {
            skipped("Chromium and chromedriver are not installed (Debian: chromium, chromium-driver)");
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder");
        let listen = free_address();
        let port = listen.rsplit(':').next().unwrap_or_default();
        let mut command = Command::new("sh");
        command.args(["-c", UNTIL_INPUT_ENDS]).arg(profile.path());
        command.args([DRIVER, &format!("--port={port}")]).stdin(Stdio::piped()).stderr(Stdio::null());
        let driver = Driver(command.spawn().expect("chromedriver"));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let address = format!("http://{listen}");
        let status = format!("{address}/status");
        until("chromedriver answers", START_LIMIT, || ureq::get(&status).call().ok());
        let capabilities = capabilities(chromium, profile.path(), arguments);
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let client =
            runtime.block_on(builder.capabilities(capabilities).connect(&address)).expect("a browser");
        Some(Self { runtime, client, driver, _profile: profile })
    }

    /// A command of the [DevTools protocol](https://chromedevtools.github.io/devtools-protocol/).
    pub(super) fn devtools(&self, command: &str, parameters: &Value) -> Result<Value, CmdError> {
        let command = DevTools(json!({ "cmd": command, "params": parameters }));
        self.runtime.block_on(self.client.issue_cmd(command))
    }

    /// Replaces the window, with all that was set for it, and forgets cookies, cached answers and permissions.
    /// Data that pages have stored belongs to their origins, which have other ports in the next world.
    pub(super) fn renew(&self) -> Result<(), CmdError> {
        self.runtime.block_on(async {
            let window = self.client.new_window(true).await?.handle;
            for other in self.client.windows().await?.into_iter().filter(|other| *other != window) {
                self.client.switch_to_window(other).await?;
                self.client.close_window().await?;
            }
            self.client.switch_to_window(window).await
        })?;
        for command in
            ["Network.clearBrowserCookies", "Network.clearBrowserCache", "Browser.resetPermissions"]
        {
            self.devtools(command, &json!({}))?;
        }
        Ok(())
    }

    /// The driver and the processes of the browser.
    pub(super) fn processes(&self) -> Processes {
        Processes::under(self.driver.0.id())
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.runtime.block_on(self.client.clone().close());
    }
}

fn capabilities(chromium: &str, profile: &Path, more: &[String]) -> Capabilities {
    let mut arguments = json!([
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--hide-scrollbars",
        "--lang=en-GB",
        // The browser ends with the driver.
        "--remote-debugging-pipe",
        format!("--user-data-dir={}", profile.join("profile").display()),
    ]);
    arguments.as_array_mut().expect("a list").extend(more.iter().map(|argument| argument.as_str().into()));
    let binary = which(chromium);
    let options = json!({ "args": arguments, "binary": binary });
    let all = json!({ "goog:chromeOptions": options });
    all.as_object().cloned().expect("an object")
}

/// The whole path of a program.
fn which(program: &str) -> String {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file());
    found.map_or_else(|| program.to_owned(), |path| path.display().to_string())
}

/// Chromium's own addition to it.
#[derive(Debug)]
struct DevTools(Value);

impl WebDriverCompatibleCommand for DevTools {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _address: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.0.to_string()))
    }
}
