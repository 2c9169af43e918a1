//! Users: admins and their teams.

use spindrift_core::{
    EmailAddress, Id, Login, LoginProof, Permissions, Resource, SsoIdentity, TeamMembership, Timestamp, User,
    UserName,
};

use crate::apps::{UNDER_WAY, Usage};
use crate::row::{Row, to_json};
use crate::transaction::run_awaiting_lock;
use crate::{Audited, SqlConn, SqlError, params};

/// A user, with the data that verifies a login.
#[expect(clippy::struct_excessive_bools, reason = "columns, which are independent of each other")]
pub struct UserWithPassword {
    pub user: User,
    /// In PHC string format.
    pub password_hash: String,
    /// The epoch that login tokens must carry. Raising it invalidates all earlier tokens.
    pub epoch: u64,
    /// Whether the user has signed in at the provider for single sign-on.
    pub has_sso: bool,
    /// Whether the admin has turned off the user's logins with a password.
    pub is_password_login_off: bool,
    /// Whether the user has a passkey.
    pub has_passkey: bool,
    /// Whether the admin demands one of the user.
    pub needs_passkey: bool,
}

impl UserWithPassword {
    /// The proof that a login of the user gives.
    pub fn proof(&self, login: Option<&Login>) -> LoginProof {
        LoginProof {
            has_passkey: self.has_passkey,
            needs_passkey: self.needs_passkey,
            proved_at: login.map(|login| login.proved_at),
        }
    }
}

/// All columns of a [`UserWithPassword`].
const COLUMNS: &str = "u.id, u.username, u.owner_id, o.username AS owner, u.permissions, u.password_hash, u.epoch, \
 EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id) AS has_passkey, \
 coalesce(o.require_passkeys, 0) AS needs_passkey, u.sso_subject IS NOT NULL AS has_sso, \
 coalesce(o.password_login_off, 0) AS is_password_login_off";
const FROM: &str = "FROM users u LEFT JOIN users o ON o.id = u.owner_id";

fn user(row: &Row<'_>) -> Result<UserWithPassword, SqlError> {
    let team = match row.get("owner_id")? {
        Some(owner_id) => {
            Some(TeamMembership { owner_id, owner: row.get("owner")?, permissions: row.json("permissions")? })
        }
        None => None,
    };
    Ok(UserWithPassword {
        user: User { id: row.get("id")?, name: row.get("username")?, team },
        password_hash: row.get("password_hash")?,
        epoch: row.get("epoch")?,
        has_passkey: row.get("has_passkey")?,
        needs_passkey: row.get("needs_passkey")?,
        has_sso: row.get("has_sso")?,
        is_password_login_off: row.get("is_password_login_off")?,
    })
}

/// The user with this name, admin or team user.
pub fn by_name(conn: &impl SqlConn, name: &UserName) -> Result<Option<UserWithPassword>, SqlError> {
    conn.run(&format!("SELECT {COLUMNS} {FROM} WHERE u.username = ?1"), &params![name])?.one(user)
}

/// The user with this name, with the login of this id if the user has it.
pub fn by_name_and_login(
    conn: &impl SqlConn,
    name: &UserName,
    login: &Id,
) -> Result<Option<(UserWithPassword, Option<Login>)>, SqlError> {
    let sql = format!(
        "SELECT {COLUMNS}, l.id AS login_id, l.created_at, l.expires_at, l.last_used_at, l.proved_at {FROM} \
         LEFT JOIN logins l ON l.id = ?2 AND l.user_id = u.id WHERE u.username = ?1"
    );
    let rows = conn.run(&sql, &params![name, login])?;
    rows.one(|row| {
        let login = match row.get("login_id")? {
            Some(id) => Some(Login {
                id,
                created_at: row.get("created_at")?,
                expires_at: row.get("expires_at")?,
                last_used_at: row.get("last_used_at")?,
                proved_at: row.get("proved_at")?,
            }),
            None => None,
        };
        Ok((user(row)?, login))
    })
}

pub fn by_id(conn: &impl SqlConn, id: &Id) -> Result<Option<UserWithPassword>, SqlError> {
    conn.run(&format!("SELECT {COLUMNS} {FROM} WHERE u.id = ?1"), &params![id])?.one(user)
}

/// Whether there is an admin.
pub fn has_admin(conn: &impl SqlConn) -> Result<bool, SqlError> {
    let rows = conn.run("SELECT 1 FROM users WHERE owner_id IS NULL LIMIT 1", &[])?;
    Ok(rows.exist())
}

/// A team user as seen by its admin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamUser {
    pub id: Id,
    /// Unique in the whole service.
    pub name: UserName,
    pub permissions: Permissions,
    pub has_passkey: bool,
    pub email: Option<String>,
    pub has_sso: bool,
    /// The hour in which a login of the user was last used. `None`: never.
    pub last_seen_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

fn team_user(row: &Row<'_>) -> Result<TeamUser, SqlError> {
    Ok(TeamUser {
        id: row.get("id")?,
        name: row.get("username")?,
        permissions: row.json("permissions")?,
        has_passkey: row.get("has_passkey")?,
        email: row.get("email")?,
        has_sso: row.get("has_sso")?,
        last_seen_at: row.get("last_seen_at")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

/// Inserts a user. A name that is already in use is an [`SqlError::Constraint`].
pub fn insert(conn: &impl Audited, user: &User, password_hash: &str, now: Timestamp) -> Result<(), SqlError> {
    let permissions = user.team.as_ref().map(|team| to_json(&team.permissions)).transpose()?;
    conn.execute(
        "INSERT INTO users (id, username, owner_id, permissions, password_hash, created_at, updated_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
        &params![
            &user.id,
            &user.name,
            user.team.as_ref().map(|team| team.owner_id.as_str()),
            permissions,
            password_hash,
            now
        ],
    )
}

/// The team of an admin, by name.
pub fn team(conn: &impl SqlConn, owner: &Id) -> Result<Vec<TeamUser>, SqlError> {
    conn.run(
        "SELECT id, username, permissions, last_seen_at, created_at, updated_at, email, \
          sso_subject IS NOT NULL AS has_sso, \
          EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = users.id) AS has_passkey \
         FROM users WHERE owner_id = ?1 ORDER BY username",
        &params![owner],
    )?
    .all(team_user)
}

/// Changes to a user; `None` keeps the value.
#[derive(Clone, Default)]
pub struct UserChange {
    pub name: Option<UserName>,
    /// The new password's hash, in PHC string format.
    pub password_hash: Option<String>,
    /// The new permissions, replacing all old ones.
    pub permissions: Option<Permissions>,
    /// Whether to end all existing login tokens of the user.
    pub end_logins: bool,
}

/// Changes a user. A name that is already in use is an [`SqlError::Constraint`].
pub fn update(conn: &impl Audited, id: &Id, change: &UserChange, now: Timestamp) -> Result<(), SqlError> {
    if change.end_logins {
        forget_logins(conn, id)?;
    }
    conn.execute(
        "UPDATE users SET username = coalesce(?2, username), password_hash = coalesce(?3, password_hash), \
          permissions = coalesce(?4, permissions), updated_at = ?5, epoch = epoch + ?6 WHERE id = ?1",
        &params![
            id,
            change.name.as_ref(),
            change.password_hash.as_deref(),
            change.permissions.as_ref().map(to_json).transpose()?,
            now,
            change.end_logins
        ],
    )
}

/// Ends all existing login tokens of a user, also those without a login in the database.
pub fn end_logins(conn: &impl Audited, id: &Id) -> Result<(), SqlError> {
    forget_logins(conn, id)?;
    run_awaiting_lock(conn, "UPDATE users SET epoch = epoch + 1 WHERE id = ?1", &params![id]).map(|_| ())
}

/// Also forgets logins that the user has let a program have, and that it has not fetched.
fn forget_logins(conn: &impl Audited, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM device_logins WHERE user_id = ?1", &params![id])?;
    conn.execute("DELETE FROM logins WHERE user_id = ?1", &params![id])
}

/// Sets the e-mail address of a new user. An address that is already in use is an [`SqlError::Constraint`].
pub fn set_email(conn: &impl Audited, id: &Id, email: &EmailAddress) -> Result<(), SqlError> {
    conn.execute("UPDATE users SET email = ?2 WHERE id = ?1", &params![id, email.as_str()])
}

/// The user with this e-mail address.
pub fn by_email(conn: &impl SqlConn, email: &EmailAddress) -> Result<Option<UserWithPassword>, SqlError> {
    conn.run(&format!("SELECT {COLUMNS} {FROM} WHERE u.email = ?1"), &params![email.as_str()])?.one(user)
}

/// The user who signs in with this account.
pub fn by_sso(conn: &impl SqlConn, identity: &SsoIdentity) -> Result<Option<UserWithPassword>, SqlError> {
    let sql = format!("SELECT {COLUMNS} {FROM} WHERE u.sso_issuer = ?1 AND u.sso_subject = ?2");
    conn.run(&sql, &params![&identity.issuer, &identity.subject])?.one(user)
}

/// Lets the user sign in with this account, and with no other.
pub fn bind_sso(conn: &impl Audited, id: &Id, identity: &SsoIdentity) -> Result<(), SqlError> {
    let sql = "UPDATE users SET sso_issuer = ?2, sso_subject = ?3 WHERE id = ?1";
    conn.execute(sql, &params![id, &identity.issuer, &identity.subject])
}

/// Whether the admin has turned off logins of the team with a password.
pub fn is_password_login_off(conn: &impl SqlConn, admin: &Id) -> Result<bool, SqlError> {
    let rows = conn.run("SELECT 1 FROM users WHERE id = ?1 AND password_login_off = 1", &params![admin])?;
    Ok(rows.exist())
}

/// Sets whether logins of the team with a password are off.
pub fn turn_password_login_off(conn: &impl Audited, admin: &Id, is_off: bool) -> Result<(), SqlError> {
    conn.execute("UPDATE users SET password_login_off = ?2 WHERE id = ?1", &params![admin, is_off])
}

/// Whether the admin demands passkeys of the team.
pub fn are_passkeys_required(conn: &impl SqlConn, admin: &Id) -> Result<bool, SqlError> {
    let rows = conn.run("SELECT 1 FROM users WHERE id = ?1 AND require_passkeys = 1", &params![admin])?;
    Ok(rows.exist())
}

/// Sets whether the admin demands passkeys of the team.
pub fn require_passkeys(conn: &impl Audited, admin: &Id, required: bool) -> Result<(), SqlError> {
    conn.execute("UPDATE users SET require_passkeys = ?2 WHERE id = ?1", &params![admin, required])
}

/// Deletes a team user. `Ok(false)`: the admin has no team user with this id.
pub fn delete(conn: &impl Audited, owner: &Id, id: &Id) -> Result<bool, SqlError> {
    for table in ["device_logins", "logins", "passkeys", "recovery_codes"] {
        let sql = format!(
            "DELETE FROM {table} WHERE user_id IN (SELECT id FROM users WHERE owner_id = ?1 AND id = ?2)"
        );
        conn.execute(&sql, &params![owner, id])?;
    }
    let rows = run_awaiting_lock(
        conn,
        "DELETE FROM users WHERE owner_id = ?1 AND id = ?2 RETURNING id",
        &params![owner, id],
    )?;
    Ok(rows.exist())
}

/// The use that prevents an admin's user name from changing: the storage keys of releases and of uploads in
/// progress contain it.
pub fn usage_of_name(conn: &impl SqlConn, owner: &Id, now: Timestamp) -> Result<Usage, SqlError> {
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM releases WHERE owner_id = ?1) AS used_by_releases, \
          EXISTS (SELECT 1 FROM upload_sessions s WHERE s.owner_id = ?1 AND {UNDER_WAY}) AS used_by_uploads"
    );
    let rows = conn.run(&sql, &params![owner, now])?;
    Ok(rows.one(Usage::from_row)?.unwrap_or(Usage::Free))
}

/// Whether signed metadata or an upload in progress requires an admin's user name to stay as it is.
pub fn is_name_kept(conn: &impl SqlConn, owner: &Id, now: Timestamp) -> Result<bool, SqlError> {
    let sql = format!(
        "SELECT 1 FROM upload_sessions s WHERE s.owner_id = ?1 AND {UNDER_WAY} \
         UNION ALL SELECT 1 FROM repositories r JOIN apps a ON a.id = r.app_id WHERE a.owner_id = ?1 LIMIT 1"
    );
    Ok(conn.run(&sql, &params![owner, now])?.exist())
}

/// Removes something that is being deleted from the lists of what team users, and people who are invited, may
/// use.
pub fn disallow(conn: &impl Audited, owner: &Id, resource: Resource, id: &Id) -> Result<(), SqlError> {
    let list = match resource {
        Resource::App => "$.apps.allowed",
        Resource::Channel => "$.channels.allowed",
        Resource::Platform => "$.platforms.allowed",
        Resource::Arch => "$.archs.allowed",
    };
    // Only applications can have a role, and no two items have one id.
    let role = format!("$.apps.roles.\"{id}\"");
    for table in ["users", "invitations"] {
        let sql = format!(
            "UPDATE {table} SET permissions = json_set(json_remove(permissions, ?4), ?2, \
              json((SELECT json_group_array(value) FROM json_each({table}.permissions, ?2) WHERE value <> ?3))) \
             WHERE owner_id = ?1 AND (json_type(permissions, ?4) IS NOT NULL \
              OR EXISTS (SELECT 1 FROM json_each({table}.permissions, ?2) WHERE value = ?3))"
        );
        conn.execute(&sql, &params![owner, list, id, &role])?;
    }
    Ok(())
}
