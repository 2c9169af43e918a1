//! Publishers: CI jobs that get a token by proving who they are, so that no secret is kept with them.

mod claims;
mod conditions;
mod grant;
mod job;
mod pattern;

pub use claims::JobClaims;
pub use conditions::{GithubConditions, GitlabConditions, Mismatch, OidcConditions, PublisherConditions};
pub use grant::TokenGrant;
pub use job::{BuiltBy, Job};
pub use pattern::{InvalidRefPattern, RefPattern};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Id, Timestamp};

/// Most publishers of an application.
pub const MAX_PUBLISHERS: usize = 50;

/// The ids behind the names of a repository and its owner. A name can be given up and taken by somebody else,
/// an id cannot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PinnedIds(BTreeMap<String, String>);

impl PinnedIds {
    /// The ids in the claims.
    ///
    /// # Errors
    /// A claim is missing.
    pub fn of(conditions: &PublisherConditions, claims: &JobClaims) -> Result<Self, Mismatch> {
        let id = |name: &&'static str| match claims.text(name) {
            Some(id) => Ok(((*name).to_owned(), id)),
            None => Err(Mismatch::missing(name)),
        };
        conditions.pinned_claims().iter().map(id).collect::<Result<_, _>>().map(Self)
    }

    /// The first id that differs from the pinned one, which is the second value.
    pub fn difference<'a>(&'a self, now: &Self) -> Option<(&'a str, &'a str)> {
        let differs = |(name, id): &(&String, &String)| now.0.get(*name) != Some(*id);
        self.0.iter().find(differs).map(|(name, id)| (name.as_str(), id.as_str()))
    }
}

/// A publisher of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publisher {
    /// Identifier.
    pub id: Id,
    /// The application that it publishes.
    pub app_id: Id,
    /// The conditions on the identity token of a job.
    pub conditions: PublisherConditions,
    /// The rights of a job that satisfies them.
    pub grant: TokenGrant,
    /// The ids behind the names. `None`: no job has come yet.
    pub pinned: Option<PinnedIds>,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When a job last got a token. `None`: never.
    pub last_used_at: Option<Timestamp>,
}

/// A publisher that a job's token satisfies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchingPublisher<'a> {
    /// The publisher.
    pub publisher: &'a Publisher,
    /// The ids behind the names, to pin if nothing is pinned yet.
    pub ids: PinnedIds,
}

/// All publishers that a job's token satisfies: at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matching<'a> {
    /// The oldest one, which stands for the job in the audit log.
    pub first: MatchingPublisher<'a>,
    /// The others.
    pub others: Vec<MatchingPublisher<'a>>,
}

impl<'a> Matching<'a> {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &MatchingPublisher<'a>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The job, whose token has the rights of all of them.
    pub fn job(&self, claims: &JobClaims, issuer: &str) -> Job {
        let built_by = BuiltBy::of(&self.first.publisher.conditions, claims, issuer);
        Job {
            name: built_by.job_name(),
            publishers: self.iter().map(|one| one.publisher.id.clone()).collect(),
            grants: self.iter().map(|one| one.publisher.grant.clone()).collect(),
            built_by,
        }
    }
}

/// The reasons why no publisher accepts a job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublisherRefusal {
    /// A condition does not hold. With several publishers, this is about the one that came closest.
    #[error("{0}")]
    Mismatch(Mismatch),
    /// The conditions hold, but the names stand for something else than before.
    #[error(
        "{claim} is {now}, and was {pinned} when this publisher was first used: the name belongs to somebody else now, or \
         the repository was made again. If it is still yours, remove the publisher and register it again"
    )]
    Changed {
        /// The publisher whose conditions hold.
        publisher: Box<Publisher>,
        /// The claim with the id.
        claim: String,
        /// The id that was pinned.
        pinned: String,
        /// The id in the token.
        now: String,
    },
}

impl PublisherRefusal {
    /// There is no publisher of the token's issuer.
    pub fn nobody() -> Self {
        Self::Mismatch(Mismatch::no_publisher())
    }
}

/// The publishers whose conditions hold for these claims.
///
/// `publishers` are those that name the token's issuer.
///
/// # Errors
/// There is none. If the only ones that match are pinned to other ids, that is the reason.
pub fn matching<'a>(
    publishers: &'a [Publisher],
    claims: &JobClaims,
) -> Result<Matching<'a>, PublisherRefusal> {
    let mut found = Vec::new();
    let (mut changed, mut closest): (Option<PublisherRefusal>, Option<Mismatch>) = (None, None);
    for publisher in publishers {
        let conditions = &publisher.conditions;
        match conditions.hold_for(claims).and_then(|()| PinnedIds::of(conditions, claims)) {
            Err(mismatch) => {
                if closest.as_ref().is_none_or(|other| other.place < mismatch.place) {
                    closest = Some(mismatch);
                }
            }
            Ok(ids) => match publisher.pinned.as_ref().and_then(|pinned| pinned.difference(&ids)) {
                None => found.push(MatchingPublisher { publisher, ids }),
                Some((claim, pinned)) => {
                    changed = Some(PublisherRefusal::Changed {
                        publisher: Box::new(publisher.clone()),
                        claim: claim.to_owned(),
                        pinned: pinned.to_owned(),
                        now: ids.0.get(claim).cloned().unwrap_or_default(),
                    });
                }
            },
        }
    }
    let mut found = found.into_iter();
    match found.next() {
        Some(first) => Ok(Matching { first, others: found.collect() }),
        None => {
            Err(changed.or(closest.map(PublisherRefusal::Mismatch)).unwrap_or_else(PublisherRefusal::nobody))
        }
    }
}

#[cfg(test)]
mod tests;
