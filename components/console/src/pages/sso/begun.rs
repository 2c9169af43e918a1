//! A sign-in under way, as its cookie keeps it: the purpose, a dot and the challenge.

use crate::cookies::SessionToken;

/// Why somebody signs in at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pages) enum Purpose {
    /// To log in.
    Login,
    /// To link the visitor's account to the one at the provider.
    Bind,
}

impl Purpose {
    const ALL: [Self; 2] = [Self::Login, Self::Bind];

    fn word(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Bind => "bind",
        }
    }

    /// The cookie's value. `None`: the challenge has characters that cookies cannot.
    pub(super) fn begun_with(self, challenge: &str) -> Option<SessionToken> {
        SessionToken::new(&format!("{}.{challenge}", self.word()))
    }
}

/// A sign-in that a page of this browser began.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Begun {
    pub(super) purpose: Purpose,
    pub(super) challenge: String,
}

impl Begun {
    /// The sign-in in the cookie's value. The challenge may have dots too.
    pub(super) fn read(kept: &str) -> Option<Self> {
        let (word, challenge) = kept.split_once('.')?;
        let purpose = Purpose::ALL.into_iter().find(|purpose| purpose.word() == word)?;
        (!challenge.is_empty()).then(|| Self { purpose, challenge: challenge.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_comes_back_as_it_was_kept() {
        for purpose in Purpose::ALL {
            let kept = purpose.begun_with("eyJ_-0.mac").unwrap();
            let begun = Begun { purpose, challenge: "eyJ_-0.mac".to_owned() };
            assert_eq!(Begun::read(kept.expose()), Some(begun));
        }
    }

    #[test]
    fn other_values_are_no_sign_in() {
        for other in ["", "login", "login.", "bind.", ".abc", "Login.abc", "other.abc", "eyJ.mac"] {
            assert_eq!(Begun::read(other), None, "{other}");
        }
        assert!(Purpose::Login.begun_with("a; Domain=example").is_none());
    }
}
