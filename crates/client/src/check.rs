//! Checks for an update, and counts the device.

use bytes::Bytes;
use http::{Request, StatusCode, header};
use spindrift_core::{DeviceId, DownloadWay};
use url::Url;

use crate::answer::StaticAnswer;
use crate::client::with_device;
use crate::exchange::{self, Bounds};
use crate::scope::MANUAL;
use crate::update::{MissingVersion, UndecidedAnswer};
use crate::{
    Cause, CheckOptions, CheckResult, Client, Downloaded, EndpointError, Error, Source, Update, Way, address,
    answer,
};

impl Client {
    /// Checks for an update: asks the edge first, if there is one, and then the service if the edge
    /// has no valid answer. A redirect counts as no answer. `None`: there is nothing that this
    /// installed copy should install.
    ///
    /// The edge's answers are the same for everybody. If the answer varies with the
    /// [groups](CheckOptions::groups) or the [system](CheckOptions::os_version) in `options`, the
    /// service is asked as well. If the user has [asked](CheckOptions::interactive) for the update,
    /// only the service is asked.
    ///
    /// After an answer from the edge, the device in `options`, if any, is counted with a
    /// [beacon](Self::beacon). The check waits for it, at most
    /// [`beacon_time_out`](crate::Settings::beacon_time_out), and ignores its failure.
    ///
    /// # Errors
    ///
    /// [`Error::MissingOwner`], [`Error::MissingAppName`], [`Error::MissingVersion`],
    /// [`Error::InvalidDeviceId`], [`Error::TooManyGroups`], [`Error::InvalidOsVersion`] before anything is
    /// sent. [`Error::RequestFailed`] if there was no valid answer: it describes the service's failure, and
    /// the edge's in [`EndpointError::edge`](crate::EndpointError::edge). An update without a version is not
    /// valid either.
    pub async fn check(&self, options: &CheckOptions) -> Result<Option<Update>, Error> {
        let (result, url) = check(self, options).await?;
        result.into_update().map_err(|MissingVersion| {
            let cause = Cause::Invalid("an update without a version".to_owned());
            exchange::failure(url.as_str(), Some(StatusCode::OK), cause).into()
        })
    }

    /// Like [`check`](Self::check), but returns the whole answer. It also has fields that matter
    /// without an update, such as [`possible_rollback`](CheckResult::possible_rollback) and
    /// [`held_back`](CheckResult::held_back).
    ///
    /// # Errors
    ///
    /// Fails like [`check`](Self::check), but accepts an update without a version.
    pub async fn check_result(&self, options: &CheckOptions) -> Result<CheckResult, Error> {
        check(self, options).await.map(|(result, _)| result)
    }

    /// Counts the device, as the service does when it answers a check. Only needed if you read the
    /// edge's answers by other means than [`check`](Self::check).
    ///
    /// # Errors
    ///
    /// [`Error::MissingDeviceId`] and the errors of [`check`](Self::check).
    pub async fn beacon(&self, options: &CheckOptions) -> Result<(), Error> {
        options.check()?;
        let device = options.device()?.ok_or(Error::MissingDeviceId)?;
        send_beacon(self, options, &device, &[]).await.map_err(Error::from)
    }

    /// Reports how an update was downloaded, so that its publisher sees how much patches save. The
    /// library never reports this automatically. The device is counted too, with the version in
    /// `options`.
    ///
    /// # Errors
    ///
    /// The errors of [`beacon`](Self::beacon).
    pub async fn report_download(
        &self,
        options: &CheckOptions,
        update: &Update,
        done: &Downloaded,
    ) -> Result<(), Error> {
        options.check()?;
        let device = options.device()?.ok_or(Error::MissingDeviceId)?;
        let way = match done.way {
            Way::Patched { .. } => DownloadWay::Patch,
            Way::Whole => DownloadWay::Whole,
            Way::Unpatched { .. } => DownloadWay::Fallback,
        };
        let more = [("downloaded", update.version.as_str()), ("way", way.as_str())];
        send_beacon(self, options, &device, &more).await.map_err(Error::from)
    }
}

/// The result, and the URL that it came from, in the form for errors.
async fn check(client: &Client, options: &CheckOptions) -> Result<(CheckResult, Url), Error> {
    options.check()?;
    let device = options.device()?;
    let edge_error = match ask_edge(client, options).await {
        Some(Ok((answer, url))) => {
            if let Some(device) = &device {
                // A failed beacon must not fail the check.
                let _ = send_beacon(client, options, device, &[]).await;
            }
            return Ok((answer.decide(device.as_ref(), Source::Edge), url));
        }
        Some(Err(error)) => Some(error),
        None => None,
    };
    let url = address::check(&client.base, options);
    let shown = address::check(&client.base, &options.without_groups());
    let bounds = Bounds {
        time_out: client.settings.service_time_out,
        max_bytes: client.settings.max_answer_bytes,
        status: StatusCode::OK,
    };
    match get(client, &url, device.as_ref(), &bounds, answer::parse).await {
        Ok(answer) => Ok((answer.decide(device.as_ref(), Source::Api), shown)),
        Err(error) => {
            let edge = edge_error.map(Box::new);
            Err(EndpointError { url: shown.into(), edge, ..error }.into())
        }
    }
}

/// `None`: there is no edge that could have the answer. The edge does not get the device id,
/// because its answers are the same for all devices. Nor does it get the other options, so an
/// answer that varies with them does not count, and no answer does if the user has asked.
///
/// The path without an updater has the answer for the platform's default updater. If that is not `manual`,
/// the path with `manual` has the answer that the service would give. If the edge has nothing there, the
/// first answer is used.
async fn ask_edge(
    client: &Client,
    options: &CheckOptions,
) -> Option<Result<(UndecidedAnswer, Url), EndpointError>> {
    let edge = client.edge.as_ref().filter(|_| !options.interactive)?;
    let url = address::static_answer(edge, options, &options.updater)?;
    let first = match static_answer(client, &url).await {
        Ok(first) => first,
        Err(error) => return Some(Err(error)),
    };
    let (found, url) = if first.is_manual || !options.updater.is_empty() {
        (first, url)
    } else {
        let manual = address::static_answer(edge, options, MANUAL)?;
        let second = static_answer(client, &manual).await.ok().filter(|second| second.is_manual);
        second.map_or((first, url), |second| (second, manual))
    };
    found.is_for(options).then_some(Ok((found.answer, url)))
}

async fn static_answer(client: &Client, url: &Url) -> Result<StaticAnswer, EndpointError> {
    let bounds = Bounds {
        time_out: client.settings.edge_time_out,
        max_bytes: client.settings.max_answer_bytes,
        status: StatusCode::OK,
    };
    get(client, url, None, &bounds, answer::parse_static).await
}

async fn get<A>(
    client: &Client,
    url: &Url,
    device: Option<&DeviceId>,
    bounds: &Bounds,
    parse: impl FnOnce(&[u8]) -> Result<A, String>,
) -> Result<A, EndpointError> {
    let request = Request::get(url.as_str()).header(header::ACCEPT, "application/json");
    let request = build(with_device(request, device), url)?;
    let body = exchange::ask(&*client.transport, request, bounds).await?;
    parse(&body).map_err(|what| exchange::failure(url.as_str(), Some(bounds.status), Cause::Invalid(what)))
}

async fn send_beacon(
    client: &Client,
    options: &CheckOptions,
    device: &DeviceId,
    more: &[(&str, &str)],
) -> Result<(), EndpointError> {
    let url = address::beacon(&client.base, options, more);
    let request = build(with_device(Request::get(url.as_str()), Some(device)), &url)?;
    let bounds = Bounds {
        time_out: client.settings.beacon_time_out,
        max_bytes: client.settings.max_answer_bytes,
        status: StatusCode::NO_CONTENT,
    };
    exchange::ask(&*client.transport, request, &bounds).await.map(drop)
}

fn build(request: http::request::Builder, url: &Url) -> Result<Request<Bytes>, EndpointError> {
    request
        .body(Bytes::new())
        .map_err(|error| exchange::failure(url.as_str(), None, Cause::Invalid(error.to_string())))
}

#[cfg(test)]
mod tests;
