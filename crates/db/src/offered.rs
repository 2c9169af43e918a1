//! The artifacts that clients may be offered. See `docs/adr/0038-nothing-unlisted-is-offered.md`.

/// Which published artifacts count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishedArtifacts {
    /// Those that checks answer.
    Offered,
    /// All that the service may list, as if it did.
    Listable,
}

impl PublishedArtifacts {
    /// The condition on artifacts `x`.
    pub(crate) const fn condition(self) -> &'static str {
        match self {
            Self::Offered => OFFERED,
            Self::Listable => "x.left_out = 0 AND x.leaving_until IS NULL",
        }
    }
}

/// A condition on artifacts `x`: checks answer them once their release is published.
pub(crate) const OFFERED: &str = "x.listing <> 'unlisted'";

/// The listing of a new artifact of the application `?3`: nothing is offered before it is listed, from the moment at
/// which the application has a root.
pub(crate) const OF_NEW: &str = "CASE WHEN EXISTS (SELECT 1 FROM repository_metadata \
  WHERE app_id = ?3 AND role = 'root' AND is_current = 1) THEN 'unlisted' ELSE 'legacy' END";
