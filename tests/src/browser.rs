//! A real browser: Chromium without a window, driven by [WebDriver](https://www.w3.org/TR/webdriver2/).

mod chromium;

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use self::chromium::Chromium;
use crate::processes::Processes;
use crate::wait::within;

/// Time limit for a page's own actions.
const LIMIT: Duration = Duration::from_secs(30);
/// Size of the window, in CSS pixels.
const WIDE: (u32, u32) = (1280, 900);

/// Browsers that no test uses now. Starting one takes more than two seconds of processor time.
static IDLE: Mutex<Vec<Chromium>> = Mutex::new(Vec::new());

/// A browser with one window, which knows nothing yet.
pub struct Browser {
    /// There, until this is dropped.
    chromium: Option<Chromium>,
    /// Whether further tests can use it.
    is_shared: bool,
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
    /// A browser, which an earlier test may have used. `None`, with a printed reason: there is none on this machine.
    pub fn start() -> Option<Self> {
        let idle = IDLE.lock().expect("no panic").pop();
        let chromium = idle.or_else(|| Chromium::start(&[]))?;
        Some(Self::of(chromium, true))
    }

    /// Starts a browser in which `host` and a port, such as `localhost:3000`, leads to the server at `url`. `None`: as
    /// above.
    pub fn start_with_host(host: &str, url: &str) -> Option<Self> {
        let server = url.split_once("://").expect("a URL").1;
        let chromium = Chromium::start(&[format!("--host-resolver-rules=MAP {host} {server}")])?;
        Some(Self::of(chromium, false))
    }

    fn of(chromium: Chromium, is_shared: bool) -> Self {
        let browser = Self { chromium: Some(chromium), is_shared };
        browser.resize(WIDE);
        browser
    }

    fn chromium(&self) -> &Chromium {
        self.chromium.as_ref().expect("it is there until this is dropped")
    }

    fn client(&self) -> &Client {
        &self.chromium().client
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.chromium().runtime.block_on(work)
    }

    /// Goes to an address, and waits until the page is loaded.
    pub fn go(&self, address: &str) {
        self.wait(self.client().goto(address)).unwrap_or_else(|error| panic!("{address}: {error}"));
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        self.wait(self.client().current_url()).expect("an address").to_string()
    }

    /// The visible text of the page.
    pub fn text(&self) -> String {
        self.text_of("body")
    }

    /// The visible text of an element.
    pub fn text_of(&self, css: &str) -> String {
        let text = async { self.client().find(Locator::Css(css)).await?.text().await };
        self.wait(text).unwrap_or_else(|error| panic!("{css}: {error}"))
    }

    /// Whether the page has such an element.
    pub fn has(&self, css: &str) -> bool {
        !self.wait(self.client().find_all(Locator::Css(css))).expect("a page").is_empty()
    }

    /// Writes into a field, replacing its content.
    pub fn fill(&self, css: &str, text: &str) {
        let work = async {
            let field = self.client().find(Locator::Css(css)).await?;
            field.clear().await?;
            field.send_keys(text).await
        };
        self.wait(work).unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// Chooses files, or adds keys, without emptying the field first.
    pub fn send(&self, css: &str, text: &str) {
        let work = async { self.client().find(Locator::Css(css)).await?.send_keys(text).await };
        self.wait(work).unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// Clicks on an element, and waits until a page that this leads to is loaded.
    pub fn click(&self, css: &str) {
        let work = async { self.client().find(Locator::Css(css)).await?.click().await };
        self.wait(work).unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    /// Clicks on the link or button with this text.
    pub fn press(&self, text: &str) {
        let path = format!("//a[normalize-space()='{text}'] | //button[normalize-space()='{text}']");
        let work = async { self.client().find(Locator::XPath(&path)).await?.click().await };
        self.wait(work).unwrap_or_else(|error| panic!("{text}: {error}"));
    }

    /// Runs a script on the page, and returns its result.
    pub fn run(&self, script: &str) -> Value {
        self.wait(self.client().execute(script, Vec::new())).expect("a script that runs")
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
        within(LIMIT, || (self.run(script) == Value::Bool(true)).then_some(()))
            .unwrap_or_else(|| panic!("{what}: not within {LIMIT:?}\n{}\n{}", self.address(), self.text()));
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

    /// The processes of the browser.
    pub fn processes(&self) -> Processes {
        self.chromium().processes()
    }

    /// A command of the [DevTools protocol](https://chromedevtools.github.io/devtools-protocol/).
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.chromium().devtools(command, parameters).expect("a browser that obeys")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let Some(chromium) = self.chromium.take() else { return };
        if self.is_shared && !std::thread::panicking() && chromium.renew().is_ok() {
            IDLE.lock().expect("no panic").push(chromium);
        }
    }
}
