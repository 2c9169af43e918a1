//! An OpenID issuer of CI jobs, with the documented claims of each provider.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jwt_simple::algorithms::{ECDSAP256KeyPairLike as _, ES256KeyPair, RS256KeyPair, RSAKeyPairLike as _};
use jwt_simple::claims::JWTClaims;
use serde_json::{Value, json};

/// How the issuer answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssuerMood {
    /// As it should.
    Well,
    /// With a 500.
    Failing,
    /// Elsewhere.
    Redirecting,
    /// With a body that does not end.
    Endless,
    /// One byte in a while.
    Slow,
    /// With a discovery document of another issuer.
    Impostor,
}

/// A running issuer. It ends with the process.
pub struct Issuer(Arc<State>);

struct State {
    url: String,
    keys: Mutex<Keys>,
    mood: Mutex<IssuerMood>,
    asked: AtomicU32,
    next_id: AtomicU32,
}

struct Keys {
    rsa: RS256KeyPair,
    ec: ES256KeyPair,
    ec_id: String,
}

impl Keys {
    fn new(ec_id: &str) -> Self {
        let rsa = include_str!("../../crates/auth/src/identity_token/rsa_key.pem");
        let rsa = RS256KeyPair::from_pem(rsa).expect("a key").with_key_id("rsa");
        Self { rsa, ec: ES256KeyPair::generate().with_key_id(ec_id), ec_id: ec_id.to_owned() }
    }

    fn public(&self) -> Value {
        let rsa = self.rsa.public_key().to_components();
        let der = self.ec.public_key().to_der().expect("a key");
        let (x, y) = der[der.len() - 64..].split_at(32);
        json!({ "keys": [
            { "kty": "RSA", "kid": "rsa", "alg": "RS256", "use": "sig", "n": base64(&rsa.n), "e": base64(&rsa.e) },
            { "kty": "EC", "kid": self.ec_id, "crv": "P-256", "x": base64(x), "y": base64(y) },
        ] })
    }
}

fn base64(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Seconds since 1970.
pub fn seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970");
    i64::try_from(since.as_secs()).expect("a time in this era")
}

impl Issuer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let state = Arc::new(State {
            url: format!("http://{}", listener.local_addr().expect("an address")),
            keys: Mutex::new(Keys::new("ec-1")),
            mood: Mutex::new(IssuerMood::Well),
            asked: AtomicU32::new(0),
            next_id: AtomicU32::new(1),
        });
        let issuer = Self(Arc::clone(&state));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let issuer = Self(Arc::clone(&state));
                thread::spawn(move || issuer.answer(&stream));
            }
        });
        issuer
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    pub fn set_mood(&self, mood: IssuerMood) {
        *self.0.mood.lock().expect("a mood") = mood;
    }

    /// Signs with another EC key from now on.
    pub fn rotate(&self, id: &str) {
        *self.keys() = Keys::new(id);
    }

    /// How often its keys were asked for.
    pub fn asked(&self) -> u32 {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// The variables of a job on GitHub that may ask for identity tokens. `environment`: the environment that the
    /// job has; empty for none.
    pub fn github_variables(&self, environment: &str) -> [(&'static str, String); 2] {
        [
            ("ACTIONS_ID_TOKEN_REQUEST_URL", format!("{}/job?environment={environment}", self.url())),
            ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", REQUEST_TOKEN.to_owned()),
        ]
    }

    /// The claims of a job, with some changed or, by `null`, removed.
    pub fn claims(&self, of_provider: Value, change: Value) -> Value {
        let id = self.0.next_id.fetch_add(1, Ordering::SeqCst);
        let mut all = json!({
            "iss": self.url(), "jti": format!("job-{id}"), "iat": seconds(), "nbf": seconds() - 5,
            "exp": seconds() + 300,
        });
        for more in [of_provider, change] {
            for (name, value) in more.as_object().expect("an object") {
                all[name] = value.clone();
            }
        }
        all.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        all
    }

    /// An identity token with these claims, signed with the EC key.
    pub fn sign(&self, claims: &Value) -> String {
        let claims: JWTClaims<Value> = serde_json::from_value(claims.clone()).expect("claims");
        self.keys().ec.sign(claims).expect("a token")
    }

    /// Like [`Issuer::sign`], with the RSA key.
    pub fn sign_with_rsa(&self, claims: &Value) -> String {
        let claims: JWTClaims<Value> = serde_json::from_value(claims.clone()).expect("claims");
        self.keys().rsa.sign(claims).expect("a token")
    }

    /// The public RSA key, as a text that a forger could sign with.
    pub fn public_rsa_key(&self) -> String {
        self.keys().rsa.public_key().to_pem().expect("a key")
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.0.keys.lock().expect("keys")
    }

    fn answer(&self, stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut is_allowed = false;
        while !line.trim_end().is_empty() {
            line.clear();
            reader.read_line(&mut line).ok()?;
            is_allowed |= line.trim_end().ends_with(&format!("Bearer {REQUEST_TOKEN}"));
        }
        let mood = *self.0.mood.lock().expect("a mood");
        if let Some(query) = path.strip_prefix("/job?") {
            let audience = form_urlencoded(query, "audience");
            let environment = Some(form_urlencoded(query, "environment")).filter(|name| !name.is_empty());
            let job = json!({ "environment": environment });
            let value = self.sign(&self.claims(github_claims(&audience), job));
            let status = if is_allowed { "200 OK" } else { "403 Forbidden" };
            return send(stream, status, &json!({ "count": 1, "value": value }));
        }
        if path == "/keys" {
            self.0.asked.fetch_add(1, Ordering::SeqCst);
            let keys = self.keys().public();
            return send(stream, "200 OK", &keys);
        }
        let issuer = if mood == IssuerMood::Impostor { "https://other.example" } else { self.url() };
        let discovery = json!({ "issuer": issuer, "jwks_uri": format!("{}/keys", self.url()) });
        match mood {
            IssuerMood::Well | IssuerMood::Impostor => send(stream, "200 OK", &discovery),
            IssuerMood::Failing => send(stream, "500 Failed", &json!({})),
            IssuerMood::Redirecting => send(stream, "302 Found\r\nlocation: http://127.0.0.1:1/", &json!({})),
            IssuerMood::Endless => trickle(stream, &[b' '; 8192], Duration::ZERO),
            IssuerMood::Slow => trickle(stream, b" ", Duration::from_millis(300)),
        }
    }
}

/// The token with which a job asks GitHub for identity tokens.
const REQUEST_TOKEN: &str = "request-token";

/// The decoded value of a parameter.
fn form_urlencoded(query: &str, name: &str) -> String {
    let found = url::form_urlencoded::parse(query.as_bytes()).find(|(known, _)| known == name);
    found.map(|(_, value)| value.into_owned()).unwrap_or_default()
}

fn send(mut stream: &TcpStream, status: &str, body: &Value) -> Option<()> {
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).ok()
}

/// Sends a gigabyte in pieces, until the client has enough.
fn trickle(mut stream: &TcpStream, piece: &[u8], pause: Duration) -> Option<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n").ok()?;
    loop {
        stream.write_all(piece).ok()?;
        thread::sleep(pause);
    }
}

/// The claims of a job on GitHub: <https://docs.github.com/actions/reference/security/oidc>.
pub fn github_claims(audience: &str) -> Value {
    json!({
        "aud": audience, "sub": "repo:acme/notes:environment:production", "environment": "production",
        "ref": "refs/tags/v2.0", "ref_type": "tag", "ref_protected": "true",
        "sha": "1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b", "repository": "acme/notes", "repository_id": "65",
        "repository_owner": "acme", "repository_owner_id": "3", "repository_visibility": "private",
        "run_id": "1234567", "run_number": "812", "run_attempt": "2", "runner_environment": "github-hosted",
        "actor": "ada", "actor_id": "12", "workflow": "Release", "head_ref": "", "base_ref": "",
        "event_name": "push", "job_workflow_ref": "acme/notes/.github/workflows/release.yml@refs/tags/v2.0",
        "workflow_ref": "acme/notes/.github/workflows/release.yml@refs/tags/v2.0",
    })
}

/// The claims of a job on GitLab: <https://docs.gitlab.com/ci/secrets/id_token_authentication/>.
pub fn gitlab_claims(audience: &str) -> Value {
    json!({
        "aud": audience, "sub": "project_path:acme/apps/notes:ref_type:tag:ref:v2.0", "namespace_id": "72",
        "namespace_path": "acme/apps", "project_id": "20", "project_path": "acme/apps/notes", "user_id": "1",
        "user_login": "ada", "user_email": "ada@example.com", "pipeline_id": "574", "pipeline_source": "push",
        "job_id": "302", "ref": "v2.0", "ref_type": "tag", "ref_path": "refs/tags/v2.0", "ref_protected": "true",
        "environment": "production", "environment_protected": "true", "runner_id": 1,
        "sha": "714a629c0b401fdce83e847fc9589983fc6f46bc",
    })
}
