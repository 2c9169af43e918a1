//! Parse, load, decide, render.

use http::{StatusCode, header};
use spindrift_core::{Scope, Version};
use spindrift_service::answers::{self, Answered, Question};
use spindrift_service::{Failure, Ports, scopes};
use spindrift_web::{ApiError, Request, Response, response};

use crate::path::{AnswerPath, File, nothing};

pub(crate) async fn respond<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let path = AnswerPath::parse(request.path())?;
    let if_none_match = request.header(header::IF_NONE_MATCH.as_str());
    match &path.file {
        File::Record => {
            let loaded = with_scope(&path, async |scope| scopes::load(ports, &scope).await).await?;
            let response = response::json(StatusCode::OK, &loaded.record)?;
            Ok(response::cacheable(response, if_none_match))
        }
        File::Answer(version) => {
            let question = |scope| question(&path, version, scope);
            let (answered, question) = with_scope(&path, async |scope| {
                let question = question(scope);
                Ok((answers::answer(ports, &question).await?, question))
            })
            .await?;
            let Answered { response, .. } = answered;
            if response.status() != StatusCode::OK {
                return Err(nothing().into());
            }
            Ok(answers::caching(response, &question, if_none_match))
        }
    }
}

fn question(path: &AnswerPath, version: &Version, scope: Scope) -> Question {
    Question { scope, version: version.clone(), updater: path.updater.clone(), device: None }
}

/// Runs `load` for what a path can mean, until there is an answer. What a check would refuse is not there.
async fn with_scope<T>(
    path: &AnswerPath,
    load: impl AsyncFn(Scope) -> Result<T, Failure>,
) -> Result<T, Failure> {
    for scope in path.scopes()? {
        match load(scope).await {
            Err(Failure::Api(ApiError::BadRequest(_) | ApiError::NotFound(_))) => {}
            result => return result,
        }
    }
    Err(nothing().into())
}
