//! The context of every page: the visitor, the service's URL, and the time.

use std::borrow::Cow;

use http::{HeaderValue, Method};
use spindrift_api::WhoamiBody;
use spindrift_core::Timestamp;
use spindrift_settings::{API_URL, S3_PUBLIC_URL};
use spindrift_web::{Form, FormLimits, Query, Request};

use crate::cookies::SessionToken;
use crate::form_token::FormToken;
use crate::host::random_hex;
use crate::menu::Menu;
use crate::respond::Policy;
use crate::service::Service;
use crate::{Address, ConsoleError, Cookie, Host, Notice, Page, Place, Result, form_token};

/// Most bytes of a form without files.
const MAX_FORM_BYTES: usize = 256 * 1024;
/// Most bytes of a form with release notes. The service takes a mebibyte of them, and a form writes most
/// bytes of other alphabets as three.
pub(crate) const MAX_NOTES_FORM_BYTES: usize = 3 * 1024 * 1024 + MAX_FORM_BYTES;
/// Limits of a form with a picture: the service decides how large a picture may be, and says so.
const PICTURE_FORM: FormLimits =
    FormLimits { body: 4 * 1024 * 1024, field: MAX_FORM_BYTES, file: 4 * 1024 * 1024 };
/// Random bytes of a visitor's cookie.
const VISITOR_BYTES: usize = 16;

/// Everything that a page is made from.
pub(crate) struct Context<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) service: Service<'a>,
    pub(crate) now: Timestamp,
    /// The public address of the service, without a trailing slash.
    pub(crate) api_url: String,
    /// The login's cookie, or before a login the visitor's: form tokens are derived from it.
    cookie: SessionToken,
    /// The visitor's cookie if there is a login too. A browser that followed a link from another site did not
    /// send the login, and got a form made without it; it sends that form with both cookies.
    other_cookie: Option<SessionToken>,
    /// The cookie has to be sent: this visitor had none.
    is_new: bool,
    /// The result of the form that led to this page.
    pub(crate) notice: Option<Notice>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(host: &'a dyn Host, request: &Request) -> Result<Self> {
        let api_url = API_URL.read(&host).map_err(ConsoleError::no_answer)?.trim_end_matches('/').to_owned();
        let read = |cookie: Cookie| cookie.read(request, is_https(&api_url));
        let (session, visitor_cookie) = (read(Cookie::Session), read(Cookie::Visitor));
        let known = session.clone().or_else(|| visitor_cookie.clone());
        let is_new = known.is_none();
        Ok(Self {
            other_cookie: visitor_cookie.filter(|_| session.is_some()),
            service: Service::new(host, session, forwarded(request)),
            now: host.time(),
            api_url,
            cookie: match known {
                Some(known) => known,
                None => visitor(host)?,
            },
            is_new,
            // The page itself refuses an invalid query.
            notice: request.query().ok().as_ref().and_then(Notice::of),
            host,
        })
    }

    /// The logged-in user.
    pub(crate) async fn me(&self) -> Result<WhoamiBody> {
        if !self.service.has_token() {
            return Err(ConsoleError::LoggedOut);
        }
        self.service.get(&Address::call("/whoami")).await
    }

    /// The logged-in user, and what is loaded in the meantime. If both fail, the login is the reason that
    /// counts.
    pub(crate) async fn with_me<T>(
        &self,
        loaded: impl Future<Output = Result<T>>,
    ) -> Result<(WhoamiBody, T)> {
        let (me, loaded) = futures::join!(self.me(), loaded);
        Ok((me?, loaded?))
    }

    /// A page for the logged-in user.
    pub(crate) fn page<'p>(
        &self,
        title: impl Into<Cow<'p, str>>,
        me: &'p WhoamiBody,
        place: Place,
    ) -> Page<'p> {
        let menu = Menu { me, place, form_token: self.form_token() };
        Page::new(title).with_menu(menu).with_notice(self.notice)
    }

    /// The policy of a page with logos.
    pub(crate) fn pictures(&self) -> Result<Policy> {
        let url = S3_PUBLIC_URL.read(&self.host).map_err(ConsoleError::no_answer)?;
        Ok(Policy { pictures: origin(&url).to_owned(), ..Policy::default() })
    }

    /// The token for the forms of a page.
    pub(crate) fn form_token(&self) -> String {
        FormToken::of(&self.cookie).map(|token| token.text()).unwrap_or_default()
    }

    /// The fields of a form. A form that did not come from a page of this console is refused.
    pub(crate) async fn form(&self, request: Request) -> Result<Query> {
        self.form_within(request, MAX_FORM_BYTES).await
    }

    /// The same for a form of at most `max_bytes`.
    pub(crate) async fn form_within(&self, request: Request, max_bytes: usize) -> Result<Query> {
        let form = self.read_form(request, max_bytes).await?;
        self.require_token_of(&form)?;
        Ok(form)
    }

    /// The fields of a form that can be shown again: its token is to be checked by the caller.
    pub(crate) async fn form_to_repeat(&self, request: Request) -> Result<Query> {
        self.read_form(request, MAX_FORM_BYTES).await
    }

    async fn read_form(&self, mut request: Request, max_bytes: usize) -> Result<Query> {
        self.require_own_page(&request)?;
        let body = request.read_body(max_bytes).await?;
        let text = std::str::from_utf8(&body).map_err(|_| ConsoleError::Forged)?;
        Ok(Query::parse(text)?)
    }

    pub(crate) fn require_token_of(&self, form: &Query) -> Result<()> {
        self.require_token(form.get(form_token::FIELD).unwrap_or_default())
    }

    /// A form that may have a picture. One that did not come from a page of this console is refused.
    pub(crate) async fn picture_form(&self, request: Request) -> Result<Form> {
        self.require_own_page(&request)?;
        let form = Form::read(request, PICTURE_FORM).await?;
        self.require_token(form.field(form_token::FIELD).unwrap_or_default())?;
        Ok(form)
    }

    /// The browser says that a page of this console sends the request. Scripts cannot change either header.
    pub(crate) fn require_own_page(&self, request: &Request) -> Result<()> {
        let address = stated_address(request)?;
        let host = address.as_deref().and_then(|address| address.split_once("://")).map(|(_, host)| host);
        let own = |origin: &str| {
            origin
                .split_once("://")
                .zip(host)
                .is_some_and(|((_, from), host)| from.eq_ignore_ascii_case(host))
                || self
                    .api_url
                    .strip_prefix(origin)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let from_own = request.header("origin").is_some_and(own);
        let same_site = request.header("sec-fetch-site").is_none_or(|site| site == "same-origin");
        if from_own && same_site { Ok(()) } else { Err(ConsoleError::Forged) }
    }

    pub(crate) fn require_token(&self, sent: &str) -> Result<()> {
        let mut cookies = std::iter::once(&self.cookie).chain(&self.other_cookie);
        let is_own = cookies.any(|cookie| FormToken::of(cookie).is_some_and(|token| token.is(sent)));
        if is_own { Ok(()) } else { Err(ConsoleError::Stale) }
    }

    /// Whether this may be a logged-in user who followed a link from another site: browsers do not send the
    /// login's cookie then.
    pub(crate) fn came_from_elsewhere(&self, request: &Request) -> bool {
        let says = |name: &str, value: &str| request.header(name).is_some_and(|sent| sent == value);
        *request.method() == Method::GET
            && !self.service.has_token()
            && says("sec-fetch-site", "cross-site")
            && says("sec-fetch-mode", "navigate")
    }

    /// Whether cookies may be sent over https only.
    pub(crate) fn is_secure(&self) -> bool {
        is_https(&self.api_url)
    }

    /// The cookie for a visitor without one.
    pub(crate) fn new_cookie(&self) -> Option<HeaderValue> {
        if self.is_new { Cookie::Visitor.set(&self.cookie, self.is_secure()) } else { None }
    }
}

fn is_https(url: &str) -> bool {
    url.starts_with("https://")
}

/// The origin that the request was sent to. Components do not see `Host`: their host passes the address on in
/// this header, and replaces what a client sent in it. Two values are refused: one of them would be a
/// client's.
fn stated_address(request: &Request) -> Result<Option<String>> {
    match &request.header_values("spin-full-url")[..] {
        [] => Ok(None),
        [address] => Ok(address.to_str().ok().map(|address| origin(address).to_owned())),
        _ => Err(ConsoleError::Forged),
    }
}

/// Scheme, host and port of an address.
pub(crate) fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#', ' ', ';', ',']).map_or(url.len(), |at| host + at);
    &url[..end]
}

fn visitor(host: &dyn Host) -> Result<SessionToken> {
    SessionToken::new(&random_hex::<VISITOR_BYTES>(host)).ok_or(ConsoleError::Forged)
}

/// The visitor's address, according to the host and the proxies before it. The service decides which proxies
/// to trust.
fn forwarded(request: &Request) -> Option<HeaderValue> {
    let proxies = request.header_values("x-forwarded-for");
    let peers = request.header_values("spin-client-addr");
    let hops: Vec<&str> =
        proxies.iter().chain(peers.last()).filter_map(|value| value.to_str().ok()).collect();
    HeaderValue::try_from(hops.join(", ")).ok().filter(|hops| !hops.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_statement_of_the_address_is_taken() {
        for (sent, expected) in [
            (&[][..], Some(None)),
            (&["http://a.example:3000/console/x?y"][..], Some(Some("http://a.example:3000"))),
            (&["http://evil.example/", "http://a.example/console/"][..], None),
            (&["http://a.example/", "http://a.example/"][..], None),
        ] {
            let request = sent
                .iter()
                .fold(http::Request::get("/console/"), |request, url| request.header("spin-full-url", *url));
            let request =
                Request::new(request.body(()).unwrap().into_parts().0, Box::pin(futures::stream::empty()));
            let stated = stated_address(&request).ok();
            assert_eq!(stated, expected.map(|address| address.map(ToOwned::to_owned)), "{sent:?}");
        }
    }
}
