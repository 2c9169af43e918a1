//! The service.

use std::time::Duration;

use super::readers::{ANSWERING, EVERY, LINKING, MANAGING};
use crate::Given;

/// How times are written.
const SECONDS_OR_WITH_UNIT: &str = "(seconds, or with `s`, `m` or `h`)";

rows! {
    /// The service's own address as clients reach it. Download links of private applications begin with it. A final `/`
    /// is dropped.
    API_URL: String {
        name: "api_url", default: "http://127.0.0.1:3000", range: "http or https address", readers: LINKING,
        // Links of an edge stay at the edge.
        edge: Given::Fixed(""),
    }
    /// Key that signs login tokens (HMAC-SHA-256). Another value ends all logins.
    JWT_SECRET: String {
        name: "jwt_secret", default: "", range: "at least 32 bytes", readers: MANAGING, secret: true,
        when_empty: "every call that needs a login is a 503",
    }
    /// What `POST /signup` asks for.
    API_KEY: String {
        name: "api_key", default: "", range: "any text", readers: &["accounts"], secret: true,
        when_empty: "nobody can sign up",
    }
    /// Failed logins and sign-ups with one user name in 15 minutes, after which more are a 429.
    LOGIN_FAILURES_PER_USER: u64 {
        name: "login_failures_per_user", default: "10", range: 1..=1_000_000, readers: &["accounts"],
        unit: "failures",
    }
    /// The same from one address (of IPv6: from one /64). More, as many people may share one.
    LOGIN_FAILURES_PER_ADDRESS: u64 {
        name: "login_failures_per_address", default: "50", range: 1..=1_000_000, readers: &["accounts"],
        unit: "failures",
    }
    /// Proxies in front of the service: addresses or networks, separated by commas. Of a request that comes from one, the
    /// client's address is the last one in `X-Forwarded-For` that is none of these. Without it all clients behind a proxy
    /// share one count of failures.
    TRUSTED_PROXIES: String {
        name: "trusted_proxies", default: "", range: "like `10.0.0.0/8,2001:db8::1`", readers: &["accounts"],
        when_empty: "none",
    }
    /// Origins whose pages may read answers, separated by commas; `*` is every origin.
    ALLOWED_CORS: String {
        name: "allowed_cors", default: "", range: "like `https://a.example,https://b.example`", readers: EVERY,
        when_empty: "none", edge: Given::Variable,
    }
    /// One log line on standard error for each request of the components that change something or answer managers: method
    /// and path, status, milliseconds, request id, owner. Never a query, a header or a body. Set to nothing, it is off.
    LOG_REQUESTS: Option<bool> {
        name: "log_requests", default: "true", range: (), readers: MANAGING,
    }
    /// The same for update checks, newest builds, static answers and health, which otherwise log failures only.
    LOG_READS: Option<bool> {
        name: "log_reads", default: "false", range: (), readers: ANSWERING, read_as: Some("log_requests"),
        edge: Given::Variable,
    }
    /// Files up to this size are read once at completion and compared with the digests that their feed (`RELEASES`,
    /// `releases.{channel}.json`, `*.yml`) gives; larger ones are trusted. 0 turns it off.
    FEED_DIGEST_MAX_BYTES: u64 {
        name: "feed_digest_max_bytes", default: "268435456", range: 0..=u64::MAX, readers: &["releases", "upload"],
        unit: "bytes",
    }
    /// How long the addresses of `POST /upload/init` work.
    PRESIGNED_UPLOAD_URL_TTL: Duration {
        name: "presigned_upload_url_ttl", default: "30m",
        range: Duration::from_secs(1)..=Duration::from_hours(7 * 24), readers: &["upload"],
        unit: SECONDS_OR_WITH_UNIT,
    }
    /// How long an upload can still be completed, and keeps what was sent for it, after its addresses have ended.
    UPLOAD_GRACE: Duration {
        name: "upload_grace", default: "24h",
        range: Duration::ZERO..=Duration::from_hours(30 * 24), readers: &["maintenance"],
        unit: SECONDS_OR_WITH_UNIT,
    }
    /// Whether files of published releases of private applications without a `download_mode` can be downloaded without a
    /// login (mode `unlisted`, else `login`; see [downloads](api/downloads.md)).
    ENABLE_PRIVATE_APP_DOWNLOADING: bool {
        name: "enable_private_app_downloading", default: "false", range: (), readers: &["catalog", "download"],
    }
    /// Bearer token for `POST /maintenance/run`, besides an admin's login.
    MAINTENANCE_TOKEN: String {
        name: "maintenance_token", default: "", range: "any text without white space", readers: &["maintenance"],
        secret: true, when_empty: "that way is off",
    }
}
