//! What every page knows: who asks, what the service is called, and what time it is.

use http::HeaderValue;
use spindrift_api::WhoamiBody;
use spindrift_core::Timestamp;
use spindrift_service::Ports;
use spindrift_settings::{API_URL, S3_PUBLIC_URL, SettingError};
use spindrift_web::{Form, FormLimits, Query, Request, response};

use crate::cookies::{Cookie, SessionToken};
use crate::error::ConsoleError;
use crate::form_token::{self, FormToken};
use crate::layout::{Frame, Place, Visitor};
use crate::respond::Policy;
use crate::service::Service;

/// Most bytes of a form without files.
const MAX_FORM_BYTES: usize = 256 * 1024;
/// Limits of a form with a picture: the service decides how large a picture may be, and says so.
const PICTURE_FORM: FormLimits =
    FormLimits { body: 4 * 1024 * 1024, field: MAX_FORM_BYTES, file: 4 * 1024 * 1024 };
/// Random bytes of a visitor's cookie.
const VISITOR_BYTES: usize = 16;

/// What a page is made from.
pub(crate) struct Context<'a, P> {
    pub(crate) ports: &'a P,
    pub(crate) service: Service<'a, P>,
    pub(crate) now: Timestamp,
    /// The public address of the service, without a trailing slash.
    pub(crate) api_url: String,
    /// The login, or what stands for it before there is one.
    cookie: SessionToken,
    /// The cookie has to be sent: this visitor had none.
    is_new: bool,
}

impl<'a, P: Ports> Context<'a, P> {
    pub(crate) fn new(ports: &'a P, request: &Request) -> Result<Self, ConsoleError> {
        let session = Cookie::Session.read(request);
        let known = session.clone().or_else(|| Cookie::Visitor.read(request));
        let is_new = known.is_none();
        let api_url = API_URL.read(ports).map_err(unset)?.trim_end_matches('/').to_owned();
        Ok(Self {
            service: Service::new(ports, session, forwarded(request)),
            now: ports.now(),
            api_url,
            cookie: match known {
                Some(known) => known,
                None => visitor(ports)?,
            },
            is_new,
            ports,
        })
    }

    /// Who is logged in.
    pub(crate) async fn me(&self) -> Result<WhoamiBody, ConsoleError> {
        if !self.service.has_token() {
            return Err(ConsoleError::LoggedOut);
        }
        self.service.get(&crate::address::Address::call("/whoami")).await
    }

    /// The frame of a page for somebody who is logged in.
    pub(crate) fn frame<'f>(
        &self,
        title: &'f str,
        me: &'f WhoamiBody,
        place: Option<Place>,
        refresh_seconds: Option<u32>,
    ) -> Frame<'f> {
        let visitor = Visitor { me, place, form_token: self.form_token() };
        Frame { title, visitor: Some(visitor), scripts: &[], refresh_seconds }
    }

    /// The policy of a page with logos.
    pub(crate) fn pictures(&self) -> Result<Policy, ConsoleError> {
        let url = S3_PUBLIC_URL.read(self.ports).map_err(unset)?;
        Ok(Policy { pictures: origin(&url).to_owned(), ..Policy::default() })
    }

    /// The token for the forms of a page.
    pub(crate) fn form_token(&self) -> String {
        FormToken::of(&self.cookie).map(|token| token.text()).unwrap_or_default()
    }

    /// The fields of a form. A form that did not come from a page of this console is refused.
    pub(crate) async fn form(&self, mut request: Request) -> Result<Query, ConsoleError> {
        self.require_own_page(&request)?;
        let body = request.read_body(MAX_FORM_BYTES).await?;
        let text = std::str::from_utf8(&body).map_err(|_| ConsoleError::Forged)?;
        let form = Query::parse(text)?;
        self.require_token(form.get(form_token::FIELD).unwrap_or_default())?;
        Ok(form)
    }

    /// A form that may have a picture. One that did not come from a page of this console is refused.
    pub(crate) async fn picture_form(&self, request: Request) -> Result<Form, ConsoleError> {
        self.require_own_page(&request)?;
        let form = Form::read(request, PICTURE_FORM).await?;
        self.require_token(form.field(form_token::FIELD).unwrap_or_default())?;
        Ok(form)
    }

    /// The browser says that a page of this console sends the request. Scripts cannot change either header.
    pub(crate) fn require_own_page(&self, request: &Request) -> Result<(), ConsoleError> {
        let host = request.header("host").unwrap_or_default();
        let own = |origin: &str| {
            origin.split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host))
                || self
                    .api_url
                    .strip_prefix(origin)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let from_own = request.header("origin").is_some_and(own);
        let same_site = request.header("sec-fetch-site").is_none_or(|site| site == "same-origin");
        if from_own && same_site { Ok(()) } else { Err(ConsoleError::Forged) }
    }

    pub(crate) fn require_token(&self, sent: &str) -> Result<(), ConsoleError> {
        let token = FormToken::of(&self.cookie).ok_or(ConsoleError::Forged)?;
        if token.is(sent) { Ok(()) } else { Err(ConsoleError::Forged) }
    }

    /// Whether cookies may be sent over https only.
    pub(crate) fn is_secure(&self) -> bool {
        self.api_url.starts_with("https://")
    }

    /// The cookie for a visitor who has none.
    pub(crate) fn new_cookie(&self) -> Option<HeaderValue> {
        if self.is_new { Cookie::Visitor.set(&self.cookie, self.is_secure()) } else { None }
    }
}

/// Scheme, host and port of an address.
pub(crate) fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#', ' ', ';', ',']).map_or(url.len(), |at| host + at);
    &url[..end]
}

fn visitor(ports: &impl Ports) -> Result<SessionToken, ConsoleError> {
    let mut text = String::new();
    response::push_hex(&mut text, &ports.random_bytes::<VISITOR_BYTES>());
    SessionToken::new(&text).ok_or(ConsoleError::Forged)
}

/// Where the visitor is, as the host and proxies before it say. The service believes proxies that it is told to trust.
fn forwarded(request: &Request) -> Option<HeaderValue> {
    let proxies = request.header_values("x-forwarded-for");
    let peers = request.header_values("spin-client-addr");
    let hops: Vec<&str> =
        proxies.iter().chain(peers.last()).filter_map(|value| value.to_str().ok()).collect();
    HeaderValue::try_from(hops.join(", ")).ok().filter(|hops| !hops.is_empty())
}

/// A setting that cannot be read.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn unset(error: SettingError) -> ConsoleError {
    ConsoleError::NoAnswer(error.to_string())
}
