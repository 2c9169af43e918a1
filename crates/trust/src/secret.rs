//! The secrets from which the service derives its keys.

use std::fmt;
use std::str::FromStr;

use crate::TrustError;

/// Shortest secret, in bytes: as many as the keys derived from it.
const MIN_SECRET_BYTES: usize = 32;

/// The value of the setting `tuf_secret`: one or more secrets, separated by single spaces. New keys are
/// derived from the first; the others serve repositories whose root names a key derived from them. They are
/// never displayed.
#[derive(Clone)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// The secrets, the one for new keys first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(String::as_bytes)
    }
}

impl FromStr for Secrets {
    type Err = TrustError;

    fn from_str(text: &str) -> Result<Self, TrustError> {
        let secrets: Vec<String> = text.split(' ').map(str::to_owned).collect();
        if secrets.iter().all(|secret| secret.len() >= MIN_SECRET_BYTES) {
            Ok(Self(secrets))
        } else {
            Err(TrustError::WeakSecret)
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let (a, b) = ("a".repeat(32), "b".repeat(40));
        for (text, secrets) in [(a.clone(), vec![&a]), (format!("{b} {a}"), vec![&b, &a])] {
            let read: Secrets = text.parse().unwrap();
            assert_eq!(read.0.iter().collect::<Vec<_>>(), secrets);
            assert_eq!(format!("{read:?}"), "Secrets([redacted])");
        }
        for bad in [
            "",
            " ",
            &a[1..],
            &format!("{a} short"),
            &format!("{a}  {b}"),
            &format!(" {a}"),
            &format!("{a} "),
        ] {
            assert_eq!(bad.parse::<Secrets>().err(), Some(TrustError::WeakSecret), "{bad:?}");
        }
    }
}
