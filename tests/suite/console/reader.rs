//! A reader without scripts: pages and forms over plain HTTP.

use std::time::Duration;

use spindrift_tests::{Account, Answer, Call, Client, World, until};

/// Time limit for work after an answer.
const COUNTED_WITHIN: Duration = Duration::from_secs(30);

/// A login at the console.
pub(super) struct Reader {
    client: Client,
    origin: String,
    cookie: String,
}

impl Reader {
    /// The user of an account.
    pub(super) fn of(world: &World, account: &Account) -> Self {
        let token = account.authorization().trim_start_matches("Bearer ");
        Self {
            client: world.client().clone(),
            origin: world.url(),
            cookie: format!("spindrift_session={token}"),
        }
    }

    /// A page.
    pub(super) fn page(&self, path: &str) -> Answer {
        self.client.get(&format!("/console/{path}")).header("cookie", &self.cookie).send()
    }

    /// The text of a page once it has this. Devices are counted after their answers.
    pub(super) fn read_until(&self, path: &str, part: &str) -> String {
        until(part, COUNTED_WITHIN, || Some(self.read(path)).filter(|page| page.contains(part)))
    }

    /// The text of a page that there must be.
    pub(super) fn read(&self, path: &str) -> String {
        self.page(path).expect(200).text()
    }

    /// Sends a form of this console.
    pub(super) fn send(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.token();
        let fields: Vec<_> = fields.iter().copied().chain([("form_token", token.as_str())]).collect();
        let call = self.client.post_form(&format!("/console/{path}"), &fields);
        call.header("cookie", &self.cookie).header("origin", &self.origin).send()
    }

    /// A call as the script of a page makes it.
    pub(super) fn script_call(&self, path: &str) -> Call<'_> {
        self.script_call_with(path, &self.token())
    }

    /// The same with another token.
    pub(super) fn script_call_with(&self, path: &str, token: &str) -> Call<'_> {
        let call = self.client.post(&format!("/console/{path}"));
        call.header("cookie", &self.cookie).header("origin", &self.origin).header("x-form-token", token)
    }

    /// The token of every form that this user is shown.
    fn token(&self) -> String {
        let page = self.read("login");
        let rest = page.split("name=\"form_token\" value=\"").nth(1).unwrap();
        rest.split('"').next().unwrap().to_owned()
    }
}
