//! The upload through the service, for a storage that cannot presign.

use std::time::Duration;

use reqwest::multipart::{Form, Part};
use spindrift_api::UploadedBody;
use spindrift_core::Id;

use super::body::{FilePiece, ReadOutcome, body};
use super::files::LocalFile;
use super::plan::UploadPlan;
use super::progress::Meter;
use super::retry::RetryBudget;
use super::stall::unless_stalled;
use crate::error::CliError;
use crate::service::field;

/// This call may take very long. Only a stall ends it.
const NO_LIMIT: Duration = Duration::from_hours(24 * 7);

/// Sends everything in one call. Returns the id of the release.
pub(super) async fn upload(plan: &UploadPlan) -> Result<Id, CliError> {
    plan.progress.print("the storage takes files only through the service: sending them there");
    let mut budget = RetryBudget::new(&plan.limits);
    loop {
        match send(plan).await {
            Err(error) if error.is_passing() && plan.wait_for_retry(&mut budget, &error).await => {}
            other => return Ok(other?.release),
        }
    }
}

async fn send(plan: &UploadPlan) -> Result<UploadedBody, CliError> {
    let mut form = Form::new().text("data", field(&plan.data));
    let (mut meters, mut readings): (Vec<Meter>, Vec<ReadOutcome>) = (Vec::new(), Vec::new());
    for file in plan.files.feeds.iter().chain(&plan.files.large) {
        let (part, meter, reading) = part(plan, file);
        form = form.part("file", part);
        meters.push(meter);
        readings.push(reading);
    }
    let call = plan.service.post("/upload").multipart(form).timeout(NO_LIMIT).json();
    let (stall, answer) = (plan.limits.stall(), plan.limits.complete());
    let answer = unless_stalled(call, &meters, plan.files.total(), stall, answer).await;
    let answer = answer.unwrap_or_else(|()| {
        let reason = "no byte moved for too long".to_owned();
        Err(CliError::Unreachable { url: plan.service.url().to_owned(), reason })
    });
    for reading in readings {
        // The call failed because a file could not be read.
        if let Ok(Err(error)) = reading.await {
            return Err(error);
        }
    }
    if answer.is_ok() {
        for meter in &meters {
            meter.finish("sent");
        }
    }
    answer
}

fn part(plan: &UploadPlan, file: &LocalFile) -> (Part, Meter, ReadOutcome) {
    let meter = plan.progress.meter("sending", &file.name, file.length);
    let (body, reading) = body(&FilePiece::whole(file), &meter, false);
    (Part::stream_with_length(body, file.length).file_name(file.name.clone()), meter, reading)
}
