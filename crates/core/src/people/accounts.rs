//! Users, the teams that they belong to, their logins, and CI tokens.

use crate::{Id, Job, Permissions, Timestamp, TokenRight, UserName, Window};

/// A user who can log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Identifier.
    pub id: Id,
    /// Unique in the whole service.
    pub name: UserName,
    /// For a team user: the admin whose data it works on, and its permissions there.
    pub team: Option<TeamMembership>,
}

impl User {
    /// The admin on whose data the user works: for an admin, the user.
    pub fn owner_id(&self) -> &Id {
        self.team.as_ref().map_or(&self.id, |team| &team.owner_id)
    }
}

/// A team user's place in an admin's team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamMembership {
    /// Id of the admin.
    pub owner_id: Id,
    /// The admin's user name: the owner of everything that the team publishes.
    pub owner: UserName,
    /// The user's permissions.
    pub permissions: Permissions,
}

/// A login of a user, from which one login token was issued. The token is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// Identifier, which the token contains.
    pub id: Id,
    /// When the user logged in.
    pub created_at: Timestamp,
    /// When the token expires.
    pub expires_at: Timestamp,
    /// The hour in which it was last used. `None`: not used yet.
    pub last_used_at: Option<Timestamp>,
    /// When the user last proved who they are: at first with the login, later with a passkey.
    pub proved_at: Timestamp,
}

impl Login {
    /// The hour to record for a use at `now`. `None`: this hour is already recorded.
    pub fn new_use(&self, now: Timestamp) -> Option<Timestamp> {
        hour_of_new_use(self.last_used_at, now)
    }
}

/// The hour to record for a use at `now`, after the last recorded one.
fn hour_of_new_use(last: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    let hour = Window::HOUR.start(now);
    (last < Some(hour)).then_some(hour)
}

/// A CI token. The token text is shown once and stored only as a digest, so it is not included
/// here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Identifier.
    pub id: Id,
    /// The admin who created it.
    pub owner_id: Id,
    /// The admin's user name.
    pub owner: UserName,
    /// Name given by the admin.
    pub name: String,
    /// The first characters of the token, by which people recognise it.
    pub prefix: String,
    /// Ids of the applications that it works for.
    pub allowed_apps: Vec<Id>,
    /// Its rights for these applications.
    pub may: Vec<TokenRight>,
    /// The job that it was made for. `None`: a person made it.
    pub job: Option<Job>,
    /// `None`: it does not expire.
    pub expires_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// The hour in which it was last used. `None`: never used.
    pub last_used_at: Option<Timestamp>,
}

impl Token {
    /// The hour to record for a use at `now`. `None`: this hour is already recorded.
    pub fn new_use(&self, now: Timestamp) -> Option<Timestamp> {
        hour_of_new_use(self.last_used_at, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_recorded_once_an_hour() {
        let at = Timestamp::from_millis;
        let token = |last_used_at| Token {
            id: Id::from_text("1"),
            owner_id: Id::from_text("2"),
            owner: "ada".parse().unwrap(),
            name: "ci".to_owned(),
            job: None,
            may: vec![TokenRight::Upload],
            prefix: "sdt_".to_owned(),
            allowed_apps: Vec::new(),
            expires_at: None,
            created_at: at(0),
            last_used_at,
        };
        for (last, now, expected) in [
            (None, 3_600_001, Some(3_600_000)),
            (Some(3_600_000), 3_600_000, None),
            (Some(3_600_000), 7_199_999, None),
            (Some(3_600_000), 7_200_000, Some(7_200_000)),
            // The clock of another instance is ahead.
            (Some(7_200_000), 7_199_999, None),
        ] {
            assert_eq!(token(last.map(at)).new_use(at(now)), expected.map(at), "{last:?} {now}");
        }
    }
}
