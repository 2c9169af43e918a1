//! URLs of private files in answers. They contain the download token that the client sent, because native
//! updaters follow them without our headers.

use http::{HeaderName, header};
use spindrift_auth::DownloadToken;
use spindrift_core::FileLinks;
use spindrift_web::{Query, Request, Response, response};

/// The header in which a client sends its token.
const HEADER: HeaderName = HeaderName::from_static("x-download-token");
/// The query parameter for clients that cannot send a header. URLs of private files use it too.
const PARAMETER: &str = "download_token";
/// The header's name for `Vary`.
const VARY: &str = "X-Download-Token";

/// The download token of a request, from the header or else from the query. A malformed token is ignored, so
/// that arbitrary text cannot get into a URL.
pub fn sent_token(request: &Request, query: &Query) -> Option<DownloadToken> {
    let given = [request.header(HEADER.as_str()), query.get(PARAMETER)];
    given.into_iter().flatten().find_map(|text| text.parse().ok())
}

/// The callers that may see an answer, according to the URLs in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Audience {
    /// Anyone: the answer's files are public, or it has no files.
    #[default]
    Public,
    /// Any caller without a token. The answer's files are private.
    Private,
    /// Only holders of the token in the answer's URLs.
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

    /// Whether caches must not store the answer.
    pub const fn is_personal(&self) -> bool {
        matches!(self, Self::Holder(_))
    }

    /// A URL of this service for a follow-up request, with the token if there is one.
    pub(crate) fn follow_up_url(&self, url: String) -> String {
        match self {
            Self::Holder(token) => format!("{url}?{PARAMETER}={}", token.expose()),
            Self::Public | Self::Private => url,
        }
    }

    /// Adds the caching headers for this audience.
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

/// Adds the token to all URLs of private files in `links`.
pub fn carry_token(links: &mut impl FileLinks, token: Option<&DownloadToken>) -> Audience {
    let audience = Audience::of(links.is_private(), token.cloned());
    if let Audience::Holder(token) = &audience {
        links.carry_token(token.expose());
    }
    audience
}
