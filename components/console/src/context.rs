//! The context of every page: the visitor, the service's URL, and the time.

use std::borrow::Cow;
use std::cell::RefCell;

use http::{HeaderValue, Method};
use spindrift_api::{MessageBody, WhoamiBody};
use spindrift_core::Timestamp;
use spindrift_settings::{API_URL, S3_PUBLIC_URL};
use spindrift_web::{Form, FormLimits, Query, Request};

use crate::cookies::SessionToken;
use crate::form_token::FormToken;
use crate::host::random_hex;
use crate::menu::Menu;
use crate::respond::Policy;
use crate::service::Service;
use crate::{
    Address, ConsoleError, ConsolePage, Cookie, Host, KeptForm, MenuEntry, Notice, PasskeyFields, Result,
    form_token,
};

/// Maximum size of a form without files, in bytes.
const MAX_FORM_BYTES: usize = 256 * 1024;
/// Maximum size of a form with release notes, in bytes. The service accepts 1 MiB of notes, and
/// forms encode a byte of non-Latin text as three.
pub(crate) const MAX_NOTES_FORM_BYTES: usize = 3 * 1024 * 1024 + MAX_FORM_BYTES;
/// Limits of a form with a picture. The service limits the picture itself, with a better message.
const PICTURE_FORM: FormLimits =
    FormLimits { body: 4 * 1024 * 1024, field: MAX_FORM_BYTES, file: 4 * 1024 * 1024 };
/// Random bytes in a visitor's cookie.
const VISITOR_BYTES: usize = 16;

/// The context from which every page is made.
pub(crate) struct Context<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) service: Service<'a>,
    pub(crate) now: Timestamp,
    /// The service's public URL, without a trailing slash.
    pub(crate) api_url: String,
    /// The cookie that form tokens are derived from: that of the login, or else that of the
    /// visitor.
    cookie: SessionToken,
    /// The visitor's cookie, if there is a login too. A browser that follows a link from another
    /// site omits the login's cookie, so its form is made with the visitor's cookie; it sends that
    /// form with both cookies.
    other_cookie: Option<SessionToken>,
    /// Whether the visitor's cookie is new and has to be set.
    is_new: bool,
    /// The result of the form that redirected here.
    pub(crate) notice: Option<Notice>,
    /// The form of this request, if it may be shown again.
    kept: RefCell<Option<KeptForm>>,
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
            service: Service::new(host, session, forwarded_address(request)),
            now: host.time(),
            api_url,
            cookie: match known {
                Some(known) => known,
                None => visitor(host)?,
            },
            is_new,
            // The page itself rejects an invalid query.
            notice: request.query().ok().as_ref().and_then(Notice::of),
            kept: RefCell::new(None),
            host,
        })
    }

    pub(crate) async fn me(&self) -> Result<WhoamiBody> {
        if !self.service.has_token() {
            return Err(ConsoleError::LoggedOut);
        }
        self.service.get(&Address::call("/whoami")).await
    }

    /// The logged-in user, loaded together with `other`. If both fail, the user's error is
    /// returned.
    pub(crate) async fn with_me<T>(
        &self,
        loaded: impl Future<Output = Result<T>>,
    ) -> Result<(WhoamiBody, T)> {
        let (me, loaded) = futures::join!(self.me(), loaded);
        Ok((me?, loaded?))
    }

    /// A page with the menu of the logged-in user.
    pub(crate) fn page<'p>(
        &self,
        title: impl Into<Cow<'p, str>>,
        me: &'p WhoamiBody,
        place: MenuEntry,
    ) -> ConsolePage<'p> {
        let menu = Menu { me, place, form_token: self.form_token() };
        ConsolePage::new(title).with_menu(menu).with_notice(self.notice)
    }

    /// The policy for a page with logos.
    pub(crate) fn pictures(&self) -> Result<Policy> {
        let url = S3_PUBLIC_URL.read(&self.host).map_err(ConsoleError::no_answer)?;
        Ok(Policy { pictures: origin(&url).to_owned(), ..Policy::default() })
    }

    /// The token for the page's forms.
    pub(crate) fn form_token(&self) -> String {
        FormToken::of(&self.cookie).map(|token| token.text()).unwrap_or_default()
    }

    /// The fields of a form. Rejects forms that were not sent by a page of this console.
    pub(crate) async fn form(&self, request: Request) -> Result<Query> {
        self.form_within(request, MAX_FORM_BYTES).await
    }

    /// Like [`Self::form`], with a limit of `max_bytes`.
    pub(crate) async fn form_within(&self, request: Request, max_bytes: usize) -> Result<Query> {
        let form = self.read_form(request, max_bytes).await?;
        self.require_token_of(&form)?;
        *self.kept.borrow_mut() = KeptForm::of(&form);
        self.prove(&form).await?;
        Ok(form)
    }

    /// The form of this request. `None`: there was none, or it must not be shown again.
    pub(crate) fn take_kept_form(&self) -> Option<KeptForm> {
        self.kept.take()
    }

    /// Proves who the visitor is, if the form was sent again for that.
    async fn prove(&self, form: &Query) -> Result<()> {
        if !PasskeyFields::PROOF.are_in(form) {
            return Ok(());
        }
        let (call, answer) = (Address::call("/passkeys/proof"), PasskeyFields::PROOF.read(form));
        let proved: Result<MessageBody> = self.service.send_json(Method::POST, &call, &answer).await;
        proved.map(|_| ()).map_err(ConsoleError::of_proof)
    }

    /// The fields of a form that may be shown again. The caller must check the token.
    pub(crate) async fn form_to_repeat(&self, request: Request) -> Result<Query> {
        self.read_form(request, MAX_FORM_BYTES).await
    }

    /// The fields of a form with a secret that only its page knows, so that it needs no other proof of its origin.
    pub(crate) async fn form_with_own_secret(&self, request: Request) -> Result<Query> {
        read_fields(request, MAX_FORM_BYTES).await
    }

    async fn read_form(&self, request: Request, max_bytes: usize) -> Result<Query> {
        self.require_own_page(&request)?;
        read_fields(request, max_bytes).await
    }

    pub(crate) fn require_token_of(&self, form: &Query) -> Result<()> {
        self.require_token(form.get(form_token::FIELD).unwrap_or_default())
    }

    /// A form that may include a picture. Rejects forms that were not sent by a page of this
    /// console.
    pub(crate) async fn picture_form(&self, request: Request) -> Result<Form> {
        self.require_own_page(&request)?;
        let form = Form::read(request, PICTURE_FORM).await?;
        self.require_token(form.field(form_token::FIELD).unwrap_or_default())?;
        Ok(form)
    }

    /// Checks that the browser attributes the request to a page of this console. Scripts cannot
    /// forge these headers.
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
        let is_own = cookies.any(|cookie| FormToken::of(cookie).is_some_and(|token| token.matches(sent)));
        if is_own { Ok(()) } else { Err(ConsoleError::Stale) }
    }

    /// Whether the visitor may be a logged-in user who followed a link from another site, for which
    /// browsers omit the login's cookie.
    pub(crate) fn came_from_elsewhere(&self, request: &Request) -> bool {
        let says = |name: &str, value: &str| request.header(name).is_some_and(|sent| sent == value);
        *request.method() == Method::GET
            && !self.service.has_token()
            && says("sec-fetch-site", "cross-site")
            && says("sec-fetch-mode", "navigate")
    }

    /// Whether cookies are restricted to https.
    pub(crate) fn is_secure(&self) -> bool {
        is_https(&self.api_url)
    }

    /// The cookie to set for a visitor without one.
    pub(crate) fn new_cookie(&self) -> Option<HeaderValue> {
        if self.is_new { Cookie::Visitor.set(&self.cookie, self.is_secure()) } else { None }
    }
}

async fn read_fields(mut request: Request, max_bytes: usize) -> Result<Query> {
    let body = request.read_body(max_bytes).await?;
    let text = std::str::from_utf8(&body).map_err(|_| ConsoleError::Forged)?;
    Ok(Query::parse(text)?)
}

fn is_https(url: &str) -> bool {
    url.starts_with("https://")
}

/// The origin that the request was sent to. Components cannot see `Host`: their host passes the
/// address in this header, and replaces a header from the client. Rejects two values, because one
/// of them would be the client's.
fn stated_address(request: &Request) -> Result<Option<String>> {
    match &request.header_values("spin-full-url")[..] {
        [] => Ok(None),
        [address] => Ok(address.to_str().ok().map(|address| origin(address).to_owned())),
        _ => Err(ConsoleError::Forged),
    }
}

/// Scheme, host and port of a URL.
pub(crate) fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?', '#', ' ', ';', ',']).map_or(url.len(), |at| host + at);
    &url[..end]
}

fn visitor(host: &dyn Host) -> Result<SessionToken> {
    SessionToken::new(&random_hex::<VISITOR_BYTES>(host)).ok_or(ConsoleError::Forged)
}

/// The visitor's address, as reported by the host and the proxies in front of it. The service
/// decides which proxies to trust.
fn forwarded_address(request: &Request) -> Option<HeaderValue> {
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
