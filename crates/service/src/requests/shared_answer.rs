//! Answers that are the same for every caller with the same request.

use http::header;
use spindrift_core::UserName;
use spindrift_web::{Reply, Request, Response, ResponseBody, response};

use crate::{Failure, Ports};

/// An answer that an instance remembers, and the owner for the log line.
struct RememberedAnswer {
    /// Without a body, which cannot be cloned in general.
    head: http::Response<()>,
    body: bytes::Bytes,
    owner: Option<UserName>,
}

/// Answers a request, with 304 if the client already has the answer. An answer that a shared cache may keep
/// is remembered by the instance for requests with the same path and query, unless they have one of the
/// headers `varied_by`.
pub async fn shared_answer<P: Ports>(
    ports: &P,
    request: &Request,
    varied_by: &[&str],
    answer: impl AsyncFnOnce() -> Result<Reply, Failure>,
) -> Result<Reply, Failure> {
    let is_varied = varied_by.iter().any(|name| request.header(name).is_some());
    let remembered = if is_varied { None } else { ports.remembered::<RememberedAnswer>(request.target()) };
    let reply = if let Some(known) = remembered {
        known.to_response(request).into()
    } else {
        let reply = answer().await?;
        if !is_varied && reply.after.is_none() {
            remember(ports, request, &reply.response);
        }
        reply
    };
    let if_none_match = request.header(header::IF_NONE_MATCH.as_str());
    Ok(Reply { response: response::conditional(reply.response, if_none_match), after: reply.after })
}

fn remember(ports: &impl Ports, request: &Request, response: &Response) {
    let is_public = response.headers().get(header::CACHE_CONTROL) == Some(&response::CACHE_PUBLIC);
    if let (true, ResponseBody::Full(body)) = (is_public, response.body()) {
        let mut head = http::Response::new(());
        *head.status_mut() = response.status();
        head.headers_mut().clone_from(response.headers());
        let answer = RememberedAnswer { head, body: body.clone(), owner: request.context().owner() };
        ports.remember(request.target(), body.len(), &answer.into());
    }
}

impl RememberedAnswer {
    fn to_response(&self, request: &Request) -> Response {
        if let Some(owner) = &self.owner {
            request.context().set_owner(owner);
        }
        self.head.clone().map(|()| ResponseBody::Full(self.body.clone()))
    }
}
