//! Calls to `/tuf/v1`.

use std::collections::BTreeMap;

use spindrift_api::{
    BootstrapBody, BootstrapRequest, BootstrapState, ErrorCode, FirstMetadata, MetadataRequest, RawJson,
    RepositoryConfig, RepositoryConfigBody, RootBody, SignRequest, SignatureEntry, SignedFile, Staged,
    StagedBody, StagedDeleteRequest, TargetEntry, TargetsPageBody, TaskStartedBody,
};
use spindrift_trust::{Role, RoleName, Signature, Signed, TrustError};

use crate::error::CliError;
use crate::refusal::Refusal;
use crate::service::Service;

/// Page size: the maximum that the service allows.
const PAGE: u64 = 1000;

/// An application whose metadata is signed, at a service.
#[derive(Debug, Clone)]
pub(crate) struct Calls {
    pub(crate) service: Service,
    pub(crate) app: String,
}

/// Whether the service accepted metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendOutcome {
    /// Accepted. With enough signatures it is current, otherwise it waits for more.
    Accepted,
    /// The metadata is based on an outdated list, or another list waits for signatures.
    Changed,
}

#[derive(Debug, Default)]
pub(crate) struct Artifacts {
    /// The artifacts as targets.
    pub(crate) entries: Vec<TargetEntry>,
    /// How many of the newest releases stay listed. 0: all.
    pub(crate) keep: u8,
}

impl Calls {
    fn get(&self, path: &str) -> crate::service::ServiceCall<'_> {
        self.service.get(path).query(&[("appName", &self.app)])
    }

    /// The state of the repository, and the service's keys. `None`: the service does not sign
    /// metadata.
    pub(crate) async fn state(&self) -> Result<Option<BootstrapState>, CliError> {
        match self.get("/tuf/v1/bootstrap").json::<BootstrapBody>().await {
            Ok(body) => Ok(Some(body.data)),
            Err(CliError::Refused(refusal)) if has_no_such_path(&refusal) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Begins the repository.
    pub(crate) async fn start(&self, metadata: FirstMetadata) -> Result<TaskStartedBody, CliError> {
        let app_name = self.app.clone();
        let body = BootstrapRequest { app_name, settings: None, metadata, root_history: Vec::new() };
        repeat(async || self.service.post("/tuf/v1/bootstrap").body_json(&body).json().await).await
    }

    /// Sends metadata of several roles. `base`: the version of the list that it is based on:
    /// targets, or the channel if only that is sent. 0: none.
    pub(crate) async fn send(
        &self,
        metadata: BTreeMap<String, SignedFile>,
        base: Option<u64>,
    ) -> Result<SendOutcome, CliError> {
        let body = MetadataRequest { metadata, base };
        let call = async || {
            let call = self.service.post("/tuf/v1/metadata").query(&[("appName", &self.app)]);
            call.body_json(&body).json::<TaskStartedBody>().await
        };
        match repeat(call).await {
            Ok(_) => Ok(SendOutcome::Accepted),
            Err(CliError::Refused(refusal)) if refusal.code == Some(ErrorCode::TargetsChanged) => {
                Ok(SendOutcome::Changed)
            }
            Err(error) => Err(error),
        }
    }

    /// Staged metadata. `None`: there is none.
    pub(crate) async fn staged(&self) -> Result<Option<Staged>, CliError> {
        let body: StagedBody = self.get("/tuf/v1/metadata/sign").json().await?;
        Ok(body.data)
    }

    /// Adds a signature to staged metadata. Returns the service's text.
    pub(crate) async fn sign(&self, body: &SignRequest) -> Result<String, CliError> {
        let call = async || {
            let call = self.service.post("/tuf/v1/metadata/sign").query(&[("appName", &self.app)]);
            call.body_json(body).json::<TaskStartedBody>().await
        };
        repeat(call).await.map(|answer| answer.message)
    }

    /// Drops the staged version of this role, with the files that came with it. Does nothing
    /// without one.
    pub(crate) async fn drop_staged(&self, role: &RoleName) -> Result<(), CliError> {
        let body = StagedDeleteRequest { role: role.to_string() };
        let call = self.service.post("/tuf/v1/metadata/sign/delete").query(&[("appName", &self.app)]);
        match call.body_json(&body).json::<TaskStartedBody>().await {
            Err(CliError::Refused(refusal)) if refusal.status == 404 => Ok(()),
            result => result.map(drop),
        }
    }

    /// The current root, as the service reports it. Not verified.
    pub(crate) async fn root(&self) -> Result<Option<SignedFile>, CliError> {
        let body: RootBody = self.get("/tuf/v1/metadata/root").json().await?;
        Ok(body.data.trusted_root)
    }

    /// The settings. `None`: the token may not read them.
    pub(crate) async fn config(&self) -> Result<Option<RepositoryConfig>, CliError> {
        match self.get("/tuf/v1/config").json::<RepositoryConfigBody>().await {
            Ok(body) => Ok(Some(body.data)),
            Err(CliError::Refused(refusal)) if refusal.status == 403 => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The artifacts as targets, as the service reports them. `filter`: `version`, `state` or
    /// `also`, with their values.
    pub(crate) async fn artifacts(&self, filter: &[(&str, &str)]) -> Result<Artifacts, CliError> {
        let mut all = Artifacts::default();
        for page in 1_u64.. {
            let call = self.get("/tuf/v1/artifacts").query(&[("page", page), ("limit", PAGE)]);
            let body: TargetsPageBody = call.query(filter).json().await?;
            let is_last = body.items.is_empty() || page * PAGE >= body.total;
            all.entries.extend(body.items);
            all.keep = body.keep;
            if is_last {
                break;
            }
        }
        Ok(all)
    }
}

/// Whether the path does not exist, because the service has no signed metadata.
fn has_no_such_path(refusal: &Refusal) -> bool {
    refusal.status == 404 && refusal.text == "not found"
}

/// Maximum number of attempts while others sign at the same time.
const MAX_ATTEMPTS: u32 = 30;
/// Default pause between attempts, in seconds, unless the service asks for another.
const PAUSE_SECONDS: u64 = 2;

/// Retries a call while somebody else signs. All these calls can be repeated safely.
async fn repeat<T>(call: impl AsyncFn() -> Result<T, CliError>) -> Result<T, CliError> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        match call().await {
            Err(CliError::Refused(refusal)) if refusal.status == 503 && attempts < MAX_ATTEMPTS => {
                let seconds = refusal.retry_after.unwrap_or(PAUSE_SECONDS);
                tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
            }
            other => return other,
        }
    }
}

/// Metadata as the body of a call.
pub(crate) fn file<R: Role>(signed: &Signed<R>) -> Result<SignedFile, CliError> {
    let bytes = signed.to_bytes().map_err(|error| unwritable(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| CliError::Other("metadata is not text".to_owned()))?;
    let raw = serde_json::value::RawValue::from_string(text);
    raw.map(|raw| SignedFile(RawJson(raw)))
        .map_err(|error| CliError::Other(format!("metadata is not JSON: {error}")))
}

/// Reads metadata from an answer. `what` names it in messages.
pub(crate) fn read_file<R: Role>(what: &str, file: &SignedFile) -> Result<Signed<R>, CliError> {
    Signed::read(file.0.get().as_bytes()).map_err(|error| CliError::Untrusted(format!("{what}: {error}")))
}

/// The error for metadata that is too large to write.
pub(crate) fn unwritable(error: &TrustError) -> CliError {
    CliError::usage(format!("{error}: let the service keep fewer releases"))
}

/// A signature as the body of a call.
pub(crate) fn sign_request(role: &RoleName, signature: &Signature) -> SignRequest {
    let sig = base16ct::lower::encode_string(signature.bytes());
    SignRequest {
        role: role.to_string(),
        signature: SignatureEntry { keyid: signature.keyid().to_string(), sig },
    }
}
