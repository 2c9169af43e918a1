//! Addresses of private files in answers: they carry the download token that the client sent, so that a native updater,
//! which follows them without any header of ours, gets through.

use http::{HeaderName, header};
use spindrift_auth::DownloadToken;
use spindrift_core::FileLinks;
use spindrift_web::{Query, Request, Response, response};

/// The header that a client sends its token in.
const HEADER: HeaderName = HeaderName::from_static("x-download-token");
/// The parameter for clients that cannot send a header; private addresses carry it on.
const PARAMETER: &str = "download_token";
/// The header as `Vary` names it.
const VARY: &str = "X-Download-Token";

/// The download token of a request: in the header, or else in the query. What has not the form of one is none, so that
/// nothing else gets into an address.
pub fn sent_token(request: &Request, query: &Query) -> Option<DownloadToken> {
    let given = [request.header(HEADER.as_str()), query.get(PARAMETER)];
    given.into_iter().flatten().find_map(|text| text.parse().ok())
}

/// Whose answer it is, by the addresses in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Audience {
    /// Anybody's: its files are public, or it has none.
    #[default]
    Public,
    /// Anybody's without a token: its files are private.
    Private,
    /// Of whoever has the token that its addresses carry.
    Holder(DownloadToken),
}

impl Audience {
    fn of(is_private: bool, token: Option<DownloadToken>) -> Self {
        match (is_private, token) {
            (false, _) => Self::Public,
            (true, None) => Self::Private,
            (true, Some(token)) => Self::Holder(token),
        }
    }

    /// Whether no cache may keep it.
    pub const fn is_personal(&self) -> bool {
        matches!(self, Self::Holder(_))
    }

    /// An address of this service that asks for more of the same.
    pub(crate) fn onward(&self, url: String) -> String {
        match self {
            Self::Holder(token) => format!("{url}?{PARAMETER}={}", token.expose()),
            Self::Public | Self::Private => url,
        }
    }

    /// The response with what caches go by.
    pub fn mark(&self, mut response: Response) -> Response {
        if *self != Self::Public {
            response::vary_by(response.headers_mut(), VARY);
        }
        if self.is_personal() {
            response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
        }
        response
    }
}

/// Makes all addresses of private files in `links` carry the token.
pub fn carry(links: &mut impl FileLinks, token: Option<&DownloadToken>) -> Audience {
    let audience = Audience::of(links.is_private(), token.cloned());
    if let Audience::Holder(token) = &audience {
        links.carry_token(token.expose());
    }
    audience
}
