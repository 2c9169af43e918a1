//! Asking for an update, and counting the device.

use bytes::Bytes;
use http::{Request, StatusCode, header};
use spindrift_core::DeviceId;
use url::Url;

use crate::client::with_device;
use crate::exchange::{self, Bounds};
use crate::update::Answer;
use crate::{Cause, CheckOptions, Client, EndpointError, Error, Source, Update, address, answer};

pub(crate) async fn check(client: &Client, options: &CheckOptions) -> Result<Update, Error> {
    options.check()?;
    let device = options.device()?;
    let edge_error = match ask_edge(client, options).await {
        Some(Ok(answer)) => {
            if let Some(device) = &device {
                // Counting is not what was asked for.
                let _ = send_beacon(client, options, device).await;
            }
            return Ok(answer.decide(device.as_ref(), Source::Edge));
        }
        Some(Err(error)) => Some(error),
        None => None,
    };
    let url = address::check(&client.base, options);
    let bounds = Bounds {
        time_out: client.settings.service_time_out,
        max_bytes: client.settings.max_answer_bytes,
        status: StatusCode::OK,
    };
    match get_answer(client, &url, device.as_ref(), &bounds).await {
        Ok(answer) => Ok(answer.decide(device.as_ref(), Source::Api)),
        Err(mut error) => {
            error.edge = edge_error.map(Box::new);
            Err(error.into())
        }
    }
}

/// `None` without an edge that could have the answer. The edge is not told the device: its answers are the same for
/// all.
async fn ask_edge(client: &Client, options: &CheckOptions) -> Option<Result<Answer, EndpointError>> {
    let url = address::static_answer(client.edge.as_ref()?, options)?;
    let bounds = Bounds {
        time_out: client.settings.edge_time_out,
        max_bytes: client.settings.max_answer_bytes,
        status: StatusCode::OK,
    };
    Some(get_answer(client, &url, None, &bounds).await)
}

async fn get_answer(
    client: &Client,
    url: &Url,
    device: Option<&DeviceId>,
    bounds: &Bounds,
) -> Result<Answer, EndpointError> {
    let request = Request::get(url.as_str()).header(header::ACCEPT, "application/json");
    let request = build(with_device(request, device), url)?;
    let body = exchange::ask(&*client.transport, request, bounds).await?;
    answer::parse(&body)
        .map_err(|what| exchange::failure(url.as_str(), Some(bounds.status), Cause::Invalid(what)))
}

pub(crate) async fn beacon(client: &Client, options: &CheckOptions) -> Result<(), Error> {
    options.check()?;
    let device = options.device()?.ok_or(Error::MissingDeviceId)?;
    send_beacon(client, options, &device).await.map_err(Error::from)
}

async fn send_beacon(
    client: &Client,
    options: &CheckOptions,
    device: &DeviceId,
) -> Result<(), EndpointError> {
    let url = address::beacon(&client.base, options);
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
