//! A logged-in user without a browser.

use spindrift_tests::{Account, Answer, Multipart, World};

/// A login, and the console's pages as it gets them.
pub(super) struct Session<'w> {
    world: &'w World,
    cookie: String,
}

impl<'w> Session<'w> {
    pub(super) fn of(world: &'w World, account: &Account) -> Self {
        let token = account.authorization().trim_start_matches("Bearer ");
        Self { world, cookie: format!("spindrift_session={token}") }
    }

    /// A page below `/console/`, with any status.
    pub(super) fn get(&self, path: &str) -> Answer {
        self.world.get(&format!("/console/{path}")).header("cookie", &self.cookie).send()
    }

    /// The text of a page that is there.
    pub(super) fn page(&self, path: &str) -> String {
        self.get(path).expect(200).text()
    }

    /// Sends a form as a page of the console does.
    pub(super) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.form_token();
        let fields: Vec<_> = fields.iter().copied().chain([("form_token", token.as_str())]).collect();
        let call = self.world.client().post_form(&format!("/console/{path}"), &fields);
        call.header("cookie", &self.cookie).header("origin", &self.world.url()).send()
    }

    /// Sends a form with a file.
    pub(super) fn post_file(&self, path: &str, form: Multipart) -> Answer {
        let form = form.field("form_token", self.form_token());
        let call = self.world.client().post_multipart(&format!("/console/{path}"), form);
        call.header("cookie", &self.cookie).header("origin", &self.world.url()).send()
    }

    fn form_token(&self) -> String {
        let page = self.page("people");
        between(&page, "name=\"form_token\" value=\"", "\"").to_owned()
    }

    /// Sends a form that is accepted. The answer leads to a page with a notice. Returns the page.
    pub(super) fn submit(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.post(path, fields).expect(303);
        let (page, notice) = answer.header("location").rsplit_once(['?', '&']).unwrap_or_default();
        let cookies: Vec<_> = answer.headers.get_all("set-cookie").iter().collect();
        assert!(notice.starts_with("done=") && cookies.is_empty(), "{notice} {cookies:?}");
        let shown = self.page(&answer.header("location")["/console/".len()..]);
        assert!(shown.contains("<p class=\"done\" role=\"status\">"), "{path}: {shown}");
        page.to_owned()
    }

    /// The page to which the answer to a form leads, with the cookie that came with it, and the page after a reload.
    pub(super) fn follow(&self, answer: &Answer) -> [Answer; 2] {
        let page = answer.header("location");
        let handed = answer.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        let shown = self.world.get(page).header("cookie", &format!("{}; {handed}", self.cookie)).send();
        assert!(shown.header("set-cookie").contains("=; "), "it is taken away: {:?}", shown.headers);
        [shown, self.world.get(page).header("cookie", &self.cookie).send()]
    }
}

/// The first text between two texts.
pub(super) fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before} in {text}"));
    rest.split_once(after).unwrap_or_else(|| panic!("no {after} in {rest}")).0
}

/// Text of HTML as it is read.
pub(super) fn unescaped(html: &str) -> String {
    html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}
