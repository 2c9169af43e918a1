//! The answer that shows a secret: to the form that asked for it, and never at an address.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::WhoamiBody;
use spindrift_service::Ports;
use spindrift_web::Response;

use crate::context::Context;
use crate::layout::Place;
use crate::parts;
use crate::respond::{self, Policy};

/// A secret that is shown now. No `Debug`: it must not get into a log.
pub(super) struct Shown<'a> {
    pub(super) title: &'a str,
    pub(super) secret: &'a str,
    /// What to do with it.
    pub(super) what: Markup,
}

impl Shown<'_> {
    pub(super) fn page<P: Ports>(&self, context: &Context<'_, P>, me: &WhoamiBody) -> Response {
        let content = html! {
            (super::places::trail(self.title))
            h1 { (self.title) }
            p.done role="status" { (self.what) }
            p.secret { (parts::copyable(self.secret)) }
            p { a.button href=(super::places::home()) { "Done" } }
        };
        let frame = context.frame(self.title, me, Some(Place::People), None);
        respond::page(StatusCode::OK, frame.around(&content), &Policy::default())
    }
}
