//! A CI job that proves who it is with an identity token, in place of a secret.

use std::path::PathBuf;

use base16ct::lower::encode_string as hex;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use spindrift_api::{ExchangeBody, ExchangedBody};
use spindrift_core::Timestamp;
use tokio::sync::Mutex;

use crate::config::write_private;
use crate::error::CliError;
use crate::secret::Secret;
use crate::service::{Service, TokenSource};

/// Where GitHub Actions gives jobs with `id-token: write` their identity tokens, and the token for asking.
const GITHUB: [&str; 2] = ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"];
/// The identity token itself, for GitLab's `id_tokens` and others.
const GIVEN: &str = "SPINDRIFT_ID_TOKEN";
/// A token that ends sooner than this is exchanged again, in seconds.
const SPARE_SECONDS: i64 = 60;

/// Where the identity token of this job comes from.
#[derive(Debug, Clone)]
enum IdentitySource {
    /// GitHub makes another one for each request.
    Github { url: String, token: Secret },
    /// The only one that the job has.
    Given(Secret),
}

impl IdentitySource {
    fn of_environment() -> Option<Self> {
        let variable = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
        if let Some(token) = variable(GIVEN) {
            return Some(Self::Given(Secret::new(token)));
        }
        let [url, token] = GITHUB.map(variable);
        Some(Self::Github { url: url?, token: Secret::new(token?) })
    }

    /// The identity token for this service.
    async fn identity(&self, service: &Service) -> Result<Secret, CliError> {
        let (url, token) = match self {
            Self::Given(token) => return Ok(token.clone()),
            Self::Github { url, token } => (url, token),
        };
        let request = service.http().get(url).query(&[("audience", service.url())]);
        let failed = |reason: String| CliError::OtherServer {
            url: "GitHub's identity tokens".to_owned(),
            reason: format!("{reason}: check that the job has `permissions: id-token: write`"),
            exit: crate::exit::UNAVAILABLE,
        };
        let request = request.bearer_auth(token.expose()).timeout(service.limits().timeout);
        let answer = request.send().await.map_err(|error| failed(error.without_url().to_string()))?;
        if !answer.status().is_success() {
            return Err(failed(format!("it answered {}", answer.status().as_u16())));
        }
        let answer: GithubIdentity =
            answer.json().await.map_err(|error| failed(error.without_url().to_string()))?;
        Ok(answer.value)
    }
}

/// GitHub's answer with an identity token.
#[derive(Deserialize)]
struct GithubIdentity {
    value: Secret,
}

/// The owner and the application that the command names.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobNames {
    pub(crate) owner: Option<String>,
    pub(crate) app: Option<String>,
}

/// The login of a job: exchanges its identity token when the first call needs it, and again before the token
/// ends.
#[derive(Debug)]
pub(crate) struct JobLogin {
    source: IdentitySource,
    owner: String,
    app: String,
    /// Where a token is kept for the next command, because a given identity token is good only once.
    file: PathBuf,
    token: Mutex<Option<KeptToken>>,
}

/// The token of a job, as kept in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptToken {
    /// A digest of the identity token, the service and the application.
    of: String,
    token: Secret,
    expires_at: String,
}

impl KeptToken {
    fn is_fresh(&self, now: Timestamp) -> bool {
        Timestamp::from_rfc3339(&self.expires_at).is_some_and(|end| now.plus_seconds(SPARE_SECONDS) < end)
    }
}

impl JobLogin {
    /// The login of the job that this command runs in. `None`: there is no identity token.
    pub(crate) fn find(names: &JobNames, file: PathBuf) -> Result<Option<Self>, CliError> {
        let Some(source) = IdentitySource::of_environment() else { return Ok(None) };
        let (Some(owner), Some(app)) = (names.owner.clone(), names.app.clone()) else {
            return Err(CliError::usage(
                "this job can prove who it is, but not for which application: set SPINDRIFT_OWNER and SPINDRIFT_APP, or \
                 set SPINDRIFT_TOKEN to log in with a token",
            ));
        };
        Ok(Some(Self { source, owner, app, file, token: Mutex::default() }))
    }

    async fn renewed(&self, service: &Service) -> Result<Secret, CliError> {
        let now = now();
        let mut kept = self.token.lock().await;
        if let Some(token) = kept.as_ref().filter(|token| token.is_fresh(now)) {
            return Ok(token.token.clone());
        }
        let given = match &self.source {
            IdentitySource::Given(identity) => Some(self.digest(service, identity)),
            IdentitySource::Github { .. } => None,
        };
        if let Some(found) = given.as_ref().and_then(|of| self.read(of)).filter(|found| found.is_fresh(now)) {
            return Ok(kept.insert(found).token.clone());
        }
        let ExchangedBody { token, expires_at, .. } = self.exchange(service).await?;
        let new = KeptToken { of: given.unwrap_or_default(), token: Secret::new(token), expires_at };
        Ok(kept.insert(new).token.clone())
    }

    /// Exchanges the job's identity token. The token of a given one is kept for the next command.
    pub(crate) async fn exchange(&self, service: &Service) -> Result<ExchangedBody, CliError> {
        let identity = self.source.identity(service).await?;
        let body = ExchangeBody {
            token: Some(identity.expose().to_owned()),
            owner: Some(self.owner.clone()),
            app: Some(self.app.clone()),
        };
        let call = service.anonymous();
        let exchanged: ExchangedBody = call.post("/tokens/exchange").body_json(&body).json().await?;
        if let IdentitySource::Given(identity) = &self.source {
            let token = Secret::new(exchanged.token.clone());
            let expires_at = exchanged.expires_at.clone();
            let of = self.digest(service, identity);
            write_private(&self.file, &KeptToken { of, token, expires_at })?;
        }
        Ok(exchanged)
    }

    fn digest(&self, service: &Service, identity: &Secret) -> String {
        let parts = [service.url(), &self.owner, &self.app, identity.expose()];
        hex(&Sha256::digest(parts.join("\n")))
    }

    /// The token that an earlier command of this job got. A file that cannot be read is as good as none.
    fn read(&self, of: &str) -> Option<KeptToken> {
        let found: KeptToken = serde_json::from_slice(&std::fs::read(&self.file).ok()?).ok()?;
        (found.of == of).then_some(found)
    }
}

impl TokenSource for JobLogin {
    fn token<'a>(&'a self, service: &'a Service) -> BoxFuture<'a, Result<Secret, CliError>> {
        Box::pin(self.renewed(service))
    }
}

fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
