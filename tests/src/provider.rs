//! A real OpenID provider for single sign-on. The script that runs it is in `tests/clients`.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::client::Client;
use crate::packages::ClientPackage;

/// More redirects than a sign-in has.
const REDIRECTS: usize = 10;

/// A running provider with one client. Dropping it stops it.
pub struct Provider {
    child: Child,
    // Kept open while the process runs, because writing to a closed pipe would end it.
    _stdout: BufReader<ChildStdout>,
    announced: Announced,
    redirect_uri: String,
}

/// The line that the script prints once it answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Announced {
    url: String,
    client_id: String,
    client_secret: String,
}

impl Provider {
    /// Starts a provider that sends browsers back to `redirect_uri`. Until another account is set, `ada` signs in,
    /// with the confirmed address `ada@example.com`. `None`, with a printed reason: Node is not installed.
    pub fn start(redirect_uri: &str) -> Option<Self> {
        Self::start_for(redirect_uri, &[])
    }

    /// Like [`start`](Self::start), with another name for the client, to which ID tokens are addressed.
    pub fn start_as(redirect_uri: &str, client_id: &str) -> Option<Self> {
        Self::start_for(redirect_uri, &[client_id])
    }

    fn start_for(redirect_uri: &str, more: &[&str]) -> Option<Self> {
        static PACKAGE: ClientPackage = ClientPackage::node("oidc-provider");
        let mut command = PACKAGE.available()?.command("provider.mjs");
        // The script ends with its standard input, also if this process is killed.
        command.arg(redirect_uri).args(more).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("Node");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        let _bytes = stdout.read_line(&mut line).expect("a line in UTF-8");
        let announced = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        Some(Self { child, _stdout: stdout, announced, redirect_uri: redirect_uri.to_owned() })
    }

    /// Its issuer, which is its address.
    pub fn url(&self) -> &str {
        &self.announced.url
    }

    /// Its name for the client.
    pub fn client_id(&self) -> &str {
        &self.announced.client_id
    }

    /// The client's secret. It has characters that have to be encoded in the `Authorization` header.
    pub fn client_secret(&self) -> &str {
        &self.announced.client_secret
    }

    /// Lets this account sign in from now on: `sub`, and the claims `email` and `email_verified`, if it has them.
    pub fn set_account(&self, account: Value) {
        let _ = Client::new(self.url()).post_json("/control/account", account).send().expect(200);
    }

    /// Ends the next sign-in with `access_denied`.
    pub fn refuse(&self) {
        let _ = Client::new(self.url()).post("/control/refuse").send().expect(200);
    }

    /// An ID token of the account that signs in, as the client gets it.
    pub fn id_token(&self) -> String {
        // The example of RFC 7636.
        let (verifier, challenge) =
            ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        let mut address = Url::parse(&format!("{}/auth", self.url())).expect("an address");
        address.query_pairs_mut().extend_pairs([
            ("client_id", self.client_id()),
            ("redirect_uri", &self.redirect_uri),
            ("response_type", "code"),
            ("scope", "openid email"),
            ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ]);
        let answer = self.sign_in(address.as_str());
        let encode = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encode(self.client_id()), encode(self.client_secret()));
        let form = [
            ("grant_type", "authorization_code"),
            ("code", answer["code"].as_str()),
            ("redirect_uri", &self.redirect_uri),
            ("code_verifier", verifier),
        ];
        let basic = format!("Basic {}", BASE64_STANDARD.encode(pair));
        let client = Client::new(self.url());
        let answer = client.post_form("/token", &form).header("authorization", &basic).send().expect(200);
        answer.json()["id_token"].as_str().expect("a token").to_owned()
    }

    /// Goes to an authorization URL with a new browser, and through the provider's pages. Returns the parameters with
    /// which the provider sends the browser back, without going there.
    pub fn sign_in(&self, address: &str) -> BTreeMap<String, String> {
        let browser = Client::new("");
        let mut cookies = BTreeMap::new();
        let mut address = Url::parse(address).expect("an address");
        for _ in 0..REDIRECTS {
            let sent: Vec<_> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let answer = browser.get(address.as_str()).header("cookie", &sent.join("; ")).send();
            for cookie in answer.headers.get_all("set-cookie") {
                let cookie = cookie.to_str().expect("a cookie in ASCII").split(';').next();
                let (name, value) = cookie.and_then(|cookie| cookie.split_once('=')).expect("a cookie");
                match value {
                    "" => cookies.remove(name),
                    _ => cookies.insert(name.to_owned(), value.to_owned()),
                };
            }
            let location = answer.header("location");
            assert!(!location.is_empty(), "{address}: {}, {}", answer.status, answer.text());
            address = address.join(location).expect("an address");
            if address.as_str().split('?').next() == Some(&self.redirect_uri) {
                return address.query_pairs().into_owned().collect();
            }
        }
        panic!("{address}: too many redirects")
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const BACK: &str = "http://127.0.0.1:1/console/sso";

    /// The address to sign in at.
    fn address(provider: &Provider) -> String {
        let mut address = Url::parse(&format!("{}/auth", provider.url())).unwrap();
        address.query_pairs_mut().extend_pairs([
            ("client_id", provider.client_id()),
            ("redirect_uri", BACK),
            ("response_type", "code"),
            ("scope", "openid email"),
            ("state", "some-state"),
            ("nonce", "some-nonce"),
            ("code_challenge", "iMnq5o6zALKXGivsnlom_0F5_WYda32GHkxlV7mq7hQ"),
            ("code_challenge_method", "S256"),
        ]);
        address.into()
    }

    #[test]
    fn a_sign_in_ends_with_a_code() {
        let Some(provider) = Provider::start(BACK) else { return };
        for sub in ["ada", "bob"] {
            provider.set_account(json!({ "sub": sub, "email": "x@example.com", "email_verified": false }));
            let answer = provider.sign_in(&address(&provider));
            assert!(!answer["code"].is_empty(), "{answer:?}");
            assert_eq!((answer["state"].as_str(), answer["iss"].as_str()), ("some-state", provider.url()));
        }
    }

    #[test]
    fn one_sign_in_is_refused() {
        let Some(provider) = Provider::start(BACK) else { return };
        provider.refuse();
        let answer = provider.sign_in(&address(&provider));
        assert_eq!((answer["error"].as_str(), answer["state"].as_str()), ("access_denied", "some-state"));
        assert!(provider.sign_in(&address(&provider)).contains_key("code"));
    }
}
