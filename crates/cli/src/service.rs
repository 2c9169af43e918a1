//! Calls to the service.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use reqwest::multipart::Form;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use spindrift_api::ErrorBody;
use spindrift_core::Id;

use crate::error::CliError;
use crate::http::{self, CallLimits};
use crate::refusal::Refusal;
use crate::secret::Secret;

/// Maximum size of an answer, in bytes: enough for a page of a hundred releases with long release
/// notes.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// Where calls get a token that may end while the command runs.
pub(crate) trait TokenSource: std::fmt::Debug + Send + Sync {
    /// A token that is valid for another minute at least.
    fn token<'a>(&'a self, service: &'a Service) -> BoxFuture<'a, Result<Secret, CliError>>;
}

/// A service, and the token for calls to it.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    url: String,
    token: Option<Secret>,
    /// Where calls get a token if there is no other.
    job: Option<Arc<dyn TokenSource>>,
    http: reqwest::Client,
    limits: CallLimits,
}

/// A call being built.
#[derive(Debug)]
pub(crate) struct ServiceCall<'a> {
    service: &'a Service,
    request: RequestBuilder,
    timeout: Duration,
}

impl Service {
    pub(crate) fn new(url: String, token: Option<Secret>, limits: CallLimits) -> Result<Self, CliError> {
        Ok(Self { url, token, job: None, http: http::client(limits)?, limits })
    }

    /// The base URL, without a slash at the end.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) const fn token(&self) -> Option<&Secret> {
        self.token.as_ref()
    }

    /// The HTTP client, for requests to other hosts.
    pub(crate) const fn http(&self) -> &reqwest::Client {
        &self.http
    }

    pub(crate) const fn limits(&self) -> CallLimits {
        self.limits
    }

    /// The same service without a token.
    pub(crate) fn anonymous(&self) -> Self {
        Self { token: None, job: None, ..self.clone() }
    }

    /// The same service with this token.
    pub(crate) fn with_token(&self, token: Secret) -> Self {
        Self { token: Some(token), ..self.clone() }
    }

    /// The same service, with a token for this CI job when a call needs one.
    pub(crate) fn with_job(&self, job: impl TokenSource + 'static) -> Self {
        Self { job: Some(Arc::new(job)), ..self.clone() }
    }

    /// The token for a call. That of a job is renewed before it ends.
    async fn token_of_call(&self) -> Result<Option<Secret>, CliError> {
        match (&self.token, &self.job) {
            (None, Some(job)) => job.token(self).await.map(Some),
            (token, _) => Ok(token.clone()),
        }
    }

    pub(crate) fn call(&self, method: Method, path: &str) -> ServiceCall<'_> {
        let request = self.http.request(method, format!("{}{path}", self.url));
        ServiceCall { service: self, request, timeout: self.limits.timeout }
    }

    pub(crate) fn get(&self, path: &str) -> ServiceCall<'_> {
        self.call(Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str) -> ServiceCall<'_> {
        self.call(Method::POST, path)
    }

    /// Deletes the item with this id.
    pub(crate) async fn delete<T: DeserializeOwned>(&self, path: &str, id: &Id) -> Result<T, CliError> {
        self.remove(path, &[("id", id.as_str())]).await
    }

    /// Deletes the item that `query` identifies.
    pub(crate) async fn remove<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, CliError> {
        self.call(Method::DELETE, path).query(query).json().await
    }

    /// Posts a form with the field `data`.
    pub(crate) async fn post_data<T: DeserializeOwned>(
        &self,
        path: &str,
        data: &impl Serialize,
    ) -> Result<T, CliError> {
        self.post(path).form(&[("data", field(data))]).json().await
    }
}

impl ServiceCall<'_> {
    pub(crate) fn query<T: Serialize + ?Sized>(mut self, query: &T) -> Self {
        self.request = self.request.query(query);
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn body_json(mut self, body: &impl Serialize) -> Self {
        self.request = self.request.json(body);
        self
    }

    pub(crate) fn form<T: Serialize + ?Sized>(mut self, fields: &T) -> Self {
        self.request = self.request.form(fields);
        self
    }

    pub(crate) fn multipart(mut self, form: Form) -> Self {
        self.request = self.request.multipart(form);
        self
    }

    pub(crate) const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sends the call. Any status is a success.
    pub(crate) async fn send(self) -> Result<Response, CliError> {
        let url = &self.service.url;
        let request = match self.service.token_of_call().await? {
            Some(token) => self.request.bearer_auth(token.expose()),
            None => self.request,
        };
        request.timeout(self.timeout).send().await.map_err(|error| CliError::network(url, error))
    }

    /// Sends the call. Fails unless the status is a success.
    pub(crate) async fn ok(self) -> Result<Response, CliError> {
        let service = self.service;
        let response = self.send().await?;
        let status = response.status();
        if status.is_success() || status.is_redirection() {
            return Ok(response);
        }
        Err(refusal(service, response).await)
    }

    /// Sends the call, and reads the body of a successful answer.
    pub(crate) async fn json<T: DeserializeOwned>(self) -> Result<T, CliError> {
        let service = self.service;
        read_json(service, self.ok().await?).await
    }
}

/// Reads the body of an answer as JSON.
pub(crate) async fn read_json<T: DeserializeOwned>(
    service: &Service,
    response: Response,
) -> Result<T, CliError> {
    let status = response.status();
    let body = read(service, response).await?;
    serde_json::from_slice(&body).map_err(|error| CliError::NotSpindrift {
        url: service.url.clone(),
        reason: format!("{status} with another body: {error}"),
    })
}

/// A body as the text of a form field. Serializing cannot fail: all keys are text.
pub(crate) fn field(body: &impl Serialize) -> String {
    serde_json::to_string(body).unwrap_or_default()
}

/// Reads a body up to the size limit.
pub(crate) async fn read(service: &Service, mut response: Response) -> Result<Vec<u8>, CliError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| CliError::network(&service.url, error))? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(CliError::NotSpindrift {
                url: service.url.clone(),
                reason: format!("an answer of more than {MAX_ANSWER_BYTES} bytes"),
            });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The error for an unsuccessful answer.
pub(crate) async fn refusal(service: &Service, response: Response) -> CliError {
    let status = response.status();
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let request_id = header("x-request-id").map(str::to_owned);
    let retry_after = header("retry-after").and_then(|text| text.parse().ok());
    let body = match read(service, response).await {
        Ok(body) => body,
        Err(error) => return error,
    };
    match serde_json::from_slice::<ErrorBody>(&body) {
        Ok(body) => CliError::Refused(Refusal {
            status: status.as_u16(),
            code: body.code,
            text: body.error,
            files: body.files,
            request_id,
            retry_after,
        }),
        // Gateways answer like this while the service behind them is down.
        Err(_)
            if matches!(
                status,
                StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT
            ) =>
        {
            CliError::Refused(Refusal {
                status: status.as_u16(),
                text: "no answer from the service behind the gateway".to_owned(),
                request_id,
                retry_after,
                ..Refusal::default()
            })
        }
        Err(_) => CliError::NotSpindrift {
            url: service.url.clone(),
            reason: format!("{} and no error text", status.as_u16()),
        },
    }
}
