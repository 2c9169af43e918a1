//! Files of private applications: who may access them, and their URLs.

use std::fmt;
use std::iter;
use std::str::FromStr;
use std::sync::Arc;

/// Access to the published files of a private application. Unpublished files are only for users
/// with permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DownloadMode {
    /// Users with permission.
    Login,
    /// Also anyone with a download token of the application, or of the release's channel.
    Token,
    /// Anyone who knows the URL.
    Unlisted,
}

/// The text is not a download mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a download mode")]
pub struct InvalidDownloadMode;

/// The credentials in a download request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresentedCredentials {
    /// A download token of the file's application, or of its release's channel.
    pub token: bool,
    /// Login credentials, which are not verified yet.
    pub login: bool,
}

/// The outcome of a download request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// The caller may have the file.
    Open,
    /// The login has to be checked first.
    Login,
    /// A download token is required, but no valid one was sent.
    Token,
    /// The credentials suffice, but there is no published file.
    NothingThere,
}

impl DownloadMode {
    const ALL: [Self; 3] = [Self::Login, Self::Token, Self::Unlisted];

    /// The text form in requests, answers and storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Token => "token",
            Self::Unlisted => "unlisted",
        }
    }

    /// Decides about a download. A file that does not exist counts as unpublished.
    pub const fn gate(self, is_published: bool, credentials: PresentedCredentials) -> Gate {
        let admits = match self {
            Self::Login => false,
            Self::Token => credentials.token,
            Self::Unlisted => true,
        };
        match (self, admits && is_published, credentials.login) {
            (_, true, _) => Gate::Open,
            (Self::Login, ..) | (_, _, true) => Gate::Login,
            (Self::Token, ..) if !admits => Gate::Token,
            _ => Gate::NothingThere,
        }
    }
}

impl FromStr for DownloadMode {
    type Err = InvalidDownloadMode;

    fn from_str(text: &str) -> Result<Self, InvalidDownloadMode> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text).ok_or(InvalidDownloadMode)
    }
}

impl fmt::Display for DownloadMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Part of the URL of every private file, and of no public one: public URLs have no query.
const PRIVATE: &str = "/download?key=";

/// The URL of a private file at the service's own URL `api`; `key` is percent-encoded.
pub fn private_link(api: &str, key: impl fmt::Display) -> String {
    format!("{api}{PRIVATE}{key}")
}

/// Whether a URL is the URL of a private file.
pub fn is_private_link(url: &str) -> bool {
    url.contains(PRIVATE)
}

/// Adds a download token to the URL of a private file, so that the client needs no header. `token` needs no
/// encoding.
pub fn carry_token(url: &mut String, token: &str) {
    if is_private_link(url) {
        url.push_str("&download_token=");
        url.push_str(token);
    }
}

/// A value that contains URLs of one application's files.
pub trait FileLinks {
    /// The first URL. `None`: there is none.
    fn first_link(&self) -> Option<&str>;

    /// All URLs.
    fn links_mut(&mut self) -> impl Iterator<Item = &mut String>;

    /// Whether the files are private. All files of an application are in the same bucket, so one
    /// URL is enough.
    fn is_private(&self) -> bool {
        self.first_link().is_some_and(is_private_link)
    }

    /// Adds a download token to the URLs. See [`carry_token`].
    fn carry_token(&mut self, token: &str) {
        self.links_mut().for_each(|link| carry_token(link, token));
    }
}

/// Copies a shared value before changing it.
impl<T: FileLinks + Clone> FileLinks for Arc<T> {
    fn first_link(&self) -> Option<&str> {
        T::first_link(self)
    }

    fn links_mut(&mut self) -> impl Iterator<Item = &mut String> {
        Self::make_mut(self).links_mut()
    }
}

impl FileLinks for String {
    fn first_link(&self) -> Option<&str> {
        Some(self)
    }

    fn links_mut(&mut self) -> impl Iterator<Item = &mut String> {
        iter::once(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_names() {
        for mode in DownloadMode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        for bad in ["", "Login", "none"] {
            assert_eq!(bad.parse::<DownloadMode>(), Err(InvalidDownloadMode), "{bad}");
        }
    }

    #[test]
    fn modes_decide_who_gets_a_file() {
        use DownloadMode::{Login, Token, Unlisted};
        let nothing = PresentedCredentials { token: false, login: false };
        let token = PresentedCredentials { token: true, ..nothing };
        let login = PresentedCredentials { login: true, ..nothing };
        let both = PresentedCredentials { token: true, login: true };
        for (mode, is_published, credentials, expected) in [
            (Login, true, nothing, Gate::Login),
            (Login, true, token, Gate::Login),
            (Login, true, both, Gate::Login),
            (Login, false, nothing, Gate::Login),
            (Token, true, nothing, Gate::Token),
            (Token, true, token, Gate::Open),
            (Token, true, login, Gate::Login),
            (Token, true, both, Gate::Open),
            (Token, false, nothing, Gate::Token),
            (Token, false, token, Gate::NothingThere),
            (Token, false, both, Gate::Login),
            (Unlisted, true, nothing, Gate::Open),
            (Unlisted, true, login, Gate::Open),
            (Unlisted, false, nothing, Gate::NothingThere),
            (Unlisted, false, token, Gate::NothingThere),
            (Unlisted, false, login, Gate::Login),
        ] {
            assert_eq!(
                mode.gate(is_published, credentials),
                expected,
                "{mode} {is_published} {credentials:?}"
            );
        }
    }

    #[test]
    fn only_private_addresses_carry_a_token() {
        let mut private = private_link("https://x.example/base", "a%2Fb.deb");
        assert_eq!(private, "https://x.example/base/download?key=a%2Fb.deb");
        carry_token(&mut private, "sdd_1");
        assert_eq!(private, "https://x.example/base/download?key=a%2Fb.deb&download_token=sdd_1");
        for public in ["https://cdn.example/download/a.deb", "https://cdn.example/download%3Fkey=a", ""] {
            let mut url = public.to_owned();
            carry_token(&mut url, "sdd_1");
            assert_eq!(url, public);
        }
    }
}
