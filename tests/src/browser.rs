//! A real browser: Chromium without a window, driven by [WebDriver](https://www.w3.org/TR/webdriver2/).

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::free_address::free_address;
use crate::skipped::skipped;
use crate::wait::until;

/// The programs that Debian's packages `chromium` and `chromium-driver` install.
const DRIVER: &str = "chromedriver";
const CHROMIUM: [&str; 2] = ["chromium", "google-chrome"];
/// Time limit for the driver to answer after its start, and for a page's own actions.
const LIMIT: Duration = Duration::from_secs(30);
/// Size of the window, in CSS pixels.
const WIDE: (u32, u32) = (1280, 900);

/// A browser with one window and a profile of its own. It ends when it is dropped.
pub struct Browser {
    runtime: Runtime,
    client: Client,
    driver: ChromeDriver,
    _profile: tempfile::TempDir,
}

/// The running driver, which ends with its browser.
struct ChromeDriver(Child);

impl Drop for ChromeDriver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The preferred colour scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Dark text on light ground.
    Light,
    /// Light text on dark ground.
    Dark,
}

impl Scheme {
    /// The name in style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl Browser {
    /// Starts a browser. `None`, with a printed reason: there is none on this machine.
    pub fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// Starts a browser in which `host` and a port, such as `localhost:3000`, leads to the server at `url`. `None`: as
    /// above.
    pub fn start_with_host(host: &str, url: &str) -> Option<Self> {
        let server = url.split_once("://").expect("a URL").1;
        Self::start_with(&[format!("--host-resolver-rules=MAP {host} {server}")])
    }

    fn start_with(arguments: &[String]) -> Option<Self> {
        let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
        let chromium = CHROMIUM.into_iter().find(|program| is_there(program));
        let (Some(chromium), true) = (chromium, is_there(DRIVER)) else {
            skipped("Chromium and chromedriver are not installed (Debian: chromium, chromium-driver)");
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder");
        let listen = free_address();
        let port = listen.rsplit(':').next().unwrap_or_default();
        let mut command = Command::new(DRIVER);
        command
            .arg(format!("--port={port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let driver = ChromeDriver(command.spawn().expect("chromedriver"));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let address = format!("http://{listen}");
        let status = format!("{address}/status");
        until("chromedriver answers", LIMIT, || ureq::get(&status).call().ok());
        let capabilities = capabilities(chromium, profile.path(), arguments);
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let client =
            runtime.block_on(builder.capabilities(capabilities).connect(&address)).expect("a browser");
        let browser = Self { runtime, client, driver, _profile: profile };
        browser.resize(WIDE);
        Some(browser)
    }

    /// Goes to an address, and waits until the page is loaded.
    pub fn go(&self, address: &str) {
        self.runtime.block_on(self.client.goto(address)).unwrap_or_else(|error| panic!("{address}: {error}"));
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        self.runtime.block_on(self.client.current_url()).expect("an address").to_string()
    }

    /// The visible text of the page.
    pub fn text(&self) -> String {
        self.text_of("body")
    }

    /// The visible text of an element.
    pub fn text_of(&self, css: &str) -> String {
        let text = async { self.client.find(Locator::Css(css)).await?.text().await };
        self.runtime.block_on(text).unwrap_or_else(|error| panic!("{css}: {error}"))
    }

    /// Whether the page has such an element.
    pub fn has(&self, css: &str) -> bool {
        !self.runtime.block_on(self.client.find_all(Locator::Css(css))).expect("a page").is_empty()
    }

    /// Writes into a field, replacing its content.
    pub fn fill(&self, css: &str, text: &str) {
        let work = async {
            let field = self.client.find(Locator::Css(css)).await?;
            field.clear().await?;
            field.send_keys(text).await
        };
        self.runtime.block_on(work).unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// Chooses files, or adds keys, without emptying the field first.
    pub fn send(&self, css: &str, text: &str) {
        let work = async { self.client.find(Locator::Css(css)).await?.send_keys(text).await };
        self.runtime.block_on(work).unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// Clicks on an element, and waits until a page that this leads to is loaded.
    pub fn click(&self, css: &str) {
        let work = async { self.client.find(Locator::Css(css)).await?.click().await };
        self.runtime.block_on(work).unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// Clicks on the link or button with this text.
    pub fn press(&self, text: &str) {
        let path = format!("//a[normalize-space()='{text}'] | //button[normalize-space()='{text}']");
        let work = async { self.client.find(Locator::XPath(&path)).await?.click().await };
        self.runtime.block_on(work).unwrap_or_else(|error| panic!("{text}: {error}"));
    }

    /// Runs a script on the page, and returns its result.
    pub fn run(&self, script: &str) -> Value {
        self.runtime.block_on(self.client.execute(script, Vec::new())).expect("a script that runs")
    }

    /// Evaluates an expression, waits for it if it is a promise, and returns its value. No policy of the page
    /// forbids it.
    pub fn evaluate(&self, expression: &str) -> Value {
        let wanted = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.devtools("Runtime.evaluate", &wanted);
        assert!(answer["exceptionDetails"].is_null(), "{}", answer["exceptionDetails"]);
        answer["result"]["value"].take()
    }

    /// Waits until a script returns `true`.
    pub fn wait_until(&self, what: &str, script: &str) {
        until(what, LIMIT, || (self.run(script) == Value::Bool(true)).then_some(()));
    }

    /// All cookies of the page, as stored by the browser.
    pub fn cookies(&self) -> Vec<Value> {
        let all = self.devtools("Network.getAllCookies", &json!({}));
        all["cookies"].as_array().expect("cookies").clone()
    }

    /// Removes all cookies.
    pub fn forget(&self) {
        let _ = self.devtools("Network.clearBrowserCookies", &json!({}));
    }

    /// Gives the browser an authenticator, whose user agrees to everything.
    pub fn add_authenticator(&self) {
        let _ = self.devtools("WebAuthn.enable", &json!({}));
        let options = json!({
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true,
            "isUserVerified": true, "automaticPresenceSimulation": true,
        });
        let _ = self.devtools("WebAuthn.addVirtualAuthenticator", &json!({ "options": options }));
    }

    /// Gives the window this width and height, in CSS pixels.
    pub fn resize(&self, (width, height): (u32, u32)) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        let _ = self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Sets the preferred colour scheme.
    pub fn prefer(&self, scheme: Scheme) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme.name() });
        let _ = self.devtools("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
    }

    /// Writes a picture of the whole page.
    pub fn picture(&self, file: &Path) {
        let whole = json!({ "format": "png", "captureBeyondViewport": true });
        let picture = self.devtools("Page.captureScreenshot", &whole);
        let bytes = STANDARD.decode(picture["data"].as_str().expect("a picture")).expect("Base64");
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, bytes).expect("a file");
    }

    /// The sum of the peak memory uses of all processes of the browser, in KiB. `None` if the system does not
    /// report it.
    pub fn peak_memory_kib(&self) -> Option<u64> {
        let processes = running();
        let mut own = vec![self.driver.0.id()];
        let mut at = 0;
        while let Some(parent) = own.get(at).copied() {
            own.extend(processes.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
            at += 1;
        }
        let peaks: Vec<u64> = own.into_iter().filter_map(|process| status_of(process, "VmHWM:")).collect();
        (!peaks.is_empty()).then(|| peaks.into_iter().sum())
    }

    /// A command of the [DevTools protocol](https://chromedevtools.github.io/devtools-protocol/).
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let command = DevTools(json!({ "cmd": command, "params": parameters }));
        self.runtime.block_on(self.client.issue_cmd(command)).expect("a browser that obeys")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.runtime.block_on(self.client.clone().close());
    }
}

/// All processes with their parents.
fn running() -> Vec<(u32, u32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let with_parent =
        |process: u32| Some((process, status_of(process, "PPid:").and_then(|id| id.try_into().ok())?));
    processes.filter_map(with_parent).collect()
}

/// A number from the system's data about a process.
fn status_of(process: u32, field: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().trim_end_matches(" kB").parse().ok()
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
