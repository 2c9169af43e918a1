//! Users, passkeys, invitations and tokens, and what each of them may do.

mod accounts;
mod action;
mod actor;
mod denial;
mod device_login;
mod invitation;
mod known_addresses;
mod passkey;
mod password;
mod permission;
mod publisher;
mod role;
mod sso;
mod token_right;

pub use accounts::{Login, TeamMembership, Token, User};
pub use action::{Action, Resource};
pub use actor::Actor;
pub use denial::lacks;
pub use device_login::{
    DEVICE_LOGIN_SECONDS, DEVICE_POLL_SECONDS, DeviceLogin, DeviceLoginState, DevicePoll, InvalidUserCode,
    MAX_MACHINE_CHARS, UserCode,
};
pub use invitation::{INVITATION_DAYS, Invitation, InvitationOver};
pub use known_addresses::{KnownAddresses, address_of_user};
pub use passkey::{LoginProof, MAX_PASSKEY_NAME_CHARS, MAX_PASSKEYS, Passkey, PasskeyKey};
pub use password::{MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, PasswordHashCost};
pub use permission::{AppPermissions, DimensionPermissions, Permissions};
pub use publisher::{
    BuiltBy, GithubConditions, GitlabConditions, InvalidRefPattern, Job, JobClaims, MAX_PUBLISHERS, Matching,
    MatchingPublisher, Mismatch, OidcConditions, PinnedIds, Publisher, PublisherConditions, PublisherRefusal,
    RefPattern, TokenGrant, matching,
};
pub use role::{InvalidRole, Role};
pub use sso::{EmailAddress, InvalidEmailAddress, SsoIdentity};
pub use token_right::{InvalidRight, TokenRight};
