//! Somebody with a browser.

use spindrift_tests::{Browser, Driver, PASSWORD, World};

/// A browser that looks at a world's console.
pub(super) struct Visitor {
    pub(super) world: World,
    pub(super) browser: Browser,
    /// Where the browser sees the world.
    pub(super) url: String,
}

impl Visitor {
    /// In an empty world. `None`: no browser here, and a message says so.
    pub(super) fn of_empty(host: Driver) -> Option<Self> {
        Self::of(|| World::new(host))
    }

    /// In a world that is there already. `None`: as above.
    pub(super) fn of(world: impl FnOnce() -> World) -> Option<Self> {
        let browser = Browser::start()?;
        let world = world();
        Some(Self { url: world.url(), world, browser })
    }

    /// Goes to a page of the console.
    pub(super) fn go(&self, path: &str) {
        self.browser.go(&format!("{}/console/{path}", self.url));
    }

    /// Path and query of the page that is shown.
    pub(super) fn path(&self) -> String {
        let address = self.browser.address();
        address.strip_prefix(&self.url).unwrap_or(&address).to_owned()
    }

    /// Waits until this page is shown, as after a form.
    pub(super) fn arrives_at(&self, path: &str) {
        self.browser.wait_until(path, &format!("return location.pathname + location.search === '{path}'"));
    }

    /// Waits until the page says this. Capitals do not matter: the style begins problems with one.
    pub(super) fn is_told(&self, text: &str) {
        let wanted = text.to_lowercase();
        let script = format!("return document.body?.innerText.toLowerCase().includes('{wanted}') ?? false");
        self.browser.wait_until(text, &script);
    }

    /// Logs in with the form that is shown.
    pub(super) fn fill_login(&self, name: &str, password: &str) {
        self.browser.fill("[name=username]", name);
        self.browser.fill("[name=password]", password);
        self.browser.press("Log in");
    }

    /// Logs in an existing user.
    pub(super) fn log_in(&self, name: &str) {
        self.go("login");
        self.fill_login(name, PASSWORD);
        // The next page must not be asked for before the answer with the cookie is there.
        self.browser.wait_until("the login is done", "return location.pathname !== '/console/login'");
    }

    /// Sends the form of a release.
    pub(super) fn send_form(&self) {
        self.receipt_settles();
        self.browser.click("#send");
    }

    /// Waits until the receipt has its size. It is above the button, which would move away from a click.
    pub(super) fn receipt_settles(&self) {
        let script = "return document.querySelector('#preview').ariaBusy !== 'true'";
        self.browser.wait_until("the receipt is there", script);
    }
}
