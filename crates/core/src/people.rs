//! Users, invitations and tokens, and what each of them may do.

mod accounts;
mod action;
mod actor;
mod denial;
mod invitation;
mod known_addresses;
mod password;
mod permission;
mod publisher;
mod role;
mod token_right;

pub use accounts::{Login, TeamMembership, Token, User};
pub use action::{Action, Resource};
pub use actor::Actor;
pub use denial::lacks;
pub use invitation::{INVITATION_DAYS, Invitation, InvitationOver};
pub use known_addresses::{KnownAddresses, address_of_user};
pub use password::{MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, PasswordHashCost};
pub use permission::{AppPermissions, DimensionPermissions, Permissions};
pub use publisher::{
    BuiltBy, GithubConditions, GitlabConditions, InvalidRefPattern, Job, JobClaims, MAX_PUBLISHERS, Matching,
    MatchingPublisher, Mismatch, OidcConditions, PinnedIds, Publisher, PublisherConditions, PublisherRefusal,
    RefPattern, TokenGrant, matching,
};
pub use role::{InvalidRole, Role};
pub use token_right::{InvalidRight, TokenRight};
