//! The folders, the selected service and the token, which every command needs.

use std::time::Duration;

use spindrift_api::HealthBody;
use url::{Host, Url};

use crate::config::{Credentials, Login};
use crate::error::CliError;
use crate::globals::Globals;
use crate::http::CallLimits;
use crate::job::{JobLogin, JobNames};
use crate::output::Output;
use crate::paths::Paths;
use crate::secret::Secret;
use crate::service::Service;

/// The folders, service and token of a command.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) output: Output,
    pub(crate) paths: Paths,
    url: Option<String>,
    token: Option<Secret>,
    /// Whether the token is given but empty.
    has_empty_token: bool,
    limits: CallLimits,
    names: JobNames,
}

impl Context {
    /// `names`: the owner and the application in the arguments, for a CI job.
    pub(crate) fn new(globals: &Globals, names: JobNames) -> Result<Self, CliError> {
        let is_set = |token: &Secret| !token.expose().is_empty();
        Ok(Self {
            output: Output { json: globals.json, quiet: globals.quiet },
            paths: Paths::find(globals.config_dir.as_deref())?,
            url: globals.url.as_deref().map(base_url).transpose()?,
            token: globals.token.clone().filter(is_set),
            has_empty_token: globals.token.as_ref().is_some_and(|token| !is_set(token)),
            limits: CallLimits { timeout: Duration::from_secs(globals.timeout) },
            names,
        })
    }

    pub(crate) fn credentials(&self) -> Result<Credentials, CliError> {
        Credentials::read(&self.paths.credentials())
    }

    pub(crate) fn save(&self, credentials: &Credentials) -> Result<(), CliError> {
        credentials.save(&self.paths.credentials())
    }

    /// URL of the selected service: the given one, or the one of the last login.
    pub(crate) fn url(&self) -> Result<String, CliError> {
        if let Some(url) = &self.url {
            return Ok(url.clone());
        }
        self.credentials()?.current.ok_or_else(|| {
            CliError::usage("no service given: pass --url, set SPINDRIFT_URL, or log in first")
        })
    }

    /// The login at the selected service, if there is one.
    pub(crate) fn login(&self) -> Result<Option<Login>, CliError> {
        Ok(self.credentials()?.services.remove(&self.url()?))
    }

    /// The service, with a token if there is one.
    pub(crate) fn service(&self) -> Result<Service, CliError> {
        let token = match &self.token {
            Some(token) => Some(token.clone()),
            None => self.login()?.map(|login| login.token),
        };
        Service::new(self.url()?, token, self.limits)
    }

    /// A server at another address, without a token.
    pub(crate) fn service_at(&self, url: &str) -> Result<Service, CliError> {
        Service::new(base_url(url)?, None, self.limits)
    }

    /// The login of the CI job that the command runs in. `None`: it is none that can prove who it is.
    pub(crate) fn job(&self) -> Result<Option<JobLogin>, CliError> {
        JobLogin::find(&self.names, self.paths.job_token())
    }

    /// The service, with a token: a given one, that of a login, or that of the CI job. Without one, this is an
    /// error.
    pub(crate) fn authenticated(&self) -> Result<Service, CliError> {
        let service = self.service()?;
        if service.token().is_some() {
            Ok(service)
        } else if let Some(job) = self.job()? {
            Ok(service.with_job(job))
        } else if self.has_empty_token {
            Err(CliError::EmptyToken)
        } else {
            Err(CliError::NotLoggedIn { url: service.url().to_owned() })
        }
    }

    /// The error for a missing token, or for an unreachable service, where logging in would not
    /// help.
    pub(crate) async fn unreachable_or(&self, not_logged_in: CliError) -> CliError {
        let Ok(service) = self.service() else { return not_logged_in };
        match service.get("/health").json::<HealthBody>().await {
            Err(error @ (CliError::Unreachable { .. } | CliError::NotSpindrift { .. })) => error,
            _ => not_logged_in,
        }
    }

    /// The owner of the applications: as given, or from the login.
    pub(crate) fn owner(&self, given: Option<&str>) -> Result<String, CliError> {
        if let Some(owner) = given {
            return Ok(owner.to_owned());
        }
        let login = self.login()?;
        let missing = || CliError::usage("no owner given: pass --owner, set SPINDRIFT_OWNER, or log in");
        login.map(|login| login.owner).ok_or_else(missing)
    }
}

/// Validates the URL of a service, and normalizes it for storage. The default scheme is `http` for
/// this machine and `https` for all others.
fn base_url(text: &str) -> Result<String, CliError> {
    if text.is_empty() {
        return Err(CliError::usage(
            "the address of the service (--url, SPINDRIFT_URL) is empty: is the variable set for this branch?",
        ));
    }
    let problem = |reason| {
        CliError::usage(format!(
            "`{text}` is not the address of a service ({reason}): pass one like https://updates.example.com"
        ))
    };
    let parse = |text: &str| Url::parse(text).map_err(|error| problem(error.to_string()));
    let url = if text.contains("://") {
        parse(text)?
    } else {
        let secure = parse(&format!("https://{text}"))?;
        if is_this_machine(&secure) { parse(&format!("http://{text}"))? } else { secure }
    };
    let is_bare = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    match url.scheme() {
        "http" | "https" if url.has_host() && is_bare => Ok(url.as_str().trim_end_matches('/').to_owned()),
        "http" | "https" => Err(problem("it has more than host and path".to_owned())),
        scheme => Err(problem(format!("{scheme} is not http or https"))),
    }
}

/// Whether the host is this machine. Local services rarely have a certificate.
fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (given, expected) in [
            ("http://127.0.0.1:3000/", Some("http://127.0.0.1:3000")),
            ("https://Example.com/updates/", Some("https://example.com/updates")),
            ("example.com", Some("https://example.com")),
            ("example.com:8443/updates", Some("https://example.com:8443/updates")),
            ("localhost:3000", Some("http://localhost:3000")),
            ("app.localhost", Some("http://app.localhost")),
            ("127.0.0.1:3000", Some("http://127.0.0.1:3000")),
            ("127.9.9.9", Some("http://127.9.9.9")),
            ("[::1]:3000", Some("http://[::1]:3000")),
            ("192.168.0.1:3000", Some("https://192.168.0.1:3000")),
            ("localhost.example.com", Some("https://localhost.example.com")),
            ("u:p@example.com", None),
            ("two words", None),
            ("ftp://example.com", None),
            ("https://u:p@example.com", None),
            ("https://example.com/?a=b", None),
            ("", None),
        ] {
            assert_eq!(base_url(given).ok().as_deref(), expected, "{given}");
        }
    }
}
