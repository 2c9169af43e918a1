//! Sends entries of the audit log to webhooks: in order, each at least once, signed as
//! [Standard Webhooks](https://www.standardwebhooks.com) say.

pub mod halt_links;
mod message;
mod origins;

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use serde_json::{Value, json};
use spindrift_api::ErrorCode;
use spindrift_auth::WebhookSecret;
use spindrift_core::webhook::after_failure;
use spindrift_core::{Id, Timestamp, UserName};
use spindrift_db::audit::{self, AuditFilter, AuditOrder, AuditRow};
use spindrift_db::users;
use spindrift_db::webhooks::{self, Webhook};
use spindrift_settings::JWT_SECRET;
use spindrift_web::{ApiError, Reason, Reply, RequestContext};

use self::message::{MessageLinks, message};
pub use self::origins::origins;
use crate::{Failure, Ports, audit_entries, log};

/// Seconds after which an attempt times out.
const TIME_OUT_SECONDS: i64 = 5;
const TIME_OUT: Duration = Duration::from_secs(TIME_OUT_SECONDS.unsigned_abs());
/// Seconds for which a call may send. After that it counts as dead, so that another call may send the rest.
const LEASE_SECONDS: i64 = 60;
/// Seconds for which one webhook gets entries before it is the turn of the others, because receivers may be
/// slow.
const TURN_SECONDS: i64 = 15;
/// Entries that are read at a time.
const BATCH: u32 = 100;
/// Webhooks that are read at a time.
const MAX_DUE: u32 = 100;

/// Sends entries that wait, for at most a minute. With `owner`, only the owner's. Returns how many were sent.
/// A webhook that fails does not stop the others, and the first failure is returned.
///
/// Another process may add entries while this one holds the lease, and then leaves them to it. So this
/// function looks again until none is left.
async fn deliver<P: Ports>(ports: &P, conn: &P::Conn, owner: Option<&Id>) -> Result<u64, Failure> {
    let until = ports.now().plus_seconds(LEASE_SECONDS);
    let (mut sent, mut first) = (0, Ok(()));
    loop {
        let mut is_any_taken = false;
        for webhook in webhooks::due(conn, owner, ports.now(), MAX_DUE)? {
            if !has_time(ports, until) {
                return first.map(|()| sent);
            }
            let turn = match webhook {
                Ok(webhook) => take_turn(ports, conn, &webhook, until).await,
                Err(error) => Err(error.into()),
            };
            match turn {
                Ok(None) => {}
                Ok(Some(more)) => {
                    is_any_taken = true;
                    sent += more;
                }
                Err(failure) => {
                    log::warn("entries for a webhook were not sent", &failure);
                    first = first.and(Err(failure));
                }
            }
        }
        if !is_any_taken {
            return first.map(|()| sent);
        }
    }
}

/// Sends the next entries of a webhook. `Ok(None)`: another process is sending them.
async fn take_turn<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    webhook: &Webhook,
    until: Timestamp,
) -> Result<Option<u64>, Failure> {
    let holder = ports.new_id();
    if !webhooks::begin(conn, &webhook.id, holder.as_str(), ports.now(), until)? {
        return Ok(None);
    }
    let end_of_turn = until.min(ports.now().plus_seconds(TURN_SECONDS));
    let result = send_batch(ports, conn, webhook, end_of_turn).await;
    let released = webhooks::end(conn, &webhook.id, holder.as_str());
    let sent = result?;
    released?;
    Ok(Some(sent))
}

/// The webhook part of maintenance: sends the entries that wait for any owner. While webhooks are off, nobody
/// can look after those that fail, so their failures are forgotten.
pub async fn maintain<P: Ports>(ports: &P, conn: &P::Conn) -> Result<u64, Failure> {
    if origins(ports)?.is_empty() {
        webhooks::forget_failures(conn)?;
        return Ok(0);
    }
    deliver(ports, conn, None).await
}

/// Whether an attempt that begins now ends before `until`.
fn has_time(ports: &impl Ports, until: Timestamp) -> bool {
    ports.now().plus_seconds(TIME_OUT_SECONDS) < until
}

/// Sends the next entries of a webhook, until one fails, or until another attempt could outlast the lease.
/// Since the webhook was read, another process may have sent some of them, or failed to.
async fn send_batch<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    due: &Webhook,
    until: Timestamp,
) -> Result<u64, Failure> {
    let found = webhooks::by_id(conn, &due.owner_id, &due.id)?;
    let Some(webhook) = found.filter(|webhook| webhook.may_try(ports.now())) else { return Ok(0) };
    let head = audit::head(conn, &webhook.owner_id)?;
    let filter = AuditFilter { app: webhook.app_id.clone(), ..AuditFilter::default() };
    let order = AuditOrder::OldestFirst(webhook.delivered_seq);
    let rows = audit::page(conn, &webhook.owner_id, &filter, order, BATCH)?;
    let mut is_all = rows.len() < BATCH as usize;
    let (mut sent, mut last) = (0, webhook.delivered_seq);
    for row in rows {
        if !has_time(ports, until) {
            is_all = false;
            break;
        }
        match send_row(ports, conn, &webhook, &row).await {
            Ok(is_sent) => sent += u64::from(is_sent),
            Err(failure) => {
                if last > webhook.delivered_seq {
                    webhooks::record_delivery(conn, &webhook.id, last)?;
                }
                note_failure(ports, conn, &webhook, &failure)?;
                return Ok(sent);
            }
        }
        last = row.seq;
    }
    let reached = if is_all { last.max(head.seq) } else { last };
    webhooks::record_delivery(conn, &webhook.id, reached)?;
    Ok(sent)
}

/// Sends the entries of a call after its answer.
pub struct DeliveryAfterCall(Option<Rc<RequestContext>>);

impl DeliveryAfterCall {
    /// For a call that may add an entry.
    pub fn of(request: &spindrift_web::Request) -> Self {
        Self((!request.method().is_safe()).then(|| Rc::clone(request.context())))
    }

    /// Adds the sending to a reply, if the call succeeded. A failure is logged, and maintenance sends the
    /// rest. A call of the operator may have added entries for any owner.
    pub fn after<P: Ports>(self, ports: &P, reply: Reply) -> Reply {
        let Some(context) = self.0.filter(|_| reply.response.status().is_success()) else { return reply };
        let owner = context.owner();
        let (ports, before) = (ports.clone(), reply.after);
        let after = Box::pin(async move {
            if let Some(before) = before {
                before.await;
            }
            if let Err(failure) = deliver_to(&ports, owner.as_ref()).await {
                log::warn("webhooks were not sent", &failure);
            }
        });
        Reply { response: reply.response, after: Some(after) }
    }
}

/// Delivers to the webhooks of `owner`, or of all owners if it is `None`.
async fn deliver_to<P: Ports>(ports: &P, owner: Option<&UserName>) -> Result<(), Failure> {
    if origins(ports)?.is_empty() {
        return Ok(());
    }
    let conn = spindrift_db::open(ports, ports.now())?;
    let owner = match owner {
        None => None,
        Some(owner) => match users::by_name(&conn, owner)? {
            None => return Ok(()),
            Some(owner) => Some(owner.user.id),
        },
    };
    deliver(ports, &conn, owner.as_ref()).await.map(|_| ())
}

/// A delivery that failed.
struct DeliveryError {
    /// Readable by people.
    reason: String,
    /// Whether the receiver wants no more messages.
    is_gone: bool,
}

impl DeliveryError {
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_gone: false }
    }
}

/// Sends an entry, and waits for a 2xx. `Ok(false)`: the webhook does not want entries of this kind.
async fn send_row<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    webhook: &Webhook,
    row: &AuditRow,
) -> Result<bool, DeliveryError> {
    let unreadable = || DeliveryError::new(format!("entry {} of the audit log cannot be read", row.seq));
    let item = audit_entries::item(row).map_err(|_| unreadable())?;
    if !webhook.kinds.have(&item.kind) {
        return Ok(false);
    }
    let entry: Value = serde_json::from_str(&row.entry).map_err(|_| unreadable())?;
    let links = MessageLinks::of(ports, conn, webhook, &item);
    let links = links.map_err(|error| DeliveryError::new(error.to_string()))?;
    let mut body = message(&item.kind, &item.at, &item.text, &entry, &links);
    body["audit"] = json!({ "seq": row.seq, "hash": row.hash.to_string() });
    post(ports, webhook, &format!("{}.{}", webhook.id, row.seq), &body).await?;
    Ok(true)
}

/// Sends a message that is not an entry, so that people can check that messages arrive.
pub async fn send_test(ports: &impl Ports, webhook: &Webhook) -> Result<(), ApiError> {
    let now = ports.now();
    let text = "This is a test. The service can reach this address.";
    let body = message("webhook.test", &now.to_rfc3339(), text, &json!({}), &MessageLinks::default());
    let id = format!("{}.test.{}", webhook.id, now.as_millis());
    let sent = post(ports, webhook, &id, &body).await;
    sent.map_err(|failure| {
        let text = format!("not delivered: {}", failure.reason);
        ApiError::Unfinished(Reason::new(ErrorCode::NotDelivered, text))
    })
}

async fn post(
    ports: &impl Ports,
    webhook: &Webhook,
    message: &str,
    body: &Value,
) -> Result<(), DeliveryError> {
    let allowed = origins(ports).map_err(|error| DeliveryError::new(error.to_string()))?;
    if !allowed.have(&webhook.url) {
        return Err(DeliveryError::new(
            "the service's settings do not allow the origin of this address any more",
        ));
    }
    let secret = JWT_SECRET.read(ports).map_err(|error| DeliveryError::new(error.to_string()))?;
    let secret = WebhookSecret::derive(&secret, &webhook.id);
    let secret = secret.ok_or_else(|| DeliveryError::new("the service has no `jwt_secret`"))?;
    let seconds = ports.now().as_millis().div_euclid(1000);
    let body = body.to_string();
    let signature = secret.sign(message, seconds, body.as_bytes());
    let signature = signature.ok_or_else(|| DeliveryError::new("the message could not be signed"))?;
    let request = Request::post(&webhook.url)
        .header("content-type", "application/json")
        .header("user-agent", "Spindrift")
        .header("webhook-id", message)
        .header("webhook-timestamp", seconds)
        .header("webhook-signature", signature)
        .body(Bytes::from(body))
        .map_err(|error| DeliveryError::new(error.to_string()))?;
    let answer =
        ports.send(request, TIME_OUT).await.map_err(|error| DeliveryError::new(error.to_string()))?;
    match answer.status() {
        status if status.is_success() => Ok(()),
        status => Err(DeliveryError {
            reason: format!("the receiver answered {}", status.as_u16()),
            is_gone: status == StatusCode::GONE,
        }),
    }
}

fn note_failure<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    webhook: &Webhook,
    failure: &DeliveryError,
) -> Result<(), Failure> {
    let now = ports.now();
    let since = webhook.failing_since.unwrap_or(now);
    let retry = after_failure(since, failure.is_gone, now);
    log::warn("a webhook was not delivered", &format!("{}: {}", webhook.id, failure.reason));
    webhooks::record_failure(conn, &webhook.id, since, (&failure.reason, retry), now)?;
    Ok(())
}
