//! Credentials in the `Authorization` header.

use std::fmt;

use crate::{AuthError, CiToken, bearer};

#[derive(Clone, PartialEq, Eq)]
pub enum Credential {
    /// A user's token, not verified yet; see [`JwtKey::verify`](crate::JwtKey::verify).
    Jwt(String),
    CiToken(CiToken),
}

impl Credential {
    /// Parses the header. Anything without the form of a [`CiToken`] is treated as a JWT.
    pub fn from_header(authorization: Option<&str>) -> Result<Self, AuthError> {
        let token = bearer(authorization)?;
        Ok(token.parse().map_or_else(|_| Self::Jwt(token.to_owned()), Self::CiToken))
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jwt(_) => "Jwt([redacted])",
            Self::CiToken(_) => "CiToken([redacted])",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let ci = CiToken::generate([1; 32]);
        let upper = ci.expose().to_uppercase();
        for (token, expected) in [
            (ci.expose(), Credential::CiToken(ci.clone())),
            ("a.b.c", Credential::Jwt("a.b.c".into())),
            ("sdt_1", Credential::Jwt("sdt_1".into())),
            (&upper, Credential::Jwt(upper.clone())),
        ] {
            for scheme in ["Bearer", "bearer", "BEARER", " Bearer "] {
                assert_eq!(Credential::from_header(Some(&format!("{scheme} {token}"))), Ok(expected.clone()));
            }
        }
    }

    #[test]
    fn faults() {
        assert_eq!(Credential::from_header(None).unwrap_err().to_string(), "missing authorization header");
        for bad in [
            "",
            " ",
            "Bearer",
            "Bearer ",
            "a.b.c",
            "Basic YTpi",
            "Bearer a b",
            "Bearer\ta",
            "Bearer ä",
            "Bearera",
        ] {
            assert_eq!(Credential::from_header(Some(bad)), Err(AuthError::BadFormat), "{bad:?}");
        }
        assert_eq!(AuthError::BadFormat.to_string(), "invalid token format");
    }

    #[test]
    fn secrets_are_not_shown() {
        for header in ["Bearer abc.def.ghi", &format!("Bearer {}", CiToken::generate([1; 32]).expose())] {
            let printed = format!("{:?}", Credential::from_header(Some(header)).unwrap());
            assert!(printed.ends_with("([redacted])"), "{printed}");
        }
    }
}
