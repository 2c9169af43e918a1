//! The kinds of audit log entries.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! kinds {
    ($($kind:ident $name:literal $sentence:literal;)+) => {
        /// The kind of an entry. Its name consists of the changed item, a dot, and the change.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum AuditKind {
            $(#[doc = concat!("`", $name, "`: somebody ", $sentence, ".")] $kind,)+
            /// A kind that a later version has added. Only read, never written.
            Unknown,
        }

        impl AuditKind {
            /// All kinds that are written, grouped by the changed item.
            pub const ALL: &[Self] = &[$(Self::$kind),+];

            /// The name in entries and filters.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                    Self::Unknown => "unknown",
                }
            }

            /// The kinds that match a name or a prefix such as `release.*`.
            pub fn matching(pattern: &str) -> impl Iterator<Item = Self> {
                Self::ALL.iter().copied().filter(move |kind| Self::matches_pattern(pattern, kind.as_str()))
            }

            /// Whether a name or a prefix such as `release.*` matches the kind with this name.
            pub fn matches_pattern(pattern: &str, kind: &str) -> bool {
                match pattern.strip_suffix('*') {
                    Some(start) => start.ends_with('.') && kind.starts_with(start),
                    None => kind == pattern,
                }
            }

            /// The predicate of the English line. `{app}`, `{release}` and `{object}` are
            /// placeholders for the names in the entry.
            pub(super) const fn predicate(self) -> &'static str {
                match self {
                    $(Self::$kind => $sentence,)+
                    Self::Unknown => "made a change that this version does not know",
                }
            }
        }
    };
}

kinds! {
    AdminCreate "admin.create" "signed up";
    AdminUpdate "admin.update" "changed the admin account";
    UserCreate "user.create" "created the user {object}";
    UserUpdate "user.update" "changed the user {object}";
    UserDelete "user.delete" "deleted the user {object}";
    UserLogout "user.logout" "ended all logins of {object}";
    UserPassword "user.password" "changed the password of {object}";
    LoginEnd "login.end" "ended logins of {object}";
    DeviceAllow "device.allow" "let {object} log in";
    PasskeyCreate "passkey.create" "added the passkey {object}";
    PasskeyDelete "passkey.delete" "removed the passkey {object}";
    PasskeyCopied "passkey.copied" "was refused the passkey {object} because there may be a copy of it";
    PasskeyDemand "passkey.demand" "changed whether the team needs passkeys";
    PasskeyReset "passkey.reset" "removed all passkeys of {object}";
    RecoveryCodes "passkey.codes" "made new recovery codes";
    SsoBind "sso.bind" "linked {object} to an account at the provider for single sign-on";
    SsoRequirement "sso.requirement" "changed whether the team may log in with passwords";
    RecoveryLogin "passkey.recover" "logged in with a recovery code";
    InvitationCreate "invitation.create" "created the invitation {object}";
    InvitationRevoke "invitation.revoke" "revoked the invitation {object}";
    InvitationAccept "invitation.accept" "accepted an invitation";
    TokenCreate "token.create" "created the token {object}";
    TokenDelete "token.delete" "revoked the token {object}";
    PublisherCreate "publisher.create" "registered the publisher {object} of {app}";
    PublisherDelete "publisher.delete" "removed the publisher {object} of {app}";
    PublisherExchange "publisher.exchange" "got a token for {app}";
    PublisherChanged "publisher.changed" "was refused a token for {app} because the name {object} changed hands";
    AppCreate "app.create" "created the application {app}";
    AppUpdate "app.update" "changed the application {app}";
    AppDelete "app.delete" "deleted the application {app}";
    ChannelCreate "channel.create" "created the channel {object}";
    ChannelUpdate "channel.update" "changed the channel {object}";
    ChannelDelete "channel.delete" "deleted the channel {object}";
    PlatformCreate "platform.create" "created the platform {object}";
    PlatformUpdate "platform.update" "changed the platform {object}";
    PlatformDelete "platform.delete" "deleted the platform {object}";
    ArchCreate "arch.create" "created the architecture {object}";
    ArchUpdate "arch.update" "changed the architecture {object}";
    ArchDelete "arch.delete" "deleted the architecture {object}";
    ReleaseCreate "release.create" "uploaded {release}";
    ReleaseAdd "release.add" "added files to {release}";
    ReleaseUpdate "release.update" "changed {release}";
    ReleaseDelete "release.delete" "deleted {release}";
    ReleasePublish "release.publish" "published {release}";
    ReleaseSchedule "release.schedule" "scheduled {release}";
    ReleaseUnpublish "release.unpublish" "made {release} a draft";
    ReleaseOffer "release.offer" "changed how {release} will be offered";
    ReleaseRequires "release.requires" "changed the requirements of {release}";
    PromotionCreate "promotion.create" "promoted {release}";
    PromotionDelete "promotion.delete" "ended the promotion of {release}";
    ReleaseWithdraw "release.withdraw" "withdrew {release}";
    ReleaseRestore "release.restore" "restored {release}";
    RolloutStart "rollout.start" "started a rollout plan for {release}";
    RolloutSet "rollout.set" "set the rollout of {release}";
    RolloutPause "rollout.pause" "paused the rollout of {release}";
    RolloutResume "rollout.resume" "resumed the rollout of {release}";
    RolloutAdvance "rollout.advance" "advanced the rollout of {release}";
    RolloutComplete "rollout.complete" "completed the rollout of {release}";
    RolloutHalt "rollout.halt" "halted the rollout of {release}";
    RolloutStep "rollout.step" "began the next step of the rollout of {release}";
    GuardSet "guard.set" "changed the guard of {release}";
    HealthUnhealthy "health.unhealthy" "found {release} unhealthy";
    ArtifactDelete "artifact.delete" "deleted files of {release}";
    ArtifactList "artifact.list" "listed {release} in the signed metadata";
    ArtifactUnlist "artifact.unlist" "took files of {release} off the signed metadata";
    ShutoffCreate "shutoff.create" "shut off the updates of {app}";
    ShutoffDelete "shutoff.delete" "lifted a shut-off of {app}";
    FreezeCreate "freeze.create" "froze rollouts";
    FreezeEnd "freeze.end" "ended a freeze of rollouts";
    GroupCreate "group.create" "created the group {object} of {app}";
    GroupUpdate "group.update" "changed the devices of the group {object} of {app}";
    GroupKey "group.key" "made a new key for the group {object} of {app}";
    GroupDelete "group.delete" "deleted the group {object} of {app}";
    WebhookCreate "webhook.create" "created the webhook {object}";
    WebhookUpdate "webhook.update" "changed the webhook {object}";
    WebhookDelete "webhook.delete" "deleted the webhook {object}";
    DownloadTokenReplace "download_token.replace" "made a new download token for {app}";
    ReportKeyReplace "report_key.replace" "replaced the report key of {app}";
    ReportUpdate "report.update" "changed failure reports of {app}";
    ReportDelete "report.delete" "deleted failure reports of {app}";
    CauseUpdate "cause.update" "changed causes of failure";
    TrustStart "trust.start" "began signed metadata for {app}";
    TrustEnd "trust.end" "ended the signed metadata of {app}";
    TrustUpdate "trust.update" "sent signed metadata for {app}";
    TrustSign "trust.sign" "added a signature to the metadata of {app}";
    TrustDrop "trust.drop" "dropped staged metadata of {app}";
    TrustExpire "trust.expire" "dropped metadata of {app} that lacked signatures for too long";
    TrustConfigure "trust.configure" "changed the settings of the signed metadata of {app}";
    TrustRefresh "trust.refresh" "renewed the signed metadata of {app}";
    TrustRecover "trust.recover" "compared the signed metadata of {app} with its bucket";
    TrustAdopt "trust.adopt" "adopted newer signed metadata of {app} from its bucket";
}

/// The name is not a kind of entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind of audit entry")]
pub struct UnknownKind;

impl std::str::FromStr for AuditKind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name).ok_or(UnknownKind)
    }
}

impl AuditKind {
    /// The changed item: the part of the name before the dot.
    pub fn object_noun(self) -> &'static str {
        self.as_str().split('.').next().unwrap_or_default()
    }

    /// The change without names, for lists of kinds: "changed a release".
    pub fn general_text(self) -> String {
        let mut words: Vec<&str> = Vec::new();
        for word in self.predicate().split(' ') {
            let noun = match word {
                "{app}" => "application",
                "{release}" => "release",
                "{object}" => self.object_noun(),
                _ => {
                    words.push(word);
                    continue;
                }
            };
            // "the architecture {object}" already names the type.
            let typed = words.len().checked_sub(2).filter(|the| words[*the] == "the");
            let noun = typed.map_or(noun, |the| words.drain(the..).next_back().unwrap_or(noun));
            words.extend([if noun.starts_with('a') { "an" } else { "a" }, noun]);
        }
        words.join(" ")
    }
}

impl fmt::Display for AuditKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for AuditKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for AuditKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Ok(name.parse().unwrap_or(Self::Unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_without_names() {
        for (kind, text) in [
            (AuditKind::AdminCreate, "signed up"),
            (AuditKind::UserLogout, "ended all logins of a user"),
            (AuditKind::ArchDelete, "deleted an architecture"),
            (AuditKind::AppCreate, "created an application"),
            (AuditKind::ArtifactList, "listed a release in the signed metadata"),
            (AuditKind::TrustEnd, "ended the signed metadata of an application"),
        ] {
            assert_eq!(kind.general_text(), text);
        }
        assert!(AuditKind::ALL.iter().all(|kind| !kind.general_text().contains('{')));
    }
}
