//! Settings of the service.

use std::time::Duration;

use spindrift_core::webhook::WebhookOrigin;
use spindrift_core::{PasswordHashCost, TrustedProxies};

use super::readers::{ANSWERING, EVERY, LINKING, MANAGING, SIGNING};
use crate::text::{OPTIONAL_ADDRESS, are_origins, are_secrets, is_bearer, is_secret};
use crate::{SettingSource, Text};

/// The accepted notations of a duration.
const SECONDS_OR_WITH_UNIT: &str = "(seconds, or with `s`, `m` or `h`)";
/// A list of proxies.
const PROXIES: Text = Text::of("a list of addresses or networks, like `10.0.0.0/8,2001:db8::1`", |text| {
    text.parse::<TrustedProxies>().is_ok()
});
/// A list of origins.
const ORIGINS: Text =
    Text::of("`*` or a list of origins, like `https://a.example,https://b.example`", are_origins);
/// An origin of webhooks or of an issuer.
const WEBHOOK: Text =
    Text::of("an https address without a path, or an http address of this machine", |text| {
        text.parse::<WebhookOrigin>().is_ok()
    });
/// The path of an address.
const ISSUER_PATH: Text =
    Text::of("empty, `/`, or a path that begins with / and does not end with one", |text| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/._~-".contains(&byte);
        matches!(text, "" | "/")
            || (text.starts_with('/') && !text.ends_with('/') && text.bytes().all(is_allowed))
    });
/// The components that send messages.
const WEBHOOK_READERS: &[&str] = &["control", "maintenance", "releases"];
/// The text of a button.
const SSO_LABEL: Text = Text::of("1 to 40 printable characters", |text| {
    (1..=40).contains(&text.chars().count()) && !text.chars().any(char::is_control)
});
/// A bearer token.
const BEARER: Text = Text::of("ASCII text without white space", is_bearer);

rows! {
    /// The service's own URL for clients. Download links of private applications begin with it. A final `/`
    /// is dropped.
    API_URL: String {
        name: "api_url", default: "http://127.0.0.1:3000", range: OPTIONAL_ADDRESS,
        // How well `accounts` hashes passwords depends on where the clients are.
        readers: &[LINKING, "accounts", "identity"],
        // Empty: the links of an edge are relative, so clients follow them at the edge.
        edge: SettingSource::Fixed(""),
    }
    /// Key that signs login tokens (HMAC-SHA-256). Changing it ends all logins, and changes the secrets of
    /// webhooks.
    JWT_SECRET: String {
        name: "jwt_secret", default: "", range: Text::of("at least 32 bytes", is_secret), readers: &[MANAGING],
        secret: true, when_empty: "every call that needs a login, and `POST /signup`, is a 503",
    }
    /// Key that `POST /signup` requires.
    API_KEY: String {
        name: "api_key", default: "", range: Text::any("any text"), readers: &["accounts"], secret: true,
        when_empty: "nobody can sign up", is_checked: false,
    }
    /// `test` hashes new passwords with next to no work, so that tests are quick. It is refused unless
    /// `api_url` is an address of this machine (`127.0.0.0/8`, `::1`, `localhost`). Each stored hash keeps
    /// its own cost.
    PASSWORD_HASH_COST: PasswordHashCost {
        name: "password_hash_cost", default: "default", range: (), readers: &["accounts", "identity"],
    }
    /// Failed logins and sign-ups allowed for one user name in 15 minutes. Further attempts are a 429. An
    /// address from which the user logged in recently has a count of its own.
    LOGIN_FAILURES_PER_USER: u64 {
        name: "login_failures_per_user", default: "10", range: 1..=1_000_000, readers: &["accounts", "identity"],
        unit: "failures",
    }
    /// Like `login_failures_per_user`, for one IP address (for IPv6: one /64), refused jobs included. The default is higher, because
    /// many people may share an address.
    LOGIN_FAILURES_PER_ADDRESS: u64 {
        name: "login_failures_per_address", default: "50", range: 1..=1_000_000, readers: &["accounts", "identity"],
        unit: "failures",
    }
    /// Trusted proxies in front of the service: addresses or networks, separated by commas. For a request
    /// from one of them, the client's address is the last one in `X-Forwarded-For` that is not a trusted
    /// proxy. If this is not set, all clients behind a proxy share one count of failures, and the audit log
    /// has the proxy's address for a [halt by link](webhooks.md#halt-from-a-message).
    TRUSTED_PROXIES: String {
        name: "trusted_proxies", default: "", range: PROXIES, readers: &["accounts", "get", "identity", "releases"],
        when_empty: "none",
    }
    /// Origins whose pages may read answers, separated by commas; `*` allows every origin.
    ALLOWED_CORS: String {
        name: "allowed_cors", default: "", range: ORIGINS, readers: &[EVERY], when_empty: "none", edge: SettingSource::Variable,
    }
    /// One log line on standard error for each request to the components that change data or answer managers:
    /// method and path, status, milliseconds, request id, owner. Never a query, a header or a body. An empty
    /// value turns it off.
    LOG_REQUESTS: Option<bool> {
        name: "log_requests", default: "true", range: (), readers: &[MANAGING, "console"],
        // There `log_requests` is the next setting.
        read_as: Some(("log_changes", &["health"])),
    }
    /// Like `log_requests`, for update checks, newest builds, static answers, beacons, repositories of signed
    /// metadata, documentation, health and metrics. Otherwise these log only failures.
    LOG_READS: Option<bool> {
        name: "log_reads", default: "false", range: (), readers: &[ANSWERING, "telemetry", "tuf"],
        read_as: Some(("log_requests", &[ANSWERING])), edge: SettingSource::Variable,
    }
    /// Files up to this size are read once at completion and compared with the digests in their feed
    /// (`RELEASES`, `releases.{channel}.json`, `*.yml`). Larger files are trusted. 0 turns the comparison
    /// off.
    FEED_DIGEST_MAX_BYTES: u64 {
        name: "feed_digest_max_bytes", default: "268435456", range: 0..=u64::MAX, readers: &["releases", "upload"],
        unit: "bytes",
    }
    /// How long the URLs from `POST /upload/init` are valid.
    PRESIGNED_UPLOAD_URL_TTL: Duration {
        name: "presigned_upload_url_ttl", default: "30m",
        range: Duration::from_secs(1)..=Duration::from_hours(7 * 24), readers: &["maintenance", "upload"],
        unit: SECONDS_OR_WITH_UNIT,
    }
    /// How long after its URLs have expired an upload can still be completed. Its staged files are kept until
    /// then.
    UPLOAD_GRACE: Duration {
        name: "upload_grace", default: "24h",
        range: Duration::ZERO..=Duration::from_hours(30 * 24), readers: &["maintenance"],
        unit: SECONDS_OR_WITH_UNIT,
    }
    /// Whether files of published releases can be downloaded without a login from private applications
    /// without a `download_mode` (mode `unlisted`, else `login`; see [downloads](api/downloads.md)).
    ENABLE_PRIVATE_APP_DOWNLOADING: bool {
        name: "enable_private_app_downloading", default: "false", range: (),
        readers: &["catalog", "download", "tuf"],
    }
    /// Secret that the service's keys for signed metadata come from: one for each application, none of which
    /// is stored. Several are separated by one space: the first is for new keys, the others are for
    /// repositories whose root still names keys of theirs. Without the secret that its root's keys come from,
    /// a repository cannot be signed until its root names another key.
    TUF_SECRET: String {
        name: "tuf_secret", default: "", range: Text::of("at least 32 bytes", are_secrets), readers: &[SIGNING],
        secret: true, is_checked: false,
        when_empty: "every call that signs, or shows the service's keys, is a 503",
    }
    /// An origin that webhooks may have, such as `https://hooks.slack.com`. Components may connect only to the
    /// origins of this and the next three settings and to the storage, so it must not be empty. An origin that
    /// ends with `.invalid` stands for none; without any, webhooks are off.
    WEBHOOK_ORIGIN: String {
        name: "webhook_origin", default: "https://webhooks.invalid", range: WEBHOOK, readers: WEBHOOK_READERS,
    }
    /// A second origin, like `webhook_origin`.
    WEBHOOK_ORIGIN2: String {
        name: "webhook_origin2", default: "https://webhooks.invalid", range: WEBHOOK, readers: WEBHOOK_READERS,
    }
    /// A third origin.
    WEBHOOK_ORIGIN3: String {
        name: "webhook_origin3", default: "https://webhooks.invalid", range: WEBHOOK, readers: WEBHOOK_READERS,
    }
    /// A fourth origin.
    WEBHOOK_ORIGIN4: String {
        name: "webhook_origin4", default: "https://webhooks.invalid", range: WEBHOOK, readers: WEBHOOK_READERS,
    }
    /// The issuer of GitHub's identity tokens, for [trusted publishing](trusted-publishing.md).
    GITHUB_ISSUER: String {
        name: "github_issuer", default: "https://token.actions.githubusercontent.com", range: WEBHOOK, readers: &["identity"],
    }
    /// The GitLab whose jobs may be publishers.
    GITLAB_ISSUER: String {
        name: "gitlab_issuer", default: "https://gitlab.com", range: WEBHOOK, readers: &["identity"],
    }
    /// The origin of another issuer whose jobs may be publishers. One that ends with `.invalid` stands for none.
    OIDC_ISSUER: String {
        name: "oidc_issuer", default: "https://issuer.invalid", range: WEBHOOK, readers: &["identity"],
    }
    /// The path of that issuer, such as `/realms/acme`, if it has one.
    OIDC_ISSUER_PATH: String {
        name: "oidc_issuer_path", default: "", range: ISSUER_PATH, readers: &["identity"], when_empty: "none",
    }
    /// The origin of that issuer's keys, if it has them elsewhere. Google has them at
    /// `https://www.googleapis.com`.
    OIDC_KEYS_ORIGIN: String {
        name: "oidc_keys_origin", default: "https://issuer.invalid", range: WEBHOOK, readers: &["identity"],
    }
    /// How long the token of a CI job is valid.
    EXCHANGED_TOKEN_TTL: Duration {
        name: "exchanged_token_ttl", default: "30m", range: Duration::from_mins(5)..=Duration::from_hours(6),
        readers: &["identity"], unit: SECONDS_OR_WITH_UNIT,
    }
    /// The origin of a provider for [single sign-on](single-sign-on.md) (OpenID Connect). One that ends with `.invalid`
    /// stands for none.
    SSO_ISSUER: String {
        name: "sso_issuer", default: "https://sso.invalid", range: WEBHOOK, readers: &["identity"],
    }
    /// The path of the provider's issuer, such as `/realms/acme`, if it has one.
    SSO_ISSUER_PATH: String {
        name: "sso_issuer_path", default: "", range: ISSUER_PATH, readers: &["identity"], when_empty: "none",
    }
    /// The origin of the provider's keys, if it has them elsewhere. Google has them at `https://www.googleapis.com`.
    SSO_KEYS_ORIGIN: String {
        name: "sso_keys_origin", default: "https://sso.invalid", range: WEBHOOK, readers: &["identity"],
    }
    /// The origin of the provider's tokens, if it has them elsewhere. Google has them at
    /// `https://oauth2.googleapis.com`.
    SSO_TOKENS_ORIGIN: String {
        name: "sso_tokens_origin", default: "https://sso.invalid", range: WEBHOOK, readers: &["identity"],
    }
    /// The provider's name for this service.
    SSO_CLIENT_ID: String {
        name: "sso_client_id", default: "", range: BEARER, readers: &["identity"], when_empty: "single sign-on is off",
    }
    /// The secret that goes with it.
    SSO_CLIENT_SECRET: String {
        name: "sso_client_secret", default: "", range: BEARER, readers: &["identity"], secret: true,
        when_empty: "the provider asks for none",
    }
    /// The name of the provider on the button of the login page.
    SSO_NAME: String {
        name: "sso_name", default: "single sign-on", range: SSO_LABEL, readers: &["identity"],
    }
    /// How long after a login, or a later proof with a passkey, a user with a passkey may make changes that cannot be
    /// taken back or let others in.
    FRESH_LOGIN_TTL: Duration {
        name: "fresh_login_ttl", default: "15m", range: Duration::from_mins(1)..=Duration::from_hours(24),
        readers: &["accounts", "catalog", "control", "identity", "releases", "tuf"], unit: SECONDS_OR_WITH_UNIT,
    }
    /// Bearer token for `POST /maintenance/run` and `POST /guard/run`, as an alternative to an admin's login.
    MAINTENANCE_TOKEN: String {
        name: "maintenance_token", default: "", range: BEARER, readers: &["maintenance", "releases"], secret: true,
        when_empty: "that way is off",
    }
    /// Bearer token for `GET /metrics`.
    METRICS_TOKEN: String {
        name: "metrics_token", default: "", range: BEARER, readers: &["metrics"], secret: true, when_empty: "the call is a 404",
    }
}
