//! Logins that programs ask for, and that people allow in a browser.

use spindrift_core::{DeviceLogin, DeviceLoginState, Id, Timestamp, UserCode};

use crate::row::{Row, wrong};
use crate::transaction::{retry_while_locked, run_awaiting_lock};
use crate::{Audited, SqlConn, SqlError, params};

const DEVICE_LOGIN: &str = "SELECT user_code, machine, address, created_at, expires_at, polled_at, state, user_id \
 FROM device_logins";

fn device_login(row: &Row<'_>) -> Result<DeviceLogin, SqlError> {
    let (state, user): (String, Option<Id>) = (row.get("state")?, row.get("user_id")?);
    Ok(DeviceLogin {
        user_code: row.text("user_code")?.parse().map_err(|_| wrong("user_code"))?,
        machine: row.get("machine")?,
        address: row.get("address")?,
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
        polled_at: row.get("polled_at")?,
        state: match (state.as_str(), user) {
            ("waiting", _) => DeviceLoginState::Waiting,
            ("allowed", Some(user)) => DeviceLoginState::Allowed(user),
            ("denied", _) => DeviceLoginState::Denied,
            _ => return Err(wrong("state")),
        },
    })
}

/// Stores a login that a program asks for. It changes nothing that an owner has, so it leaves no entry in the audit
/// log.
pub fn insert(conn: &impl SqlConn, digest: &str, login: &DeviceLogin) -> Result<(), SqlError> {
    run_awaiting_lock(
        conn,
        "INSERT INTO device_logins (digest, user_code, machine, address, created_at, expires_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        &params![
            digest,
            login.user_code.as_str(),
            &login.machine,
            &login.address,
            login.created_at,
            login.expires_at,
        ],
    )
    .map(|_| ())
}

/// The login of the program that knows the code with this digest.
pub fn by_digest(conn: &impl SqlConn, digest: &str) -> Result<Option<DeviceLogin>, SqlError> {
    conn.run(&format!("{DEVICE_LOGIN} WHERE digest = ?1"), &params![digest])?.one(device_login)
}

/// The login with this code, which a person may have answered.
pub fn by_user_code(conn: &impl SqlConn, code: &UserCode) -> Result<Option<DeviceLogin>, SqlError> {
    conn.run(&format!("{DEVICE_LOGIN} WHERE user_code = ?1"), &params![code.as_str()])?.one(device_login)
}

/// Records that the program asked for its login.
pub fn record_poll(conn: &impl SqlConn, digest: &str, now: Timestamp) -> Result<(), SqlError> {
    let sql = "UPDATE device_logins SET polled_at = ?2 WHERE digest = ?1";
    run_awaiting_lock(conn, sql, &params![digest, now]).map(|_| ())
}

/// Lets the program in as this user. `Ok(false)`: somebody has answered before.
pub fn allow(conn: &impl Audited, code: &UserCode, user: &Id) -> Result<bool, SqlError> {
    let sql = "UPDATE device_logins SET state = 'allowed', user_id = ?2 \
               WHERE user_code = ?1 AND state = 'waiting' RETURNING user_code";
    Ok(conn.run(sql, &params![code.as_str(), user])?.exist())
}

/// Refuses the program. `Ok(false)`: somebody has answered before. It changes nothing that an owner has.
pub fn deny(conn: &impl SqlConn, code: &UserCode) -> Result<bool, SqlError> {
    let sql = "UPDATE device_logins SET state = 'denied' WHERE user_code = ?1 AND state = 'waiting' RETURNING user_code";
    Ok(run_awaiting_lock(conn, sql, &params![code.as_str()])?.exist())
}

/// Takes an allowed login, which is good once. `Ok(false)`: it was taken before.
pub fn take(conn: &impl SqlConn, digest: &str) -> Result<bool, SqlError> {
    let sql = "DELETE FROM device_logins WHERE digest = ?1 AND state = 'allowed' RETURNING user_code";
    Ok(run_awaiting_lock(conn, sql, &params![digest])?.exist())
}

/// Deletes logins that nobody can allow any more, at most `max`.
pub fn delete_expired(conn: &impl SqlConn, now: Timestamp, max: u32) -> Result<(), SqlError> {
    let sql = "DELETE FROM device_logins WHERE digest IN \
               (SELECT digest FROM device_logins WHERE expires_at <= ?1 LIMIT ?2)";
    retry_while_locked(conn, sql, &params![now, max]).map(|_| ())
}
