//! Finding what an owner has by name, and who a credential belongs to.

use spindrift_core::{App, AppName, Id, TeamMembership, Token, User, UserName};

use crate::row::Row;
use crate::scopes::flags;
use crate::{SqlConn, SqlError, SqlRow};

/// Columns of an [`App`] from `apps`.
pub(crate) const APP_COLUMNS: &str =
    "id, name, private, tuf, reports, cdn, description, logo_key, updated_at, download_mode";

pub(crate) fn app(row: SqlRow) -> Result<App, SqlError> {
    let row = Row(row);
    Ok(App {
        id: row.id(0)?,
        name: row.parsed(1)?,
        flags: flags(&row, 2)?,
        description: row.text(6)?.to_owned(),
        logo_key: row.text(7)?.to_owned(),
        updated_at: row.time(8)?,
        download_mode: row.optional_parsed(9)?,
    })
}

/// The application that the owner calls `name`.
pub fn app_by_name(conn: &impl SqlConn, owner: &Id, name: &AppName) -> Result<Option<App>, SqlError> {
    let sql = format!("SELECT {APP_COLUMNS} FROM apps WHERE owner_id = ?1 AND name = ?2");
    conn.run(&sql, &[owner.as_str().into(), name.as_str().into()])?.into_iter().next().map(app).transpose()
}

/// The owner's application with this identifier.
pub fn app_by_id(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Option<App>, SqlError> {
    let sql = format!("SELECT {APP_COLUMNS} FROM apps WHERE owner_id = ?1 AND id = ?2");
    conn.run(&sql, &[owner.as_str().into(), id.as_str().into()])?.into_iter().next().map(app).transpose()
}

/// A user together with what proves that somebody is this user.
pub struct UserWithPassword {
    /// The user.
    pub user: User,
    /// PHC string.
    pub password_hash: String,
    /// What login tokens must say; grows when those from before are to end.
    pub epoch: u64,
}

const USER: &str = "SELECT u.id, u.username, u.owner_id, o.username, u.permissions, u.password_hash, u.epoch \
 FROM users u LEFT JOIN users o ON o.id = u.owner_id";

fn user(row: SqlRow) -> Result<UserWithPassword, SqlError> {
    let row = Row(row);
    let team = match row.optional_id(2)? {
        Some(owner_id) => Some(TeamMembership { owner_id, owner: row.parsed(3)?, permissions: row.json(4)? }),
        None => None,
    };
    Ok(UserWithPassword {
        user: User { id: row.id(0)?, name: row.parsed(1)?, team },
        password_hash: row.text(5)?.to_owned(),
        epoch: row.unsigned(6)?,
    })
}

/// The user of this name, admin or team user.
pub fn user_by_name(conn: &impl SqlConn, name: &UserName) -> Result<Option<UserWithPassword>, SqlError> {
    let sql = format!("{USER} WHERE u.username = ?1");
    conn.run(&sql, &[name.as_str().into()])?.into_iter().next().map(user).transpose()
}

/// The user with this identifier.
pub fn user_by_id(conn: &impl SqlConn, id: &Id) -> Result<Option<UserWithPassword>, SqlError> {
    let sql = format!("{USER} WHERE u.id = ?1");
    conn.run(&sql, &[id.as_str().into()])?.into_iter().next().map(user).transpose()
}

/// Columns of a [`Token`] from `tokens t JOIN users u`.
pub(crate) const TOKEN_COLUMNS: &str = "t.id, t.owner_id, u.username, t.name, t.token_prefix, t.allowed_apps, \
 t.expires_at, t.created_at, t.last_used_at";

pub(crate) fn token(row: SqlRow) -> Result<Token, SqlError> {
    let row = Row(row);
    Ok(Token {
        id: row.id(0)?,
        owner_id: row.id(1)?,
        owner: row.parsed(2)?,
        name: row.text(3)?.to_owned(),
        prefix: row.text(4)?.to_owned(),
        allowed_apps: row.json(5)?,
        expires_at: row.optional_time(6)?,
        created_at: row.time(7)?,
        last_used_at: row.optional_time(8)?,
    })
}

/// The token whose digest this is.
pub fn token_by_digest(conn: &impl SqlConn, digest: &str) -> Result<Option<Token>, SqlError> {
    let sql = format!(
        "SELECT {TOKEN_COLUMNS} FROM tokens t JOIN users u ON u.id = t.owner_id WHERE t.token_hash = ?1"
    );
    conn.run(&sql, &[digest.into()])?.into_iter().next().map(token).transpose()
}
