//! Calls to the old server. Its token is only ever sent to its own address.

use std::fmt::Display;
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::LOCATION;
use serde::de::DeserializeOwned;
use spindrift_api::{LoginAnswer, LoginBody};
use tokio::sync::OnceCell;
use url::Url;

use super::link::FileLink;
use super::reach::AllowedReach;
use super::retry::{FailedRequest, retry};
use super::wire::{DownloadUrl, FaynoSyncLogin};
use crate::context::Context;
use crate::error::CliError;
use crate::exit;
use crate::output::Output;
use crate::publish::limits::UploadLimits;
use crate::refusal::one_line;
use crate::secret::Secret;
use crate::service::{Service, read_json, refusal};

/// The path of private files.
const DOWNLOAD: &str = "/download";
/// A key that does not exist: an open server signs any key.
const PROBE_KEY: &str = "spindrift-import";

/// The old server, with an admin's login.
#[derive(Debug)]
pub(super) struct FaynoSyncServer {
    service: Service,
    owner: String,
    limits: UploadLimits,
    output: Output,
    reach: AllowedReach,
    /// The storage to which an open server redirects all requests for private files. `None`: the
    /// server requires a login.
    open_storage: OnceCell<Option<Url>>,
}

impl FaynoSyncServer {
    /// Logs in.
    ///
    /// # Errors
    ///
    /// The password is wrong, or the user is not an admin: a team user sees only a part of the
    /// data.
    pub(super) async fn login(
        context: &Context,
        url: &str,
        username: &str,
        password: &Secret,
        limits: UploadLimits,
        hosts: &[String],
    ) -> Result<Self, CliError> {
        let service = context.service_at(url)?;
        let output = context.output;
        let reach = AllowedReach::new(service.url(), hosts, service.limits(), limits.stall()).await?;
        let (owner, open_storage) = (String::new(), OnceCell::new());
        let anonymous = Self { service, owner, limits, output, reach, open_storage };
        let body =
            LoginBody { username: Some(username.to_owned()), password: Some(password.expose().to_owned()) };
        let answer = anonymous.service.post("/login").body_json(&body).json().await;
        let LoginAnswer { token } = answer.map_err(|error| anonymous.failed_request(error).error)?;
        let service = anonymous.service.with_token(Secret::new(token));
        let server = Self { service, ..anonymous };
        let me: FaynoSyncLogin = server.get("/whoami", &[]).await?;
        if !me.is_admin {
            let reason = format!("{username} is a team user, who sees only a part: use the admin's name");
            return Err(server.error(&reason, exit::NOT_ALLOWED));
        }
        Ok(Self { owner: me.username, ..server })
    }

    /// The base URL, without a slash at the end.
    pub(super) fn url(&self) -> &str {
        self.service.url()
    }

    /// The admin's name, which installed copies send in their requests.
    pub(super) fn owner(&self) -> &str {
        &self.owner
    }

    pub(super) const fn limits(&self) -> &UploadLimits {
        &self.limits
    }

    /// Time limit of a request.
    pub(super) const fn timeout(&self) -> Duration {
        self.service.limits().timeout
    }

    pub(super) const fn reach(&self) -> &AllowedReach {
        &self.reach
    }

    /// Retries until there is an answer or a permanent failure.
    pub(super) async fn retry<T, E: Display>(
        &self,
        ask: impl AsyncFn() -> Result<T, FailedRequest<E>>,
    ) -> Result<T, E> {
        retry(&self.limits, self.output, ask).await
    }

    /// Makes a call, and retries it while that may help.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, CliError> {
        self.retry(async || self.try_get(path, query).await.map_err(|error| self.failed_request(error))).await
    }

    /// Makes a call once. An empty body reads as `null`.
    async fn try_get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, CliError> {
        let response = self.service.get(path).query(query).ok().await?;
        if response.status() == StatusCode::NO_CONTENT
            && let Ok(nothing) = serde_json::from_value(serde_json::Value::Null)
        {
            return Ok(nothing);
        }
        read_json(&self.service, response).await
    }

    /// Like [`Self::get`], for calls that older servers lack. `None`: the server lacks it.
    pub(super) async fn get_if_supported<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<Option<T>, CliError> {
        match self.get(path, &[]).await {
            Ok(answer) => Ok(Some(answer)),
            Err(CliError::OtherServer { exit: exit::NOT_FOUND, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The URL of a file's bytes. Reading it needs no secret.
    pub(super) async fn address(&self, link: &FileLink) -> Result<String, CliError> {
        let key = match link {
            FileLink::Public(url) => return Ok(url.to_string()),
            FileLink::Private(key) => key,
        };
        if self.open_storage().await?.is_some() {
            let base = format!("{}{DOWNLOAD}", self.url());
            let url = Url::parse_with_params(&base, [("key", key)]);
            return Ok(url.map_or(base, Into::into));
        }
        let answer: DownloadUrl = self.get(DOWNLOAD, &[("key", key)]).await?;
        Ok(answer.download_url)
    }

    /// The storage to which an open server redirects all requests for private files. `None`: the
    /// server requires a login.
    pub(super) async fn open_storage(&self) -> Result<Option<&Url>, CliError> {
        let ask = || self.retry(async || self.probe().await.map_err(|error| self.failed_request(error)));
        self.open_storage.get_or_try_init(ask).await.map(Option::as_ref)
    }

    /// Requests a private file without a token: a redirect means that downloads are open, 401 or
    /// 403 that they need a login. Any other answer is an error.
    async fn probe(&self) -> Result<Option<Url>, CliError> {
        let anonymous = self.service.anonymous();
        let answer = anonymous.get(DOWNLOAD).query(&[("key", PROBE_KEY)]).send().await?;
        let location =
            answer.headers().get(LOCATION).and_then(|value| answer.url().join(value.to_str().ok()?).ok());
        match (answer.status(), location) {
            (StatusCode::FOUND, Some(url)) => Ok(Some(url)),
            (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => Ok(None),
            _ => Err(refusal(&anonymous, answer).await),
        }
    }

    /// An error of this server. `reason` may contain text from the server.
    pub(super) fn error(&self, reason: &str, exit: u8) -> CliError {
        CliError::OtherServer { url: self.url().to_owned(), reason: one_line(reason), exit }
    }

    /// Rewords the error of a call, so that it names this server and not the service.
    fn failed_request(&self, error: CliError) -> FailedRequest<CliError> {
        let is_transient = error.is_passing();
        FailedRequest::new(self.reword(error), is_transient)
    }

    fn reword(&self, error: CliError) -> CliError {
        let exit = error.exit_code();
        let reason = match error {
            CliError::Refused(refusal) => match refusal.status {
                401 => format!("{}: check --username and the password", one_line(&refusal.text)),
                status @ 500.. => {
                    format!("{status} ({}): run this again to resume", one_line(&refusal.text))
                }
                status => format!("{status} ({})", one_line(&refusal.text)),
            },
            CliError::Unreachable { reason, .. } => format!("cannot be reached ({reason}): check --from"),
            CliError::NotSpindrift { reason, .. } if reason.starts_with("404") => {
                return self.error("404: it has no such call", exit::NOT_FOUND);
            }
            CliError::NotSpindrift { reason, .. } => {
                format!("does not answer like a faynoSync server ({reason}): check --from")
            }
            other => return other,
        };
        self.error(&reason, exit)
    }
}
