//! Failure reports.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{Request, StatusCode, header};
use serde_json::{Map, Value};
use spindrift_api::{
    AcceptedBody, DETAILS_CONTENT_TYPE, DETAILS_ENCODING, DetailsBody, ReportBody, ReportedApplication,
    ReportedEvent, ReportedSystem,
};
use spindrift_core::{EventType, Reason};

use crate::client::with_device;
use crate::exchange::{self, Bounds};
use crate::{Cause, Client, Error, ReportKey, ReportLimits, address, scope};

/// A failure to report. Reports with equal fields are counted together; details and device are ignored for
/// that.
#[derive(Clone)]
pub struct Report {
    /// The application that the key belongs to. Required.
    pub app_name: String,
    /// The version that failed; it need not be a release. Required.
    pub version: String,
    /// Its release channel. The service requires it.
    pub channel: String,
    /// Operating system. The service requires it.
    pub platform: String,
    /// Processor. The service requires it.
    pub arch: String,
    /// The kind of failure.
    pub event: EventType,
    /// The cause: a short identifier, not a message.
    pub reason: Reason,
    /// Identifier of this installed copy, used only for the service's limits: 1-128 printable ASCII
    /// characters. Required.
    pub device_id: String,
    /// Additional information to find the cause. The library adds nothing to it.
    pub details: Option<Map<String, Value>>,
}

/// The outcome of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accepted {
    /// The group that the report was counted in: 64 hexadecimal digits.
    pub group_hash: String,
    /// Whether the details were stored.
    pub stored_details: bool,
}

impl Client {
    /// Reports a failure. It is sent once; before you repeat it, wait at least for [`Error::retry_after`].
    ///
    /// ```
    /// use spindrift_client::{Client, Config, EventType, Report, ReportKey};
    /// # use spindrift_client::MemoryTransport;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = MemoryTransport::new().with_answer(
    /// #     "/reports/ingest",
    /// #     202,
    /// #     r#"{"status": "accepted", "group_hash": "9f86", "stored_details": false}"#,
    /// # );
    /// # let client = Client::with_transport(Config::new("https://updates.example"), service)?;
    /// let key: ReportKey = format!("rpk_{}", "0".repeat(64)).parse()?;
    /// let report = Report {
    ///     app_name: "notes".into(),
    ///     version: "1.2.0".into(),
    ///     channel: "stable".into(),
    ///     platform: "linux".into(),
    ///     arch: "amd64".into(),
    ///     event: EventType::UpdateFailure,
    ///     reason: "digest.mismatch".parse()?,
    ///     device_id: "7f0c6a1e".into(),
    ///     details: None,
    /// };
    ///
    /// let accepted = client.report_event(&key, &report).await?;
    /// println!("counted in {}", accepted.group_hash);
    /// # assert_eq!(accepted.group_hash, "9f86");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::MissingAppName`], [`Error::MissingVersion`], [`Error::MissingDeviceId`],
    /// [`Error::InvalidDeviceId`], [`Error::DetailsTooLarge`] before anything is sent.
    /// [`Error::RequestFailed`] if the service did not accept it: status 401 or 403 for a wrong key, 413 for
    /// a report over its configured limit, 429 after too many reports.
    pub async fn report_event(&self, key: &ReportKey, report: &Report) -> Result<Accepted, Error> {
        if report.app_name.is_empty() {
            return Err(Error::MissingAppName);
        }
        if report.version.is_empty() {
            return Err(Error::MissingVersion);
        }
        let device = scope::device(&report.device_id)?.ok_or(Error::MissingDeviceId)?;
        let url = address::endpoint(&self.base, "reports/ingest");
        let invalid = |status, what| exchange::failure(url.as_str(), status, Cause::Invalid(what));
        let body = body(report, self.settings.report)?;

        let mut request = with_device(Request::post(url.as_str()), Some(&device))
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(authorization) = key.authorization() {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let request = request.body(body).map_err(|error| invalid(None, error.to_string()))?;
        let bounds = Bounds {
            time_out: self.settings.service_time_out,
            max_bytes: self.settings.max_answer_bytes,
            status: StatusCode::ACCEPTED,
        };
        let answer = exchange::ask(&*self.transport, request, &bounds).await?;
        let AcceptedBody { group_hash, stored_details, .. } = serde_json::from_slice(&answer)
            .map_err(|error| invalid(Some(bounds.status), error.to_string()))?;
        Ok(Accepted { group_hash, stored_details })
    }
}

fn body(report: &Report, limits: ReportLimits) -> Result<Bytes, Error> {
    let details = report.details.as_ref().map(|details| pack(details, limits)).transpose()?;
    let body = ReportBody {
        application: ReportedApplication {
            name: report.app_name.clone(),
            version: report.version.clone(),
            channel: report.channel.clone(),
        },
        system: ReportedSystem { platform: report.platform.clone(), arch: report.arch.clone() },
        event: ReportedEvent {
            event_type: report.event.as_str().to_owned(),
            reason: report.reason.as_str().to_owned(),
        },
        details,
    };
    // Cannot fail: all keys are text.
    Ok(serde_json::to_vec(&body).unwrap_or_default().into())
}

/// Packs the details as gzip in base64.
fn pack(details: &Map<String, Value>, limits: ReportLimits) -> Result<DetailsBody, Error> {
    // This cannot fail either: all keys are text.
    let json = serde_json::to_vec(details).unwrap_or_default();
    check_size(json.len(), limits.max_details_bytes)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let packed = encoder.write_all(&json).and_then(|()| encoder.finish()).unwrap_or_default();
    check_size(packed.len(), limits.max_compressed_bytes)?;
    let payload = STANDARD.encode(packed);
    Ok(DetailsBody { encoding: DETAILS_ENCODING.into(), content_type: DETAILS_CONTENT_TYPE.into(), payload })
}

fn check_size(size: usize, limit: usize) -> Result<(), Error> {
    if size > limit { Err(Error::DetailsTooLarge { size, limit }) } else { Ok(()) }
}

/// Hides the device id and the details, because they must not be logged.
impl std::fmt::Debug for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Report")
            .field("app_name", &self.app_name)
            .field("version", &self.version)
            .field("channel", &self.channel)
            .field("platform", &self.platform)
            .field("arch", &self.arch)
            .field("event", &self.event)
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}
